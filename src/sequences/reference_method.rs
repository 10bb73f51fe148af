//! The method 'reference': memory check, plan and answer.

use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost};
use crate::engine::{Engine, profile};
use crate::error::{Error, Result};
use crate::path_mode::PathMode;

/// Bytes of a full table of 32-bit entries.
pub(crate) fn table_bytes(engine: &Engine, rows: usize, cols: usize) -> Result<u64> {
    let needed = (rows as u128 + 1) * (cols as u128 + 1) * 4;
    engine.check_reference(needed)?;
    Ok(u64::try_from(needed).unwrap_or(u64::MAX))
}

/// Cost of the method 'reference'.
pub(crate) fn cost(engine: &Engine, rows: usize, cols: usize, path: bool) -> Result<Cost> {
    let rate = if path {
        profile::cpu::REFERENCE_PATH_CELLS_PER_SECOND
    } else {
        profile::cpu::TABLE_CELLS_PER_SECOND
    };
    Ok(Cost {
        path_mode: PathMode::Table.if_path(path),
        tile: (1, cols as u64),
        strips: rows as u64,
        passes: rows as u64,
        host_bytes: if path {
            table_bytes(engine, rows, cols)?
        } else {
            8 * (cols as u64 + 1)
        },
        ..Cost::new(rows as f64 * cols as f64 / rate)
    })
}

/// Runs `fill`, which keeps the full table if it also returns the path, and polls its callback
/// before each row: `false` means cancelled.
pub(crate) fn answer<T>(
    call: &Call<'_>,
    rows: usize,
    cols: usize,
    path: bool,
    fill: impl FnOnce(&mut dyn FnMut() -> bool) -> Option<T>,
) -> Result<T> {
    if path {
        table_bytes(call.engine, rows, cols)?;
    }
    // `fill` does not poll if there are no rows.
    call.control.check()?;
    let found = fill(&mut || call.control.check().is_ok());
    call.phases.lap(Phase::Sweep);
    found.ok_or(Error::Cancelled)
}
