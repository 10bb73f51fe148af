//! Host resources: threads, memory, SIMD instructions and the on-disk cache.

pub(crate) mod cache;
pub(crate) mod kept;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod process;
pub(crate) mod simd;
pub(crate) mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(not(target_family = "wasm"))]
pub(crate) use std::time::Instant;

/// The clock of a browser, where that of the standard library panics.
#[cfg(target_family = "wasm")]
pub(crate) use web_time::Instant;

/// Locks a mutex whose value is consistent after every statement, so that poisoning is ignored.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
