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
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Bytes sorted within that interval; shorter texts are sorted on the calling thread
/// (amd-epyc/2026-11-22-substring-small.json).
const MAX_INLINE_BYTES: usize = 1 << 17;

/// Memory of abandoned sorts in bytes.
static ABANDONED_BYTES: AtomicU64 = AtomicU64::new(0);

const RUNNING: u8 = 0;
const ABANDONED: u8 = 1;
const FINISHED: u8 = 2;

pub(super) fn abandoned_bytes() -> u64 {
    ABANDONED_BYTES.load(Ordering::Relaxed)
}

/// Start positions of all suffixes in order, by divsufsort.
pub(super) fn sort(bytes: Vec<u8>, control: &Control) -> Result<Vec<i32>> {
    if bytes.len() <= MAX_INLINE_BYTES {
        control.check()?;
        return Ok(divsufsort_positions(&bytes));
    }
    let held = bytes.len() as u64 * (1 + size_of::<i32>() as u64);
    let state = Arc::new(AtomicU8::new(RUNNING));
    let (sender, sorted) = channel();
    let bytes = Arc::new(bytes);
    let (thread_bytes, thread_state) = (bytes.clone(), state.clone());
    let work = move || {
        let suffixes = divsufsort_positions(&thread_bytes);
        drop(thread_bytes);
        // The receiver is gone if the call was cancelled.
        let _ = sender.send(suffixes);
        if thread_state.swap(FINISHED, Ordering::AcqRel) == ABANDONED {
            ABANDONED_BYTES.fetch_sub(held, Ordering::Relaxed);
        }
    };
    let failed = |reason: &dyn std::fmt::Display| {
        Error::Failed(format!("suffixes cannot be sorted: {reason}"))
    };
    let thread = std::thread::Builder::new().name("swath suffixes".to_string());
    if thread.spawn(work).is_err() {
        // The system refuses a thread; the sort cannot be cancelled then.
        return Ok(divsufsort_positions(&bytes));
    }
    drop(bytes);
    loop {
        match sorted.recv_timeout(CANCEL_POLL_INTERVAL) {
            Ok(suffixes) => return Ok(suffixes),
            Err(RecvTimeoutError::Disconnected) => return Err(failed(&"the thread has ended")),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(cancelled) = control.check() {
                    ABANDONED_BYTES.fetch_add(held, Ordering::Relaxed);
                    if state.swap(ABANDONED, Ordering::AcqRel) == FINISHED {
                        ABANDONED_BYTES.fetch_sub(held, Ordering::Relaxed);
                    }
                    return Err(cancelled);
                }
            }
        }
    }
}

fn divsufsort_positions(bytes: &[u8]) -> Vec<i32> {
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
    fn cancelled_suffix_sort_counts_as_abandoned_until_it_ends() {
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
        while abandoned_bytes() > 0 {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "what is left behind is given back"
            );
            std::thread::sleep(CANCEL_POLL_INTERVAL);
        }
        assert!(returned <= started.elapsed());
        assert_eq!(
            sort(b"banana".to_vec(), &Control::default()).expect("nobody cancels it"),
            [5, 3, 1, 0, 4, 2]
        );
    }
}
