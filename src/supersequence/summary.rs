//! What a call for two inputs would do.

use std::time::Duration;

use super::choice::{faster_gpu, row_wise_seconds};
use super::row_wise::{ROWS, cpu, gpu};
use super::solve::{from_lcs, host_table, lcs_options, segments_room, table};
use super::stored::Stored;
use super::{Method, PlanSummary, ScsOptions};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine, profile};
use crate::error::Result;
use crate::lcs;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::anti_diagonal::cpu as anti_diagonal_cpu;
use crate::pairwise::anti_diagonal::gpu::Grid;
use crate::pairwise::by_reference;
use crate::pairwise::codes::{Encoded, Symbol};

/// What a method for two inputs would do.
pub(super) async fn pair<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &ScsOptions) -> Result<PlanSummary> {
    if let Some(options) = lcs_options(options) {
        let summary = lcs::summarize(engine, a, b, &options).await?;
        let method = from_lcs(summary.method);
        return Ok(summary.with_method(method));
    }
    let stripped = Stripped::new(a, b);
    let native = options.method == Method::Reference || stripped.cells() == 0;
    let gpu = if native { None } else { faster_gpu(engine, options.method, &stripped)? };
    let codes = Encoded::new(stripped.rows, stripped.cols);
    let mut summary = match gpu.as_deref() {
        Some(backend) => on_gpu(engine, backend, &codes, options)?,
        _ => on_cpu(engine, &codes, options)?,
    };
    summary.host_bytes += 4 * (codes.a.len() + codes.b.len()) as u64;
    summary.cells = a.len() as u128 * b.len() as u128;
    if stripped.cells() == 0 && options.path {
        summary.path_mode = "table";
    }
    Ok(summary)
}

fn on_gpu(engine: &Engine, backend: &dyn Backend, codes: &Encoded, options: &ScsOptions) -> Result<PlanSummary> {
    let phases = Phases::start();
    let device = engine.device(backend, &options.control, &phases);
    let (table, room) = table(&device, options.method, codes)?;
    let mut summary = if options.method == Method::RowWise {
        let grid = gpu::grid(&device, codes)?;
        blank(options.method, (ROWS, grid.tile_cols), grid.tiles(), grid.passes(), gpu::expected(&grid))
    } else {
        let grid = Grid::new(table.rows, table.cols, backend.capabilities())?;
        let passes = grid.passes();
        let host_bytes = grid.host_bytes();
        PlanSummary { host_bytes, ..blank(options.method, (1, 1), passes, passes, grid.expected()) }
    };
    (summary.device, summary.device_bytes) = (backend.name().to_string(), room.used);
    if let Some(stored) = Stored::choose(table, options.path, (room, Some(segments_room(engine))))? {
        summary.device_bytes += stored.trace_bytes;
        summary.passes += u64::from(stored.every().is_some());
        add_path(engine, &mut summary, stored);
    }
    Ok(summary)
}

fn on_cpu(engine: &Engine, codes: &Encoded, options: &ScsOptions) -> Result<PlanSummary> {
    let (rows, cols, threads) = (codes.a.len() as u64, codes.b.len() as u64, engine.threads());
    let mut summary = match options.method {
        Method::RowWise => {
            let grid = cpu::grid(codes);
            let time = Duration::from_secs_f64(row_wise_seconds(rows, cols, threads));
            blank(options.method, (ROWS, grid.tile_cols), grid.tiles(), grid.passes(), time)
        }
        Method::AntiDiagonal => {
            let (passes, time) = (rows + cols + 1, anti_diagonal_cpu::expected(rows, cols, threads));
            blank(options.method, (1, 1), passes, passes, time)
        }
        _ => return by_reference::summarize(engine, options.method, (codes.a.len(), codes.b.len()), options.path),
    };
    let (table, room) = host_table(engine, options.method, codes);
    summary.host_bytes = room.used;
    if let Some(stored) = Stored::choose(table, options.path && rows > 0 && cols > 0, (room, None))? {
        summary.host_bytes += stored.trace_bytes;
        add_path(engine, &mut summary, stored);
    }
    Ok(summary)
}

/// Adds the segments of the path.
fn add_path(engine: &Engine, summary: &mut PlanSummary, stored: Stored) {
    summary.path_mode = stored.mode();
    summary.host_bytes += stored.segments_bytes;
    let threads = if stored.every().is_some() { engine.threads() } else { 1 };
    summary.expected +=
        Duration::from_secs_f64(stored.cells() as f64 / profile::cpu::SEGMENT_CELLS_PER_SECOND / threads as f64);
}

/// A plan for a length alone on the CPU.
pub(super) fn blank(method: Method, tile: (u64, u64), strips: u64, passes: u64, expected: Duration) -> PlanSummary {
    let (device, path_mode) = (CPU.to_string(), "none");
    PlanSummary { method, device, path_mode, cells: 0, tile, strips, passes, device_bytes: 0, host_bytes: 0, expected }
}
