//! How long the strip sweep of all cells takes: what methods for similar inputs are tried against.

use crate::alphabet::Symbol;
use crate::backend::Backend;
use crate::ends::Core;
use crate::engine::Engine;
use crate::strips::cpu;
use crate::strips::gpu::tiling::{Shape, Table, Tiling, Tuning};

/// The time that the sweep of all cells of the core is expected to take, on the GPU where there is one.
pub(crate) fn expected_seconds<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    table: Table,
    core: &Core<'_, S>,
    tuning: &Tuning,
) -> f64 {
    // How many symbols they share is not counted yet; it matters little to an estimate.
    let shape = Shape { table, rows: core.rows.len() as u64, cols: core.cols.len() as u64, shared: 4 };
    let on_gpu = gpu.and_then(|gpu| {
        let caps = gpu.capabilities();
        Tiling::new(shape, caps, tuning, u64::MAX).ok().map(|tiling| tiling.seconds(caps))
    });
    on_gpu.unwrap_or_else(|| cpu::expected_seconds(shape.rows, shape.cols, engine.threads()))
}
