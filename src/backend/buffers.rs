//! The buffer pool: allocates the buffers of plans and reuses freed ones. The device's account
//! limits their total.

use std::sync::{Arc, Mutex, MutexGuard};

use super::memory::{Account, Reservation};
use crate::error::Error;
use crate::host::lock;
use crate::plan::{BufferId, Plan};

/// Allocates buffers through the driver.
pub(super) trait Allocator: Clone + std::fmt::Debug {
    /// A buffer on the device; dropping it returns its memory to the driver.
    type Buffer: std::fmt::Debug;

    type Failure;

    /// Allocates a buffer of `size_bytes`.
    fn allocate(&self, name: &str, size_bytes: u64) -> Result<Self::Buffer, Self::Failure>;

    fn size_bytes(buffer: &Self::Buffer) -> u64;
}

/// Memory of a session's plan, and its limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlanBudget {
    /// Bytes of the plan, already reserved.
    pub plan_bytes: u64,
    pub limit_bytes: u64,
}

/// Buffer pool of one device. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct BufferPool<A: Allocator> {
    allocator: A,
    account: Account,
    /// Unused buffers, sorted by size.
    idle: Arc<Mutex<Vec<AllocatedBuffer<A>>>>,
}

#[derive(Debug)]
struct AllocatedBuffer<A: Allocator> {
    buffer: A::Buffer,
    /// Leading bytes that plans have used.
    used: u64,
}

impl<A: Allocator> AllocatedBuffer<A> {
    fn size_bytes(&self) -> u64 {
        A::size_bytes(&self.buffer)
    }
}

impl<A: Allocator> BufferPool<A> {
    pub(super) fn new(allocator: A, account: Account) -> Self {
        Self {
            allocator,
            account,
            idle: Arc::default(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<AllocatedBuffer<A>>> {
        lock(&self.idle)
    }

    fn held_bytes(&self) -> u64 {
        self.account.held_bytes() + self.account.auxiliary_bytes()
    }

    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    /// The error for a driver out of device memory.
    pub(super) fn no_room(&self, device: &str, needed: u64, budget: PlanBudget) -> Error {
        Error::DeviceMemory {
            device: device.to_string(),
            needed,
            limit: budget.limit_bytes,
            held: self.held_bytes().saturating_sub(budget.plan_bytes),
        }
    }

    /// Allocates buffers of at least these sizes, whose bytes are already reserved. An idle buffer
    /// is reused if it is at most twice as large as needed. The largest idle buffers are dropped if
    /// the limit is exceeded otherwise.
    pub(super) fn allocate(
        &self,
        sizes: &[(&str, u64)],
        limit: u64,
    ) -> Result<Vec<PooledBuffer<A>>, A::Failure> {
        self.try_allocate(sizes, limit).or_else(|_| {
            // Retry after freeing all idle buffers.
            self.idle().clear();
            self.try_allocate(sizes, limit)
        })
    }

    /// Buffers of a plan: those of the previous plan that are `kept`, and allocated ones. The
    /// previous ones stay as they are if the driver is out of memory.
    pub(super) fn for_plan(
        &self,
        plan: &Plan,
        previous: &mut [Option<PooledBuffer<A>>],
        kept: &[Option<BufferId>],
        limit: u64,
    ) -> Result<Vec<PooledBuffer<A>>, A::Failure> {
        let new = plan.buffers.iter().zip(kept);
        let new = new.filter(|(_, kept)| kept.is_none());
        let sizes: Vec<_> = new
            .map(|(buffer, _)| (&buffer.name[..], buffer.size_bytes().max(4)))
            .collect();
        let mut allocated = self.allocate(&sizes, limit)?.into_iter();
        let buffer = |kept: &Option<BufferId>| match *kept {
            Some(kept) => previous[kept].take(),
            None => allocated.next(),
        };
        Ok(kept.iter().filter_map(buffer).collect())
    }

    fn try_allocate(
        &self,
        sizes: &[(&str, u64)],
        limit: u64,
    ) -> Result<Vec<PooledBuffer<A>>, A::Failure> {
        sizes
            .iter()
            .map(|&(name, size)| self.allocate_one(name, size, limit))
            .collect()
    }

    fn allocate_one(
        &self,
        name: &str,
        size: u64,
        limit: u64,
    ) -> Result<PooledBuffer<A>, A::Failure> {
        let mut idle = self.idle();
        let fitting = idle
            .iter()
            .position(|buffer| (size..=size.saturating_mul(2)).contains(&buffer.size_bytes()));
        // The surplus of a larger buffer must be reserved, too.
        let fitting = fitting.and_then(|index| {
            Some((
                index,
                self.account
                    .try_reserve(idle[index].size_bytes() - size, limit)?,
            ))
        });
        let (mut buffer, surplus) = match fitting {
            Some((index, surplus)) => (idle.remove(index), Some(surplus)),
            None => {
                let mut idle_bytes: u64 = idle.iter().map(AllocatedBuffer::size_bytes).sum();
                let held_bytes = self.held_bytes();
                while held_bytes.saturating_add(idle_bytes) > limit
                    && let Some(dropped) = idle.pop()
                {
                    idle_bytes -= dropped.size_bytes();
                }
                let buffer = self.allocator.allocate(name, size)?;
                (AllocatedBuffer { buffer, used: 0 }, None)
            }
        };
        let used = buffer.used.min(size);
        buffer.used = buffer.used.max(size);
        Ok(PooledBuffer {
            pool: self.clone(),
            buffer: Some(buffer),
            size,
            used,
            _surplus: surplus,
        })
    }
}

/// A pooled buffer in use by a plan; dropping it makes it idle.
#[derive(Debug)]
pub(super) struct PooledBuffer<A: Allocator> {
    pool: BufferPool<A>,
    /// `None` only during drop.
    buffer: Option<AllocatedBuffer<A>>,
    /// Requested bytes; the buffer may be larger.
    pub size: u64,
    /// Leading bytes of them that earlier plans have used.
    #[cfg_attr(
        not(feature = "gpu"),
        allow(dead_code, reason = "wgpu alone clears what none had")
    )]
    pub used: u64,
    _surplus: Option<Reservation>,
}

impl<A: Allocator> std::ops::Deref for PooledBuffer<A> {
    type Target = A::Buffer;

    fn deref(&self) -> &A::Buffer {
        &self
            .buffer
            .as_ref()
            .expect("it is there until it is dropped")
            .buffer
    }
}

impl<A: Allocator> std::ops::DerefMut for PooledBuffer<A> {
    fn deref_mut(&mut self) -> &mut A::Buffer {
        &mut self
            .buffer
            .as_mut()
            .expect("it is there until it is dropped")
            .buffer
    }
}

impl<A: Allocator> Drop for PooledBuffer<A> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            let mut idle = self.pool.idle();
            let index = idle.partition_point(|other| other.size_bytes() < buffer.size_bytes());
            idle.insert(index, buffer);
        }
    }
}
