//! Choice of the device for the table methods, and their memory there.

use super::{Method, ScsOptions};
use crate::backend::Capabilities;
use crate::engine::{DeviceEstimate, Engine, profile};
use crate::error::Result;
use crate::pairwise::codes::Encoded;
use crate::papers::anti_diagonal::gpu::Grid;
use crate::papers::anti_diagonal::{cpu as anti_diagonal_cpu, supersequence as anti_diagonal};
use crate::papers::layers::{LayeredTable, MemoryBudget, Stored};
use crate::papers::row_wise::{cpu, gpu};

/// Memory users, as named in errors.
pub(super) const ROW_WISE: &str = "the method 'row-wise' with its table of last occurrences";
pub(super) const ANTI_DIAGONAL: &str = "the method 'anti-diagonal'";
const SEGMENTS: &str = "the tables of the segments for the string";

/// The GPU, if it was requested or if the table fits there and is expected to be faster.
///
/// # Errors
/// As [`Engine::device_estimate`].
pub(super) fn decide(
    engine: &Engine,
    codes: &Encoded,
    options: &ScsOptions,
) -> Result<Option<DeviceEstimate>> {
    let (rows, cols) = (codes.a.len() as u64, codes.b.len() as u64);
    let on_cpu = match options.method {
        Method::RowWise => row_wise_seconds(codes, engine.threads()),
        _ => anti_diagonal_cpu::expected(rows, cols, engine.threads()).as_secs_f64(),
    };
    let on_gpu = |caps: &Capabilities| match on_device(
        engine,
        (caps, engine.device_budget_of(caps)),
        codes,
        options,
    ) {
        Err(error) if error.is_lack_of_room() => f64::INFINITY,
        // The call itself reports all other refusals.
        _ => seconds_on_gpu(options.method, codes, caps),
    };
    engine.faster_device(on_cpu, on_gpu)
}

pub(super) fn seconds_on_gpu(method: Method, codes: &Encoded, caps: &Capabilities) -> f64 {
    match method {
        Method::RowWise => gpu::seconds(codes, caps),
        _ => Grid {
            rows: codes.a.len() as u64,
            cols: codes.b.len() as u64,
        }
        .expected(caps)
        .as_secs_f64(),
    }
}

pub(super) fn row_wise_seconds(codes: &Encoded, threads: usize) -> f64 {
    let seconds =
        codes.a.len() as f64 * codes.b.len() as f64 / profile::cpu::ROW_WISE_CELLS_PER_SECOND;
    seconds / profile::speedup_of_parts(threads, cpu::grid(codes).tiles())
}

/// Capabilities of a device and its memory budget in bytes.
pub(super) type Limits<'a> = (&'a Capabilities, u64);

/// Device bytes of the table before any origin, and the layers that are stored there.
///
/// # Errors
/// [`Error::MemoryBudget`] of device or host, and the errors of [`table`].
pub(super) fn on_device(
    engine: &Engine,
    limits: Limits<'_>,
    codes: &Encoded,
    options: &ScsOptions,
) -> Result<(u64, Option<Stored>)> {
    let (table, budget) = table(limits, options.method, codes)?;
    let segments = MemoryBudget {
        what: SEGMENTS,
        used: 0,
        limit: engine.host_budget(),
        buffer: u64::MAX,
    };
    Ok((
        budget.used,
        Stored::choose(table, options.path, (budget, Some(segments)))?,
    ))
}

/// Table layout and memory budget on a device.
///
/// # Errors
/// As [`gpu::grid`] and [`Grid::new`].
pub(super) fn table(
    (caps, budget_bytes): Limits<'_>,
    method: Method,
    codes: &Encoded,
) -> Result<(LayeredTable, MemoryBudget)> {
    let (table, what, used) = if method == Method::RowWise {
        let grid = gpu::grid(caps, codes)?;
        (gpu::layers(&grid), ROW_WISE, gpu::size_bytes(&grid))
    } else {
        let grid = Grid::new(codes.a.len() as u64, codes.b.len() as u64, caps)?;
        (
            anti_diagonal::layers(grid.rows, grid.cols),
            ANTI_DIAGONAL,
            grid.size_bytes(),
        )
    };
    Ok((
        table,
        MemoryBudget {
            what,
            used,
            limit: budget_bytes,
            buffer: caps.chunk_bytes,
        },
    ))
}
