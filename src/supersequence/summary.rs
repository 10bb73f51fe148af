//! What a call for two inputs would do.

use std::time::Duration;

use super::row_wise::{ROWS, cpu, gpu};
use super::solve::{ANTI_DIAGONAL, ROW_WISE, device_memory, from_lcs, host_memory, lcs_options};
use super::traceback::{Layout, Segments, segments};
use super::{Method, PlanSummary, ScsOptions, anti_diagonal, many};
use crate::alphabet::{Encoded, Symbol};
use crate::anti_diagonal::cpu as anti_diagonal_cpu;
use crate::anti_diagonal::gpu::Grid;
use crate::backend::Backend;
use crate::ends::Core;
use crate::engine::{CPU, Engine};
use crate::error::Result;
use crate::lcs;
use crate::phases::Phases;
use crate::textbook;

/// Cells a second of one thread: a gather each.
const ROW_WISE_CELLS: f64 = 0.9e9;

/// The answer of [`Engine::scs_plan`].
pub(crate) async fn summarize<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &ScsOptions,
) -> Result<PlanSummary> {
    many::summarize(engine, &[a, b], options).await
}

/// What a method for two inputs would do.
pub(super) async fn pair<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &ScsOptions) -> Result<PlanSummary> {
    if let Some(options) = lcs_options(options) {
        let summary = lcs::summarize(engine, a, b, &options).await?;
        let method = from_lcs(summary.method);
        return Ok(summary.with_method(method));
    }
    let core = Core::new(a, b);
    let gpu = if options.method == Method::Reference { None } else { engine.gpu(core.cells())? };
    let codes = Encoded::new(core.rows, core.cols);
    let mut summary = match gpu.as_deref() {
        Some(backend) if core.cells() > 0 => on_gpu(engine, backend, &codes, options)?,
        _ => on_cpu(engine, &codes, options)?,
    };
    summary.host_bytes += 4 * (codes.a.len() + codes.b.len()) as u64;
    summary.cells = a.len() as u128 * b.len() as u128;
    Ok(summary)
}

fn on_gpu(engine: &Engine, backend: &dyn Backend, codes: &Encoded, options: &ScsOptions) -> Result<PlanSummary> {
    let phases = Phases::start();
    let device = engine.device(backend, &options.control, &phases);
    let (rows, cols) = (codes.a.len(), codes.b.len());
    let (layout, what, bytes, mut summary) = if options.method == Method::RowWise {
        let grid = gpu::OnDevice::grid(&device, rows, cols, codes.shared)?;
        let tile = (ROWS, grid.tile_cols);
        let summary = blank(options.method, tile, grid.tiles(), grid.passes(grid.rows), gpu::expected(&grid));
        (grid.layout(), ROW_WISE, gpu::size_bytes(&grid), summary)
    } else {
        let grid = Grid::new(rows as u64, cols as u64, backend.capabilities())?;
        let mut summary = blank(options.method, (1, 1), grid.passes(), grid.passes(), grid.expected());
        summary.host_bytes = grid.host_bytes();
        (anti_diagonal::layout(grid.rows, grid.cols), ANTI_DIAGONAL, grid.size_bytes(), summary)
    };
    summary.device = backend.name().to_string();
    summary.device_bytes = bytes;
    if let Some(segments) = segments(layout, options.path, device_memory(engine, &device, what, bytes))? {
        summary.device_bytes += segments.bits_bytes;
        add_path(&mut summary, layout, segments);
    }
    Ok(summary)
}

fn on_cpu(engine: &Engine, codes: &Encoded, options: &ScsOptions) -> Result<PlanSummary> {
    let (rows, cols) = (codes.a.len(), codes.b.len());
    let time = |rate: f64, threads: usize| Duration::from_secs_f64(rows as f64 * cols as f64 / rate / threads as f64);
    let (layout, what, mut summary) = match options.method {
        Method::RowWise => {
            let grid = cpu::OnThreads::grid(rows, cols, codes.shared);
            let time = time(ROW_WISE_CELLS, engine.threads());
            let tile = (ROWS, grid.tile_cols);
            let mut summary = blank(options.method, tile, grid.tiles(), grid.passes(grid.rows), time);
            summary.host_bytes = grid.table_bytes();
            (grid.layout(), ROW_WISE, summary)
        }
        Method::AntiDiagonal => {
            let layout = anti_diagonal::layout(rows as u64, cols as u64);
            let time = anti_diagonal_cpu::expected(rows as u64, cols as u64, engine.threads());
            let mut summary = blank(options.method, (1, 1), layout.layers, layout.layers, time);
            summary.host_bytes = anti_diagonal_cpu::size_bytes(rows as u64, cols as u64);
            (layout, ANTI_DIAGONAL, summary)
        }
        _ => return textbook::summarize(engine, options.method, (rows, cols), options.path),
    };
    let memory = host_memory(engine, what, summary.host_bytes);
    if let Some(segments) = segments(layout, options.path && rows > 0 && cols > 0, memory)? {
        summary.host_bytes += segments.bits_bytes;
        add_path(&mut summary, layout, segments);
    }
    Ok(summary)
}

fn add_path(summary: &mut PlanSummary, layout: Layout, segments: Segments) {
    summary.path_mode = segments.mode(layout);
    summary.host_bytes += segments.states_bytes;
    if segments.layers < layout.layers {
        summary.expected *= 2;
    }
}

/// A plan for a length alone on the CPU.
pub(super) fn blank(method: Method, tile: (u64, u64), strips: u64, passes: u64, expected: Duration) -> PlanSummary {
    let (device, path_mode) = (CPU.to_string(), "none");
    PlanSummary { method, device, path_mode, cells: 0, tile, strips, passes, device_bytes: 0, host_bytes: 0, expected }
}
