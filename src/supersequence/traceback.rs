//! The shared symbols from the midpoints of the canonical path: its segments in parallel.
//!
//! Between two of its cells the canonical path of the whole table is that of the table between them alone: from a cell on it a
//! step is the first of a best way back to the earlier one exactly where it is the first of a best way back to the beginning,
//! since the path goes through both.

use rayon::prelude::*;

use super::segment;
use crate::call::control::Control;
use crate::error::Result;
use crate::lcs::subsequence::Subsequence;
use crate::pairwise::blocks::{Block, Blocks};

/// The symbols that the canonical path through these cells shares, and how many cells that took; on the threads of the caller's
/// pool.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(super) fn shared(
    a: &[u32],
    b: &[u32],
    ends: &[(usize, usize)],
    control: &Control,
) -> Result<(Subsequence, u128)> {
    let cells =
        |ends: &[(usize, usize)]| (ends[1].0 - ends[0].0) as u128 * (ends[1].1 - ends[0].1) as u128;
    let cells = ends.windows(2).map(cells).sum();
    control.set_phase("path");
    control.add_total(u64::try_from(cells).unwrap_or(u64::MAX));
    let segment = |ends: &[(usize, usize)]| {
        segment::runs_back(&a[ends[0].0..ends[1].0], &b[ends[0].1..ends[1].1], control)
    };
    let segments: Vec<Vec<Block>> = ends.par_windows(2).map(segment).collect::<Result<_>>()?;
    let mut blocks = Blocks::default();
    for (runs, &(row, column)) in segments.iter().zip(ends) {
        for run in runs.iter().rev() {
            blocks.push(Block {
                a: run.a + row,
                b: run.b + column,
                ..*run
            });
        }
    }
    Ok((Subsequence(blocks), cells))
}
