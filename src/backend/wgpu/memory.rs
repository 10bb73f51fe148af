//! Buffers of a wgpu device.

use std::time::Duration;

use wgpu::{BufferDescriptor, BufferUsages, Device, ErrorFilter};

use super::Owner;
use crate::backend::buffers::{self, Allocator};

/// Bytes from which on making a buffer takes a driver milliseconds, in which an application's submissions wait.
const LARGE_BYTES: u64 = 32 << 20;
/// Their turn before each of those.
const TURN: Duration = Duration::from_millis(2);

/// Device memory through one device.
pub(super) type Memory = buffers::Memory<Allocating>;

/// A buffer that a plan uses.
pub(super) type Lent = buffers::Lent<Allocating>;

/// Device memory that the driver does not have.
#[derive(Debug)]
pub struct OutOfMemory;

/// Makes the buffers of a device.
#[derive(Clone, Debug)]
pub(super) struct Allocating {
    pub device: Device,
    pub owner: Owner,
}

impl Allocator for Allocating {
    type Buffer = wgpu::Buffer;
    type Failure = OutOfMemory;

    fn allocate(&self, name: &str, size: u64) -> Result<wgpu::Buffer, OutOfMemory> {
        if self.owner == Owner::Host && size >= LARGE_BYTES {
            std::thread::sleep(TURN);
        }
        let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer =
            self.device.create_buffer(&BufferDescriptor { label: Some(name), size, usage, mapped_at_creation: false });
        // The interface keeps errors on the host, so the answer is there at once.
        if pollster::block_on(scope.pop()).is_none() { Ok(buffer) } else { Err(OutOfMemory) }
    }

    fn size_bytes(buffer: &wgpu::Buffer) -> u64 {
        buffer.size()
    }
}
