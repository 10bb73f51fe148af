//! The task of a best parenthesization.

use super::problem::Problem;
use super::tree::Tree;
use super::value::Arithmetic;
use super::{Method, ParenthesizationOptions, Precision, solve, summarize};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;

/// Asks for the best tree over a problem's leaves and its cost. No leaf costs nothing, one leaf has no inner node.
///
/// Cost: `leaves^3 / 6` splits; O(n log n) where the weights are a product of three dimensions. The tree is proven: its cost is
/// recomputed from the problem's own weights.
///
/// Of all best trees the methods that fill a table give the same one on every device: from the root on a range is an
/// enclosure where that is best, else it is split at the least `k`. Hu and Shing's method has its own choice, the same
/// everywhere; it is the default where it applies, on every device.
///
/// # Errors
/// [`Error::CostOverflow`](crate::Error::CostOverflow) where the best cost does not fit.
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

/// The answer of [`Parenthesize`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Parenthesization<V> {
    /// The best cost, proven by the tree. Of real weights it is the tree's own cost in double precision, and no tree costs
    /// less by more than the rounding of the sums, unless the [`arithmetic`](Self::arithmetic) is approximate.
    pub cost: V,
    /// A tree of that cost.
    pub tree: Tree,
    /// What the tree `((0 1) 2) 3` costs; `None` where that does not fit.
    pub in_order: Option<V>,
    /// What the table was computed with.
    pub arithmetic: Arithmetic,
}

impl<P: Problem> Parenthesize<P> {
    /// Of this problem, borrowed (a reference to a problem is one, too) or owned.
    pub fn of(problem: P) -> Self {
        Self {
            problem,
            options: ParenthesizationOptions::default(),
        }
    }

    /// By this method; [`Method::Auto`] by default.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    /// How precise a GPU has to be with real weights; [`Precision::Exact`] by default.
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
        let options = ParenthesizationOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        let solved = solve(engine, &self.problem, &options).await?;
        let method = solved.run.method.name();
        let answer = Parenthesization {
            cost: solved.cost,
            tree: solved.tree,
            in_order: solved.in_order,
            arithmetic: solved.arithmetic,
        };
        Ok(Report::new(answer, solved.run.with_method(method)))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let plan = summarize(engine, &self.problem, &self.options)?;
        let method = plan.method.name();
        Ok(plan.with_method(method))
    }
}
