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

/// Called from the thread that does the work; keep it short.
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
        let done = self.counts.done.fetch_add(cells, Ordering::Relaxed).saturating_add(cells);
        if let Some(callback) = &self.callback {
            let total = self.counts.total.load(Ordering::Relaxed);
            callback(Progress { done: done.min(total), total });
        }
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Control").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}
