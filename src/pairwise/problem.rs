//! What a problem of two sequences brings to the decision how it is answered, and to the answer.

use std::pin::Pin;

use super::attempt::{Attempt, Call};
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
use crate::pairwise::request::{Outcome, Strategy};

/// A least cost, the path where it was asked for, and how that was recovered.
pub(crate) struct Value {
    pub cost: u64,
    pub path: Option<Blocks>,
    pub path_mode: &'static str,
}

/// An answer to come.
pub(crate) type Answering<'a> = Pin<Box<dyn Future<Output = Result<Outcome>> + 'a>>;

/// A problem whose table has two recurrences: that of the strip sweep, and that of furthest-reaching points on every `SPACING`-th
/// diagonal.
pub(crate) trait Problem<const SPACING: i64> {
    type Sweep: Values;
    type Wavefront: diagonal_transition::Recurrence<SPACING>;

    /// What [`solve`](super::solve) has for any problem, of this one. Unlike that it is no generic function: so it is compiled with
    /// this crate, and not once more with every one that has a pair answered.
    fn answer<'a>(
        call: Call<'a>,
        attempts: Vec<Attempt>,
        gpu: Option<&'a dyn Backend>,
    ) -> Answering<'a>;

    /// The least cost by the reference table, and where it is no greater than `most` the path, if that is asked for; asks before each
    /// row whether it is `wanted`.
    fn reference<S: Eq>(
        sides: (&[S], &[S]),
        path: bool,
        most: u64,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)>;

    /// What a baseline would do on a GPU.
    ///
    /// # Errors
    /// Where the device has no room for it.
    fn baseline_plan(
        name: &'static str,
        sizing: &Sizing<'_>,
        shape: Shape,
        path: bool,
    ) -> Result<PlanSummary<Strategy>>;

    /// What it would do on the CPU.
    ///
    /// # Errors
    /// [`Error::MethodUnavailable`](crate::Error::MethodUnavailable) where it is a GPU's alone.
    fn baseline_plan_on_cpu(
        name: &'static str,
        shape: Shape,
        threads: usize,
    ) -> Result<PlanSummary<Strategy>>;

    /// A baseline's answer on a GPU; it tells how many cells its passes have.
    ///
    /// # Errors
    /// What the device returns.
    async fn baseline(
        device: &Device<'_>,
        name: &'static str,
        codes: &Encoded,
        path: bool,
    ) -> Result<Value>;

    /// Its cost on the CPU.
    ///
    /// # Errors
    /// As [`baseline_plan_on_cpu`](Self::baseline_plan_on_cpu), and [`Error::Cancelled`](crate::Error::Cancelled).
    fn baseline_on_cpu(name: &'static str, codes: &Encoded, control: &Control) -> Result<u64>;
}
