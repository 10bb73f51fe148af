//! Min-plus product of two finished tiles.

use crate::host::simd::{Work, array};
use crate::parenthesization::problem::{Problem, Split, best_of};
use crate::parenthesization::value::Value;

/// Rows and columns of a tile.
pub(in crate::parenthesization) const TILE: usize = 64;
/// Splits relaxed at once; their rows stay in registers or the L1 cache.
const SPLITS: usize = 8;

/// Relaxes `rows` by all splits in one tile of points: `left` are rows of the tile before it,
/// `right` is the tile after it.
pub(super) struct Product<'a, P: Problem> {
    pub problem: &'a P,
    /// First row, first split point and first column.
    pub first: Split,
    pub columns: usize,
    pub left: &'a [P::Value],
    pub right: &'a [P::Value],
    pub rows: &'a mut [P::Value],
    /// Whether sums may overflow.
    pub checked: bool,
}

impl<P: Problem> Work for Product<'_, P> {
    #[inline(always)]
    fn run(self) {
        if self.checked {
            return self.run_checked();
        }
        let Split { i, k, j } = self.first;
        for first in (0..TILE).step_by(SPLITS) {
            let right: [&[P::Value]; SPLITS] =
                array(|n| &self.right[(first + n) * TILE..][..self.columns]);
            for (row, best) in self.rows.chunks_exact_mut(TILE).enumerate() {
                let left: [P::Value; SPLITS] = array(|n| self.left[row * TILE + first + n]);
                self.problem.relax(
                    Split {
                        i: i + row,
                        k: k + first,
                        j,
                    },
                    left,
                    right,
                    &mut best[..self.columns],
                );
            }
        }
    }
}

impl<P: Problem> Product<'_, P> {
    fn run_checked(self) {
        let Split { i, k, j } = self.first;
        for (row, best) in self.rows.chunks_exact_mut(TILE).enumerate() {
            for split in 0..TILE {
                let right = &self.right[split * TILE..][..self.columns];
                let left = self.left[row * TILE + split];
                relax_checked(
                    self.problem,
                    Split {
                        i: i + row,
                        k: k + split,
                        j,
                    },
                    left,
                    right,
                    &mut best[..self.columns],
                );
            }
        }
    }
}

/// Like [`Problem::relax`] for one split, with overflow checks.
pub(super) fn relax_checked<P: Problem>(
    problem: &P,
    Split { i, k, j }: Split,
    left: P::Value,
    right: &[P::Value],
    best: &mut [P::Value],
) {
    for (index, (best, &right)) in best.iter_mut().zip(right).enumerate() {
        *best = best_of::<P>(
            *best,
            left.plus(right).plus(problem.weight(i, k, j + index)),
        );
    }
}
