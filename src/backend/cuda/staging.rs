//! Pinned host memory for uploads and readback.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock};

use super::driver::{Context, DeviceMemory, Event, HostMemory, Result, Stream};
use crate::backend::streaming::UploadTask;
use crate::host::lock;
use crate::host::parallel::all;

/// Words of one upload copy: for a long upload, all threads fill some.
pub(super) const PART_WORDS: usize = 1 << 19;
/// Maximum upload buffers before an upload waits for the oldest one.
const MAX_PARTS: usize = 32;
/// Maximum total words of idle readback buffers. The driver takes milliseconds to pin or to free
/// one.
const MAX_IDLE_WORDS: usize = 1 << 27;

#[derive(Debug)]
pub(super) struct Staging {
    context: Arc<Context>,
    /// Upload buffers, oldest copy first.
    parts: Mutex<VecDeque<UploadBuffer>>,
    readbacks: Mutex<Vec<Readback>>,
}

/// Pinned memory of one upload copy.
#[derive(Debug)]
struct UploadBuffer {
    memory: HostMemory,
    /// End of the last copy.
    copied: Event,
}

/// Pinned memory of a readback.
#[derive(Debug)]
pub(super) struct Readback {
    memory: HostMemory,
    words: usize,
}

impl Drop for UploadBuffer {
    /// Waits for the copy that reads from it.
    fn drop(&mut self) {
        // An error means that the context has failed, and copies nothing.
        let _ = self.copied.wait();
    }
}

impl Readback {
    /// Its words; only written ones may be read.
    pub(super) fn words(&self) -> *mut u32 {
        self.memory.words()
    }
}

pub(super) type Upload<'a> = (&'a [u32], &'a DeviceMemory);

/// A piece of an upload that fits one copy: destination, its first word there, and the words.
type Piece<'a> = (&'a DeviceMemory, usize, &'a [u32]);

impl Staging {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            parts: Mutex::default(),
            readbacks: Mutex::default(),
        }
    }

    /// Copies words to the device behind all work in the stream. Returns once the copies are
    /// enqueued.
    pub(super) fn upload(&self, stream: &Stream, uploads: &[Upload<'_>]) -> Result<()> {
        let parts = packed(uploads);
        let failure = OnceLock::new();
        all(parts.len(), |part| {
            let sent = self.upload_part(stream, &parts[part]);
            sent.map_err(|error| failure.set(error)).is_ok()
        });
        failure.into_inner().map_or(Ok(()), Err)
    }

    /// Copies pieces that fit one upload buffer.
    fn upload_part(&self, stream: &Stream, pieces: &[Piece<'_>]) -> Result<()> {
        let _entered = self.context.enter()?;
        let part = self.part(PART_WORDS)?;
        let to = part.memory.words();
        self.send(stream, part, || {
            let mut index = 0;
            pieces.iter().try_for_each(|&(memory, first, words)| {
                // SAFETY: the part has room, and its last copy is done. It is not written again
                // before this copy is done.
                unsafe {
                    let staged = to.add(index);
                    staged.copy_from_nonoverlapping(words.as_ptr(), words.len());
                    index += words.len();
                    stream.upload(
                        memory,
                        4 * first as u64,
                        std::slice::from_raw_parts(staged, words.len()),
                    )
                }
            })
        })
    }

    /// Generates the words of a task with `write`, in parts, and copies them to the task's place.
    /// Returns once the copy is enqueued.
    pub(super) fn fill(
        &self,
        stream: &Stream,
        memory: &DeviceMemory,
        task: UploadTask<'_>,
        write: impl Fn(u64, &mut [u32]),
    ) -> Result<()> {
        let _entered = self.context.enter()?;
        let words = (task.end - task.first) as usize;
        let part = self.part(words)?;
        // SAFETY: the part has room, its last copy is done, and it has no other user.
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

    /// Enqueues copies from an upload buffer by `copy`, and returns the buffer to the pool for
    /// reuse behind them.
    fn send(
        &self,
        stream: &Stream,
        part: UploadBuffer,
        copy: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let sent = copy().and_then(|()| part.copied.record(stream));
        match sent {
            Ok(()) => lock(&self.parts).push_back(part),
            // Some copies may have begun, and the part's event does not mark their end.
            Err(_) => _ = stream.wait_until_done(),
        }
        sent
    }

    /// Takes an upload buffer for `words` words whose last copy is done.
    fn part(&self, words: usize) -> Result<UploadBuffer> {
        let oldest = if words > PART_WORDS {
            None
        } else {
            let mut parts = lock(&self.parts);
            let wait = parts.len() >= MAX_PARTS;
            match parts.front() {
                Some(part) if wait || part.copied.is_complete()? => parts.pop_front(),
                _ => None,
            }
        };
        if let Some(part) = oldest {
            part.copied.wait()?;
            return Ok(part);
        }
        Ok(UploadBuffer {
            memory: HostMemory::new(&self.context, words.max(PART_WORDS))?,
            copied: Event::new(&self.context)?,
        })
    }

    /// Takes a readback buffer for `words` words, from the pool if one fits.
    pub(super) fn readback(&self, words: usize) -> Result<Readback> {
        let mut idle = lock(&self.readbacks);
        if let Some(index) = idle
            .iter()
            .position(|readback| (words..=words * 4).contains(&readback.words))
        {
            return Ok(idle.remove(index));
        }
        drop(idle);
        let words = words.next_power_of_two().max(MIN_READBACK_WORDS);
        Ok(Readback {
            memory: HostMemory::new(&self.context, words)?,
            words,
        })
    }

    pub(super) fn give_back(&self, readback: Readback) {
        let mut idle = lock(&self.readbacks);
        idle.push(readback);
        let mut words: usize = idle.iter().map(|readback| readback.words).sum();
        // The oldest are first.
        while words > MAX_IDLE_WORDS && idle.len() > 1 {
            words -= idle.remove(0).words;
        }
    }
}

/// Minimum words of a readback buffer.
const MIN_READBACK_WORDS: usize = 1 << 10;

/// Splits uploads into pieces and packs these into upload buffers.
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
