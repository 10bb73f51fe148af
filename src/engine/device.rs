//! A device for one call: what it may use, and how it runs a plan.

use std::time::Duration;

use rayon::ThreadPool;

use super::slices;
use crate::backend::{Backend, Loaded, Span};
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::{Error, Result};
use crate::host::threads::on_threads;
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::bit_parallel::gpu::tiling::Tuning;
use crate::plan::Plan;

/// A device with what it may use for one call.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    /// Runs the plans.
    pub backend: &'a dyn Backend,
    /// Device memory allowed.
    pub budget_bytes: u64,
    /// Longest submission.
    pub slice: Duration,
    /// Threads of the host's part; without a pool the common one's.
    pub threads: Option<&'a ThreadPool>,
    /// Progress and cancel.
    pub control: &'a Control,
    /// Where the time goes.
    pub phases: &'a Phases,
}

/// A plan that has run.
pub struct Ran<T> {
    /// The device's side of it.
    pub loaded: Box<dyn Loaded>,
    /// The plan, and what its maker knows of it.
    pub made: T,
    /// The words that were read at its end.
    pub words: Vec<u32>,
}

impl Device<'_> {
    /// Whether a plan of `needed` bytes fits.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`].
    pub fn check_budget(&self, needed: u64) -> Result<()> {
        if needed <= self.budget_bytes {
            return Ok(());
        }
        let what = "this plan".to_string();
        Err(Error::MemoryBudget { what, needed, limit: self.budget_bytes, smallest: needed })
    }

    /// What sizes of sweeps on it are chosen by.
    pub(crate) fn sizing(&self, tuning: Tuning) -> Sizing<'_> {
        let (name, capabilities) = (self.backend.name(), self.backend.capabilities());
        Sizing { name, capabilities, budget_bytes: self.budget_bytes, tuning }
    }

    /// Runs the host's part of the work.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        on_threads(self.threads, work)
    }

    /// Loads and runs the plan that `make` makes, and reads the words of `spans` at its end; a missing stamp gets one more try
    /// from the start.
    ///
    /// # Errors
    /// As [`Backend::load`] and [`slices::run`].
    pub async fn run<T: AsMut<Plan> + Send + Sync>(
        &self,
        make: &(dyn Fn() -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
    ) -> Result<Ran<T>> {
        Ok(self.run_then(make, spans, &|_, _| Ok(())).await?.0)
    }

    /// The same, and what `behind` submits behind the last pass of a plan, of one pass at least, before that is waited for.
    ///
    /// # Errors
    /// As [`run`](Self::run), and what `behind` returns.
    pub(crate) async fn run_then<T: AsMut<Plan> + Send + Sync, B: Send>(
        &self,
        make: &(dyn Fn() -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
        behind: &(dyn Fn(&T, &mut dyn Loaded) -> Result<B> + Sync),
    ) -> Result<(Ran<T>, Option<B>)> {
        let mut tries = 0;
        loop {
            let (mut made, loaded) = self.on_threads(|| {
                let mut made = make();
                self.phases.lap("plan");
                let loaded = self.backend.load(made.as_mut(), self.budget_bytes);
                self.phases.lap("upload");
                (made, loaded)
            });
            let mut loaded = loaded?;
            let spans = spans(&made);
            let mut submitted = None;
            let plan = made.as_mut();
            // The passes alone, so that what is submitted behind them can look at the rest.
            let passes = std::mem::take(&mut plan.passes);
            let plan = Plan { passes, cell_cost: plan.cell_cost, ..Plan::default() };
            let mut behind = |loaded: &mut dyn Loaded| {
                submitted = Some(behind(&made, loaded)?);
                Ok(())
            };
            let (device, slice) = (self.backend.name(), self.slice);
            let ran = slices::run(&mut *loaded, device, &plan, &spans, slice, self.control, &mut behind).await;
            made.as_mut().passes = plan.passes;
            self.phases.lap("sweep");
            match ran {
                Err(Error::MissingStamp { .. }) if tries == 0 => tries += 1,
                Err(error) => return Err(error),
                Ok(words) => return Ok((Ran { loaded, made, words }, submitted)),
            }
        }
    }
}
