//! A word of device memory outside a session's plan.

use super::driver::{Result, Stream};
use super::memory::{BufferPool, PooledBuffer};
use crate::backend::memory::Entry;

const WORD_BYTES: u64 = 4;

pub(super) struct ScratchBuffer {
    buffers: Vec<PooledBuffer>,
    _entry: Entry,
}

impl ScratchBuffer {
    /// Allocates a word that is 0 for all later work of the stream.
    pub(super) fn new(name: &str, pool: &BufferPool, stream: &Stream) -> Result<Self> {
        let mut buffers = pool.allocate(&[(name, WORD_BYTES)], u64::MAX)?;
        stream.take_over(&mut buffers)?;
        // SAFETY: the buffer has the word.
        unsafe { stream.fill(&buffers[0].memory, 0, 1)? };
        Ok(Self {
            buffers,
            _entry: pool.account().auxiliary(WORD_BYTES),
        })
    }

    pub(super) fn buffer(&self) -> &PooledBuffer {
        &self.buffers[0]
    }

    /// Returns the buffer, to be released through `Stream::leave`.
    pub(super) fn into_buffers(self) -> Vec<PooledBuffer> {
        self.buffers
    }
}
