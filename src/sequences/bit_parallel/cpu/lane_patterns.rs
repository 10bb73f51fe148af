//! Patterns in SIMD lanes: rows in limbs, boundary values.
//!
//! A pair is a pattern (the rows) and a text (the columns). Patterns are aligned at the last row of
//! their last limb. Padding rows above a pattern repeat the first row: with a first row that grows
//! they match nothing, with a first row of 0 they match everything, and in both cases their vertical
//! differences are 0.

use super::kernel::GUARD;
use super::lanes::Lanes;
use super::vector::{Lane, Register};
use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};

/// First row of the table, and the cells of the last row that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The whole text.
    Both,
    /// Its best prefix.
    Start,
    /// Its best piece: the first row is 0.
    Free,
}

/// A recurrence whose pairs run in lanes.
pub(crate) trait Batched: Lanes {
    /// Horizontal differences above the first row, in 64-bit lanes.
    fn above(ends: Ends) -> [u64; 2];
    /// Growth of the last row by one column, from the differences below the last limb.
    fn growth<X: Register>(h: [X; 2]) -> X;
    /// Growth of the values down the rows `rows` of a limb.
    fn growth_down<X: Register>(v: [X; 2], rows: u64) -> X;
    /// Growth of the first row by one column, without free ends.
    const FIRST_ROW_GROWTH: i64;
    /// Value left of the first column, per row.
    const FIRST_VALUE: u64;
    /// Vertical difference left of the first column in rows of a pattern, and in padding rows.
    const FIRST_BITS: [u64; 2];
}

impl Batched for Edit {
    const FIRST_ROW_GROWTH: i64 = 1;
    const FIRST_VALUE: u64 = 1;
    const FIRST_BITS: [u64; 2] = [1, 0];

    #[inline(always)]
    fn above(ends: Ends) -> [u64; 2] {
        match ends {
            Ends::Both | Ends::Start => [GUARD, 0],
            Ends::Free => [0, 0],
        }
    }

    #[inline(always)]
    fn growth<X: Register>([hp, hn]: [X; 2]) -> X {
        hp.top().sub(hn.top())
    }

    #[inline(always)]
    fn growth_down<X: Register>([vp, vn]: [X; 2], rows: u64) -> X {
        let rows = X::splat(rows);
        vp.and(rows).count_ones().sub(vn.and(rows).count_ones())
    }
}

impl Batched for Lcs {
    const FIRST_ROW_GROWTH: i64 = 0;
    const FIRST_VALUE: u64 = 0;
    const FIRST_BITS: [u64; 2] = [1, 1];

    #[inline(always)]
    fn above(_: Ends) -> [u64; 2] {
        [!0, 0]
    }

    #[inline(always)]
    fn growth<X: Register>([none, _]: [X; 2]) -> X {
        X::splat(1).add(none)
    }

    #[inline(always)]
    fn growth_down<X: Register>([none, _]: [X; 2], rows: u64) -> X {
        let count = rows.count_ones().into();
        X::splat(count).sub(none.and(X::splat(rows)).count_ones())
    }
}

/// Rows of patterns in their limbs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternRows {
    pub(super) limbs: usize,
    pub(super) rows_per_limb: usize,
    /// The guard bit above the rows of a limb, or 0. It holds the differences that a limb passes on.
    pub(super) guard: u64,
    pub(super) ends: Ends,
}

/// Bits of one limb.
pub(super) struct Limb {
    /// Match mask of symbols that the pattern does not have.
    pub(super) mask: u64,
    /// Vertical differences left of the first column.
    pub(super) first: u64,
}

impl PatternRows {
    /// Rows of patterns of at most `longest` symbols in lanes of type `T`.
    ///
    /// A table whose last column alone counts needs no guard bit if it has one limb.
    pub(super) fn new<T: Lane>(longest: usize, ends: Ends) -> Self {
        let bits = T::BITS as usize;
        let has_guard = ends != Ends::Both || longest > bits;
        let rows_per_limb = bits - usize::from(has_guard);
        Self {
            limbs: longest.div_ceil(rows_per_limb).max(1),
            rows_per_limb,
            guard: u64::from(has_guard) << (bits - 1),
            ends,
        }
    }

    pub(super) fn limb<R: Batched>(&self, len: usize, limb: usize) -> Limb {
        let padding = self.limbs * self.rows_per_limb - len;
        let padded = self.low_bits(padding.saturating_sub(limb * self.rows_per_limb));
        let guard = if R::GUARD_MATCHES { self.guard } else { 0 };
        let padding_matches = self.ends == Ends::Free && R::GUARD_MATCHES;
        let [of_pattern, of_padding] = R::FIRST_BITS.map(|bit| 0u64.wrapping_sub(bit));
        Limb {
            mask: guard | if padding_matches { padded } else { 0 },
            first: (of_pattern & !padded) | (of_padding & padded),
        }
    }

    /// Limb and bit of a row of a pattern.
    pub(super) fn place(&self, len: usize, row: usize) -> (usize, u64) {
        let place = self.limbs * self.rows_per_limb - len + row;
        (
            place / self.rows_per_limb,
            1 << (place % self.rows_per_limb),
        )
    }

    /// The rows of a limb that are above the last `dropped` rows of a pattern.
    #[inline(always)]
    pub(super) fn above_last(&self, limb: usize, dropped: usize) -> u64 {
        let kept = (self.limbs * self.rows_per_limb).saturating_sub(dropped);
        self.low_bits(kept.saturating_sub(limb * self.rows_per_limb))
    }

    /// The first `rows` rows of a limb, or all.
    #[inline(always)]
    fn low_bits(&self, rows: usize) -> u64 {
        match rows.min(self.rows_per_limb) {
            64 => !0,
            rows => (1 << rows) - 1,
        }
    }
}
