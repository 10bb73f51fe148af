//! Interface of tasks; every problem implements it.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use super::Engine;
use super::report::{PlanSummary, Report};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::lock;

/// A problem with its inputs, run by [`Engine::run`]: [`Lcs`](crate::Lcs), [`Edit`](crate::Edit),
/// [`Scs`](crate::Scs), [`Search`](crate::Search), [`Substring`](crate::Substring), [`Matches`](crate::substring::Matches),
/// [`Parenthesize`](crate::Parenthesize) and [`RadixSort`](crate::sort::RadixSort).
///
/// Tasks borrow or own their inputs; a task that owns them can be [started](Engine::start) on
/// another thread. The trait is sealed.
pub trait Task: Sealed {
    /// Type of the answer.
    type Answer: Send + 'static;

    /// Plans, computes and verifies. Waits for devices without blocking; work on the CPU is done
    /// while the future is polled.
    #[doc(hidden)]
    fn solve(
        &self,
        engine: &Engine,
        control: &Control,
    ) -> impl Future<Output = Result<Report<Self::Answer>>>;

    /// Plans without running.
    #[doc(hidden)]
    fn decide(&self, engine: &Engine) -> Result<PlanSummary>;
}

/// Seals [`Task`].
pub trait Sealed {}

/// A task with inputs of a type, which runs as a [query](crate::query) of the same problem.
pub trait Erased {
    type Answer: Send + 'static;
    type Query<'q>: Task<Answer = Self::Answer>
    where
        Self: 'q;

    /// # Errors
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) for 2^32 distinct symbols.
    fn query(&self) -> Result<Self::Query<'_>>;
}

impl<T: Erased> Sealed for T {}

impl<T: Erased> Task for T {
    type Answer = T::Answer;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<T::Answer>> {
        self.query()?.solve(engine, control).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.query()?.decide(engine)
    }
}

impl<T: Task> Sealed for Arc<T> {}

/// A task that several jobs share.
impl<T: Task> Task for Arc<T> {
    type Answer = T::Answer;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<T::Answer>> {
        T::solve(self, engine, control).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        T::decide(self, engine)
    }
}

/// A task that passes its answer on block by block.
pub trait Blocks: Sealed {
    /// Part of the answer.
    type Block<'b>;
    /// What is left to tell after the last block.
    type Done: Send + 'static;

    /// Computes all blocks; `sink` may end the call.
    #[doc(hidden)]
    fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        sink: impl FnMut(Self::Block<'_>) -> ControlFlow<()>,
    ) -> impl Future<Output = Result<Report<Self::Done>>>;

    /// Plans without running.
    #[doc(hidden)]
    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary>;
}

/// A task whose blocks go to a closure.
#[must_use = "an engine runs it"]
pub struct ForEach<T, F> {
    task: T,
    sink: Mutex<F>,
}

impl<T, F> ForEach<T, F> {
    pub(crate) fn new(task: T, sink: F) -> Self {
        let sink = Mutex::new(sink);
        Self { task, sink }
    }
}

impl<T, F> Sealed for ForEach<T, F> {}

impl<T: Blocks, F> Task for ForEach<T, F>
where
    F: FnMut(T::Block<'_>) -> ControlFlow<()> + Send,
{
    type Answer = T::Done;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<T::Done>> {
        let pass = |block: T::Block<'_>| lock(&self.sink)(block);
        self.task.pass_on(engine, control, pass).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.task.plan_blocks(engine)
    }
}
