//! Jobs: calls on other threads.

use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use swath::CancelHandle;
use swath::query::Answer as Found;

use crate::answer::Answer;
use crate::arguments::{Output, SizedOutput, borrowed};
use crate::engine::Engine;
use crate::query::{Problem, Query};
use crate::run::{CallControl, Kept, Progress, control};
use crate::status::{Result, SWATH_RUNNING, Status, failure, freed, guarded, invalid};

/// A call on another thread.
pub struct Job {
    call: Mutex<swath::Job<Found>>,
    ended: Arc<Ended>,
    cancel: CancelHandle,
    problem: Arc<Problem>,
    kept: Option<Kept>,
    is_taken: Mutex<bool>,
}

/// Wakes threads that wait for a job.
#[derive(Default)]
struct Ended {
    ended: Mutex<bool>,
    changed: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wake for Ended {
    fn wake(self: Arc<Self>) {
        *lock(&self.ended) = true;
        self.changed.notify_all();
    }
}

impl Ended {
    fn wait(&self) {
        let mut ended = lock(&self.ended);
        while !*ended {
            ended = self
                .changed
                .wait(ended)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Job {
    /// The answer if the call has ended, once.
    fn poll(&self) -> Result<Poll<Answer>> {
        let mut is_taken = lock(&self.is_taken);
        if *is_taken {
            return Err(invalid(
                "the answer of this job was taken before; keep the first one",
            ));
        }
        let waker = Waker::from(self.ended.clone());
        let polled = Pin::new(&mut *lock(&self.call)).poll(&mut Context::from_waker(&waker));
        let Poll::Ready(report) = polled else {
            return Ok(Poll::Pending);
        };
        *is_taken = true;
        let (problem, kept) = (self.problem.clone(), self.kept.clone());
        Ok(Poll::Ready(Answer::new(report?, problem, kept)?))
    }
}

/// Starts a query on another thread. `control` may be null. The job keeps the engine and the query, so
/// that the caller may free its own handles of them at once.
///
///     swath_job *job = NULL;
///     if (swath_start(engine, query, NULL, &job) == SWATH_OK)
///         swath_job_wait(job, &answer);
///     swath_job_free(job);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_start(
    engine: *const Engine,
    query: *const Query,
    control: *const CallControl,
    job: *mut *mut Job,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (engine, query, control, output) = unsafe {
            (
                borrowed(engine, "engine")?,
                borrowed(query, "query")?,
                self::control(control)?,
                Output::of(job, "job")?,
            )
        };
        let (task, kept) = query.0.task();
        let call = engine.0.start_with(task, &control);
        output.give(Job {
            cancel: call.cancel_handle(),
            call: Mutex::new(call),
            ended: Arc::default(),
            problem: query.0.clone(),
            kept,
            is_taken: Mutex::new(false),
        });
        Ok(())
    })
}

/// Gives the progress of a job.
///
///     swath_progress progress = {.size = sizeof progress};
///     if (swath_job_progress(job, &progress) == SWATH_OK)
///         printf("%.0f %%\n", 100 * progress.fraction);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_job_progress(job: *const Job, progress: *mut Progress) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (job, output) = unsafe {
            (
                borrowed(job, "job")?,
                SizedOutput::of(progress, "progress")?,
            )
        };
        output.put(&lock(&job.call).progress().into());
        Ok(())
    })
}

/// Gives the answer if the job has ended, and `SWATH_RUNNING` while it runs, without waiting. An
/// answer, or an error, is given once.
///
///     if (swath_job_poll(job, &answer) == SWATH_OK)
///         swath_answer_free(answer);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_job_poll(job: *const Job, answer: *mut *mut Answer) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (job, output) = unsafe { (borrowed(job, "job")?, Output::of(answer, "answer")?) };
        match job.poll()? {
            Poll::Ready(answer) => output.give(answer),
            Poll::Pending => return Err(failure(SWATH_RUNNING, "the job still runs")),
        }
        Ok(())
    })
}

/// Waits until the job ends, and gives the answer. An answer, or an error, is given once.
///
///     if (swath_job_wait(job, &answer) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_job_wait(job: *const Job, answer: *mut *mut Answer) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (job, output) = unsafe { (borrowed(job, "job")?, Output::of(answer, "answer")?) };
        loop {
            if let Poll::Ready(answer) = job.poll()? {
                output.give(answer);
                return Ok(());
            }
            job.ended.wait();
        }
    })
}

/// Cancels a job; it ends with `SWATH_CANCELLED` within about one slice. Safe in any thread. Null is
/// ignored.
///
///     swath_job_cancel(job);
///     swath_job_wait(job, &answer);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_job_cancel(job: *const Job) {
    // SAFETY: the header says what the pointer has to be.
    if let Some(job) = unsafe { job.as_ref() } {
        job.cancel.cancel();
    }
}

/// Frees a job, and cancels it if it still runs. It does not wait: a progress callback may be called
/// until the call has ended, so wait for the job before its `user` is freed. Null is ignored.
///
///     swath_job_free(job);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_job_free(job: *mut Job) {
    // SAFETY: the header says that a handle is freed once.
    unsafe { freed(job) }
}
