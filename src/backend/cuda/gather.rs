//! Gathered readback of spans on a CUDA device.

use super::arguments::{Arguments, Bound};
use super::driver::{DeviceMemory, Result, Stream};
use super::memory::{BufferPool, ContextAllocator, PooledBuffer};
use super::pipelines::Pipeline;
use crate::backend::gather_read::{GatherBuffers, GatherRead};

pub(super) struct Gather {
    pipeline: Pipeline,
    pool: BufferPool,
    budget_bytes: u64,
    scratch: Option<GatherBuffers<ContextAllocator>>,
}

impl Gather {
    pub(super) fn new(pipeline: Pipeline, pool: BufferPool, budget_bytes: u64) -> Self {
        Self {
            pipeline,
            pool,
            budget_bytes,
            scratch: None,
        }
    }

    pub(super) fn into_buffers(self) -> Vec<PooledBuffer> {
        self.scratch
            .map(|scratch| scratch.buffers)
            .unwrap_or_default()
    }

    /// Makes room for `words` gathered words; false if the budget has none.
    pub(super) fn make_room(&mut self, stream: &Stream, words: u64) -> Result<bool> {
        if self
            .scratch
            .as_ref()
            .is_some_and(|scratch| scratch.words >= words)
        {
            return Ok(true);
        }
        // Freed before larger buffers are allocated; the next user waits for this stream's work on
        // them.
        if let Some(mut scratch) = self.scratch.take() {
            stream.leave(&mut scratch.buffers)?;
        }
        let allocated = GatherBuffers::new(&self.pool, words, self.budget_bytes);
        let Some(mut scratch) = allocated else {
            return Ok(false);
        };
        stream.take_over(&mut scratch.buffers)?;
        self.scratch = Some(scratch);
        Ok(true)
    }

    /// Gathers spans of `source` in a stream, using the room made before. `table` is their table,
    /// in staging memory. Returns the buffer of gathered words.
    ///
    /// # Safety
    /// `table` does not change until the stream has executed this.
    pub(super) unsafe fn gather(
        &self,
        stream: &Stream,
        gathered: &GatherRead,
        source: &DeviceMemory,
        table: &[u32],
    ) -> Result<Option<&DeviceMemory>> {
        let Some(GatherBuffers { buffers, .. }) = &self.scratch else {
            return Ok(None);
        };
        let [words, spans] = [&buffers[0].memory, &buffers[1].memory];
        // The kernel asks for no length.
        let bindings = [(0, words), (1, source), (2, spans)]
            .map(|(number, memory)| (number, Bound::new(memory, u64::MAX)));
        let arguments = Arguments::new(bindings, gathered.params());
        // SAFETY: the table fits its buffer, and the kernel reads the spans it names, which are of
        // the source buffer.
        unsafe {
            stream.upload(spans, 0, table)?;
            stream.launch(&self.pipeline, [gathered.groups(), 1, 1], &arguments)?;
        }
        Ok(Some(words))
    }
}
