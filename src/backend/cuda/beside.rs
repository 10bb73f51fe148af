//! A word of the device's memory beside a session's plan.

use super::driver::{Result, Stream};
use super::memory::{Lent, Memory};
use crate::backend::memory::Entry;

/// Bytes of it.
const WORD_BYTES: u64 = 4;

/// A word that kernels of a session share.
pub(super) struct Beside {
    buffers: Vec<Lent>,
    _entry: Entry,
}

impl Beside {
    /// One that is 0 behind all that has come in the stream.
    pub(super) fn new(name: &str, memory: &Memory, stream: &Stream) -> Result<Self> {
        let mut buffers = memory.allocate(&[(name, WORD_BYTES)], u64::MAX)?;
        stream.take_over(&mut buffers)?;
        // SAFETY: the buffer has the word.
        unsafe { stream.fill(&buffers[0].memory, 0, 1)? };
        Ok(Self {
            buffers,
            _entry: memory.account().beside(WORD_BYTES),
        })
    }

    /// Its buffer.
    pub(super) fn lent(&self) -> &Lent {
        &self.buffers[0]
    }

    /// What whoever gets its memory next has to be told of.
    pub(super) fn into_buffers(self) -> Vec<Lent> {
        self.buffers
    }
}
