//! The buffer manager: allocates the buffers of plans and reuses those that plans give back. How much there may be of them is for
//! the device's account to say.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::{Account, Entry, Reservation};

/// Where buffers come from.
pub(super) trait Allocator: Clone + std::fmt::Debug {
    /// A buffer on the device; dropping it gives its memory back to the driver.
    type Buffer: std::fmt::Debug;

    /// Why there is no buffer.
    type Failure;

    /// A buffer of so many bytes.
    ///
    /// # Errors
    /// Where the driver has no more memory.
    fn allocate(&self, name: &str, size_bytes: u64) -> Result<Self::Buffer, Self::Failure>;

    /// Bytes of a buffer.
    fn size_bytes(buffer: &Self::Buffer) -> u64;
}

/// Device memory through one device. Clones share it.
#[derive(Debug)]
pub(super) struct Memory<A: Allocator> {
    allocator: A,
    account: Account,
    /// Buffers that no plan uses, smallest first.
    idle: Arc<Mutex<Vec<Given<A>>>>,
}

/// A buffer that the driver has given, with its line on the account.
#[derive(Debug)]
struct Given<A: Allocator> {
    buffer: A::Buffer,
    /// Bytes at its start that plans have had.
    used: u64,
    _entry: Entry,
}

impl<A: Allocator> Given<A> {
    fn size_bytes(&self) -> u64 {
        A::size_bytes(&self.buffer)
    }
}

impl<A: Allocator> Clone for Memory<A> {
    fn clone(&self) -> Self {
        Self {
            allocator: self.allocator.clone(),
            account: self.account.clone(),
            idle: self.idle.clone(),
        }
    }
}

impl<A: Allocator> Memory<A> {
    /// No buffers yet.
    pub(super) fn new(allocator: A, account: Account) -> Self {
        Self {
            allocator,
            account,
            idle: Arc::default(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Given<A>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that all sessions on the device hold.
    pub(super) fn held_bytes(&self) -> u64 {
        self.account.held_bytes() + self.account.beside_bytes()
    }

    /// The device's account.
    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    /// So many bytes beside those of a plan, if they are there now.
    pub(super) fn try_reserve(&self, bytes: u64, limit: u64) -> Option<Reservation> {
        self.account.try_reserve(bytes, limit)
    }

    /// Buffers of at least these sizes, which the account has already. Idle buffers are used where they fit without wasting half
    /// of them, and dropped where the limit needs their room.
    ///
    /// # Errors
    /// Where the driver has no more memory.
    pub(super) fn allocate(
        &self,
        sizes: &[(&str, u64)],
        limit: u64,
    ) -> Result<Vec<Lent<A>>, A::Failure> {
        self.try_allocate(sizes, limit).or_else(|_| {
            // The driver may have room once nothing lies idle.
            self.idle().clear();
            self.try_allocate(sizes, limit)
        })
    }

    fn try_allocate(&self, sizes: &[(&str, u64)], limit: u64) -> Result<Vec<Lent<A>>, A::Failure> {
        sizes
            .iter()
            .map(|&(name, size)| self.lend(name, size, limit))
            .collect()
    }

    fn lend(&self, name: &str, size: u64, limit: u64) -> Result<Lent<A>, A::Failure> {
        let mut idle = self.idle();
        let fitting = idle
            .iter()
            .position(|buffer| (size..=size.saturating_mul(2)).contains(&buffer.size_bytes()));
        // What a larger buffer has too much must be on the account too.
        let fitting = fitting.and_then(|place| {
            Some((
                place,
                self.try_reserve(idle[place].size_bytes() - size, limit)?,
            ))
        });
        let (mut buffer, surplus) = match fitting {
            Some((place, surplus)) => (idle.remove(place), Some(surplus)),
            None => {
                let mut idle_bytes: u64 = idle.iter().map(Given::size_bytes).sum();
                let held_bytes = self.held_bytes();
                while held_bytes.saturating_add(idle_bytes) > limit
                    && let Some(dropped) = idle.pop()
                {
                    idle_bytes -= dropped.size_bytes();
                }
                let buffer = self.allocator.allocate(name, size)?;
                let _entry = self.account.allocated(A::size_bytes(&buffer));
                (
                    Given {
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
        Ok(Lent {
            memory: self.clone(),
            buffer: Some(buffer),
            size,
            used,
            _surplus: surplus,
        })
    }
}

/// A buffer that a plan uses; dropping it makes it idle.
#[derive(Debug)]
pub(super) struct Lent<A: Allocator> {
    memory: Memory<A>,
    /// Until it is dropped.
    buffer: Option<Given<A>>,
    /// Bytes that were asked for; the buffer may have more.
    pub size: u64,
    /// Those of them at its start that other plans had before.
    #[cfg_attr(
        not(feature = "gpu"),
        allow(dead_code, reason = "wgpu alone clears what none had")
    )]
    pub used: u64,
    _surplus: Option<Reservation>,
}

impl<A: Allocator> std::ops::Deref for Lent<A> {
    type Target = A::Buffer;

    fn deref(&self) -> &A::Buffer {
        &self
            .buffer
            .as_ref()
            .expect("it is there until it is dropped")
            .buffer
    }
}

impl<A: Allocator> std::ops::DerefMut for Lent<A> {
    fn deref_mut(&mut self) -> &mut A::Buffer {
        &mut self
            .buffer
            .as_mut()
            .expect("it is there until it is dropped")
            .buffer
    }
}

impl<A: Allocator> Drop for Lent<A> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            let mut idle = self.memory.idle();
            let place = idle.partition_point(|other| other.size_bytes() < buffer.size_bytes());
            idle.insert(place, buffer);
        }
    }
}
