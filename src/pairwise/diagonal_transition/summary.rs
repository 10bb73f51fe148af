//! Plan and expected time of wavefronts on the CPU.

use std::time::Duration;

use super::{SearchLimit, WavefrontRecurrence, steps_of};
use crate::engine::report::PlanSummary;
use crate::engine::{CPU, Engine, profile};
use crate::error::Error;
use crate::pairwise::request::Strategy;
use crate::path_mode::PathMode;

/// Plan of a search up to distance `max_distance`, at most the sum of both lengths, with expected
/// distance `expected`. Reports the points of a wavefront as its tile.
pub(crate) fn summarize<R: WavefrontRecurrence>(
    engine: &Engine,
    (rows, cols): (usize, usize),
    (max_distance, expected): (u64, u64),
    path: bool,
) -> PlanSummary<Strategy> {
    let seconds = seconds::<R>((rows, cols), expected);
    let (rows, cols) = (rows as u64, cols as u64);
    let points = max_distance.saturating_mul(2).min(rows + cols) + 1;
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
    PlanSummary {
        method: Strategy::Wavefronts,
        device: CPU.to_string(),
        path_mode: PathMode::Wavefronts.if_path(path),
        cells: u128::from(rows) * u128::from(cols),
        tile: (1, points),
        strips: max_distance + 1,
        passes: max_distance + 1,
        device_bytes: 0,
        host_bytes,
        expected: Duration::from_secs_f64(seconds),
    }
}

/// Expected steps of a search that finds this distance, as [`SearchLimit`] counts them.
fn steps<R: WavefrontRecurrence>((rows, cols): (usize, usize), distance: u64) -> f64 {
    let (all, distance) = ((rows + cols) as f64, distance as f64 + 1.0);
    // Wavefronts grow by one diagonal at either end until they span the table.
    let growing = distance.min(all / 2.0);
    let points = (growing * growing + (distance - growing) * all) / R::DIAGONAL_STEP as f64;
    let cells = points * (1.0 + SLIDE) + rows.min(cols) as f64;
    steps_of(points as u64, cells as u64) as f64
}

/// Expected seconds of a search that finds this distance.
pub(crate) fn seconds<R: WavefrontRecurrence>(shape: (usize, usize), distance: u64) -> f64 {
    steps::<R>(shape, distance) * profile::cpu::WAVEFRONT_STEP_SECONDS
}

/// Comparisons per point off the path: chance matches in a four-letter alphabet.
const SLIDE: f64 = 1.0 / 3.0;
