//! Buffers of a CUDA device.

use std::sync::Arc;

use super::driver::{self, Context, DeviceMemory, Event, Failure, Stream};
use crate::backend::buffers::{self, Allocator};

pub(super) type BufferPool = buffers::BufferPool<ContextAllocator>;

pub(super) type PooledBuffer = buffers::PooledBuffer<ContextAllocator>;

#[derive(Clone, Debug)]
pub(super) struct ContextAllocator(pub Arc<Context>);

/// Device memory that other work may still be using.
#[derive(Debug)]
pub(super) struct Buffer {
    pub memory: DeviceMemory,
    size_bytes: u64,
    /// End of the previous session's work: sessions have separate streams.
    pub busy_until: Option<Arc<Event>>,
}

impl Allocator for ContextAllocator {
    type Buffer = Buffer;
    type Failure = Failure;

    fn allocate(&self, _name: &str, size_bytes: u64) -> Result<Buffer, Failure> {
        Ok(Buffer {
            memory: DeviceMemory::new(&self.0, size_bytes)?,
            size_bytes,
            busy_until: None,
        })
    }

    fn size_bytes(buffer: &Buffer) -> u64 {
        buffer.size_bytes
    }
}

impl Stream {
    /// Waits for the work of other sessions on buffers that this one takes over.
    pub(super) fn take_over(&self, buffers: &mut [PooledBuffer]) -> driver::Result<()> {
        buffers
            .iter_mut()
            .filter_map(|buffer| buffer.busy_until.take())
            .try_for_each(|event| self.wait_for(&event))
    }

    /// Makes the next owner of these buffers wait for this stream's work on them.
    pub(super) fn leave(&self, buffers: &mut [PooledBuffer]) -> driver::Result<()> {
        if buffers.is_empty() {
            return Ok(());
        }
        let end = Arc::new(Event::new(self.context())?);
        end.record(self)?;
        buffers
            .iter_mut()
            .for_each(|buffer| buffer.busy_until = Some(end.clone()));
        Ok(())
    }
}
