//! The LCS as a pairwise problem. Its cost is the number of unpaired symbols.

use super::reference;
use super::wavefront::Indel;
use crate::engine::placement::Way;
use crate::papers::conditional_sum::ConditionalSum;
use crate::sequences::bit_parallel::recurrence::Lcs;
use crate::sequences::blocks::Blocks;
use crate::sequences::pair::Pair;
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;

pub(crate) struct Subsequence;

/// Unpaired symbols of both sequences for a subsequence of `length`.
pub(crate) fn unpaired(rows: usize, cols: usize, length: u64) -> u64 {
    (rows + cols) as u64 - 2 * length
}

impl Problem for Subsequence {
    type Sweep = Lcs;
    type Wavefront = Indel;

    fn reference<S: Eq>(
        Pair { a: rows, b: cols }: Pair<'_, S>,
        path: bool,
        _: u64,
        should_continue: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)> {
        let (length, path) = if path {
            let found = reference::subsequence_while(rows, cols, should_continue)?;
            (found.len(), Some(found.0))
        } else {
            (reference::length_while(rows, cols, should_continue)?, None)
        };
        Some((unpaired(rows.len(), cols.len(), length), path))
    }

    fn papers<'w, 'q>() -> Vec<&'w dyn Way<PairQuery<'q, Self>>>
    where
        'q: 'w,
    {
        vec![&ConditionalSum]
    }
}
