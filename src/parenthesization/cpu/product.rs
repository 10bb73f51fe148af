//! The product of two finished tiles, compiled for each set of SIMD instructions.

use super::TILE;
use crate::parenthesization::problem::{Problem, best_of};
use crate::parenthesization::value::Value;

/// Splits that are relaxed at once: their rows stay in registers or the nearest cache.
const SPLITS: usize = 8;

/// All splits at the points of one tile: `left` has some rows of the tile before, `right` is the tile behind.
pub(super) struct Product<'a, P: Problem> {
    pub problem: &'a P,
    /// First row, first split and first column.
    pub i: usize,
    pub k: usize,
    pub j: usize,
    pub columns: usize,
    pub left: &'a [P::Value],
    pub right: &'a [P::Value],
}

impl<P: Problem> Product<'_, P> {
    /// Improves `rows` by them.
    pub fn add_to(&self, rows: &mut [P::Value], checked: bool) {
        if checked {
            return self.checked(rows);
        }
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
            fn avx512<P: Problem>(product: &Product<'_, P>, rows: &mut [P::Value]) {
                product.unchecked(rows);
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2<P: Problem>(product: &Product<'_, P>, rows: &mut [P::Value]) {
                product.unchecked(rows);
            }
            let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            if has_avx2 && has_avx512 {
                // SAFETY: the processor has been checked.
                return unsafe { avx512(self, rows) };
            }
            if has_avx2 {
                // SAFETY: the processor has been checked.
                return unsafe { avx2(self, rows) };
            }
        }
        self.unchecked(rows);
    }

    #[inline(always)]
    fn unchecked(&self, rows: &mut [P::Value]) {
        for first in (0..TILE).step_by(SPLITS) {
            let right: [&[P::Value]; SPLITS] =
                std::array::from_fn(|n| &self.right[(first + n) * TILE..][..self.columns]);
            for (row, best) in rows.chunks_exact_mut(TILE).enumerate() {
                let left: [P::Value; SPLITS] = std::array::from_fn(|n| self.left[row * TILE + first + n]);
                let split = (self.i + row, self.k + first, self.j);
                // A row below the last point is never looked at.
                self.problem.relax(split, left, right, &mut best[..self.columns]);
            }
        }
    }

    fn checked(&self, rows: &mut [P::Value]) {
        for (row, best) in rows.chunks_exact_mut(TILE).enumerate() {
            for k in 0..TILE {
                let right = &self.right[k * TILE..][..self.columns];
                let split = (self.i + row, self.k + k, self.j);
                relax_checked(self.problem, split, self.left[row * TILE + k], right, &mut best[..self.columns]);
            }
        }
    }
}

/// As [`Problem::relax`] of one split, where sums may not fit.
pub(super) fn relax_checked<P: Problem>(
    problem: &P,
    (i, k, j): (usize, usize, usize),
    left: P::Value,
    right: &[P::Value],
    best: &mut [P::Value],
) {
    for (place, (best, &right)) in best.iter_mut().zip(right).enumerate() {
        *best = best_of::<P>(*best, left.plus(right).plus(problem.weight(i, k, j + place)));
    }
}
