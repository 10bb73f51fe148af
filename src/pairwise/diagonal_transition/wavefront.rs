//! The furthest-reaching points at one distance.

use std::ops::RangeInclusive;

use crate::pairwise::equal::equal_prefix;

/// The furthest row of every `SPACING`-th diagonal from `low` on, at one distance; all of them inside the table.
#[derive(Clone, Debug)]
pub(crate) struct Wavefront<const SPACING: i64> {
    pub(super) low: i64,
    pub(super) rows: Vec<u32>,
    /// Furthest-reaching points and comparisons that it took.
    pub(super) steps: u64,
}

impl<const SPACING: i64> Wavefront<SPACING> {
    pub(super) fn first<S: PartialEq>(a: &[S], b: &[S]) -> Self {
        Self::slid(0..=0, a, b, |_| 0)
    }

    /// The wavefront on these diagonals whose slides start in the rows that `start` gives, from the lowest diagonal on.
    pub(crate) fn slid<S: PartialEq>(
        diagonals: RangeInclusive<i64>,
        a: &[S],
        b: &[S],
        mut start: impl FnMut(i64) -> usize,
    ) -> Self {
        let (low, high) = (*diagonals.start(), *diagonals.end());
        let mut steps = 0;
        let mut rows = Vec::with_capacity(((high - low) / SPACING + 1).max(0) as usize);
        for diagonal in diagonals.step_by(SPACING as usize) {
            // A step past the last row or column stays at the end of its diagonal.
            let i = start(diagonal).min(a.len()).min((b.len() as i64 + diagonal) as usize);
            let equal = equal_prefix(&a[i..], &b[(i as i64 - diagonal) as usize..]);
            steps += 1 + equal as u64;
            rows.push((i + equal) as u32);
        }
        Self { low, rows, steps }
    }

    /// The first diagonal and the last.
    pub(super) fn diagonals(&self) -> (i64, i64) {
        (self.low, self.low + SPACING * (self.rows.len() as i64 - 1))
    }

    /// The diagonals of the next wavefront; outside the table there is no cell.
    pub(super) fn next_diagonals(&self, rows: i64, cols: i64) -> RangeInclusive<i64> {
        let (low, high) = self.diagonals();
        let low = if low > -cols { low - 1 } else { low - 1 + SPACING };
        let high = if high < rows { high + 1 } else { high + 1 - SPACING };
        low..=high
    }

    /// The furthest row on a diagonal; `None` where the wavefront does not get.
    pub(crate) fn reach(&self, diagonal: i64) -> Option<usize> {
        reach::<SPACING>(self.low, &self.rows, diagonal)
    }

    /// Keeps those of its diagonals alone, the first and the last of which have its parity.
    pub(super) fn narrow(&mut self, diagonals: RangeInclusive<i64>) {
        let index = |diagonal: i64| ((diagonal - self.low) / SPACING).clamp(0, self.rows.len() as i64) as usize;
        let (first, end) = (index(*diagonals.start()), index(*diagonals.end() + SPACING));
        self.rows.truncate(end);
        self.rows.drain(..first);
        self.low += SPACING * first as i64;
    }
}

pub(super) fn reach<const SPACING: i64>(low: i64, rows: &[u32], diagonal: i64) -> Option<usize> {
    let index = usize::try_from((diagonal - low) / SPACING).ok().filter(|_| diagonal >= low)?;
    rows.get(index).map(|&row| row as usize)
}
