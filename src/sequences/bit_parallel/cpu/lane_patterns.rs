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

/// Horizontal differences below a limb, as they enter the next one: of +1 and of -1, and with
/// exchanges the rows that were paired, moved down by one. The top bits count.
pub(crate) type Below<X> = [X; 3];

/// A recurrence whose pairs run in lanes.
pub(crate) trait Batched {
    type Limb<X: Register>: Copy;
    /// True if the guard bits of match masks are 1.
    const GUARDED: bool;
    /// Growth of the first row and of the first column by one cell, without free ends.
    const EDGE_GROWTH: u64;
    /// True if a value that exceeds a limit is known before the last column.
    const ENDS_EARLY: bool = true;

    /// Horizontal differences above the first row, in 64-bit lanes.
    fn above(ends: Ends) -> [u64; 3];
    /// A limb before the first column, from flags of the rows of its pattern.
    fn first<X: Register>(rows: X) -> Self::Limb<X>;
    fn fill<X: Register>(limb: &mut Self::Limb<X>, mask: X, above: Below<X>) -> Below<X>;
    fn growth<X: Register>(below: Below<X>) -> X;
    fn growth_down<X: Register>(limb: Self::Limb<X>, rows: u64) -> X;
}

impl Batched for Edit {
    type Limb<X: Register> = [X; 2];
    const GUARDED: bool = Self::GUARD_MATCHES;
    const EDGE_GROWTH: u64 = 1;

    #[inline(always)]
    fn above(ends: Ends) -> [u64; 3] {
        match ends {
            Ends::Both | Ends::Start => [GUARD, 0, 0],
            Ends::Free => [0, 0, 0],
        }
    }

    #[inline(always)]
    fn first<X: Register>(rows: X) -> [X; 2] {
        [rows, X::splat(0)]
    }

    #[inline(always)]
    fn fill<X: Register>(limb: &mut [X; 2], mask: X, [hp, hn, unused]: Below<X>) -> Below<X> {
        let (v, [hp, hn]) = Self::step(*limb, mask, [hp, hn]);
        *limb = v;
        [hp, hn, unused]
    }

    #[inline(always)]
    fn growth<X: Register>([hp, hn, _]: Below<X>) -> X {
        hp.top().sub(hn.top())
    }

    #[inline(always)]
    fn growth_down<X: Register>([vp, vn]: [X; 2], rows: u64) -> X {
        let rows = X::splat(rows);
        vp.and(rows).count_ones().sub(vn.and(rows).count_ones())
    }
}

impl Batched for Lcs {
    type Limb<X: Register> = [X; 2];
    const GUARDED: bool = Self::GUARD_MATCHES;
    const EDGE_GROWTH: u64 = 0;

    #[inline(always)]
    fn above(_: Ends) -> [u64; 3] {
        [!0, 0, 0]
    }

    #[inline(always)]
    fn first<X: Register>(_: X) -> [X; 2] {
        [!0, 0].map(X::splat)
    }

    #[inline(always)]
    fn fill<X: Register>(limb: &mut [X; 2], mask: X, [none, unused, other]: Below<X>) -> Below<X> {
        let matches = Self::matches(*limb, mask);
        let (v, [none, unused]) = Self::step(*limb, matches, [none, unused]);
        *limb = v;
        [none, unused, other]
    }

    #[inline(always)]
    fn growth<X: Register>([none, ..]: Below<X>) -> X {
        X::splat(1).add(none)
    }

    #[inline(always)]
    fn growth_down<X: Register>([none, _]: [X; 2], rows: u64) -> X {
        let count = rows.count_ones().into();
        X::splat(count).sub(none.and(X::splat(rows)).count_ones())
    }
}

/// Positions where two strings are equal: a limb has the row beside the next column, and the rows that
/// matched beside theirs. Patterns have one limb, without free ends.
pub(crate) struct Hamming;

impl Batched for Hamming {
    type Limb<X: Register> = [X; 2];
    const GUARDED: bool = false;
    const EDGE_GROWTH: u64 = 0;
    const ENDS_EARLY: bool = false;

    #[inline(always)]
    fn above(_: Ends) -> [u64; 3] {
        [0, 0, 0]
    }

    #[inline(always)]
    fn first<X: Register>(rows: X) -> [X; 2] {
        let none = X::splat(0);
        [rows.and(none.sub(rows)), none]
    }

    #[inline(always)]
    fn fill<X: Register>([row, equal]: &mut [X; 2], mask: X, above: Below<X>) -> Below<X> {
        let here = mask.and(*row);
        *equal = equal.or3(here, here);
        *row = row.shift_up(above[0]);
        above
    }

    #[inline(always)]
    fn growth<X: Register>(_: Below<X>) -> X {
        X::splat(0)
    }

    #[inline(always)]
    fn growth_down<X: Register>([_, equal]: [X; 2], rows: u64) -> X {
        equal.and(X::splat(rows)).count_ones()
    }
}

/// Optimal string alignment: the edit distance, with exchanges of neighbouring symbols that are not
/// edited otherwise (Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit
/// distances"). A limb has VP and VN, and of the column before D0 and the match mask N:
///
/// ```text
/// x = M & !D0;  D0' = (D0 of Edit) | (x << 1 | x of the row above) & N
/// ```
///
/// Where the second part is 1, VP is 0, since N has made the value there at most that of the row above.
/// So the carries of the sum, which are HN, stay right.
pub(crate) struct Osa;

impl Batched for Osa {
    type Limb<X: Register> = [X; 4];
    const GUARDED: bool = true;
    const EDGE_GROWTH: u64 = 1;

    #[inline(always)]
    fn above(_: Ends) -> [u64; 3] {
        [GUARD, 0, 0]
    }

    #[inline(always)]
    fn first<X: Register>(rows: X) -> [X; 4] {
        let none = X::splat(0);
        [rows, none, none, none]
    }

    #[inline(always)]
    fn fill<X: Register>(limb: &mut [X; 4], mask: X, [hp, hn, paired]: Below<X>) -> Below<X> {
        let [vp, vn, diagonal, before] = *limb;
        let not_free = X::splat(0).or_nor(diagonal, diagonal);
        let paired = mask.and(not_free).shift_up(paired);
        let exchanged = paired.and(before);
        let t = mask.and(vp);
        let s = t.add(vp).add(hn.top());
        let n = s.xor3(t, vp);
        let d0 = mask.or3(vn, n).or3(exchanged, exchanged);
        let p = vn.or_nor(d0, vp).shift_up(hp);
        *limb = [n.or_nor(d0, p), p.and(d0), d0, mask];
        [p, s, paired]
    }

    #[inline(always)]
    fn growth<X: Register>(below: Below<X>) -> X {
        Edit::growth(below)
    }

    #[inline(always)]
    fn growth_down<X: Register>([vp, vn, ..]: [X; 4], rows: u64) -> X {
        Edit::growth_down([vp, vn], rows)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PatternRows {
    pub(super) limbs: usize,
    pub(super) rows_per_limb: usize,
    /// The guard bit above the rows of a limb, or 0. It holds the differences that a limb passes on.
    pub(super) guard: u64,
    pub(super) ends: Ends,
}

pub(super) struct Limb {
    /// Match mask of symbols that the pattern does not have.
    pub(super) mask: u64,
    /// Flags of the rows that are no padding.
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
        let guard = if R::GUARDED { self.guard } else { 0 };
        let padding_matches = self.ends == Ends::Free && R::GUARDED;
        Limb {
            mask: guard | if padding_matches { padded } else { 0 },
            first: !padded,
        }
    }

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

    #[inline(always)]
    fn low_bits(&self, rows: usize) -> u64 {
        match rows.min(self.rows_per_limb) {
            64 => !0,
            rows => (1 << rows) - 1,
        }
    }
}
