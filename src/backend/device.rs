//! A device for one call: what the call may use of it.

use std::time::Duration;

use rayon::ThreadPool;

use super::memory::check_limit;
use super::slice_budget::sized_for;
use super::traits::Backend;
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::Result;
use crate::host::threads::on_threads;

/// A device with what it may use for one call.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    /// Runs the plans.
    pub backend: &'a dyn Backend,
    /// Device memory allowed.
    pub budget_bytes: u64,
    /// How long one submission should hold the device.
    pub slice: Duration,
    /// Threads of the host's part; without a pool the common one's.
    pub threads: Option<&'a ThreadPool>,
    /// Progress and cancel.
    pub control: &'a Control,
    /// Where the time goes.
    pub phases: &'a Phases,
}

impl Device<'_> {
    /// Whether a plan of `needed` bytes fits.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget).
    pub fn check_budget(&self, needed: u64) -> Result<()> {
        check_limit(needed, self.budget_bytes)
    }

    /// How long a submission is sized to hold the device by what was timed.
    pub(super) fn sized_for(&self) -> Duration {
        self.slice.mul_f64(sized_for(self.backend.capabilities()))
    }

    /// Runs the host's part of the work.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        on_threads(self.threads, work)
    }
}
