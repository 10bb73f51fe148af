//! Wavefronts on the CPU, for as long as they are worth it.

use crate::engine::CPU;
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::recurrence::Recurrence as _;
use crate::pairwise::codes::Symbol;
use crate::pairwise::diagonal_transition::{self, Found, Limit};
use crate::pairwise::problem::Problem;
use crate::pairwise::request::{Outcome, Request, Strategy};

/// What they may take, and whether that is expected to be enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub limit: Limit,
    /// Whether they are expected to answer.
    pub likely: bool,
    /// Steps that the whole call is expected to take if they do, or as long as what comes behind them if they do not.
    pub foreseen: u64,
}

/// The answer of wavefronts on the CPU; `None` where the limit ends them.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled); where they are asked for, [`Error::MemoryBudget`](crate::Error::MemoryBudget).
pub(super) fn solve<P: Problem<SPACING>, S: Symbol, const SPACING: i64>(
    stripped: &Stripped<'_, S>,
    request: Request<'_>,
    limit: Limit,
) -> Result<Option<Outcome>> {
    let sides = (stripped.rows, stripped.cols);
    let found = diagonal_transition::search::<P::Wavefront, _, SPACING>(
        sides,
        request.path,
        limit,
        request.control,
    )?;
    let (cost, path, cells) = match found {
        Found::Distance {
            distance,
            path,
            cells,
        } => (Some(distance), path, cells),
        Found::TooFar { cells } => (None, None, cells),
        Found::GaveUp if request.by == Strategy::Wavefronts => {
            return Err(limit.memory_error(P::Sweep::greatest_cost(
                stripped.rows.len(),
                stripped.cols.len(),
            )));
        }
        Found::GaveUp => return Ok(None),
    };
    Ok(Some(Outcome {
        by: Strategy::Wavefronts,
        cost,
        path_mode: if path.is_some() { "wavefronts" } else { "none" },
        path,
        device: CPU.to_string(),
        computed_cells: u128::from(cells),
    }))
}
