//! A call that runs on a thread of its own, to be awaited, watched or cancelled from elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_channel::oneshot;

use super::Engine;
use super::report::Report;
use super::task::Task;
use crate::call::control::{CancelHandle, Control, Progress};
use crate::error::{Error, Result};

/// A call under way: a future of its [`Report`] for any executor. It computes on a thread of its own, so that whoever polls it
/// never waits. Dropping it cancels the call.
///
/// ```
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let job = engine.start(Edit::of(b"kitten".to_vec(), b"sitting".to_vec()));
/// assert!(job.progress().fraction <= 1.0);
/// assert_eq!(job.wait()?.distance.exactly(), Some(3));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a job that is dropped is cancelled"]
pub struct Job<A> {
    arriving: oneshot::Receiver<Result<Report<A>>>,
    control: Control,
}

impl<A: Send + 'static> Job<A> {
    /// Starts a task.
    pub(super) fn start<T: Task<Answer = A> + Send + 'static>(engine: &Engine, task: T, control: &Control) -> Self {
        let (sender, arriving) = oneshot::channel();
        let control = control.fresh();
        let (engine, watched) = (engine.clone(), control.clone());
        let work = move || {
            // Nobody waits for the answer of a job that was dropped.
            let _ = sender.send(solve(&engine, &task, &watched));
        };
        if let Err(error) = std::thread::Builder::new().name("swath".to_string()).spawn(work) {
            let (sender, arriving) = oneshot::channel();
            let _ = sender.send(Err(Error::Failed(format!("no thread could be started: {error}"))));
            return Self { arriving, control };
        }
        Self { arriving, control }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.control.progress()
    }

    /// Asks it to stop; it then ends with [`Error::Cancelled`] within about one slice.
    pub fn cancel(&self) {
        self.control.own_handle().cancel();
    }

    /// A handle that cancels it from anywhere.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.control.own_handle().clone()
    }

    /// The report if it is there already; `None` while the call runs.
    pub fn try_wait(&mut self) -> Option<Result<Report<A>>> {
        match self.arriving.try_recv() {
            Ok(None) => None,
            Ok(Some(report)) => Some(report),
            Err(oneshot::Canceled) => Some(Err(taken())),
        }
    }

    /// Waits for the report on this thread.
    ///
    /// # Errors
    /// Those of the task.
    pub fn wait(self) -> Result<Report<A>> {
        pollster::block_on(self)
    }
}

impl<A> Future for Job<A> {
    type Output = Result<Report<A>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.arriving).poll(context).map(|arrived| arrived.unwrap_or_else(|_| Err(taken())))
    }
}

impl<A> Drop for Job<A> {
    fn drop(&mut self) {
        self.control.own_handle().cancel();
    }
}

/// The error of a job whose report was taken before.
fn taken() -> Error {
    Error::Failed("the report of this job was taken before".to_string())
}

/// The report of a task, on this thread. A panic, which is a defect, ends as an error.
pub(super) fn solve<T: Task>(engine: &Engine, task: &T, control: &Control) -> Result<Report<T::Answer>> {
    let call = || pollster::block_on(task.solve(engine, control));
    let mut report = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::Failed(text.unwrap_or("a panic").to_string()))
    })?;
    report.interface = engine.interface(&report.run.device);
    control.finish();
    Ok(report)
}
