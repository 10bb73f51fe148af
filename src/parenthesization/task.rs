//! The task of an optimal parenthesization.

use super::problem::Problem;
use super::tree::Tree;
use super::value::Arithmetic;
use super::{Method, ParenthesizationOptions, Precision, solve};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;

/// Task that finds an optimal tree over a problem's leaves, and its cost. Without leaves the cost
/// is zero; a single leaf has no inner node.
///
/// Cost: `leaves^3 / 6` splits; O(n log n) if the weights are a product of three dimensions. The
/// tree is verified: its cost is recomputed from the problem's own weights.
///
/// Tie-break: all methods that fill a table return the same optimal tree on every device. From the
/// root on, a range is an enclosure if that is best, else it is split at the smallest `k`. Hu and
/// Shing's method has its own tie-break, also the same everywhere; it is the default if it applies,
/// on every device.
///
/// # Errors
/// [`Error::CostOverflow`](crate::Error::CostOverflow) if the best cost overflows;
/// [`Error::MethodUnavailable`](crate::Error::MethodUnavailable) if the [method](Self::method) does
/// not apply to the problem or the device; [`Error::InputTooLong`](crate::Error::InputTooLong),
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) if the table is too large.
///
/// ```
/// use swath::parenthesization::MatrixChain;
/// use swath::{Engine, Options, Parenthesize};
///
/// let chain = MatrixChain::new(vec![30, 35, 15, 5, 10, 20, 25]);
/// let report = Engine::new(Options::default())?.run(&Parenthesize::of(&chain))?;
/// assert_eq!(report.cost, 15_125);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Parenthesize<P: Problem> {
    problem: P,
    options: ParenthesizationOptions,
}

/// Answer of [`Parenthesize`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Parenthesization<V> {
    /// The best cost, verified by the tree. For real weights: the tree's cost in double precision;
    /// no tree is better by more than the rounding of the sums, unless the
    /// [`arithmetic`](Self::arithmetic) is approximate.
    pub cost: V,
    /// An optimal tree.
    pub tree: Tree,
    /// Cost of the tree `((0 1) 2) 3`; `None` if it overflows.
    pub in_order: Option<V>,
    /// The arithmetic of the table.
    pub arithmetic: Arithmetic,
}

impl<P: Problem> Parenthesize<P> {
    /// Solves a problem, owned or by reference.
    pub fn of(problem: P) -> Self {
        Self {
            problem,
            options: ParenthesizationOptions::default(),
        }
    }

    /// The method; [`Method::Auto`] by default.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    /// Required precision of a GPU for real weights; [`Precision::Exact`] by default.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.options.precision = precision;
        self
    }

    #[doc(hidden)]
    pub fn with_options(mut self, options: &ParenthesizationOptions) -> Self {
        self.options = options.clone();
        self
    }
}

impl<P: Problem> Sealed for Parenthesize<P> {}

impl<P: Problem> Task for Parenthesize<P> {
    type Answer = Parenthesization<P::Value>;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Self::Answer>> {
        solve::solve(engine, &self.problem, &self.options, control).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        solve::plan(engine, &self.problem, &self.options)
    }
}
