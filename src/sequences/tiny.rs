//! Pairs so small that waking other threads would take longer than filling the table.

/// Maximum cells of a table that is filled before anything else is tried, and maximum symbols of
/// its longer side.
pub(super) const MAX_TINY_CELLS: usize = 1 << 18;
pub(super) const MAX_LEN: usize = 1 << 12;
/// Maximum cells that one thread fills before a thread pool has woken up:
/// amd-epyc/2026-11-22-small.json.
const MAX_CELLS: usize = 1 << 21;

/// True if a table is filled before anything else is tried.
pub(crate) fn is_tiny(rows: usize, cols: usize) -> bool {
    rows.max(cols) <= MAX_LEN && rows * cols <= MAX_TINY_CELLS
}

/// True if the calling thread fills the table if the first few wavefronts do not answer.
pub(crate) fn suits_one_thread(rows: usize, cols: usize) -> bool {
    rows.max(cols) <= MAX_LEN && rows * cols <= MAX_CELLS
}
