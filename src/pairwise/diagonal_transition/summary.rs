//! Wavefronts on the CPU: what a call would do at most.

use std::time::Duration;

use super::Limit;
use crate::engine::report::PlanSummary;
use crate::engine::{CPU, Engine};
use crate::error::Error;

/// Wavefronts up to the distance `most`, which is at most the symbols of both sides; their reaches are its tiles.
pub(crate) fn summarize<M>(
    engine: &Engine,
    method: M,
    (rows, cols): (usize, usize),
    most: u64,
    path: bool,
) -> PlanSummary<M> {
    let (rows, cols) = (rows as u64, cols as u64);
    let reaches = most.saturating_mul(2).min(rows + cols) + 1;
    let limit = Limit { wavefronts: most, steps: u64::MAX, bytes: engine.host_budget() };
    let host_bytes = match limit.memory_error(most) {
        Error::MemoryBudget { needed, limit, .. } if path => needed.min(limit),
        // The last wavefront and the next one.
        _ => 2 * 4 * reaches,
    };
    PlanSummary {
        method,
        device: CPU.to_string(),
        path_mode: if path { "wavefronts" } else { "none" },
        cells: u128::from(rows) * u128::from(cols),
        tile: (1, reaches),
        strips: most + 1,
        passes: most + 1,
        device_bytes: 0,
        host_bytes,
        expected: Duration::from_secs_f64((most as f64 + 1.0).powi(2) / REACHES_PER_SECOND),
    }
}

/// Reaches a second, about.
const REACHES_PER_SECOND: f64 = 1e8;
