//! Request and outcome of a pairwise query.

use crate::call::control::Control;
use crate::engine::placement::{AUTO, Answered};
use crate::path_mode::PathMode;
use crate::sequences::blocks::Blocks;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::tuning::Tuning;

/// Strip sweep of the full table.
pub(crate) const BIT_PARALLEL: &str = "bit-parallel";
/// Strip sweep of a band.
pub(crate) const BANDED: &str = "banded";
/// Wavefronts of furthest-reaching points.
pub(crate) const WAVEFRONT: &str = "wavefront";
/// Plain table.
pub(crate) const REFERENCE: &str = "reference";

/// A pairwise query in unit costs: each step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// Name of the requested method, or [`AUTO`].
    pub method: &'static str,
    /// Cost estimate. Without one, a search runs only if its method is requested.
    pub estimate: Option<CostEstimate>,
    pub max_cost: u64,
    pub path: bool,
    pub tuning: Tuning,
    pub control: &'a Control,
}

impl<'a> Request<'a> {
    pub(crate) fn new(method: &'static str, control: &'a Control) -> Self {
        Self {
            method,
            estimate: None,
            max_cost: u64::MAX,
            path: false,
            tuning: Tuning::default(),
            control,
        }
    }

    /// Whether the caller named the method, so that no cost comparison can reject it.
    pub(crate) fn forced(&self) -> bool {
        self.method != AUTO
    }

    /// The outcome of a method that always finds the least cost: nothing if that exceeds the limit.
    pub(crate) fn within_limit(&self, solution: Solution, computed_cells: u128) -> Found {
        let mut found = Found {
            answer: Outcome::default(),
            path_mode: PathMode::None,
            computed_cells,
        };
        if solution.cost <= self.max_cost {
            found.path_mode = solution.path_mode;
            found.answer = Outcome {
                cost: Some(solution.cost),
                path: solution.path,
            };
        }
        found
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Solution {
    pub cost: u64,
    pub path: Option<Blocks>,
    pub path_mode: PathMode,
}

impl Solution {
    pub(crate) fn of_cost(cost: u64) -> Self {
        Self {
            cost,
            path: None,
            path_mode: PathMode::None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Least cost; `None` if it exceeds the limit of the request.
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
}

pub(crate) type Found = Answered<Outcome>;
