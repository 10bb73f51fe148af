//! Request, strategy and outcome of a pairwise query.

use crate::call::control::Control;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::cost_estimate::CostEstimate;
use crate::pairwise::tuning::Tuning;
use crate::path_mode::PathMode;

/// How the answer is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Chosen by expected time.
    Auto,
    /// Strip sweep of the full table.
    Sweep,
    /// Banded table.
    Bands,
    /// Wavefronts of furthest-reaching points.
    Wavefronts,
    /// A baseline of the problem, by name.
    Baseline(&'static str),
    /// Reference table.
    Reference,
}

/// A pairwise query in unit costs: each step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub strategy: Strategy,
    /// Cost estimate. Without one, a search runs only if its strategy is forced.
    pub estimate: Option<CostEstimate>,
    /// Greatest cost of interest.
    pub max_cost: u64,
    /// Whether the path is requested.
    pub path: bool,
    pub tuning: Tuning,
    pub control: &'a Control,
}

impl<'a> Request<'a> {
    /// A request without a cost limit, an estimate or a path.
    pub(crate) fn new(strategy: Strategy, control: &'a Control) -> Self {
        Self {
            strategy,
            estimate: None,
            max_cost: u64::MAX,
            path: false,
            tuning: Tuning::default(),
            control,
        }
    }

    /// Whether the caller named the strategy, so that no cost comparison can reject it.
    pub(crate) fn forced(&self) -> bool {
        self.strategy != Strategy::Auto
    }
}

/// Result of a pairwise query.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Never [`Strategy::Auto`].
    pub strategy: Strategy,
    /// Least cost; `None` if it exceeds the limit of the request.
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
    pub path_mode: PathMode,
    pub device: String,
    pub computed_cells: u128,
}
