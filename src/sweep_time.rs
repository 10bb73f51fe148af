//! How long the strip sweep of all cells takes: what methods for similar inputs are tried against.

use crate::backend::Backend;
use crate::engine::Engine;
use crate::strips::cpu;
use crate::strips::gpu::tiling::{Shape, Tiling, Tuning};

/// The time that a sweep is expected to take, on the GPU where there is one.
pub(crate) fn expected_seconds(engine: &Engine, gpu: Option<&dyn Backend>, shape: Shape, tuning: &Tuning) -> f64 {
    let on_gpu = gpu.and_then(|gpu| {
        let caps = gpu.capabilities();
        Tiling::new(shape, caps, tuning, u64::MAX).ok().map(|tiling| tiling.seconds(caps))
    });
    on_gpu.unwrap_or_else(|| cpu::expected_seconds(shape.rows, shape.cols, engine.threads()))
}
