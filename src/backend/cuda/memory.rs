//! Buffers of a CUDA device.

use std::sync::Arc;

use super::driver::{self, Context, DeviceMemory, Event, Failure, Stream};
use crate::backend::buffers::{self, Allocator};

/// Device memory through one context.
pub(super) type Memory = buffers::Memory<Allocating>;

/// A buffer that a plan uses.
pub(super) type Lent = buffers::Lent<Allocating>;

/// Allocates in a context.
#[derive(Clone, Debug)]
pub(super) struct Allocating(pub Arc<Context>);

/// Memory, which other work may still be using.
#[derive(Debug)]
pub(super) struct Buffer {
    pub memory: DeviceMemory,
    size_bytes: u64,
    /// The end of what the session before has submitted: sessions have streams of their own.
    pub busy_until: Option<Arc<Event>>,
}

impl Allocator for Allocating {
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
    /// Waits for what other sessions have left to do with buffers that are this one's now.
    pub(super) fn take_over(&self, buffers: &mut [Lent]) -> driver::Result<()> {
        buffers
            .iter_mut()
            .filter_map(|buffer| buffer.busy_until.take())
            .try_for_each(|event| self.wait_for(&event))
    }

    /// Has whoever gets these buffers next wait for what is left to do with them here.
    pub(super) fn leave(&self, buffers: &mut [Lent]) -> driver::Result<()> {
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
