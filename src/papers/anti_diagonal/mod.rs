//! Tables whose cells depend on the neighbours above, left and above left, filled by
//! anti-diagonals.
//!
//! All cells with the same `i + j` are independent, so an anti-diagonal is one pass. Three rolling
//! anti-diagonals are the whole memory. Rows are indexed `0..=a.len()`, columns `0..=b.len()`; the
//! first row and the first column count up from 0. Cost: `a.len() * b.len()` cells in `a.len() +
//! b.len() + 1` dependent passes.
//!
//! Source: Zhao, "Parallel Computing the Shortest Common Supersequence Problem", section III.B,
//! algorithm 1; for the edit distance Ceccherelli 2022/23, "PC-2022/23 final: Parallel edit
//! distance", section 2.3, listings 5 and 6, and Wagner and Fischer 1974,
//! doi:10.1145/321796.321811. Departures from Zhao: three anti-diagonals instead of the table, and
//! the string from stored origins (see `papers::layers`).

pub mod cpu;
pub mod gpu;
pub(crate) mod stored;
pub(crate) mod supersequence;

use crate::engine::Device;
use crate::error::{Error, Result};
pub use crate::kernels::anti_diagonal::Recurrence;

/// Last cell of the table of `a` and `b` on a device; the length of the other side if one is empty.
/// `lanes` per workgroup, or [`LANES`](crate::kernels::anti_diagonal::LANES).
///
/// # Errors
/// [`Error::InputTooLong`] and [`Error::MemoryBudget`] before any work, else as [`Device::run`].
pub async fn last_cell(
    device: &Device<'_>,
    recurrence: Recurrence,
    a: &[u32],
    b: &[u32],
    lanes: Option<u32>,
) -> Result<u64> {
    let sweep = gpu::AntiDiagonalSweep::new(device, recurrence, a, b)?.with_lanes(lanes);
    if a.is_empty() || b.is_empty() {
        return Ok((a.len() + b.len()) as u64);
    }
    let ran = device
        .run(&|| sweep.plan(None), &|planned| vec![planned.last])
        .await?;
    Ok(u64::from(ran.words[0]))
}

/// Checks that 32-bit cells hold every value of the table: at most the sum of both lengths.
pub(crate) fn check_lengths(rows: usize, cols: usize) -> Result<()> {
    let actual = (rows as u64).saturating_add(cols as u64);
    let limit = u64::from(u32::MAX);
    if actual <= limit {
        return Ok(());
    }
    let (what, remedy) = ("the pair of inputs", "use the method 'bit-parallel'");
    Err(Error::InputTooLong {
        what,
        actual,
        limit,
        remedy,
    })
}

#[cfg(test)]
mod tests {
    use super::check_lengths;

    #[test]
    fn check_lengths_rejects_cells_that_overflow() {
        assert!(check_lengths(u32::MAX as usize, 0).is_ok());
        assert!(check_lengths(u32::MAX as usize, 1).is_err());
        assert!(check_lengths(usize::MAX, usize::MAX).is_err());
    }
}
