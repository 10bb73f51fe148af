//! A session: the rounds of one call on one device.
//!
//! A round loads a plan and runs its passes in slices. Each slice, each replay and each read is a
//! submission. Each submission writes a stamp behind its last pass if all previous ones have
//! written theirs, because some drivers report failed work as done. So the stamp that comes back
//! with words proves all the work they depend on.
//!
//! Every slice has a budget of cells, by the measured throughput of its kernels. The budget of
//! replays begins at that of the slices before them and follows their own throughput. Planners ask
//! for it ([`Session::replay_cells`]); a list of replays over budget takes several submissions.
//!
//! Lost work is retried once, which is correct only if its inputs are still intact:
//!
//! - Passes of a round change buffers in place, so the round restarts: its plan is made anew and
//!   everything is uploaded, including resident inputs, because an upload is lost with the
//!   submission that carries it.
//! - Replays read nothing that a replay writes, and a read changes nothing. So these are
//!   resubmitted in order, starting with the first one whose words have not been delivered. A read
//!   of the output of an earlier replay repeats that replay, since a later one may have overwritten
//!   it.
//!
//! A second loss is [`Error::MissingStamp`].

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use super::device::Device;
use super::slice_budget::SliceBudget;
use super::slices::{PassQueue, SliceBudgets, SliceWork, Workload};
use super::streaming::{NoUploads, UploadSource};
use super::traits::{Pending, Span, Words};
use crate::call::phase::Phase;
use crate::error::{Error, Result};
use crate::host::lock;
use crate::host::threads::is_pool_thread;
use crate::plan::{Pass, PassSplit, Plan, Resident};

#[cfg(test)]
mod fake;
mod parked;
mod rounds;
#[cfg(test)]
mod slice_tests;
#[cfg(test)]
mod tests;

pub use parked::OwnSessions;
use rounds::{Loading, Rounds, Submission, cells_of};

/// Maximum submissions of a round in flight: one runs while the next is recorded.
const IN_FLIGHT: usize = 2;

/// The rounds of one call on a device. Threads share it by reference.
pub struct Session<'a> {
    pub device: Device<'a>,
    source: &'a dyn UploadSource,
    rounds: Arc<Mutex<Rounds>>,
}

pub struct RoundResult<'a, T> {
    pub session: Session<'a>,
    /// The plan, with the planner's data.
    pub planned: T,
    pub words: Vec<u32>,
}

impl<'a> Device<'a> {
    /// Opens a session for the rounds of this call.
    pub fn open_session(&self) -> Result<Session<'a>> {
        Ok(Session::of(*self, Rounds::new(self)?))
    }

    /// Opens a session and runs one plan in it, as [`Session::run`].
    pub async fn run<T: AsMut<Plan> + Send + Sync>(
        &self,
        make: &(dyn Fn() -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
    ) -> Result<RoundResult<'a, T>> {
        self.open_session()?.run(&|_| make(), spans).await
    }
}

impl<'a> Session<'a> {
    fn of(device: Device<'a>, rounds: Rounds) -> Self {
        Self {
            device,
            source: &NoUploads,
            rounds: Arc::new(Mutex::new(rounds)),
        }
    }

    /// Sets the source of the streamed buffers of its plans.
    pub fn streamed_from(self, source: &'a dyn UploadSource) -> Self {
        Self { source, ..self }
    }

    /// Frees all buffers of the session. A call does this before it runs another session, which
    /// fails with [`Error::DeviceMemory`] if both do not fit.
    pub fn give_back(&self) {
        lock(&self.rounds).give_up();
    }

    /// Makes a plan with `make`, given the inputs resident on the device; loads and runs it, and
    /// reads the words of `spans` at its end. Waits for memory that other calls hold.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] and [`Error::DeviceMemory`] before any work, [`Error::Cancelled`],
    /// [`Error::DeviceLost`] and [`Error::MissingStamp`] during it.
    pub async fn run<T: AsMut<Plan> + Send + Sync>(
        self,
        make: &(dyn Fn(&Resident) -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
    ) -> Result<RoundResult<'a, T>> {
        let ((planned, words), _) = self.round(make, spans, &|_| Ok(())).await?;
        Ok(RoundResult {
            session: self,
            planned,
            words,
        })
    }

    /// As [`run`](Self::run), for a session with further rounds. `behind` submits more work behind
    /// the last pass before that is awaited; it does not run if the plan has no passes.
    ///
    /// # Errors
    /// As [`run`](Self::run), and the errors of `behind`.
    pub async fn round<T: AsMut<Plan> + Send + Sync, B: Send>(
        &self,
        make: &(dyn Fn(&Resident) -> T + Sync),
        spans: &(dyn Fn(&T) -> Vec<Span> + Sync),
        behind: &(dyn Fn(&T) -> Result<B> + Sync),
    ) -> Result<((T, Vec<u32>), Option<B>)> {
        let mut again = false;
        loop {
            let mut planned = self.load(make).await?;
            let spans = spans(&planned);
            let mut submitted = None;
            let plan = planned.as_mut();
            let budgets = self.budgets(plan);
            let splits = plan.splits.clone();
            // Moved out, since `behind` borrows the rest.
            let passes = std::mem::take(&mut plan.passes);
            let swept = {
                let mut behind = || {
                    submitted = Some(behind(&planned)?);
                    Ok(())
                };
                self.sweep(&passes, &splits, budgets, &spans, &mut behind)
                    .await
            };
            planned.as_mut().passes = passes;
            self.device.phases.lap(Phase::Sweep);
            match swept {
                Ok(words) => {
                    lock(&self.rounds).is_done = true;
                    return Ok(((planned, words), submitted));
                }
                Err(Error::MissingStamp { .. }) if !again => {
                    again = true;
                    lock(&self.rounds).resident = Resident::default();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes a plan and loads it, waiting for memory if necessary.
    async fn load<T: AsMut<Plan> + Send>(
        &self,
        make: &(dyn Fn(&Resident) -> T + Sync),
    ) -> Result<T> {
        let Device {
            backend,
            budget_bytes,
            phases,
            control,
            ..
        } = self.device;
        loop {
            let (planned, loading, needed) = self.device.on_threads(|| {
                let resident = lock(&self.rounds).resident.clone();
                let mut planned = make(&resident);
                phases.lap(Phase::Plan);
                let loading = lock(&self.rounds).load(planned.as_mut(), budget_bytes, self.source);
                phases.lap(Phase::Upload);
                let needed = planned.as_mut().size_bytes();
                (planned, loading, needed)
            });
            match loading {
                Ok(Loading::Loaded) => return Ok(planned),
                Ok(Loading::NoRoom) => drop(planned),
                Err(Error::DeviceMemory { .. }) if backend.shared().parked.free() => continue,
                Err(error) => return Err(error),
            }
            if backend.shared().parked.free() {
                continue;
            }
            let held = lock(&self.rounds).give_up();
            let held_by_call = backend.shared().memory.held_by(control.call());
            if held_by_call > 0 || is_pool_thread() {
                // Waiting would deadlock: this call itself holds the memory, or its holder may need
                // this pool thread.
                let device = backend.name().to_string();
                return Err(Error::DeviceMemory {
                    device,
                    needed,
                    limit: budget_bytes,
                    held,
                });
            }
            let reserved = backend
                .shared()
                .memory
                .reserve(control.call(), needed, budget_bytes, &|| {
                    // A session that was parked before this call waited is in the way.
                    backend.shared().parked.free();
                    control.check()
                })
                .await?;
            lock(&self.rounds).held = reserved;
            phases.lap(Phase::WaitForMemory);
        }
    }

    fn budgets(&self, plan: &Plan) -> SliceBudgets {
        let (backend, target) = (self.device.backend, self.device.sized_for());
        let safe = SliceBudget::safe_cells(backend.capabilities(), plan.cell_cost, target);
        let rates = lock(&backend.shared().rates);
        let budget = |workload: Workload| {
            let budget = match rates.get(&workload) {
                Some(&throughput) => SliceBudget::of(target, throughput),
                None => SliceBudget::new(target, safe),
            };
            (workload, budget)
        };
        SliceBudgets::new(Workload::all(plan).map(budget).collect(), safe, target)
    }

    /// Runs passes in order and reads the words of `spans` behind the last. `behind` may submit
    /// more behind the last slice before that is awaited. Boxed so that callers do not monomorphise
    /// it.
    fn sweep<'s>(
        &'s self,
        passes: &'s [Pass],
        splits: &'s [(usize, PassSplit)],
        mut budgets: SliceBudgets,
        spans: &'s [Span],
        behind: &'s mut (dyn FnMut() -> Result<()> + Send),
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u32>>> + Send + 's>> {
        Box::pin(async move {
            let Device {
                backend, control, ..
            } = self.device;
            lock(&self.rounds).replays = budgets.for_replays();
            // Passes before the first deferred upload.
            let mut ready = lock(&self.rounds).ready(passes.len());
            let mut queue = PassQueue::new(&passes[..ready], splits);
            let mut in_flight = VecDeque::with_capacity(IN_FLIGHT);
            let mut words = None;
            while !queue.is_empty() || ready < passes.len() || !in_flight.is_empty() {
                control.check()?;
                while in_flight.len() < IN_FLIGHT && (!queue.is_empty() || ready < passes.len()) {
                    if queue.is_empty() {
                        let begun = ready;
                        self.fill_deferred()?;
                        ready = lock(&self.rounds).ready(passes.len());
                        queue = PassQueue::new(&passes[begun..ready], splits);
                    }
                    let slice = queue.take(&mut budgets);
                    let work = SliceWork::of(&slice);
                    let is_last = queue.is_empty() && ready == passes.len();
                    let submission =
                        lock(&self.rounds).submit(&slice, if is_last { spans } else { &[] })?;
                    in_flight.push_back((submission, work));
                    if is_last {
                        lock(&self.rounds).replays = budgets.for_replays();
                        behind()?;
                    }
                }
                if let Some((submission, work)) = in_flight.pop_front() {
                    let done = submission.completion.await?;
                    if done.stamp != submission.stamp {
                        return Err(lock(&self.rounds).missing(submission.slice));
                    }
                    control.add_done(work.cells());
                    budgets.adjust(&work, done.busy);
                    backend.shared().memory.wake();
                    words = Some(done.words);
                }
            }
            control.check()?;
            {
                let mut rounds = lock(&self.rounds);
                if rounds.replays.is_untimed() {
                    rounds.replays = budgets.for_replays();
                }
            }
            lock(&backend.shared().rates).extend(budgets.into_throughputs());
            match words {
                Some(words) => Ok(words.words().to_vec()),
                None => Ok(self.read(spans)?.await?.words().to_vec()),
            }
        })
    }

    /// Fills the buffers of the next pass while the device runs the previous ones.
    fn fill_deferred(&self) -> Result<()> {
        let Device { phases, .. } = self.device;
        phases.lap(Phase::Sweep);
        let filled = self
            .device
            .on_threads(|| lock(&self.rounds).fill_deferred(self.source));
        phases.lap(Phase::Upload);
        filled
    }

    /// Maximum cells of a replay that holds the device no longer than a slice, by the throughput
    /// measured so far.
    pub fn replay_cells(&self) -> u64 {
        lock(&self.rounds).replays.cells()
    }

    /// Submits replays behind all work so far and reads `spans` of their output. With `have_run`,
    /// an earlier submission has left those words on the device, so the replays run only if
    /// something is lost. Replays read nothing that any of them writes. A pass of a replay is never
    /// split: its planner keeps it within [`replay_cells`](Self::replay_cells) if possible.
    ///
    /// # Errors
    /// [`Error::Cancelled`] and [`Error::DeviceLost`]; the pending result may be
    /// [`Error::MissingStamp`].
    pub fn replay(
        &self,
        passes: &[Pass],
        have_run: bool,
        spans: &[Span],
    ) -> Result<Pending<Box<dyn Words>>> {
        let control = self.device.control.clone();
        control.check()?;
        if !have_run && !passes.is_empty() {
            control.add_total(cells_of(passes));
        }
        let (before, last) = lock(&self.rounds).submit_replays(passes, have_run, spans)?;
        let (rounds, memory) = (
            self.rounds.clone(),
            self.device.backend.shared().memory.clone(),
        );
        let timed = move |rounds: &Mutex<Rounds>, cells, busy| {
            lock(rounds).replays.adjust(cells, busy, 1.0);
            if cells > 0 {
                control.add_done(cells);
            }
        };
        Ok(Box::pin(async move {
            for (Submission { completion, .. }, cells) in before {
                // The stamp of the last submission proves this one.
                timed(&rounds, cells, completion.await?.busy);
            }
            let (
                Submission {
                    slice,
                    stamp,
                    completion,
                },
                cells,
            ) = last;
            let mut done = completion.await?;
            if done.stamp == stamp {
                timed(&rounds, cells, done.busy)
            } else {
                let again = lock(&rounds).submit_again(slice)?;
                done = again.completion.await?;
                if done.stamp != again.stamp {
                    return Err(lock(&rounds).missing(slice));
                }
            }
            lock(&rounds).close(slice);
            memory.wake();
            Ok(done.words)
        }))
    }

    /// Reads words behind all work so far.
    pub fn read(&self, spans: &[Span]) -> Result<Pending<Box<dyn Words>>> {
        if spans.iter().all(|span| span.words == 0) {
            return Ok(Box::pin(async {
                Ok(Box::new(Vec::new()) as Box<dyn Words>)
            }));
        }
        self.replay(&[], true, spans)
    }
}
