//! The textbook tables in a call: their memory, and how the method 'reference' runs.

use crate::control::Control;
use crate::ends::Core;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::phases::Phases;

/// Bytes of a whole table of 32-bit entries.
///
/// # Errors
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) where they are more than the host's.
pub(crate) fn table_bytes(engine: &Engine, rows: usize, cols: usize) -> Result<u64> {
    let needed = (rows as u128 + 1) * (cols as u128 + 1) * 4;
    engine.check_reference(needed)?;
    Ok(u64::try_from(needed).unwrap_or(u64::MAX))
}

/// What `fill` gives for the core, which keeps a whole table where it gives the path too. It asks before each row whether that is
/// wanted.
///
/// # Errors
/// As [`table_bytes`] with `path`, and [`Error::Cancelled`].
pub(crate) fn answer<S, T>(
    engine: &Engine,
    core: &Core<'_, S>,
    path: bool,
    control: &Control,
    phases: &Phases,
    fill: impl FnOnce(&[S], &[S], &mut dyn FnMut() -> bool) -> Option<T>,
) -> Result<T> {
    if path {
        table_bytes(engine, core.rows.len(), core.cols.len())?;
    }
    let found = fill(core.rows, core.cols, &mut || control.check().is_ok());
    phases.lap("sweep");
    found.ok_or(Error::Cancelled)
}
