//! How long the strip sweep of all cells takes: what methods for similar inputs are tried against.

use crate::backend::Backend;
use crate::engine::Engine;
use crate::strips::cpu;
use crate::strips::gpu::tiling::{Shape, Tiling};

/// The time that a sweep is expected to take, on the GPU where there is one.
pub(crate) fn expected_seconds(engine: &Engine, gpu: Option<&dyn Backend>, shape: Shape) -> f64 {
    match gpu {
        Some(gpu) => Tiling::rough_seconds(shape, gpu.capabilities()),
        None => cpu::expected_seconds(shape.rows, shape.cols, engine.threads()),
    }
}
