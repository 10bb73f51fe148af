//! How long an answer takes without a trial: what trials of methods for similar inputs are measured by.

use crate::backend::Backend;
use crate::engine::Engine;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::gpu::tiling::{Shape, Tiling};
use crate::pairwise::diagonal_transition::gpu::SearchSizes;

/// The time that a sweep is expected to take, on the GPU where there is one.
pub(crate) fn expected_seconds(engine: &Engine, gpu: Option<&dyn Backend>, shape: Shape) -> f64 {
    match gpu {
        Some(gpu) => Tiling::rough_seconds(shape, gpu.capabilities()),
        None => cpu::expected_seconds(shape.rows, shape.cols, engine.threads()),
    }
}

/// The time that the fastest on the device is expected to take: the sweep, or the wavefronts of a distance as it is guessed.
pub(crate) fn without_a_trial<const SPACING: i64>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    shape: Shape,
    guess: Option<u64>,
    path: bool,
) -> f64 {
    let sweep = expected_seconds(engine, gpu, shape);
    let (Some(gpu), Some(guess)) = (gpu, guess) else { return sweep };
    let front = SearchSizes::new::<SPACING>(shape.rows as usize, shape.cols as usize, guess);
    front.expected(path, gpu.capabilities()).as_secs_f64().min(sweep)
}
