//! A device for one call, with the call's limits.

use std::time::Duration;

use super::memory::check_limit;
use super::slice_budget::sized_for;
use super::traits::Backend;
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::Result;
use crate::host::threads::{Pool, on_threads};

/// A device with the limits and the control of one call.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    pub backend: &'a dyn Backend,
    pub budget_bytes: u64,
    /// Target time for which one submission holds the device.
    pub slice: Duration,
    /// Pool for the host's part of the work; `None` is the default.
    pub threads: Option<&'a Pool>,
    pub control: &'a Control,
    pub phases: &'a Phases,
}

impl Device<'_> {
    /// Checks that a plan of `needed` bytes fits.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget).
    pub fn check_budget(&self, needed: u64) -> Result<()> {
        check_limit(needed, self.budget_bytes)
    }

    /// Time for which submissions are sized: `slice` less a margin.
    pub(super) fn sized_for(&self) -> Duration {
        self.slice.mul_f64(sized_for(self.backend.capabilities()))
    }

    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        on_threads(self.threads, work)
    }
}
