//! Calls: progress, cancellation, and runs on the calling thread.

use std::ffi::{CString, c_char, c_void};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use swath::pairs::{self, KeptBlock};
use swath::query::{KeptSink, Query as Task};
use swath::{CancelHandle, Control};

use crate::answer::Answer;
use crate::arguments::{Output, borrowed, extensible, options, out_of_memory};
use crate::engine::Engine;
use crate::query::{Problem, Query};
use crate::status::{
    Failure, Result, SWATH_INTERNAL_ERROR, Status, c_text, failure, freed, guarded,
};

/// Cancels calls from any thread.
pub struct Cancel(pub CancelHandle);

/// Progress of a call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Progress {
    /// `sizeof(swath_progress)`.
    pub size: usize,
    /// Part of the call that is done, from 0 to 1. It never falls, and is 1 only at the end.
    pub fraction: f64,
    /// Cells of tables that were computed.
    pub done: u64,
    /// Cells that are expected. It may grow.
    pub total: u64,
}

/// Progress callback and cancellation of a call. Zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CallControl {
    /// `sizeof(swath_control)`.
    pub size: usize,
    /// Called with the progress and `user`, or null. Threads of swath call it, one at a time. It has
    /// to be short, must not call a function with the same job, and must not unwind: no C++
    /// exception and no `longjmp` may leave it.
    pub progress: Option<unsafe extern "C" fn(progress: *const Progress, user: *mut c_void)>,
    /// Passed to `progress`. It has to live until the call, or its job, has ended.
    pub user: *mut c_void,
    /// Cancels the call, or null. It may be freed once the call has started.
    pub cancel: *const Cancel,
}

extensible!(CallControl, "swath_control");

/// The pointer of the caller, which the header says is used by other threads.
struct User(*mut c_void);

// SAFETY: it is passed on, not used.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

extensible!(Progress, "swath_progress");

impl From<swath::Progress> for Progress {
    fn from(progress: swath::Progress) -> Self {
        Self {
            size: size_of::<Self>(),
            fraction: progress.fraction,
            done: progress.done,
            total: progress.total,
        }
    }
}

/// # Safety
/// As the fields of [`CallControl`] say.
pub unsafe fn control(given: *const CallControl) -> Result<Control> {
    // SAFETY: as for this function.
    let given = unsafe { options(given, "control") }?;
    let mut control = Control::default();
    // SAFETY: as for this function.
    if let Some(cancel) = unsafe { given.cancel.as_ref() } {
        control = control.cancelled_by(&cancel.0);
    }
    if let Some(callback) = given.progress {
        let user = User(given.user);
        control = control.on_progress(move |progress| {
            let progress = progress.into();
            // SAFETY: the header says what the function may do.
            unsafe { callback(&progress, user.pointer()) }
        });
    }
    Ok(control)
}

/// Pairs within the bound, as they come.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<KeptPairs>>);

/// A query, a target and their value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PairValue {
    /// Position of the query in its list.
    pub query: u64,
    /// Position of the target in its list.
    pub target: u64,
    /// Distance, or length.
    pub value: u32,
}

impl From<&pairs::PairValue> for PairValue {
    fn from(pair: &pairs::PairValue) -> Self {
        Self {
            query: pair.query as u64,
            target: pair.target as u64,
            value: pair.value,
        }
    }
}

#[derive(Default)]
struct KeptPairs {
    pairs: Vec<PairValue>,
    failure: Option<Failure>,
}

impl Kept {
    fn sink(&self) -> KeptSink<'static> {
        let kept = self.clone();
        Box::new(move |block: KeptBlock<'_>| {
            let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.pairs.try_reserve(block.kept.len()).is_err() {
                let bytes = block.kept.len() * size_of::<PairValue>();
                kept.failure = Some(out_of_memory(bytes, "the pairs within the bound"));
                return ControlFlow::Break(());
            }
            kept.pairs.extend(block.kept.iter().map(PairValue::from));
            ControlFlow::Continue(())
        })
    }

    /// The pairs, after the call.
    pub fn take(&self) -> Result<Vec<PairValue>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(std::mem::take(&mut kept.pairs)),
        }
    }
}

impl Problem {
    /// The task of one run, and its list of pairs if it has one.
    pub fn task(&self) -> (Arc<Task<'static>>, Option<Kept>) {
        match self {
            Self::Task(task) => (task.clone(), None),
            Self::Kept(pairs) => {
                let kept = Kept::default();
                let task = pairs.clone().for_each_kept(kept.sink());
                (Arc::new(task.into()), Some(kept))
            }
        }
    }
}

/// Runs a query on this thread and the threads of the engine, and gives the answer. `control` may be
/// null. Answers are verified against the inputs.
///
///     if (swath_run(engine, query, NULL, &answer) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_run(
    engine: *const Engine,
    query: *const Query,
    control: *const CallControl,
    answer: *mut *mut Answer,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (engine, query, control, output) = unsafe {
            (
                borrowed(engine, "engine")?,
                borrowed(query, "query")?,
                self::control(control)?,
                Output::of(answer, "answer")?,
            )
        };
        let (task, kept) = query.0.task();
        let report = engine.0.run_with(&task, &control)?;
        output.give(Answer::new(report, query.0.clone(), kept)?);
        Ok(())
    })
}

/// Describes how a query would run, without running it: method, device, memory and expected time,
/// as JSON. Free the text with `swath_text_free`.
///
///     char *plan = NULL;
///     if (swath_plan(engine, query, &plan) == SWATH_OK)
///         printf("%s\n", plan);
///     swath_text_free(plan);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_plan(
    engine: *const Engine,
    query: *const Query,
    plan: *mut *mut c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header says what the pointers have to be.
        let (engine, query, output) = unsafe {
            (
                borrowed(engine, "engine")?,
                borrowed(query, "query")?,
                Output::of(plan, "plan")?,
            )
        };
        let summary = engine.0.plan(&query.0.task().0)?;
        output.put(json(&summary)?.into_raw());
        Ok(())
    })
}

pub fn json(value: &impl serde::Serialize) -> Result<CString> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| failure(SWATH_INTERNAL_ERROR, error.to_string()))?;
    Ok(c_text(&text))
}

/// Frees a text that the caller owns. Null is ignored.
///
///     swath_text_free(plan);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_text_free(text: *mut c_char) {
    let free = || {
        if !text.is_null() {
            // SAFETY: the header says that it comes from this library and is freed once.
            drop(unsafe { CString::from_raw(text) });
        }
        Ok(())
    };
    guarded(free);
}

/// Creates a handle that cancels calls whose control names it.
///
///     swath_cancel *cancel = swath_cancel_new();
///     swath_control control = {.size = sizeof control};
///     control.cancel = cancel;
#[unsafe(no_mangle)]
pub extern "C" fn swath_cancel_new() -> *mut Cancel {
    Box::into_raw(Box::new(Cancel(CancelHandle::new())))
}

/// Cancels the calls, also later ones. They end with `SWATH_CANCELLED` within about one slice. Safe
/// in any thread and in a signal handler.
///
///     swath_cancel_set(cancel);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_cancel_set(cancel: *const Cancel) {
    // SAFETY: the header says what the pointer has to be.
    if let Some(cancel) = unsafe { cancel.as_ref() } {
        cancel.0.cancel();
    }
}

/// Frees a cancel handle. Null is ignored. Calls go on.
///
///     swath_cancel_free(cancel);
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_cancel_free(cancel: *mut Cancel) {
    // SAFETY: the header says that a handle is freed once.
    unsafe { freed(cancel) }
}
