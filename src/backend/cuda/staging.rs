//! Memory of the host that the device copies to and from by itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::backend::memory::{Account, Entry};
use crate::backend::parts::Task;

use super::driver::{Context, DeviceMemory, Event, HostMemory, Result, Stream};

/// Words of one copy to the device: of a long upload every thread fills some.
pub(super) const PART_WORDS: usize = 1 << 19;
/// Parts of uploads that there are before anybody waits for one.
const MOST_PARTS: usize = 32;
/// Words of the buffers that wait for the next readback, together: the driver takes milliseconds to make one or to free it.
const MOST_IDLE_WORDS: usize = 1 << 27;

/// Staging memory of a device, used again and again.
#[derive(Debug)]
pub(super) struct Staging {
    context: Arc<Context>,
    account: Account,
    /// Parts of uploads, the one whose copy began first before the others.
    parts: Mutex<VecDeque<Part>>,
    readbacks: Mutex<Vec<Readback>>,
}

/// Memory of one copy to the device.
#[derive(Debug)]
struct Part {
    memory: HostMemory,
    /// The end of the last copy.
    copied: Event,
    _entry: Entry,
}

/// Memory that a readback goes to.
#[derive(Debug)]
pub(super) struct Readback {
    memory: HostMemory,
    words: usize,
    _entry: Entry,
}

impl Drop for Part {
    /// Waits for the copy from it.
    fn drop(&mut self) {
        // A context that cannot tell has failed and copies nothing.
        let _ = self.copied.wait();
    }
}

impl Readback {
    /// Its words, of which only those are read that were written.
    pub(super) fn words(&self) -> *mut u32 {
        self.memory.words()
    }
}

/// Words, and where they go.
pub(super) type Upload<'a> = (&'a [u32], &'a DeviceMemory);

/// Words of an upload that go in one copy: which upload, its first word there, and the words.
type Piece<'a> = (&'a DeviceMemory, usize, &'a [u32]);

impl Staging {
    /// None yet; what it takes is on this account.
    pub(super) fn new(context: Arc<Context>, account: Account) -> Self {
        Self {
            context,
            account,
            parts: Mutex::default(),
            readbacks: Mutex::default(),
        }
    }

    /// Memory for so many words, with its line on the account.
    fn allocate(&self, words: usize) -> Result<(HostMemory, Entry)> {
        Ok((
            HostMemory::new(&self.context, words)?,
            self.account.allocated(4 * words as u64),
        ))
    }

    /// Has words copied to the device in a stream, after all that came in it; they are on their way when this returns.
    pub(super) fn upload(&self, stream: &Stream, uploads: &[Upload<'_>]) -> Result<()> {
        packed(uploads).into_par_iter().try_for_each(|pieces| {
            let _entered = self.context.enter()?;
            let part = self.part(PART_WORDS)?;
            let to = part.memory.words();
            self.send(stream, part, || {
                let mut place = 0;
                pieces.into_iter().try_for_each(|(memory, first, words)| {
                    // SAFETY: the part has the room, and its last copy is done. It is not written again before this copy is.
                    unsafe {
                        let staged = to.add(place);
                        staged.copy_from_nonoverlapping(words.as_ptr(), words.len());
                        place += words.len();
                        stream.upload(
                            memory,
                            4 * first as u64,
                            std::slice::from_raw_parts(staged, words.len()),
                        )
                    }
                })
            })
        })
    }

    /// Has what `write` writes, part by part from a word on, copied to where a task belongs; it is on its way when this returns.
    pub(super) fn fill(
        &self,
        stream: &Stream,
        memory: &DeviceMemory,
        task: Task<'_>,
        write: impl Fn(u64, &mut [u32]),
    ) -> Result<()> {
        let _entered = self.context.enter()?;
        let words = (task.end - task.first) as usize;
        let part = self.part(words)?;
        // SAFETY: the part has the room, its last copy is done, and nobody else has it.
        let staged = unsafe { std::slice::from_raw_parts_mut(part.memory.words(), words) };
        let parts = staged.chunks_mut(task.part as usize);
        parts
            .zip((task.first..).step_by(task.part as usize))
            .for_each(|(words, first)| write(first, words));
        // SAFETY: it is not written again before this copy is done.
        self.send(stream, part, || unsafe {
            stream.upload(memory, 4 * task.first, staged)
        })
    }

    /// Has `copy` put copies from a part into a stream; the part is used again behind them.
    fn send(&self, stream: &Stream, part: Part, copy: impl FnOnce() -> Result<()>) -> Result<()> {
        let sent = copy().and_then(|()| part.copied.record(stream));
        match sent {
            Ok(()) => lock(&self.parts).push_back(part),
            // Some copies may have begun, and the part's event does not tell when they are done.
            Err(_) => _ = stream.wait_until_done(),
        }
        sent
    }

    /// A part for so many words whose last copy is done.
    fn part(&self, words: usize) -> Result<Part> {
        let oldest = if words > PART_WORDS {
            None
        } else {
            let mut parts = lock(&self.parts);
            let wait = parts.len() >= MOST_PARTS;
            match parts.front() {
                Some(part) if wait || part.copied.has_come()? => parts.pop_front(),
                _ => None,
            }
        };
        if let Some(part) = oldest {
            part.copied.wait()?;
            return Ok(part);
        }
        let words = words.max(PART_WORDS);
        let (memory, _entry) = self.allocate(words)?;
        Ok(Part {
            memory,
            copied: Event::new(&self.context)?,
            _entry,
        })
    }

    /// Memory for a readback of so many words, some that was used before where it is large enough.
    pub(super) fn readback(&self, words: usize) -> Result<Readback> {
        let mut idle = lock(&self.readbacks);
        if let Some(place) = idle
            .iter()
            .position(|readback| (words..=words * 4).contains(&readback.words))
        {
            return Ok(idle.remove(place));
        }
        drop(idle);
        let words = words.next_power_of_two().max(LEAST_READBACK_WORDS);
        let (memory, _entry) = self.allocate(words)?;
        Ok(Readback {
            memory,
            words,
            _entry,
        })
    }

    /// Takes back what nobody looks at any more.
    pub(super) fn give_back(&self, readback: Readback) {
        let mut idle = lock(&self.readbacks);
        idle.push(readback);
        let mut words: usize = idle.iter().map(|readback| readback.words).sum();
        // Those that were given back first are the oldest.
        while words > MOST_IDLE_WORDS && idle.len() > 1 {
            words -= idle.remove(0).words;
        }
    }
}

/// Words of the smallest memory for readbacks.
const LEAST_READBACK_WORDS: usize = 1 << 10;

/// Cuts uploads into pieces, and puts those together that fit one part.
fn packed<'a>(uploads: &[Upload<'a>]) -> Vec<Vec<Piece<'a>>> {
    let mut parts: Vec<Vec<Piece<'a>>> = Vec::new();
    let mut room = 0;
    for &(words, memory) in uploads {
        let mut first = 0;
        while first < words.len() {
            if room == 0 {
                parts.push(Vec::new());
                room = PART_WORDS;
            }
            let piece = &words[first..][..room.min(words.len() - first)];
            parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.push((memory, first, piece)));
            first += piece.len();
            room -= piece.len();
        }
    }
    parts
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
