//! Buffers of a CUDA device.

use std::sync::Arc;

use super::driver::{Context, DeviceMemory, Event, Failure};
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
        Ok(Buffer { memory: DeviceMemory::new(&self.0, size_bytes)?, size_bytes, busy_until: None })
    }

    fn size_bytes(buffer: &Buffer) -> u64 {
        buffer.size_bytes
    }
}
