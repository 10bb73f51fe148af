//! Recurrences of the strip sweep: limb step, boundary values and path rules.

use std::fmt::Debug;

use crate::sequences::bit_parallel::shape::TableKind;
use crate::sequences::blocks::Blocks;

/// A table whose neighbouring cells differ by at most one, so that bit vectors hold the
/// differences.
///
/// A vertical difference is between a cell and the one above it, a horizontal one between a cell
/// and the one left of it. Unused vectors and bits are 0.
pub(crate) trait Recurrence: Copy + Debug + Default + Send + Sync + 'static {
    const TABLE: TableKind;
    /// Bit vectors of vertical differences per limb: 1 or 2.
    const VERTICAL: usize = Self::TABLE.vertical() as usize;
    /// Bits per column that a limb passes to the one below: 1 or 2.
    const HORIZONTAL: usize = Self::TABLE.horizontal() as usize;
    /// Vertical differences left of the first column, for 64 rows.
    const FIRST_COLUMN: [u64; 2] = Self::TABLE.first_column();
    /// Horizontal differences above the first row, for 64 columns.
    const FIRST_ROW: [u64; 2];
    /// Worth to a path of a value that grows by one: 1 or -1.
    const GAIN: i64;
    const MISMATCHES: bool;

    /// Step of one limb by one column. Returns the vertical differences after the column and the
    /// horizontal ones of the limb's last row. Horizontal differences are passed exclusive-or
    /// [`FIRST_ROW`](Self::FIRST_ROW).
    fn limb(v: [u64; 2], mask: u64, h: [u64; 2]) -> ([u64; 2], [u64; 2]);

    /// Bits of the rows in which a traceback that goes up leaves the column, and of those where it
    /// leaves diagonally. `before` and `after` are the differences on either side of the column;
    /// the rest as in [`limb`](Self::limb), and `TURNED` as in [`trace`](super::trace).
    fn leaving<const TURNED: bool>(
        before: [u64; 2],
        after: [u64; 2],
        mask: u64,
        h: [u64; 2],
    ) -> [u64; 2];

    /// Path cost of a table value, in unit costs.
    fn cost(value: i64, rows: usize, cols: usize) -> u64;

    fn path_cost<S: PartialEq + Sync>(path: &Blocks, a: &[S], b: &[S]) -> u64 {
        let replaced = if Self::MISMATCHES {
            path.mismatches(a, b)
        } else {
            0
        };
        replaced + (a.len() + b.len()) as u64 - 2 * path.steps()
    }

    fn greatest_cost(rows: usize, cols: usize) -> u64 {
        if Self::MISMATCHES {
            rows.max(cols) as u64
        } else {
            (rows + cols) as u64
        }
    }

    /// Bits of the rows where the value improves and where it worsens, downwards.
    fn gains(v: [u64; 2]) -> [u64; 2];

    /// [`gains`](Self::gains) for horizontal differences along a row, leftwards.
    fn gains_back([grows, shrinks]: [u64; 2]) -> [u64; 2] {
        if Self::GAIN > 0 {
            [shrinks, grows]
        } else {
            [grows, shrinks]
        }
    }
}

/// Longest common subsequence: bit 1 of V = no increment, a carry = an increment (Crochemore et al.
/// 2001, doi:10.1016/S0020-0190(00)00209-X; Hyyrö 2004).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lcs;

impl Recurrence for Lcs {
    const TABLE: TableKind = TableKind::Lcs;
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
        // The incoming carries are sum ^ v ^ matched. A row's own carry differs from it by the
        // row's increment.
        let left = !(sum ^ matched ^ after[0]);
        [left | mask, mask & !left]
    }

    fn cost(length: i64, rows: usize, cols: usize) -> u64 {
        // A wrong length of a device may be greater than half of the symbols.
        let unpaired = (rows as i64 + cols as i64).saturating_sub(length.saturating_mul(2));
        unpaired.max(0) as u64
    }

    #[inline(always)]
    fn gains([v, _]: [u64; 2]) -> [u64; 2] {
        [!v, 0]
    }
}

/// Edit distance with unit costs: vectors VP and VN, bits HP and HN, for growing and shrinking
/// distances (Myers 1999, doi:10.1145/316542.316550; Hyyrö 2003). The carry of the addition is HN.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edit;

impl Edit {
    /// Complement of HP, and HN, above each row and below it. Keeps the dependency chain from VP to
    /// the next VP as short as possible.
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
    const TABLE: TableKind = TableKind::Edit;
    const FIRST_ROW: [u64; 2] = [!0, 0];
    const GAIN: i64 = -1;
    const MISMATCHES: bool = true;

    /// VP and VN after the column are `HN | !(M | VN | HP)` and `HP & (M | VN | HN)`, with HP and
    /// HN above each row.
    #[inline(always)]
    fn limb(v: [u64; 2], mask: u64, h: [u64; 2]) -> ([u64; 2], [u64; 2]) {
        let ([not_hp, hn], below) = Self::horizontal(v, mask, h);
        let equal = mask | v[1];
        (
            [hn | (!equal & not_hp), (equal | hn) & !not_hp],
            below.map(|word| word >> 63),
        )
    }

    /// A mismatch is optimal if the distance does not shrink in the preceding column (row if
    /// turned).
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

    #[inline(always)]
    fn gains([vp, vn]: [u64; 2]) -> [u64; 2] {
        [vn, vp]
    }
}

/// Vertical differences of a column, 64 rows per word. Bits past the last row are unspecified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column(pub [Vec<u64>; 2]);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LastColumn {
    pub column: Column,
    /// Value above the first row.
    pub above: i64,
}

impl Column {
    fn word(&self, index: usize) -> [u64; 2] {
        [0, 1].map(|vector: usize| self.0[vector].get(index).copied().unwrap_or_default())
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

    pub(crate) fn growth<R: Recurrence>(&self, rows: usize) -> i64 {
        let words = (0..rows)
            .step_by(64)
            .map(|first| self.gains::<R>(first, (rows - first).min(64)));
        words.map(growth).sum()
    }
}

/// Set bits of `plus` minus those of `minus`.
pub(crate) fn growth([plus, minus]: [u64; 2]) -> i64 {
    i64::from(plus.count_ones()) - i64::from(minus.count_ones())
}
