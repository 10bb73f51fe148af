//! Texts of a search, batch by batch: the next ones are read while others are searched.

use std::panic::resume_unwind;
use std::thread;

use crate::input::{Memory, ReadSoFar, Reading, StringList, StringReader};
use crate::interrupt::Interrupt;

/// Maximum bytes of the texts of a batch, besides the last one.
pub const BATCH_BYTES: u64 = 256 << 20;
/// Upper bound on the scratch memory of a thread, with as much again for the texts.
const THREAD_BYTES: u64 = 8 << 20;
/// Scratch memory of a thread for each byte of a batch shorter than that.
const THREAD_BYTES_PER_BYTE: u64 = 64;

/// Bytes of texts that are searched at once with this memory. A single text may be longer.
pub fn batch_bytes(host_memory: u64, threads: u64) -> u64 {
    let share = if host_memory >= threads * THREAD_BYTES {
        8
    } else {
        threads * THREAD_BYTES_PER_BYTE
    };
    (host_memory / share).clamp(1, BATCH_BYTES)
}

/// Share of the memory for texts that are read while others are searched.
pub const AHEAD_SHARE: u64 = 4;

/// The texts that are not read yet.
pub struct Texts {
    pub reader: StringReader,
    /// The account of texts that are read.
    pub memory: Memory,
    pub batch_bytes: u64,
    /// Memory of texts that are read while others are searched; `None` if they are read after those.
    pub max_ahead: Option<u64>,
}

/// Texts, and where their file is after them.
pub type Batch = (StringList<u8>, ReadSoFar);

impl Texts {
    pub fn next(&mut self, reading: &mut Reading, interrupt: &Interrupt) -> anyhow::Result<Batch> {
        let Self {
            reader,
            batch_bytes,
            ..
        } = self;
        if reader.fraction().is_some() {
            return reader.next_batch(*batch_bytes, reading);
        }
        // A pipe may have nothing for ever.
        interrupt.ending_at_once(|| reader.next_batch(*batch_bytes, reading))
    }

    /// Reads the next texts beside `work`, if there are any and memory allows.
    pub fn next_beside<T>(
        &mut self,
        is_last: bool,
        work: impl FnOnce() -> T,
    ) -> (T, Option<anyhow::Result<Batch>>) {
        // Nothing ends a read from a pipe that has nothing.
        let is_file = self.reader.fraction().is_some();
        let Some(max_bytes) = self.max_ahead.filter(|_| is_file && !is_last) else {
            return (work(), None);
        };
        let memory = self.memory.clone();
        thread::scope(|scope| {
            memory.limit_ahead(max_bytes);
            let waiting = Unlimited(&memory);
            let batch = || {
                let unused = &mut Reading::within(0);
                self.reader.next_batch(self.batch_bytes, unused)
            };
            let read = scope.spawn(batch);
            let done = work();
            drop(waiting);
            let read = read.join();
            (
                done,
                Some(read.unwrap_or_else(|panic| resume_unwind(panic))),
            )
        })
    }
}

struct Unlimited<'a>(&'a Memory);

impl Drop for Unlimited<'_> {
    fn drop(&mut self) {
        self.0.limit_ahead(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::input::{Source, StringSymbols};

    #[test]
    fn next_texts_are_read_beside_work_within_the_memory() {
        let letters = "ACGT".repeat(250);
        let fasta = (0..20).fold(String::new(), |mut fasta, number| {
            let _ = writeln!(fasta, ">t{number}\n{letters}");
            fasta
        });
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), fasta).expect("it is written");
        let source = Source::File(file.path().to_path_buf());
        let memory = Memory::new(80_000);
        let ahead = memory.ahead();
        let reader = StringReader::open(&source, StringSymbols::Bytes, false, &ahead);
        let mut texts = Texts {
            reader: reader.expect("it is FASTA"),
            memory: ahead,
            batch_bytes: 1,
            // The next text has to wait until the work is done.
            max_ahead: Some(1),
        };
        let first = texts.reader.next_batch(1, &mut Reading::within(0));
        let (mut list, mut read) = first.expect("it fits");
        for number in 0..20 {
            assert_eq!((list.first, list.symbols), (number, 1000));
            assert_eq!((read.count, read.is_done), (number + 1, number == 19));
            texts.memory.release(list.size_bytes());
            memory.hold("a", list.size_bytes()).expect("it fits");
            let size_bytes = list.size_bytes();
            let (done, next) = texts.next_beside(read.is_done, || {
                memory.release(size_bytes);
                number
            });
            assert_eq!(done, number);
            let Some(next) = next else { break };
            (list, read) = next.expect("it fits");
        }
        assert!(read.is_done);
    }
}
