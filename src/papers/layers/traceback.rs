//! Traceback of the segments between midpoints, in parallel.
//!
//! Between two of its cells, the canonical path of the whole table equals the canonical path of the
//! table between them. The path passes through both, so a step is optimal towards the earlier cell
//! exactly if it is optimal towards the origin.

use super::segment;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::error::Result;
use crate::host::parallel::try_map;
use crate::lcs::subsequence::Subsequence;
use crate::sequences::blocks::{Block, Blocks};

/// Shared symbols of the canonical path through the cells `ends`, and the cells computed. Runs on
/// the caller's thread pool.
pub(crate) fn shared(
    a: &[u32],
    b: &[u32],
    ends: &[(usize, usize)],
    control: &Control,
) -> Result<(Subsequence, u128)> {
    let cells =
        |ends: &[(usize, usize)]| (ends[1].0 - ends[0].0) as u128 * (ends[1].1 - ends[0].1) as u128;
    let cells = ends.windows(2).map(cells).sum();
    control.set_phase(Phase::Path);
    control.add_total(u64::try_from(cells).unwrap_or(u64::MAX));
    let segment = |place: usize| {
        let (from, to) = (ends[place], ends[place + 1]);
        segment::runs_back(&a[from.0..to.0], &b[from.1..to.1], control)
    };
    let segments: Vec<Vec<Block>> = try_map(ends.len().saturating_sub(1), segment)?;
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
