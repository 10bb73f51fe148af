//! The buffer manager: accounts for every byte, keeps a budget, and reuses what plans give back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::{BufferDescriptor, BufferUsages, Device, ErrorFilter};

/// Device memory of one engine. Clones share the accounts.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(Arc<Mutex<Accounts>>);

#[derive(Debug, Default)]
struct Accounts {
    /// Bytes of buffers in use.
    used_bytes: u64,
    /// Buffers that no plan uses, smallest first.
    idle: Vec<wgpu::Buffer>,
}

impl Accounts {
    fn idle_bytes(&self) -> u64 {
        self.idle.iter().map(wgpu::Buffer::size).sum()
    }
}

/// Device memory that could not be had.
#[derive(Debug)]
pub(super) struct OutOfMemory;

impl Memory {
    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Buffers of at least these sizes, all or none. Idle buffers are used where they fit without wasting half of them, and
    /// dropped where the budget needs their room.
    pub(super) fn allocate(&self, device: &Device, sizes: &[(String, u64)], budget: u64) -> Result<Lease, OutOfMemory> {
        self.try_allocate(device, sizes, budget).or_else(|OutOfMemory| {
            // Idle buffers that are larger than asked for may have used the budget up: once more without any.
            self.accounts().idle.clear();
            self.try_allocate(device, sizes, budget)
        })
    }

    fn try_allocate(&self, device: &Device, sizes: &[(String, u64)], budget: u64) -> Result<Lease, OutOfMemory> {
        let mut accounts = self.accounts();
        let buffers = Vec::with_capacity(sizes.len());
        let mut lease = Lease { memory: self.clone(), buffers, sizes: sizes.iter().map(|(_, size)| *size).collect() };
        let scope = device.push_error_scope(ErrorFilter::OutOfMemory);
        let mut fits = true;
        let mut rest: u64 = sizes.iter().map(|(_, size)| size).sum();
        for (name, size) in sizes {
            rest -= size;
            // A larger buffer must leave room for the buffers to come.
            let most = budget.saturating_sub(accounts.used_bytes + rest).min(size * 2);
            let reusable = accounts.idle.iter().position(|buffer| (*size..=most).contains(&buffer.size()));
            if let Some(place) = reusable {
                let buffer = accounts.idle.remove(place);
                accounts.used_bytes += buffer.size();
                lease.buffers.push(buffer);
                continue;
            }
            while accounts.used_bytes + accounts.idle_bytes() + size > budget && !accounts.idle.is_empty() {
                accounts.idle.pop();
            }
            if accounts.used_bytes + size > budget {
                fits = false;
                break;
            }
            lease.buffers.push(device.create_buffer(&BufferDescriptor {
                label: Some(name),
                size: *size,
                usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
            accounts.used_bytes += size;
        }
        let refused = pollster::block_on(scope.pop()).is_some();
        drop(accounts);
        if refused {
            lease.discard();
        }
        if fits && !refused { Ok(lease) } else { Err(OutOfMemory) }
    }
}

/// Buffers that one plan holds; dropping it makes them idle.
#[derive(Debug)]
pub(super) struct Lease {
    memory: Memory,
    /// In the order of the request.
    pub(super) buffers: Vec<wgpu::Buffer>,
    /// Bytes that were asked for; a buffer may have more.
    pub(super) sizes: Vec<u64>,
}

impl Lease {
    /// Gives the memory back to the driver: after a refusal some of the buffers are not backed by any.
    fn discard(&mut self) {
        let mut accounts = self.memory.accounts();
        accounts.used_bytes -= self.buffers.drain(..).map(|buffer| buffer.size()).sum::<u64>();
        accounts.idle.clear();
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut accounts = self.memory.accounts();
        for buffer in self.buffers.drain(..) {
            accounts.used_bytes -= buffer.size();
            accounts.idle.push(buffer);
        }
        accounts.idle.sort_by_key(wgpu::Buffer::size);
    }
}
