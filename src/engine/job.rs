//! Calls on other threads: awaited, polled or cancelled by the caller.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Mutex;
use std::sync::mpsc::{SendError, Sender, channel};
use std::task::{Context, Poll};

use futures_channel::oneshot;

use super::report::Report;
use super::task::Task;
use super::{Engine, no_thread, wait};
use crate::call::control::{CancelHandle, Control, Progress};
use crate::error::{Error, Result};
use crate::host::lock;
use crate::host::process;

/// Running call: a future of its [`Report`], for any executor.
///
/// The call computes on another thread, so that polling never blocks. Dropping the job cancels the
/// call.
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
    /// Set once the report was returned.
    taken: bool,
}

impl<A: Send + 'static> Job<A> {
    /// Starts a task on a pooled thread.
    pub(super) fn start<T: Task<Answer = A> + Send + 'static>(
        engine: &Engine,
        task: T,
        control: &Control,
    ) -> Self {
        let control = control.for_call();
        let (engine, watched) = (engine.clone(), control.clone());
        Self {
            arriving: spawn(move || wait(solve(&engine, &task, &watched))),
            control,
            taken: false,
        }
    }

    /// Progress of the call.
    pub fn progress(&self) -> Progress {
        self.control.progress()
    }

    /// Cancels the call; it ends with [`Error::Cancelled`] within about one slice.
    pub fn cancel(&self) {
        self.control.own_handle().cancel();
    }

    /// Handle that cancels the call from any thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.control.own_handle().clone()
    }

    /// The report if the call has ended; `None` while it runs.
    pub fn try_wait(&mut self) -> Option<Result<Report<A>>> {
        let arrived = self.arriving.try_recv().transpose()?;
        Some(self.take(arrived))
    }

    /// Blocks until the call ends, and returns its report.
    ///
    /// # Errors
    /// Errors of the task.
    pub fn wait(self) -> Result<Report<A>> {
        wait(self)
    }
}

impl<A> Job<A> {
    /// Returns the arrived report, or an error if it was returned before.
    fn take(&mut self, arrived: Result<Result<Report<A>>, oneshot::Canceled>) -> Result<Report<A>> {
        let taken = std::mem::replace(&mut self.taken, true);
        arrived.unwrap_or_else(|oneshot::Canceled| {
            let reason = if taken {
                "its report was taken before"
            } else {
                "its thread has ended without a report"
            };
            Err(Error::Failed(format!(
                "nothing more comes of this job: {reason}"
            )))
        })
    }
}

impl<A> Future for Job<A> {
    type Output = Result<Report<A>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.arriving)
            .poll(context)
            .map(|arrived| self.take(arrived))
    }
}

impl<A> Drop for Job<A> {
    fn drop(&mut self) {
        self.control.own_handle().cancel();
    }
}

/// Runs `work` on a pooled thread and returns its result to whoever waits for it.
pub(super) fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> oneshot::Receiver<Result<T>> {
    let (sender, arriving) = oneshot::channel();
    let Err(error) = on_a_thread(Box::new(move || _ = sender.send(work()))) else {
        return arriving;
    };
    let (sender, failed) = oneshot::channel();
    let _ = sender.send(Err(no_thread(&error)));
    failed
}

type PooledWork = Box<dyn FnOnce() + Send>;

/// Channels to idle threads.
static IDLE: Mutex<IdleThreads> = Mutex::new(IdleThreads {
    process: 0,
    threads: Vec::new(),
});

/// Idle threads of one process.
struct IdleThreads {
    process: u32,
    threads: Vec<Sender<PooledWork>>,
}

impl IdleThreads {
    /// The threads of this process: a forked child has none of its parent's.
    fn here(&mut self) -> &mut Vec<Sender<PooledWork>> {
        let process = process::id();
        if self.process != process {
            self.process = process;
            std::mem::forget(std::mem::take(&mut self.threads));
        }
        &mut self.threads
    }
}

/// Runs `work` on an idle thread, else on a new one.
///
/// Threads never end. NVIDIA's Vulkan driver (580) deadlocks if a thread that has used it ends
/// while another closes a device, as the receiver of the report may do.
fn on_a_thread(work: PooledWork) -> std::io::Result<()> {
    let idle = || lock(&IDLE);
    let Some(work) = (match idle().here().pop() {
        Some(thread) => thread.send(work).err().map(|SendError(work)| work),
        None => Some(work),
    }) else {
        return Ok(());
    };
    let (own, others) = channel();
    let turns = move || {
        let mut next = Some(work);
        while let Some(work) = next {
            let _ = catch_unwind(AssertUnwindSafe(work));
            idle().here().push(own.clone());
            next = others.recv().ok();
        }
    };
    std::thread::Builder::new()
        .name("swath".to_string())
        .spawn(turns)
        .map(|_| ())
}

/// Runs a task on one GPU of the engine, or on the CPU.
pub(super) async fn solve<T: Task>(
    engine: &Engine,
    task: &T,
    control: &Control,
) -> Result<Report<T::Answer>> {
    let engine = &engine.for_call();
    let solving = async {
        let mut report = task.solve(engine, control).await?;
        report.interface = engine.interface(&report.run.device);
        control.finish();
        Ok(report)
    };
    let mut solving = pin!(solving);
    poll_fn(|context| {
        let poll = || solving.as_mut().poll(context);
        catch_unwind(AssertUnwindSafe(poll))
            .unwrap_or_else(|panic| Poll::Ready(Err(failed(&*panic))))
    })
    .await
}

/// Runs `call` and turns a panic of swath or of the caller's code into an error.
pub(super) fn catch_panic<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(failed(&*panic)))
}

fn failed(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    Error::Failed(text.unwrap_or("a panic").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lcs;
    use crate::engine::{PlanSummary, task};
    use crate::lcs::CommonSubsequence;

    fn failed<T>(ended: Result<T>) -> String {
        let Err(Error::Failed(text)) = ended else {
            panic!("it does not fail so")
        };
        text
    }

    /// Task that panics in each of its methods.
    struct Panics;

    impl task::Sealed for Panics {}

    impl Task for Panics {
        type Answer = ();

        async fn solve(&self, _engine: &Engine, _control: &Control) -> Result<Report<()>> {
            panic!("a panic while it is solved")
        }

        fn decide(&self, _engine: &Engine) -> Result<PlanSummary> {
            panic!("a panic while it is decided")
        }
    }

    #[test]
    fn panic_in_a_call_job_or_plan_becomes_an_error_with_its_text() {
        assert_eq!(
            failed(Engine::cpu().run(&Panics)),
            "a panic while it is solved"
        );
        assert_eq!(
            failed(Engine::cpu().start(Panics).wait()),
            "a panic while it is solved"
        );
        assert_eq!(
            failed(Engine::cpu().plan(&Panics)),
            "a panic while it is decided"
        );
    }

    #[test]
    fn pooled_threads_are_reused_and_survive_panics() {
        let mut threads = std::collections::HashSet::new();
        for number in 0..64 {
            let here = pollster::block_on(spawn(move || {
                assert!(number % 4 != 3, "every fourth panics");
                Ok(std::thread::current().id())
            }));
            assert_eq!(here.is_err(), number % 4 == 3);
            threads.extend(here.into_iter().flatten());
        }
        assert!(threads.len() < 48, "{} threads", threads.len());
    }

    #[test]
    fn panic_in_the_last_progress_report_becomes_an_error_with_its_text() {
        let control = Control::default().on_progress(|progress| {
            assert!(
                progress.fraction < 1.0,
                "the callback does not like {}",
                progress.fraction
            )
        });
        let task = Lcs::of(b"ABCBDAB".to_vec(), b"BDCABA".to_vec());
        assert_eq!(
            failed(Engine::cpu().run_with(&task, &control)),
            "the callback does not like 1"
        );
        assert_eq!(
            failed(Engine::cpu().start_with(task, &control).wait()),
            "the callback does not like 1"
        );
    }

    #[test]
    fn job_errors_distinguish_taken_reports_from_dead_threads() {
        let job = |taken| {
            let (_, arriving) = oneshot::channel::<Result<Report<CommonSubsequence>>>();
            Job {
                arriving,
                control: Control::default(),
                taken,
            }
        };
        assert!(failed(job(true).wait()).ends_with("its report was taken before"));
        assert!(failed(job(false).wait()).ends_with("its thread has ended without a report"));
        let mut job = Engine::cpu().start(Lcs::of(b"ab".to_vec(), b"b".to_vec()));
        while job.try_wait().is_none() {
            std::thread::yield_now();
        }
        assert!(failed(job.wait()).ends_with("its report was taken before"));
    }
}
