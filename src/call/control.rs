//! Progress and cancellation of one call, shared by the CPU code and the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Cancels a running call from any thread. Clones cancel the same call.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<AtomicBool>);

impl CancelHandle {
    /// A handle that has not been cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the call to stop. It returns [`Error::Cancelled`] within about one slice.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a call is. `done` never exceeds `total`; `total` grows when an algorithm adds a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// DP cells computed.
    pub done: u64,
    /// DP cells expected.
    pub total: u64,
}

/// Called from the threads that do the work, by one at a time and with `done` never smaller than before; keep it short.
pub type ProgressCallback = Arc<dyn Fn(Progress) + Send + Sync>;

/// One call's cancel handle and progress callback.
#[derive(Clone, Default)]
pub struct Control {
    cancel: CancelHandle,
    callback: Option<ProgressCallback>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    done: AtomicU64,
    total: AtomicU64,
    /// Whether a thread is in the callback.
    reporting: AtomicBool,
}

impl Control {
    /// A control with the caller's handle and callback.
    pub fn new(cancel: CancelHandle, callback: Option<ProgressCallback>) -> Self {
        Self { cancel, callback, counts: Arc::default() }
    }

    /// Fails with [`Error::Cancelled`] once the caller has cancelled.
    pub fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Announces `cells` more cells of work.
    pub fn expect(&self, cells: u64) {
        self.counts.total.fetch_add(cells, Ordering::Relaxed);
    }

    /// Reports `cells` more cells as done.
    pub fn advance(&self, cells: u64) {
        let Counts { done, total, reporting } = &*self.counts;
        done.fetch_add(cells, Ordering::Relaxed);
        let Some(callback) = &self.callback else { return };
        // A thread that finds another one reporting leaves its cells to it.
        while !reporting.swap(true, Ordering::AcqRel) {
            let (reported, total) = (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
            callback(Progress { done: reported.min(total), total });
            reporting.swap(false, Ordering::AcqRel);
            if done.load(Ordering::Relaxed) == reported {
                break;
            }
        }
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Control").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn reports_of_many_threads_never_go_back_and_end_at_the_total() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        let callback = move |progress: Progress| seen.try_lock().expect("one report at a time").push(progress.done);
        let control = Control::new(CancelHandle::new(), Some(Arc::new(callback)));
        let cells = 20_000;
        control.expect(cells);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("a pool of eight threads");
        pool.install(|| (0..cells).into_par_iter().for_each(|_| control.advance(1)));
        let reports = reports.lock().expect("unharmed");
        assert!(reports.is_sorted());
        assert_eq!(reports.last(), Some(&cells));
    }
}
