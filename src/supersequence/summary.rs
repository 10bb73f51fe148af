//! Dry runs for two inputs.

use std::time::Duration;

use super::choice::{decide, on_device, row_wise_seconds, seconds_on_gpu};
use super::solve::{from_lcs, host_table, lcs_options};
use super::{Method, PlanSummary, ScsOptions};
use crate::engine::{CPU, DeviceEstimate, Engine, profile};
use crate::error::Result;
use crate::lcs;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::reference_method;
use crate::papers::anti_diagonal::cpu as anti_diagonal_cpu;
use crate::papers::anti_diagonal::gpu::Grid;
use crate::papers::layers::Stored;
use crate::papers::row_wise::{ROWS, cpu, gpu};
use crate::path_mode::PathMode;

pub(super) fn pair<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &ScsOptions,
) -> Result<PlanSummary> {
    if let Some(options) = lcs_options(options) {
        let summary = lcs::summarize(engine, a, b, &options)?;
        let method = from_lcs(summary.method);
        return Ok(summary.with_method(method));
    }
    let stripped = Stripped::new(a, b);
    let native = options.method == Method::Reference || stripped.cells() == 0;
    let codes = Encoded::new(stripped.rows, stripped.cols);
    let gpu = if native {
        None
    } else {
        decide(engine, &codes, options)?
    };
    let mut summary = match gpu {
        Some(estimate) => on_gpu(engine, estimate, &codes, options)?,
        None => on_cpu(engine, &codes, options)?,
    };
    summary.host_bytes += 4 * (codes.a.len() + codes.b.len()) as u64;
    summary.cells = a.len() as u128 * b.len() as u128;
    if stripped.cells() == 0 && options.path {
        summary.path_mode = PathMode::Table;
    }
    Ok(summary)
}

fn on_gpu(
    engine: &Engine,
    estimate: DeviceEstimate,
    codes: &Encoded,
    options: &ScsOptions,
) -> Result<PlanSummary> {
    let caps = &estimate.capabilities;
    let (device_bytes, stored) = on_device(engine, (caps, estimate.budget_bytes), codes, options)?;
    let expected = estimate.expected(seconds_on_gpu(options.method, codes, caps));
    let mut summary = if options.method == Method::RowWise {
        let grid = gpu::grid(caps, codes)?;
        blank(
            options.method,
            (ROWS, grid.tile_cols),
            grid.tiles(),
            grid.passes(),
            expected,
        )
    } else {
        let grid = Grid::new(codes.a.len() as u64, codes.b.len() as u64, caps)?;
        let passes = grid.passes();
        PlanSummary {
            host_bytes: grid.host_bytes(),
            ..blank(options.method, (1, 1), passes, passes, expected)
        }
    };
    (summary.device, summary.device_bytes) = (estimate.name, device_bytes);
    if let Some(stored) = stored {
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
            let time = Duration::from_secs_f64(row_wise_seconds(codes, threads));
            blank(
                options.method,
                (ROWS, grid.tile_cols),
                grid.tiles(),
                grid.passes(),
                time,
            )
        }
        Method::AntiDiagonal => {
            let (passes, time) = (
                rows + cols + 1,
                anti_diagonal_cpu::expected(rows, cols, threads),
            );
            blank(options.method, (1, 1), passes, passes, time)
        }
        _ => {
            let (rows, cols) = (codes.a.len(), codes.b.len());
            let cost = reference_method::cost(engine, rows, cols, options.path)?;
            return Ok(PlanSummary {
                path_mode: cost.path_mode,
                host_bytes: cost.host_bytes,
                ..blank(
                    options.method,
                    cost.tile,
                    cost.strips,
                    cost.passes,
                    Duration::from_secs_f64(cost.seconds),
                )
            });
        }
    };
    let (table, budget) = host_table(engine, options.method, codes);
    summary.host_bytes = budget.used;
    if let Some(stored) =
        Stored::choose(table, options.path && rows > 0 && cols > 0, (budget, None))?
    {
        summary.host_bytes += stored.trace_bytes;
        if stored.every().is_some() {
            summary.expected = summary.expected.mul_f64(profile::cpu::ORIGINS_TIMES);
        }
        add_path(engine, &mut summary, stored);
    }
    Ok(summary)
}

fn add_path(engine: &Engine, summary: &mut PlanSummary, stored: Stored) {
    summary.path_mode = stored.path_mode();
    summary.host_bytes += stored.segments_bytes;
    let threads = if stored.every().is_some() {
        engine.threads()
    } else {
        1
    };
    let seconds =
        stored.cells() as f64 / profile::cpu::SEGMENT_CELLS_PER_SECOND / profile::speedup(threads);
    summary.expected += Duration::from_secs_f64(seconds);
}

/// Plan of a CPU call for the length alone.
pub(super) fn blank(
    method: Method,
    tile: (u64, u64),
    strips: u64,
    passes: u64,
    expected: Duration,
) -> PlanSummary {
    PlanSummary {
        method,
        device: CPU.to_string(),
        path_mode: PathMode::None,
        cells: 0,
        tile,
        strips,
        passes,
        device_bytes: 0,
        host_bytes: 0,
        expected,
    }
}
