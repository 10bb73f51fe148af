//! The recurrences that the strip sweep computes: what a limb keeps, what it hands down, and how a path walks over it.

use std::fmt::Debug;

use crate::pairwise::bit_parallel::shape::Table;
use crate::pairwise::blocks::Blocks;

/// A table whose neighbouring cells differ by so little that bit vectors hold the differences.
///
/// Vertical differences lie between a cell and the one above it, horizontal ones between a cell and the one left of it. Where
/// a recurrence needs fewer than two vectors or bits, the others are 0.
pub(crate) trait Recurrence: Copy + Debug + Default + Send + Sync + 'static {
    /// The table as the GPU's sweep knows it.
    const TABLE: Table;
    /// Bit vectors that hold the vertical differences of a limb's rows, 1 or 2.
    const VERTICAL: usize = Self::TABLE.vertical() as usize;
    /// Bits a column that a limb hands to the one below, 1 or 2.
    const HORIZONTAL: usize = Self::TABLE.horizontal() as usize;
    /// The vertical differences left of the first column, 64 rows.
    const FIRST_COLUMN: [u64; 2] = Self::TABLE.first_column();
    /// The horizontal differences above the first row, 64 columns.
    const FIRST_ROW: [u64; 2];
    /// What a value that grows by one is worth to a path: 1 or -1.
    const GAIN: i64;
    /// Whether a path may put unequal symbols opposite each other.
    const MISMATCHES: bool;

    /// One limb of one column: its vertical differences behind the column, and the horizontal ones of its last row. Those above
    /// it, and these, are told by where they differ from [`FIRST_ROW`](Self::FIRST_ROW).
    fn limb(v: [u64; 2], mask: u64, h: [u64; 2]) -> ([u64; 2], [u64; 2]);

    /// In which rows of a limb a path that went up in the column leaves it, and in which of these it does so diagonally, for a
    /// limb with the differences `before` and `after` the column. Takes what [`limb`](Self::limb) takes; `TURNED` as in
    /// [`trace`](super::trace).
    fn leaving<const TURNED: bool>(
        before: [u64; 2],
        after: [u64; 2],
        mask: u64,
        h: [u64; 2],
    ) -> [u64; 2];

    /// What paths of this value cost, where each step off a diagonal costs one.
    fn cost(value: i64, rows: usize, cols: usize) -> u64;

    /// What a path costs.
    fn path_cost(path: &Blocks, a: &[u32], b: &[u32]) -> u64 {
        let replaced = if Self::MISMATCHES {
            path.mismatches(a, b)
        } else {
            0
        };
        replaced + (a.len() + b.len()) as u64 - 2 * path.steps()
    }

    /// What no two sequences of these lengths cost more than.
    fn greatest_cost(rows: usize, cols: usize) -> u64 {
        if Self::MISMATCHES {
            rows.max(cols) as u64
        } else {
            (rows + cols) as u64
        }
    }

    /// In which rows the value grows and in which it shrinks, downwards; of the values that paths compare, the greatest is the
    /// best.
    fn gains(v: [u64; 2]) -> [u64; 2];

    /// The same along a row to the left, for horizontal differences.
    fn gains_back([grows, shrinks]: [u64; 2]) -> [u64; 2] {
        if Self::GAIN > 0 {
            [shrinks, grows]
        } else {
            [grows, shrinks]
        }
    }
}

/// Longest common subsequence: bit 1 of V = no increment, a carry = an increment (Crochemore et al. 2001,
/// doi:10.1016/S0020-0190(00)00209-X; Hyyrö 2004).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lcs;

impl Recurrence for Lcs {
    const TABLE: Table = Table::Lcs;
    const FIRST_ROW: [u64; 2] = [0, 0];
    const GAIN: i64 = 1;
    const MISMATCHES: bool = false;

    #[inline(always)]
    fn limb([v, _]: [u64; 2], mask: u64, [carry, _]: [u64; 2]) -> ([u64; 2], [u64; 2]) {
        let matched = v & mask;
        let (sum, first) = v.overflowing_add(matched);
        let (sum, second) = sum.overflowing_add(carry);
        ([sum | (v & !mask), 0], [u64::from(first | second), 0])
    }

    #[inline(always)]
    fn leaving<const TURNED: bool>(
        [v, _]: [u64; 2],
        after: [u64; 2],
        mask: u64,
        [carry, _]: [u64; 2],
    ) -> [u64; 2] {
        if !TURNED {
            return [!after[0], mask];
        }
        let matched = v & mask;
        let sum = v.wrapping_add(matched).wrapping_add(carry);
        // The carries that come in are sum ^ v ^ matched, and a row's own is that plus what its increment changes by.
        let left = !(sum ^ matched ^ after[0]);
        [left | mask, mask & !left]
    }

    fn cost(length: i64, rows: usize, cols: usize) -> u64 {
        (rows + cols) as u64 - 2 * length as u64
    }

    #[inline(always)]
    fn gains([v, _]: [u64; 2]) -> [u64; 2] {
        [!v, 0]
    }
}

/// Edit distance with unit costs: vectors VP and VN, bits HP and HN, one set where the distance grows and one where it shrinks
/// (Myers 1999, doi:10.1145/316542.316550; Hyyrö 2003). The carry of the addition is HN.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edit;

impl Edit {
    /// Where HP is not, and HN, above each row and below it. The way from VP to the next VP is as short as it can be.
    #[inline(always)]
    fn horizontal([vp, vn]: [u64; 2], mask: u64, [not_hp, hn]: [u64; 2]) -> ([u64; 2], [u64; 2]) {
        let t = mask & vp;
        let s = t.wrapping_add(vp.wrapping_add(hn));
        let hn_above = s ^ (vp & !mask);
        let not_hp_below = (hn_above | (mask | vp)) & !vn;
        (
            [not_hp_below << 1 | not_hp, hn_above],
            [not_hp_below, t | (hn_above & vp)],
        )
    }
}

impl Recurrence for Edit {
    const TABLE: Table = Table::Edit;
    const FIRST_ROW: [u64; 2] = [!0, 0];
    const GAIN: i64 = -1;
    const MISMATCHES: bool = true;

    /// VP and VN behind the column are `HN | !(M | VN | HP)` and `HP & (M | VN | HN)`, with HP and HN above each row.
    #[inline(always)]
    fn limb(v: [u64; 2], mask: u64, h: [u64; 2]) -> ([u64; 2], [u64; 2]) {
        let ([not_hp, hn], below) = Self::horizontal(v, mask, h);
        let equal = mask | v[1];
        (
            [hn | (!equal & not_hp), (equal | hn) & !not_hp],
            below.map(|word| word >> 63),
        )
    }

    /// Over unequal symbols a path goes diagonally where the column, or turned the row, before shrinks no distance.
    #[inline(always)]
    fn leaving<const TURNED: bool>(
        before: [u64; 2],
        after: [u64; 2],
        mask: u64,
        h: [u64; 2],
    ) -> [u64; 2] {
        if !TURNED {
            return [!after[0], mask | !before[1]];
        }
        let ([_, hn_above], [not_left, _]) = Self::horizontal(before, mask, h);
        let diagonally = not_left & (mask | !hn_above);
        [!not_left | diagonally, diagonally]
    }

    #[inline(always)]
    fn cost(distance: i64, _rows: usize, _cols: usize) -> u64 {
        distance as u64
    }

    /// A distance that grows is a loss.
    #[inline(always)]
    fn gains([vp, vn]: [u64; 2]) -> [u64; 2] {
        [vn, vp]
    }
}

/// The vertical differences of one column, 64 rows a word; what bits past the last row hold is not specified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column(pub [Vec<u64>; 2]);

impl Column {
    /// The words of both vectors at one place.
    fn word(&self, place: usize) -> [u64; 2] {
        [0, 1].map(|vector: usize| self.0[vector].get(place).copied().unwrap_or_default())
    }

    /// [`Recurrence::gains`] of `count` rows, at most 64, from row `first` on.
    pub(crate) fn gains<R: Recurrence>(&self, first: usize, count: usize) -> [u64; 2] {
        let shift = first % 64;
        let low = R::gains(self.word(first / 64));
        let high = if shift + count > 64 {
            R::gains(self.word(first / 64 + 1))
        } else {
            [0, 0]
        };
        let rows = if count < 64 { !(!0 << count) } else { !0 };
        [0, 1].map(|sign: usize| {
            let above = if shift == 0 {
                0
            } else {
                high[sign] << (64 - shift)
            };
            (low[sign] >> shift | above) & rows
        })
    }

    /// By how much the value of the first `rows` rows grows downwards.
    pub(crate) fn growth<R: Recurrence>(&self, rows: usize) -> i64 {
        let words = (0..rows)
            .step_by(64)
            .map(|first| self.gains::<R>(first, (rows - first).min(64)));
        words.map(growth).sum()
    }
}

/// Rows that grow less rows that shrink.
pub(crate) fn growth([plus, minus]: [u64; 2]) -> i64 {
    i64::from(plus.count_ones()) - i64::from(minus.count_ones())
}
