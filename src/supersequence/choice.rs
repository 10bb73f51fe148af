//! The device of a table of its own.

use std::sync::Arc;

use super::Method;
use super::row_wise::gpu;
use crate::backend::Backend;
use crate::engine::{Engine, profile};
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::anti_diagonal::cpu as anti_diagonal_cpu;
use crate::pairwise::anti_diagonal::gpu::Grid;
use crate::pairwise::codes::Symbol;

/// The GPU for a table of its own, where one was asked for or it is expected to be faster.
pub(super) fn faster_gpu<S: Symbol>(
    engine: &Engine,
    method: Method,
    stripped: &Stripped<'_, S>,
) -> Result<Option<Arc<dyn Backend>>> {
    let (rows, cols) = (stripped.rows.len() as u64, stripped.cols.len() as u64);
    let (on_cpu, on_gpu) = match method {
        Method::RowWise => (row_wise_seconds(rows, cols, engine.threads()), gpu::rough_seconds(rows, cols)),
        _ => {
            let on_cpu = anti_diagonal_cpu::expected(rows, cols, engine.threads()).as_secs_f64();
            (on_cpu, Grid { rows, cols }.expected().as_secs_f64())
        }
    };
    engine.gpu_if_faster(on_cpu, |_| on_gpu)
}

/// Seconds of the row-wise table on the CPU.
pub(super) fn row_wise_seconds(rows: u64, cols: u64, threads: usize) -> f64 {
    rows as f64 * cols as f64 / profile::cpu::ROW_WISE_CELLS_PER_SECOND / profile::speedup(threads)
}
