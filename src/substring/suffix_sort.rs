//! Suffix sorting on a separate thread for long texts: the sort cannot be interrupted, so a
//! cancelled call abandons it. Until an abandoned sort ends, its memory counts against the budget
//! of later calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::call::control::Control;
use crate::error::{Error, Result};

/// Interval at which a waiting call checks for cancellation.
const PATIENCE: Duration = Duration::from_millis(20);
/// Bytes sorted within that interval; shorter texts are sorted on the calling thread
/// (amd-epyc/2026-11-22-substring-small.json).
const MAX_INLINE_BYTES: usize = 1 << 17;

/// Memory of abandoned sorts in bytes.
static LEFT_BEHIND: AtomicU64 = AtomicU64::new(0);

const RUNS: u8 = 0;
const IS_LEFT: u8 = 1;
const HAS_ENDED: u8 = 2;

pub(super) fn left_behind_bytes() -> u64 {
    LEFT_BEHIND.load(Ordering::Relaxed)
}

/// Start positions of all suffixes in order, by divsufsort.
///
/// # Errors
/// [`Error::Cancelled`], and [`Error::Failed`] if no thread can be started.
pub(super) fn sort(bytes: Vec<u8>, control: &Control) -> Result<Vec<i32>> {
    if bytes.len() <= MAX_INLINE_BYTES {
        control.check()?;
        return Ok(in_order(&bytes));
    }
    let held = bytes.len() as u64 * (1 + size_of::<i32>() as u64);
    let state = Arc::new(AtomicU8::new(RUNS));
    let (sender, sorted) = channel();
    let of_thread = state.clone();
    let work = move || {
        let suffixes = in_order(&bytes);
        drop(bytes);
        // The receiver is gone if the call was cancelled.
        let _ = sender.send(suffixes);
        if of_thread.swap(HAS_ENDED, Ordering::AcqRel) == IS_LEFT {
            LEFT_BEHIND.fetch_sub(held, Ordering::Relaxed);
        }
    };
    let failed = |reason: &dyn std::fmt::Display| {
        Error::Failed(format!("suffixes cannot be sorted: {reason}"))
    };
    std::thread::Builder::new()
        .name("swath suffixes".to_string())
        .spawn(work)
        .map_err(|error| failed(&error))?;
    loop {
        match sorted.recv_timeout(PATIENCE) {
            Ok(suffixes) => return Ok(suffixes),
            Err(RecvTimeoutError::Disconnected) => return Err(failed(&"the thread has ended")),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(cancelled) = control.check() {
                    LEFT_BEHIND.fetch_add(held, Ordering::Relaxed);
                    if state.swap(IS_LEFT, Ordering::AcqRel) == HAS_ENDED {
                        LEFT_BEHIND.fetch_sub(held, Ordering::Relaxed);
                    }
                    return Err(cancelled);
                }
            }
        }
    }
}

fn in_order(bytes: &[u8]) -> Vec<i32> {
    let mut suffixes = vec![0; bytes.len()];
    divsufsort::sort_in_place(bytes, &mut suffixes);
    suffixes
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::CancelHandle;

    #[test]
    fn a_cancelled_sort_is_left_behind_and_counted_until_it_ends() {
        let bytes: Vec<u8> = (0..4_000_000u32)
            .map(|place| place.wrapping_mul(2_654_435_761).to_be_bytes()[0])
            .collect();
        let cancel = CancelHandle::new();
        cancel.cancel();
        let started = Instant::now();
        let result = sort(bytes, &Control::default().cancelled_by(&cancel));
        // On a fast machine the sort may already have ended.
        let Err(error) = result else { return };
        assert!(matches!(error, Error::Cancelled));
        let returned = started.elapsed();
        while left_behind_bytes() > 0 {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "what is left behind is given back"
            );
            std::thread::sleep(PATIENCE);
        }
        assert!(returned <= started.elapsed());
        assert_eq!(
            sort(b"banana".to_vec(), &Control::default()).expect("nobody cancels it"),
            [5, 3, 1, 0, 4, 2]
        );
    }
}
