//! What a call would do.

use super::conditional_sum::Grid;
use super::solve::needs_gpu;
use super::{LcsOptions, Method, PlanSummary};
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::gpu::GpuSweep;
use crate::pairwise::bit_parallel::gpu::tiling::{Shape, Table};
use crate::pairwise::bit_parallel::recurrence::Lcs;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::diagonal_transition::gpu::Choice;
use crate::pairwise::search::Request;
use crate::pairwise::similarity;
use crate::pairwise::{by_reference, diagonal_transition};

/// The answer of [`Engine::lcs_plan`].
pub(crate) async fn summarize<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &LcsOptions,
) -> Result<PlanSummary> {
    let core = Stripped::new(a, b);
    let cells = a.len() as u128 * b.len() as u128;
    let codes = Encoded::new(core.rows, core.cols);
    let shape = Shape::new(Table::Lcs, codes.a.len() as u64, codes.b.len() as u64, codes.shared);
    let codes_bytes = 4 * (shape.rows + shape.cols);
    let gpu = if options.method == Method::Reference { None } else { engine.gpu(core.cells())? };
    let forced = matches!(options.method, Method::Banded | Method::Wavefront);
    let guessed = gpu.is_some() && (forced || options.method == Method::Auto);
    let guess = guessed.then(|| similarity::guess::<Lcs, S>(&core, true, forced)).flatten();
    let phases = Phases::start();
    if let (Method::Auto | Method::Wavefront, Some(backend)) = (options.method, gpu.as_deref()) {
        let device = engine.device(backend, &options.control, &phases);
        let ask =
            Request { guess, forced, path: options.path, tuning: options.tuning, ..Request::of_all(&options.control) };
        let wavefronts = Choice::<2>::new(&device, ask, Table::Lcs, &codes);
        if let Some(front) = wavefronts.first()? {
            let summary = wavefronts.summarize(Method::Wavefront, &front);
            return Ok(PlanSummary { cells, host_bytes: summary.host_bytes + codes_bytes, ..summary });
        }
    }
    let native = options.method != Method::ConditionalSum;
    let gpu = if native { engine.with_codes_for(codes.shared, gpu) } else { gpu };
    let Some(backend) = gpu.as_deref() else {
        needs_gpu(options.method)?;
        let (method, path, lens) = (options.method, options.path, (codes.a.len(), codes.b.len()));
        let mut summary = match method {
            Method::Reference => by_reference::summarize(engine, method, lens, path)?,
            // No symbol is paired at worst.
            Method::Wavefront => diagonal_transition::summarize(engine, method, lens, shape.rows + shape.cols, path),
            _ => {
                let method = if method == Method::Banded { method } else { Method::BitParallel };
                let (budget, threads) = (engine.host_budget(), engine.threads());
                let swept = cpu::summarize::<Lcs, _>(method, (shape.rows, shape.cols), path, budget, threads);
                PlanSummary { host_bytes: swept.host_bytes + codes_bytes, ..swept }
            }
        };
        summary.cells = cells;
        return Ok(summary);
    };
    let device = engine.device(backend, &options.control, &phases);
    let mut summary = match options.method {
        Method::ConditionalSum => Grid::new(shape, backend.capabilities())?.summarize(&device, options.path),
        _ => {
            let sweep = GpuSweep::new(&device, options.tuning);
            let band = guess.map(|guess| sweep.band(shape, guess, forced)).transpose()?.flatten();
            match band {
                Some(band) => sweep.summarize(Method::Banded, band, options.path)?,
                None => sweep.summarize(Method::BitParallel, shape, options.path)?,
            }
        }
    };
    device.check_budget(summary.device_bytes)?;
    summary.host_bytes += codes_bytes;
    summary.cells = cells;
    Ok(summary)
}
