//! Runs work without the GIL: signals, progress and cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBool;
use swath::{CancelHandle, Control, Report, Task};

use crate::engines::Place;
use crate::errors::{OrRaise, check_callable};

/// Interval of signal checks and progress reports.
const INTERVAL: Duration = Duration::from_millis(50);
/// Maximum DP cells of a call that ends before a signal could matter.
const SHORT_CALL: u128 = 1 << 24;

/// Cancellation and progress of a call, for the thread that waits for it.
#[derive(Clone, Default)]
pub struct Watch {
    pub cancel: CancelHandle,
    /// Bits of the fraction that is done.
    fraction: Arc<AtomicU64>,
}

impl Watch {
    pub fn set_fraction(&self, fraction: f64) {
        self.fraction.store(fraction.to_bits(), Ordering::Relaxed);
    }

    fn fraction(&self) -> f64 {
        f64::from_bits(self.fraction.load(Ordering::Relaxed))
    }
}

/// Arguments of every call.
pub struct Call<'py> {
    pub place: Place,
    /// Function that gets the fraction that is done.
    pub progress: Option<Bound<'py, PyAny>>,
}

impl<'py> Call<'py> {
    /// `progress` is a function, or `True` for a bar.
    ///
    /// # Errors
    /// As [`Place::new`], and `TypeError` for a `progress` that cannot be called.
    pub fn new(
        py: Python<'py>,
        device: &str,
        workers: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let place = Place::new(py, device, workers)?;
        let progress = match progress {
            Some(given) => match given.cast::<PyBool>() {
                Ok(wanted) if wanted.is_true() => {
                    let bar = py.import("swath._progress")?.call_method0("bar")?;
                    (!bar.is_none()).then_some(bar)
                }
                Ok(_) => None,
                Err(_) => {
                    check_callable("progress", &given)?;
                    Some(given)
                }
            },
            None => None,
        };
        Ok(Self { place, progress })
    }

    /// Runs a task with the GIL released, as [`watched`].
    ///
    /// # Errors
    /// If the task, a signal handler or `progress` fails.
    pub fn run<T: Task + Sync>(
        &self,
        py: Python<'py>,
        task: &T,
        cells: u128,
    ) -> PyResult<Report<T::Answer>> {
        let engine = self.place.engine(py)?;
        let work = |watch: &Watch| {
            let reported = watch.clone();
            let control = Control::default()
                .cancelled_by(&watch.cancel)
                .on_progress(move |progress| reported.set_fraction(progress.fraction));
            engine.run_with(task, &control)
        };
        watched(py, cells, self.progress.as_ref(), work)?.or_raise(py)
    }
}

/// Runs work with the GIL released.
///
/// Work of more than [`SHORT_CALL`] cells runs on another thread, while this one handles signals
/// (Ctrl-C cancels the work) and calls `progress` with the fraction that is done.
///
/// # Errors
/// If a signal handler or `progress` fails.
pub fn watched<R: Send>(
    py: Python<'_>,
    cells: u128,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> R + Send,
) -> PyResult<R> {
    let watch = Watch::default();
    if cells <= SHORT_CALL && progress.is_none() {
        return Ok(py.detach(|| work(&watch)));
    }
    let progress = progress.map(|progress| progress.clone().unbind());
    let report = |py: Python<'_>, fraction: f64| match &progress {
        Some(progress) => progress.call1(py, (fraction,)).map(|_| ()),
        None => Ok(()),
    };
    let ended = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, ended) = channel();
            let watch = &watch;
            let call = scope.spawn(move || {
                let result = work(watch);
                let _ = sender.send(());
                result
            });
            let mut stopped = None;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(INTERVAL) {
                if stopped.is_some() {
                    continue;
                }
                stopped = Python::attach(|py| {
                    py.check_signals()?;
                    report(py, watch.fraction())
                })
                .err();
                if stopped.is_some() {
                    watch.cancel.cancel();
                }
            }
            match (stopped, call.join()) {
                (Some(error), _) => Err(error),
                (None, Ok(result)) => Ok(result),
                (None, Err(panic)) => std::panic::resume_unwind(panic),
            }
        })
    })?;
    report(py, 1.0)?;
    Ok(ended)
}
