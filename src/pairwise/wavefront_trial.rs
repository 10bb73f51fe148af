//! Limited wavefront search on the CPU, tried before the full methods.

use crate::engine::CPU;
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::recurrence::Recurrence as _;
use crate::pairwise::codes::Symbol;
use crate::pairwise::diagonal_transition::{self, SearchLimit, SearchOutcome};
use crate::pairwise::pair::Pair;
use crate::pairwise::problem::Problem;
use crate::pairwise::request::{Outcome, Request, Strategy};
use crate::path_mode::PathMode;

/// Limits of a trial, and its expected result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WavefrontTrial {
    pub limit: SearchLimit,
    pub likely_to_answer: bool,
    /// Expected steps of the call for progress reports: of the trial if it is likely to answer,
    /// else the equivalent of what follows it.
    pub expected_steps: u64,
}

/// Wavefront search on the CPU; `None` if it hits the limit.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled);
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) if wavefronts are forced.
pub(super) fn solve<P: Problem, S: Symbol>(
    stripped: &Stripped<'_, S>,
    request: Request<'_>,
    limit: SearchLimit,
) -> Result<Option<Outcome>> {
    let pair = Pair::new(stripped.rows, stripped.cols);
    let found =
        diagonal_transition::search::<P::Wavefront, _>(pair, request.path, limit, request.control)?;
    let (cost, path, cells) = match found {
        SearchOutcome::Distance {
            distance,
            path,
            cells,
        } => (Some(distance), path, cells),
        SearchOutcome::TooFar { cells } => (None, None, cells),
        SearchOutcome::GaveUp if request.strategy == Strategy::Wavefronts => {
            return Err(limit.memory_error(P::Sweep::greatest_cost(
                stripped.rows.len(),
                stripped.cols.len(),
            )));
        }
        SearchOutcome::GaveUp => return Ok(None),
    };
    Ok(Some(Outcome {
        strategy: Strategy::Wavefronts,
        cost,
        path_mode: PathMode::Wavefronts.if_path(path.is_some()),
        path,
        device: CPU.to_string(),
        computed_cells: u128::from(cells),
    }))
}
