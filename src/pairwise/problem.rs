//! Interface between a problem of two sequences and the shared decision and solver.

use std::pin::Pin;

use super::candidate::{MethodCandidate, PairContext};
use crate::backend::Backend;
use crate::call::control::Control;
use crate::engine::Device;
use crate::engine::report::PlanSummary;
use crate::error::Result;
use crate::pairwise::bit_parallel::cpu::Values;
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::bit_parallel::shape::Shape;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::codes::Encoded;
use crate::pairwise::diagonal_transition;
use crate::pairwise::pair::Pair;
use crate::pairwise::request::{Outcome, Strategy};
use crate::path_mode::PathMode;

/// A least cost, the path if requested, and how the path was recovered.
pub(crate) struct PairSolution {
    pub cost: u64,
    pub path: Option<Blocks>,
    pub path_mode: PathMode,
}

/// Future of an outcome.
pub(crate) type OutcomeFuture<'a> = Pin<Box<dyn Future<Output = Result<Outcome>> + 'a>>;

/// A problem whose table has two recurrences: one for the strip sweep, and one for
/// furthest-reaching points.
pub(crate) trait Problem {
    type Sweep: Values;
    type Wavefront: diagonal_transition::WavefrontRecurrence;

    /// Runs the candidates of [`solve_pair`](super::solve_pair) for this problem. Not generic, so it
    /// is compiled once in this crate instead of in every caller.
    fn answer<'a>(
        context: PairContext<'a>,
        candidates: Vec<MethodCandidate>,
        gpu: Option<&'a dyn Backend>,
    ) -> OutcomeFuture<'a>;

    /// Least cost by the reference table. Includes the path if `path` and the cost is at most
    /// `max_cost`. Polls `should_continue` before each row and returns `None` on `false`.
    fn reference<S: Eq>(
        pair: Pair<'_, S>,
        path: bool,
        max_cost: u64,
        should_continue: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)>;

    /// Plan of a baseline on a GPU.
    ///
    /// # Errors
    /// If the device lacks the memory.
    fn baseline_plan(
        name: &'static str,
        sizing: &Sizing<'_>,
        shape: Shape,
        path: bool,
    ) -> Result<PlanSummary<Strategy>>;

    /// Plan of a baseline on the CPU.
    ///
    /// # Errors
    /// [`Error::MethodUnavailable`](crate::Error::MethodUnavailable) for a GPU-only baseline.
    fn baseline_plan_on_cpu(
        name: &'static str,
        shape: Shape,
        threads: usize,
    ) -> Result<PlanSummary<Strategy>>;

    /// Runs a baseline on a GPU. Reports the cells of its passes as progress.
    ///
    /// # Errors
    /// Errors of the device.
    async fn baseline(
        device: &Device<'_>,
        name: &'static str,
        codes: &Encoded,
        path: bool,
    ) -> Result<PairSolution>;

    /// Cost by a baseline on the CPU.
    ///
    /// # Errors
    /// As [`baseline_plan_on_cpu`](Self::baseline_plan_on_cpu), and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    fn baseline_on_cpu(name: &'static str, codes: &Encoded, control: &Control) -> Result<u64>;
}
