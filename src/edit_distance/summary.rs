//! What a call would do.

use super::pieces::{longest, target};
use super::solve::{baseline, checked};
use super::{EditOptions, Method, Mode, PlanSummary, gpu, tiled, tiled_cpu};
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::anti_diagonal;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::gpu::GpuSweep;
use crate::pairwise::bit_parallel::gpu::tiling::{Shape, Table};
use crate::pairwise::bit_parallel::recurrence::Edit;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::diagonal_transition::gpu::Choice;
use crate::pairwise::search::Request;
use crate::pairwise::similarity;
use crate::pairwise::{by_reference, diagonal_transition};

/// The answer of [`Engine::edit_distance_plan`].
pub(crate) async fn summarize<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<PlanSummary> {
    let options = &checked((a.len(), b.len()), options)?;
    let global = options.mode == Mode::Global;
    let core = Stripped::new(a, b);
    // Pieces have the target as rows.
    let (rows, cols) = if global { (core.rows, core.cols) } else { (target(a, b, options), a) };
    let codes = Encoded::new(rows, cols);
    let shape = Shape::new(Table::Edit, rows.len() as u64, cols.len() as u64, codes.shared);
    let native = matches!(options.method, Method::Reference | Method::Wavefront);
    let gpu =
        if options.method == Method::Reference { None } else { engine.gpu(rows.len() as u128 * cols.len() as u128)? };
    let named = native || baseline(options.method) || options.method == Method::Banded;
    let method = if named { options.method } else { Method::BitParallel };
    let phases = Phases::start();
    let forced = matches!(options.method, Method::Banded | Method::Wavefront);
    let guessed = global && gpu.is_some() && (forced || options.method == Method::Auto);
    let most = options.max_distance;
    let guess = guessed.then(|| similarity::guess::<Edit, S>(&core, true, forced).or(most)).flatten();
    let guess = guess.map(|guess| guess.min(most.unwrap_or(u64::MAX)));
    if let (true, Method::Auto | Method::Wavefront, Some(backend)) = (global, options.method, gpu.as_deref()) {
        let device = engine.device(backend, &options.control, &phases);
        let most = most.unwrap_or(u64::MAX);
        let (path, tuning) = (options.path, options.tuning);
        let ask = Request { guess, most, forced, path, tuning, control: &options.control };
        let wavefronts = Choice::<1>::new(&device, ask, Table::Edit, &codes);
        if let Some(front) = wavefronts.first()? {
            let mut summary = wavefronts.summarize(Method::Wavefront, &front);
            (summary.cells, summary.host_bytes) =
                (a.len() as u128 * b.len() as u128, summary.host_bytes + 4 * (shape.rows + shape.cols));
            return Ok(summary);
        }
    }
    let gpu = if baseline(options.method) { gpu } else { engine.with_codes_for(codes.shared, gpu) };
    let mut summary = match gpu.as_deref() {
        Some(backend) if !global => {
            let device = engine.device(backend, &options.control, &phases);
            gpu::summarize_pieces(&device, options, (rows.len(), cols.len()), codes.shared)?
        }
        Some(backend) => {
            let device = engine.device(backend, &options.control, &phases);
            let sweep = GpuSweep::new(&device, options.tuning);
            let band = guess.map(|guess| sweep.band(shape, guess, forced)).transpose()?.flatten();
            let mut summary = match band {
                Some(band) => sweep.summarize(Method::Banded, band, options.path)?,
                None => sweep.summarize(method, shape, options.path)?,
            };
            let caps = backend.capabilities();
            let grid = match method {
                Method::AntiDiagonal => {
                    let grid = anti_diagonal::gpu::Grid::new(shape.rows, shape.cols, caps)?;
                    Some((1, grid.passes(), grid.size_bytes(), grid.expected()))
                }
                Method::Tiled => {
                    let grid = tiled::Grid::new(shape.rows, shape.cols, caps)?;
                    Some((tiled::TILE, grid.passes(), grid.size_bytes(), grid.expected()))
                }
                _ => None,
            };
            if let Some((tile, passes, device_bytes, expected)) = grid {
                summary = PlanSummary { tile: (tile, tile), strips: passes, passes, device_bytes, expected, ..summary };
            }
            device.check_budget(summary.device_bytes)?;
            summary
        }
        None if method == Method::Reference && global => {
            by_reference::summarize(engine, method, (rows.len(), cols.len()), options.path)?
        }
        None if method == Method::Reference => {
            let search = by_reference::summarize(engine, method, (a.len(), rows.len()), false)?;
            if options.path {
                let piece = longest(a, b, options).len();
                let PlanSummary { path_mode, host_bytes, expected, .. } =
                    by_reference::summarize(engine, method, (a.len(), piece), true)?;
                let host_bytes = host_bytes.max(search.host_bytes);
                PlanSummary { path_mode, host_bytes, expected: expected + search.expected, ..search }
            } else {
                search
            }
        }
        None if method == Method::Wavefront => {
            // Every symbol of the longer side is replaced or dropped at worst.
            let most = options.max_distance.unwrap_or(u64::MAX).min(shape.rows);
            diagonal_transition::summarize(engine, method, (rows.len(), cols.len()), most, options.path)
        }
        None => {
            let (host, threads) = (engine.host_budget(), engine.threads());
            let swept = cpu::summarize::<Edit, _>(method, (shape.rows, shape.cols), options.path, host, threads);
            by_baseline(method, (shape.rows, shape.cols), threads, swept)
        }
    };
    if !native {
        summary.host_bytes += 4 * (shape.rows + shape.cols);
    }
    summary.cells = a.len() as u128 * b.len() as u128;
    Ok(summary)
}

/// The plan of a baseline over threads; of another method the one that it is given.
fn by_baseline(method: Method, (rows, cols): (u64, u64), threads: usize, plan: PlanSummary) -> PlanSummary {
    let (tile, passes, host_bytes, expected) = match method {
        Method::Tiled => (
            tiled_cpu::TILE as u64,
            tiled_cpu::passes(rows, cols),
            tiled_cpu::size_bytes(rows, cols),
            tiled_cpu::expected(rows, cols, threads),
        ),
        Method::AntiDiagonal => (
            1,
            rows + cols + 1,
            anti_diagonal::cpu::size_bytes(rows, cols),
            anti_diagonal::cpu::expected(rows, cols, threads),
        ),
        _ => return plan,
    };
    PlanSummary { tile: (tile, tile), strips: rows.div_ceil(tile), passes, host_bytes, expected, ..plan }
}
