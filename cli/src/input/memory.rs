//! Host memory account for the inputs of a call.

use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::allocator::handling_refusal;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfMemory {
    #[error(
        "{name}: the inputs take more than the {limit} bytes that --mem-host allows; raise it, or give shorter inputs"
    )]
    Limit { name: String, limit: u64 },
    #[error(
        "--format sam and bam keep all places until the last text is searched, and these take more than the {limit} bytes that --mem-host allows; raise it, allow fewer edits (-k), or take --all best or --format paf"
    )]
    Places { limit: u64 },
    #[error(
        "{name}: the system has no memory for {bytes} bytes more; close other programs, or give shorter inputs"
    )]
    System { name: String, bytes: u64 },
    #[error(
        "{name}: a zstd window of {window} bytes is larger than the {max} that are decoded; pipe it: zstd -dc --long=31 {name} | swath ... with '-' in its place"
    )]
    Window { name: String, window: u64, max: u64 },
}

/// Memory account of a call. Clones share it.
#[derive(Clone, Debug)]
pub struct Memory {
    account: Arc<(Mutex<Account>, Condvar)>,
    /// True for inputs that are read while the call computes.
    is_ahead: bool,
}

#[derive(Debug)]
struct Account {
    limit: u64,
    used: u64,
    /// Used by inputs that are read while the call computes, and the maximum until it is done.
    ahead: u64,
    max_ahead: u64,
    /// Next `used` at which the system is probed.
    next_probe: u64,
    refusal: Option<OutOfMemory>,
}

/// Minimum usage in bytes at which the system is probed, then at every power of two.
const FIRST_PROBE: u64 = 4 << 20;
/// Probes come this many bytes early, more than any single read.
const AHEAD: u64 = 1 << 20;

impl Memory {
    pub fn new(limit: u64) -> Self {
        let account = Account {
            limit,
            used: 0,
            ahead: 0,
            max_ahead: u64::MAX,
            next_probe: FIRST_PROBE,
            refusal: None,
        };
        Self {
            account: Arc::new((Mutex::new(account), Condvar::new())),
            is_ahead: false,
        }
    }

    /// Account for inputs that are read while the call computes; it waits beyond
    /// [`limit_ahead`](Self::limit_ahead).
    pub fn ahead(&self) -> Self {
        Self {
            is_ahead: true,
            ..self.clone()
        }
    }

    /// Bounds inputs that are read ahead; [`u64::MAX`] once the call has done its work.
    pub fn limit_ahead(&self, max_bytes: u64) {
        self.lock().max_ahead = max_bytes;
        self.account.1.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn hold(&self, name: &str, bytes: u64) -> Result<(), OutOfMemory> {
        let mut account = self.lock();
        if self.is_ahead {
            let is_early =
                |account: &mut Account| account.ahead.saturating_add(bytes) > account.max_ahead;
            let waited = self.account.1.wait_while(account, is_early);
            account = waited.unwrap_or_else(PoisonError::into_inner);
            account.ahead = account.ahead.saturating_add(bytes);
        } else {
            account.used = account.used.saturating_add(bytes);
        }
        let result = match account.used.saturating_add(account.ahead) {
            used if used > account.limit => Err(OutOfMemory::Limit {
                name: name.to_string(),
                limit: account.limit,
            }),
            used if used.saturating_add(AHEAD) >= account.next_probe => {
                // Buffers grow by doubling, some of them infallibly: probe that size beforehand.
                let next = used
                    .saturating_add(AHEAD + 1)
                    .checked_next_power_of_two()
                    .unwrap_or(u64::MAX);
                account.next_probe = next;
                probe(name, next)
            }
            _ => Ok(()),
        };
        if let Err(refusal) = &result {
            account.refusal = Some(refusal.clone());
        }
        result
    }

    /// Records a refusal and wraps it as a reader's error.
    pub fn refuse(&self, refusal: OutOfMemory) -> io::Error {
        self.lock().refusal = Some(refusal.clone());
        io::Error::new(ErrorKind::OutOfMemory, refusal)
    }

    pub fn release(&self, bytes: u64) {
        let mut account = self.lock();
        let used = if self.is_ahead {
            &mut account.ahead
        } else {
            &mut account.used
        };
        *used = used.saturating_sub(bytes);
    }

    pub fn used(&self) -> u64 {
        let account = self.lock();
        if self.is_ahead {
            account.ahead
        } else {
            account.used
        }
    }

    /// Cause of an error that a parser has turned into text.
    pub fn refusal(&self) -> Option<OutOfMemory> {
        self.lock().refusal.clone()
    }
}

pub fn probe(name: &str, bytes: u64) -> Result<(), OutOfMemory> {
    let granted = usize::try_from(bytes)
        .is_ok_and(|bytes| handling_refusal(|| Vec::<u8>::new().try_reserve_exact(bytes)).is_ok());
    if granted {
        Ok(())
    } else {
        Err(OutOfMemory::System {
            name: name.to_string(),
            bytes,
        })
    }
}

pub fn with_room<T>(name: &str, len: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    match handling_refusal(|| list.try_reserve_exact(len)) {
        Ok(()) => Ok(list),
        Err(_) => {
            let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
            Err(OutOfMemory::System {
                name: name.to_string(),
                bytes,
            })
        }
    }
}

pub struct Metered<R> {
    pub reader: R,
    pub name: String,
    pub memory: Memory,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.memory
            .hold(&self.name, count as u64)
            .map_err(|refusal| io::Error::new(ErrorKind::OutOfMemory, refusal))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_accounted_and_excess_is_reported() {
        let memory = Memory::new(10);
        let read = |bytes: &[u8]| {
            let mut all = Vec::new();
            let mut reader = Metered {
                reader: bytes,
                name: "a".into(),
                memory: memory.clone(),
            };
            reader.read_to_end(&mut all).map(|_| all)
        };
        assert_eq!(read(b"123456").expect("it fits"), b"123456");
        assert_eq!(memory.used(), 6);
        memory.release(2);
        assert_eq!(read(b"123456").expect("it fits"), b"123456");
        assert_eq!(
            read(b"1").expect_err("one too many").kind(),
            ErrorKind::OutOfMemory
        );
        assert_eq!(
            memory.refusal(),
            Some(OutOfMemory::Limit {
                name: "a".into(),
                limit: 10
            })
        );
    }

    #[test]
    fn what_is_read_ahead_waits_until_the_call_has_done_its_work() {
        let memory = Memory::new(10);
        memory.hold("a", 8).expect("it fits");
        memory.limit_ahead(4);
        let ahead = memory.ahead();
        ahead.hold("b", 2).expect("it fits");
        assert_eq!((memory.used(), ahead.used()), (8, 2));
        std::thread::scope(|scope| {
            let held = scope.spawn(|| ahead.hold("b", 3));
            memory.release(8);
            assert!(!held.is_finished());
            memory.limit_ahead(u64::MAX);
            assert_eq!(held.join().expect("it ends"), Ok(()));
        });
        assert_eq!((memory.used(), ahead.used()), (0, 5));
        assert!(ahead.hold("b", 6).is_err());
    }

    #[test]
    fn allocations_beyond_the_system_memory_are_refused() {
        let refused = Memory::new(u64::MAX)
            .hold("a", u64::MAX / 4)
            .expect_err("no system has it");
        assert!(matches!(refused, OutOfMemory::System { .. }), "{refused}");
        assert!(with_room::<u64>("a", usize::MAX / 16).is_err());
    }
}
