//! The furthest-reaching points at one distance.

use std::ops::RangeInclusive;

use super::recurrence::Recurrence;
use crate::pairwise::codes::Symbol;
use crate::pairwise::equal::slide;

/// The furthest row of every `SPACING`-th diagonal from `low` on, at one distance; all of them inside the table.
#[derive(Clone, Debug)]
pub(crate) struct Wavefront<const SPACING: i64> {
    pub(super) low: i64,
    pub(super) rows: Vec<u32>,
    /// Furthest-reaching points and comparisons that it took.
    pub(super) steps: u64,
}

impl<const SPACING: i64> Wavefront<SPACING> {
    pub(super) fn first<S: Symbol>(a: &[S], b: &[S]) -> Self {
        Self::slid(0, [0].into_iter(), a, b)
    }

    /// The wavefront of the next distance, on these diagonals: all of them have a neighbour in this wavefront.
    pub(super) fn next<R: Recurrence<SPACING>, S: Symbol>(
        &self,
        diagonals: RangeInclusive<i64>,
        a: &[S],
        b: &[S],
    ) -> Self {
        // One more than the rows that have been reached, between diagonals that none is reached on, for whose number 0 stands.
        const AROUND: usize = 2;
        let mut after = Vec::with_capacity(self.rows.len() + 2 * AROUND);
        after.extend_from_slice(&[0; AROUND]);
        after.extend(self.rows.iter().map(|row| row + 1));
        after.extend_from_slice(&[0; AROUND]);
        let (low, high) = (*diagonals.start(), *diagonals.end());
        let below = (low - 1 - self.low).div_euclid(SPACING) + AROUND as i64;
        let count = ((high - low).div_euclid(SPACING) + 1).max(0) as usize;
        let width = 4 - SPACING as usize;
        let known = usize::try_from(below)
            .ok()
            .and_then(|below| after.get(below..))
            .unwrap_or_default();
        let starts = known.windows(width).take(count).map(|near| {
            let same = if SPACING == 1 { near[1] } else { 0 };
            R::furthest(near[0], same, near[width - 1])
        });
        Self::slid(low, starts, a, b)
    }

    /// The wavefront whose slides start in these rows, from the lowest diagonal on.
    fn slid<S: Symbol>(low: i64, starts: impl Iterator<Item = u32>, a: &[S], b: &[S]) -> Self {
        let mut steps = 0;
        let mut diagonal = low;
        let rows = starts
            .map(|start| {
                // A step past the last row or column stays at the end of its diagonal.
                let i = (start as usize)
                    .min(a.len())
                    .min((b.len() as i64 + diagonal) as usize);
                let equal = slide(&a[i..], &b[(i as i64 - diagonal) as usize..]);
                steps += 1 + equal as u64;
                diagonal += SPACING;
                (i + equal) as u32
            })
            .collect();
        Self { low, rows, steps }
    }

    /// The first diagonal and the last.
    pub(super) fn diagonals(&self) -> (i64, i64) {
        (self.low, self.low + SPACING * (self.rows.len() as i64 - 1))
    }

    /// Symbols of both sides before the point that has come furthest.
    pub(super) fn progress(&self) -> i64 {
        let diagonals = (self.low..).step_by(SPACING as usize);
        self.rows
            .iter()
            .zip(diagonals)
            .map(|(&row, diagonal)| 2 * i64::from(row) - diagonal)
            .max()
            .unwrap_or_default()
    }

    /// The diagonals of the next wavefront; outside the table there is no cell.
    pub(super) fn next_diagonals(&self, rows: i64, cols: i64) -> RangeInclusive<i64> {
        let (low, high) = self.diagonals();
        let low = if low > -cols {
            low - 1
        } else {
            low - 1 + SPACING
        };
        let high = if high < rows {
            high + 1
        } else {
            high + 1 - SPACING
        };
        low..=high
    }

    /// The furthest row on a diagonal; `None` where the wavefront does not get.
    pub(crate) fn reach(&self, diagonal: i64) -> Option<usize> {
        reach::<SPACING>(self.low, &self.rows, diagonal)
    }

    /// Keeps those of its diagonals alone, the first and the last of which have its parity.
    pub(super) fn narrow(&mut self, diagonals: RangeInclusive<i64>) {
        let index = |diagonal: i64| {
            ((diagonal - self.low) / SPACING).clamp(0, self.rows.len() as i64) as usize
        };
        let (first, end) = (index(*diagonals.start()), index(*diagonals.end() + SPACING));
        self.rows.truncate(end);
        self.rows.drain(..first);
        self.low += SPACING * first as i64;
    }
}

pub(super) fn reach<const SPACING: i64>(low: i64, rows: &[u32], diagonal: i64) -> Option<usize> {
    let index = usize::try_from((diagonal - low) / SPACING)
        .ok()
        .filter(|_| diagonal >= low)?;
    rows.get(index).map(|&row| row as usize)
}
