//! Cost of wavefronts on the CPU.

use super::{SearchLimit, WavefrontRecurrence, steps_of};
use crate::engine::placement::Cost;
use crate::engine::{Engine, profile};
use crate::error::Error;
use crate::path_mode::PathMode;
use crate::sequences::cost_estimate::CostEstimate;

/// Cost of a search, by the estimated distance. Reports the points of a wavefront as its tile.
pub(crate) fn cost<R: WavefrontRecurrence>(
    engine: &Engine,
    rows: usize,
    cols: usize,
    estimate: CostEstimate,
    path: bool,
) -> Cost {
    let max_distance = estimate.upper;
    let points = max_distance.saturating_mul(2).min((rows + cols) as u64) + 1;
    let limit = SearchLimit {
        wavefronts: max_distance,
        steps: u64::MAX,
        probe: u64::MAX,
        bytes: engine.host_budget(),
    };
    let host_bytes = match limit.memory_error(max_distance) {
        // May exceed the budget if the search is unlikely to answer.
        Error::MemoryBudget { needed, .. } if path => needed,
        // Two wavefronts: the current and the next.
        _ => 2 * 4 * points,
    };
    Cost {
        path_mode: PathMode::Wavefronts.if_path(path),
        tile: (1, points),
        strips: max_distance + 1,
        passes: max_distance + 1,
        host_bytes,
        ..Cost::new(seconds::<R>(rows, cols, estimate.expected))
    }
}

/// Expected steps of a search that finds this distance, as `SearchLimit` counts them.
pub(crate) fn steps<R: WavefrontRecurrence>(rows: usize, cols: usize, distance: u64) -> f64 {
    let (all, distance) = ((rows + cols) as f64, distance as f64 + 1.0);
    // Wavefronts grow by one diagonal at either end until they span the table.
    let growing = distance.min(all / 2.0);
    let points = (growing * growing + (distance - growing) * all) / R::DIAGONAL_STEP as f64;
    let cells = points * (1.0 + SLIDE) + rows.min(cols) as f64;
    steps_of(points as u64, cells as u64) as f64
}

pub(crate) fn seconds<R: WavefrontRecurrence>(rows: usize, cols: usize, distance: u64) -> f64 {
    steps::<R>(rows, cols, distance) * profile::cpu::WAVEFRONT_STEP_SECONDS
}

/// Comparisons per point off the path: chance matches in a four-letter alphabet.
const SLIDE: f64 = 1.0 / 3.0;
