//! The buffer manager: creates the buffers of plans and reuses those that plans give back. How much there may be of them is for
//! the device's account to say.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::{BufferDescriptor, BufferUsages, Device, ErrorFilter};

use crate::backend::memory::{Account, Reservation};

/// Device memory through one device. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    device: Device,
    account: Account,
    /// Buffers that no plan uses, smallest first.
    idle: Arc<Mutex<Vec<wgpu::Buffer>>>,
}

/// Device memory that the driver does not have.
#[derive(Debug)]
pub(super) struct OutOfMemory;

impl Memory {
    /// No buffers yet.
    pub fn new(device: Device, account: Account) -> Self {
        Self { device, account, idle: Arc::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<wgpu::Buffer>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that all sessions on the device hold.
    pub fn held_bytes(&self) -> u64 {
        self.account.held_bytes()
    }

    /// So many bytes beside those of a plan, if they are there now.
    pub fn try_reserve(&self, bytes: u64, limit: u64) -> Option<Reservation> {
        self.account.try_reserve(bytes, limit)
    }

    /// Buffers of at least these sizes, which the account has already. Idle buffers are used where they fit without wasting half
    /// of them, and dropped where the limit needs their room.
    pub fn allocate(&self, sizes: &[(&str, u64)], limit: u64) -> Result<Vec<Lent>, OutOfMemory> {
        self.try_allocate(sizes, limit).or_else(|OutOfMemory| {
            // The driver may have room once nothing lies idle.
            self.idle().clear();
            self.try_allocate(sizes, limit)
        })
    }

    fn try_allocate(&self, sizes: &[(&str, u64)], limit: u64) -> Result<Vec<Lent>, OutOfMemory> {
        let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let mut lent: Vec<_> = sizes.iter().map(|&(name, size)| self.lend(name, size, limit)).collect();
        // The interface keeps errors on the host, so the answer is there at once.
        if pollster::block_on(scope.pop()).is_none() {
            return Ok(lent);
        }
        // Some of the buffers are not backed by memory, so that none may be used again.
        lent.iter_mut().for_each(|lent| lent.reusable = false);
        Err(OutOfMemory)
    }

    fn lend(&self, name: &str, size: u64, limit: u64) -> Lent {
        let mut idle = self.idle();
        let fitting = idle.iter().position(|buffer| (size..=size.saturating_mul(2)).contains(&buffer.size()));
        // What a larger buffer has too much must be on the account too.
        let fitting = fitting.and_then(|place| Some((place, self.try_reserve(idle[place].size() - size, limit)?)));
        let (buffer, surplus) = match fitting {
            Some((place, surplus)) => (idle.remove(place), Some(surplus)),
            None => {
                let mut idle_bytes: u64 = idle.iter().map(wgpu::Buffer::size).sum();
                let held_bytes = self.account.held_bytes();
                while held_bytes.saturating_add(idle_bytes) > limit
                    && let Some(dropped) = idle.pop()
                {
                    idle_bytes -= dropped.size();
                }
                let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
                let descriptor = BufferDescriptor { label: Some(name), size, usage, mapped_at_creation: false };
                (self.device.create_buffer(&descriptor), None)
            }
        };
        Lent { memory: self.clone(), buffer, size, reusable: true, _surplus: surplus }
    }
}

/// A buffer that a plan uses; dropping it makes it idle.
#[derive(Debug)]
pub(super) struct Lent {
    memory: Memory,
    pub buffer: wgpu::Buffer,
    /// Bytes that were asked for; the buffer may have more.
    pub size: u64,
    reusable: bool,
    _surplus: Option<Reservation>,
}

impl Lent {
    /// The buffer, and the bytes of it that kernels see.
    pub fn bound(&self) -> (wgpu::Buffer, u64) {
        (self.buffer.clone(), self.size)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.reusable {
            let mut idle = self.memory.idle();
            let place = idle.partition_point(|buffer| buffer.size() < self.buffer.size());
            idle.insert(place, self.buffer.clone());
        }
    }
}
