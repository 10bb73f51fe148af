//! Buffers of a wgpu device.

use wgpu::{BufferDescriptor, BufferUsages, Device, ErrorFilter};

use crate::backend::buffers::{self, Allocator};

/// Device memory through one device.
pub(super) type Memory = buffers::Memory<Device>;

/// A buffer that a plan uses.
pub(super) type Lent = buffers::Lent<Device>;

/// Device memory that the driver does not have.
#[derive(Debug)]
pub struct OutOfMemory;

impl Allocator for Device {
    type Buffer = wgpu::Buffer;
    type Failure = OutOfMemory;

    fn allocate(&self, name: &str, size: u64) -> Result<wgpu::Buffer, OutOfMemory> {
        let scope = self.push_error_scope(ErrorFilter::OutOfMemory);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer =
            self.create_buffer(&BufferDescriptor { label: Some(name), size, usage, mapped_at_creation: false });
        // The interface keeps errors on the host, so the answer is there at once.
        if pollster::block_on(scope.pop()).is_none() { Ok(buffer) } else { Err(OutOfMemory) }
    }

    fn size_bytes(buffer: &wgpu::Buffer) -> u64 {
        buffer.size()
    }
}
