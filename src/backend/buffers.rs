//! The buffer pool: allocates the buffers of plans and reuses freed ones. The device's account
//! limits their total.

use std::sync::{Arc, Mutex, MutexGuard};

use super::memory::{Account, Entry, Reservation};
use crate::host::lock;
use crate::plan::Plan;

/// Allocates buffers through the driver.
pub(super) trait Allocator: Clone + std::fmt::Debug {
    /// A buffer on the device; dropping it returns its memory to the driver.
    type Buffer: std::fmt::Debug;

    type Failure;

    /// Allocates a buffer of `size_bytes`.
    ///
    /// # Errors
    /// If the driver is out of memory.
    fn allocate(&self, name: &str, size_bytes: u64) -> Result<Self::Buffer, Self::Failure>;

    fn size_bytes(buffer: &Self::Buffer) -> u64;
}

/// Buffer pool of one device. Clones share it.
#[derive(Debug)]
pub(super) struct BufferPool<A: Allocator> {
    allocator: A,
    account: Account,
    /// Unused buffers, sorted by size.
    idle: Arc<Mutex<Vec<AllocatedBuffer<A>>>>,
}

/// An allocated buffer and its entry on the account.
#[derive(Debug)]
struct AllocatedBuffer<A: Allocator> {
    buffer: A::Buffer,
    /// Leading bytes that plans have used.
    used: u64,
    _entry: Entry,
}

impl<A: Allocator> AllocatedBuffer<A> {
    fn size_bytes(&self) -> u64 {
        A::size_bytes(&self.buffer)
    }
}

impl<A: Allocator> Clone for BufferPool<A> {
    fn clone(&self) -> Self {
        Self {
            allocator: self.allocator.clone(),
            account: self.account.clone(),
            idle: self.idle.clone(),
        }
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

    /// Bytes held by all sessions on the device.
    pub(super) fn held_bytes(&self) -> u64 {
        self.account.held_bytes() + self.account.auxiliary_bytes()
    }

    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    /// Reserves `bytes` without a call; `None` if memory is short or anyone is queued.
    pub(super) fn try_reserve(&self, bytes: u64, limit: u64) -> Option<Reservation> {
        self.account.try_reserve(bytes, limit)
    }

    /// Allocates buffers of at least these sizes, whose bytes are already reserved. An idle buffer
    /// is reused if it is at most twice as large as needed. The largest idle buffers are dropped if
    /// the limit is exceeded otherwise.
    ///
    /// # Errors
    /// If the driver is out of memory.
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

    /// Buffers of a plan: those of `reused`, by number, and others where there is none. `reused` is
    /// as before if the driver is out of memory.
    pub(super) fn complete(
        &self,
        plan: &Plan,
        reused: &mut [Option<PooledBuffer<A>>],
        limit: u64,
    ) -> Result<Vec<PooledBuffer<A>>, A::Failure> {
        let missing = plan.buffers.iter().zip(&*reused);
        let missing = missing.filter(|(_, reused)| reused.is_none());
        let sizes: Vec<_> = missing
            .map(|(buffer, _)| (&buffer.name[..], buffer.size_bytes().max(4)))
            .collect();
        let mut allocated = self.allocate(&sizes, limit)?.into_iter();
        let all = reused.iter_mut();
        Ok(all
            .filter_map(|reused| reused.take().or_else(|| allocated.next()))
            .collect())
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
                self.try_reserve(idle[index].size_bytes() - size, limit)?,
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
                let _entry = self.account.allocated(A::size_bytes(&buffer));
                (
                    AllocatedBuffer {
                        buffer,
                        used: 0,
                        _entry,
                    },
                    None,
                )
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
