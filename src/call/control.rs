//! Progress and cancellation of one call, shared by the CPU code and the engine.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::phase::Phase;
use crate::error::{Error, Result};
use crate::host::lock;

/// Cancels a running call from any thread. Clones cancel the same call.
///
/// ```
/// use swath::{CancelHandle, Control, Engine, Error, Lcs, Options};
///
/// let cancel = CancelHandle::new();
/// let control = Control::default().cancelled_by(&cancel);
/// cancel.cancel();
/// let (a, b) = (vec![b'A'; 5000], vec![b'C'; 5000]);
/// let ended = Engine::new(Options::default())?.run_with(&Lcs::of(a, b), &control);
/// assert!(matches!(ended, Err(Error::Cancelled)));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<AtomicBool>);

impl CancelHandle {
    /// A handle that has not been cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the call, which returns [`Error::Cancelled`] within about one slice.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` after [`cancel`](Self::cancel).
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Progress of a call, passed to [`Control::on_progress`] and returned by
/// [`Job::progress`](crate::Job::progress).
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let job = engine.start(Lcs::of(b"ABCBDAB".to_vec(), b"BDCABA".to_vec()));
/// let progress = job.progress();
/// assert!(progress.done <= progress.total && progress.fraction <= 1.0);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Progress {
    /// DP cells computed, at most `total`.
    pub done: u64,
    /// DP cells expected. Grows if an algorithm adds a round.
    pub total: u64,
    /// Fraction of the call, from 0 to 1. Never decreases; 1 only after the answer is verified.
    pub fraction: f64,
    /// Current phase.
    pub phase: Phase,
}

/// Callback for progress reports, see [`Control::on_progress`].
///
/// Worker threads call it, one at a time, with non-decreasing `done` and `fraction`. Keep it short.
pub type ProgressCallback = Arc<dyn Fn(Progress) + Send + Sync>;

/// Progress callback and cancel handle of calls.
///
/// One control serves any number of calls. Each call counts its own progress.
///
/// ```
/// use swath::{CancelHandle, Control, Engine, Lcs, Options};
///
/// let cancel = CancelHandle::new();
/// let control = Control::default()
///     .cancelled_by(&cancel)
///     .on_progress(|progress| println!("{:.0} %", 100.0 * progress.fraction));
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run_with(&Lcs::of(b"ABCBDAB", b"BDCABA"), &control)?;
/// assert_eq!(report.length, 4);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Control {
    /// Handle given by the caller, for all calls of the control.
    cancel: CancelHandle,
    /// Handle of this call only.
    own: CancelHandle,
    callback: Option<ProgressCallback>,
    counts: Arc<Counts>,
}

/// Identifier of a running call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId(usize);

#[derive(Default)]
struct Counts {
    done: AtomicU64,
    totals: Mutex<Totals>,
    /// Set while a thread runs the callback.
    reporting: AtomicBool,
}

/// Expected work. Each change of `expected` or `ceiling` begins a segment, whose cells share the
/// fraction up to the ceiling.
struct Totals {
    /// Cells announced, in total.
    announced: u64,
    /// Cells expected, including announced ones.
    expected: u64,
    /// Progress at the start of the segment.
    start: Progress,
    /// Upper bound of the fraction.
    ceiling: f64,
    finished: bool,
}

/// Share of a segment's fraction that its cells account for; the rest is for checks and further
/// rounds.
const CELLS_SHARE: f64 = 0.98;
/// Greatest fraction before the end, which any number of rounds approach.
const MAX_UNFINISHED: f64 = 0.999;

impl Default for Totals {
    fn default() -> Self {
        Self {
            announced: 0,
            expected: 0,
            start: Progress::default(),
            ceiling: MAX_UNFINISHED,
            finished: false,
        }
    }
}

impl Totals {
    fn progress(&self, done: u64) -> Progress {
        let (total, start) = (self.expected, self.start);
        let done = done.min(total);
        let of_segment =
            done.saturating_sub(start.done) as f64 / total.saturating_sub(start.done).max(1) as f64;
        let fraction = if self.finished {
            1.0
        } else {
            start.fraction + (self.ceiling - start.fraction) * CELLS_SHARE * of_segment
        };
        Progress {
            done,
            total,
            fraction,
            ..start
        }
    }

    fn begin_segment(&mut self, done: &AtomicU64) {
        self.start = self.progress(done.load(Ordering::Relaxed));
        // Cells beyond the total do not count towards the next segment.
        done.fetch_min(self.start.done, Ordering::Relaxed);
    }
}

impl Control {
    /// Creates a control with a cancel handle and an optional callback.
    pub fn new(cancel: CancelHandle, callback: Option<ProgressCallback>) -> Self {
        Self {
            cancel,
            callback,
            ..Self::default()
        }
    }

    /// Sets the handle that cancels the calls.
    pub fn cancelled_by(mut self, cancel: &CancelHandle) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Sets the callback for the progress of the calls.
    pub fn on_progress(mut self, callback: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.callback = Some(Arc::new(callback));
        self
    }

    /// A control for one of several calls: its fractions from 0 to 1 are reported between `from` and
    /// `to`. Cancelled as this one.
    pub fn part(&self, from: f64, to: f64) -> Self {
        let callback = self.callback.clone().map(|callback| -> ProgressCallback {
            Arc::new(move |progress: Progress| {
                let fraction = from + (to - from) * progress.fraction;
                callback(Progress {
                    fraction,
                    ..progress
                });
            })
        });
        Self {
            callback,
            ..self.for_call()
        }
    }

    /// Clones handle and callback for a call, with its own counts and handle.
    pub(crate) fn for_call(&self) -> Self {
        Self {
            own: CancelHandle::new(),
            counts: Arc::default(),
            ..self.clone()
        }
    }

    /// A control for a part of the call that announces and reports no cells of its own.
    pub(crate) fn unreported(&self) -> Self {
        Self {
            callback: None,
            counts: Arc::default(),
            ..self.clone()
        }
    }

    pub(crate) fn call(&self) -> CallId {
        CallId(Arc::as_ptr(&self.counts).addr())
    }

    /// Handle of this call only.
    pub(crate) fn own_handle(&self) -> &CancelHandle {
        &self.own
    }

    /// Fails with [`Error::Cancelled`] after a cancellation.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() || self.own.is_cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Progress of the call.
    pub(crate) fn progress(&self) -> Progress {
        let Counts { done, totals, .. } = &*self.counts;
        lock(totals).progress(done.load(Ordering::Relaxed))
    }

    /// Adds `cells` to the announced work. The total grows only beyond the
    /// [estimate](Self::set_estimate).
    pub(crate) fn add_total(&self, cells: u64) {
        let mut totals = lock(&self.counts.totals);
        totals.announced = totals.announced.saturating_add(cells);
        if totals.announced > totals.expected {
            totals.begin_segment(&self.counts.done);
            totals.expected = totals.announced;
        }
    }

    /// Sets the expected remaining cells; later calls replace it. Cells announced but not computed
    /// no longer count.
    pub(crate) fn set_estimate(&self, cells: u64) {
        let mut totals = lock(&self.counts.totals);
        totals.begin_segment(&self.counts.done);
        totals.announced = totals.start.done;
        totals.expected = totals.announced.saturating_add(cells);
    }

    /// Limits the fraction until the next call of this method, for a call of several rounds that
    /// announce their cells one after the other. A part of 1 is all but the end of the call.
    pub(crate) fn set_ceiling(&self, part: f64) {
        let mut totals = lock(&self.counts.totals);
        totals.begin_segment(&self.counts.done);
        totals.ceiling = (part * MAX_UNFINISHED).max(totals.start.fraction);
    }

    pub(crate) fn set_phase(&self, phase: Phase) {
        lock(&self.counts.totals).start.phase = phase;
    }

    /// Adds `cells` to the computed cells and reports progress.
    pub(crate) fn add_done(&self, cells: u64) {
        let Counts {
            done, reporting, ..
        } = &*self.counts;
        done.fetch_add(cells, Ordering::Relaxed);
        let Some(callback) = &self.callback else {
            return;
        };
        // If another thread is reporting, it reports these cells too.
        while !reporting.swap(true, Ordering::AcqRel) {
            let reported = done.load(Ordering::Relaxed);
            callback(self.progress());
            reporting.swap(false, Ordering::AcqRel);
            if done.load(Ordering::Relaxed) == reported {
                break;
            }
        }
    }

    /// Reports completion.
    pub(crate) fn finish(&self) {
        if let Some(callback) = &self.callback {
            let progress = self.progress();
            callback(Progress {
                done: progress.total,
                fraction: 1.0,
                ..progress
            });
        }
        // The callback may panic, which fails the call.
        let mut totals = lock(&self.counts.totals);
        totals.finished = true;
        self.counts.done.store(totals.expected, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Control")
            .field("cancel", &self.cancel)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn progress_of_many_threads_never_decreases_and_ends_at_the_total() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        let callback = move |progress: Progress| {
            seen.try_lock()
                .expect("one report at a time")
                .push(progress.done)
        };
        let control = Control::new(CancelHandle::new(), Some(Arc::new(callback)));
        let cells = 20_000;
        control.add_total(cells);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(8)
            .build()
            .expect("a pool of eight threads");
        pool.install(|| (0..cells).into_par_iter().for_each(|_| control.add_done(1)));
        let reports = reports.lock().expect("unharmed");
        assert!(reports.is_sorted());
        assert_eq!(reports.last(), Some(&cells));
    }

    #[test]
    fn fraction_never_decreases_and_reaches_one_only_at_the_end() {
        let fractions = Arc::new(Mutex::new(Vec::new()));
        let seen = fractions.clone();
        let control = Control::default()
            .on_progress(move |progress| seen.lock().expect("unharmed").push(progress.fraction));
        for round in [100, 1, 1000, 0, 50] {
            control.add_total(round);
            (0..round).for_each(|_| control.add_done(1));
        }
        // A round that was given up.
        control.add_total(10);
        let fractions = |control: &Control| {
            control.add_done(0);
            fractions.lock().expect("unharmed").clone()
        };
        let before = fractions(&control);
        assert!(
            before.is_sorted() && before.iter().all(|&fraction| fraction < 1.0),
            "{before:?}"
        );
        control.finish();
        assert_eq!(fractions(&control).last(), Some(&1.0));
    }

    #[test]
    fn rounds_within_an_estimate_share_one_fraction() {
        let control = Control::default();
        let share = MAX_UNFINISHED * CELLS_SHARE;
        let fraction = || control.progress().fraction;
        let near = |part: f64| {
            assert!(
                (fraction() - part).abs() < 1e-9,
                "{} is not {part}",
                fraction()
            )
        };
        control.set_estimate(1000);
        control.add_total(100);
        control.add_done(100);
        near(0.1 * share);
        control.add_total(900);
        control.add_done(400);
        near(0.5 * share);
        // More than was estimated.
        control.add_total(1000);
        near(0.5 * share);
        control.add_done(750);
        near(0.5 * share + (MAX_UNFINISHED - 0.5 * share) * CELLS_SHARE / 2.0);
        // Another method takes over with an estimate of its own.
        let before = fraction();
        control.set_estimate(10);
        near(before);
        control.add_total(10);
        control.add_done(5);
        near(before + (MAX_UNFINISHED - before) * CELLS_SHARE / 2.0);
        control.set_phase(Phase::Sweep);
        control.finish();
        assert_eq!(
            control.progress(),
            Progress {
                done: 1260,
                total: 1260,
                fraction: 1.0,
                phase: Phase::Sweep
            }
        );
    }

    #[test]
    fn any_number_of_rounds_stays_below_one_and_within_its_ceiling() {
        let control = Control::default();
        let round = |cells| {
            control.add_total(cells);
            control.add_done(cells);
            control.progress().fraction
        };
        let rounds = 1000;
        for number in 1..=rounds {
            let ceiling = f64::from(number) / f64::from(2 * rounds);
            control.set_ceiling(ceiling);
            let fraction = round(10);
            assert!(
                fraction < ceiling && fraction > ceiling * 0.9,
                "{number}: {fraction}"
            );
        }
        // A ceiling below what was reached does not lower the fraction.
        control.set_ceiling(0.1);
        assert!(round(10) > 0.45);
        control.set_ceiling(1.0);
        for _ in 0..rounds {
            assert!(round(10) < 1.0);
        }
        control.finish();
        assert_eq!(control.progress().fraction, 1.0);
    }

    #[test]
    fn fraction_is_below_one_after_a_callback_that_panics_at_the_end() {
        let control = Control::default().on_progress(|_| panic!("it does"));
        let finish = std::panic::AssertUnwindSafe(|| control.finish());
        assert!(std::panic::catch_unwind(finish).is_err());
        assert!(control.progress().fraction < 1.0);
    }

    #[test]
    fn calls_of_one_control_have_their_own_progress_and_cancellation() {
        let control = Control::default();
        let first = control.for_call();
        first.add_total(10);
        first.add_done(5);
        let second = control.for_call();
        assert_eq!(second.progress(), Progress::default());
        first.own_handle().cancel();
        assert!(first.check().is_err() && second.check().is_ok());
    }
}
