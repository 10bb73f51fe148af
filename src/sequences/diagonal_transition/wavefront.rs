//! Furthest-reaching points at one distance.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use super::recurrence::WavefrontRecurrence;
use crate::sequences::codes::Symbol;
use crate::sequences::equal::slide;

/// Furthest rows on diagonals from `low` on, [`WavefrontRecurrence::DIAGONAL_STEP`] apart, all
/// inside the table.
#[derive(Clone, Debug)]
pub(crate) struct Wavefront<R> {
    pub(super) low: i64,
    pub(super) rows: Vec<u32>,
    pub(super) steps: u64,
    recurrence: PhantomData<R>,
}

impl<R: WavefrontRecurrence> Wavefront<R> {
    pub(super) fn stored(low: i64, rows: Vec<u32>) -> Self {
        Self {
            low,
            rows,
            steps: 0,
            recurrence: PhantomData,
        }
    }

    pub(super) fn first<S: Symbol>(a: &[S], b: &[S]) -> Self {
        Self::slid(0, [0].into_iter(), a, b)
    }

    /// Wavefront at the next distance, on `diagonals`. Each of them needs a neighbour in this
    /// wavefront.
    pub(super) fn next<S: Symbol>(&self, diagonals: RangeInclusive<i64>, a: &[S], b: &[S]) -> Self {
        // Furthest rows plus one, padded with 0 for unreached diagonals.
        const AROUND: usize = 2;
        let mut after = Vec::with_capacity(self.rows.len() + 2 * AROUND);
        after.extend_from_slice(&[0; AROUND]);
        after.extend(self.rows.iter().map(|row| row + 1));
        after.extend_from_slice(&[0; AROUND]);
        let (low, high) = (*diagonals.start(), *diagonals.end());
        let below = (low - 1 - self.low).div_euclid(R::DIAGONAL_STEP) + AROUND as i64;
        let count = ((high - low).div_euclid(R::DIAGONAL_STEP) + 1).max(0) as usize;
        let width = 4 - R::DIAGONAL_STEP as usize;
        let known = usize::try_from(below)
            .ok()
            .and_then(|below| after.get(below..))
            .unwrap_or_default();
        let starts = known.windows(width).take(count).map(|near| {
            let same = if R::DIAGONAL_STEP == 1 { near[1] } else { 0 };
            R::furthest(near[0], same, near[width - 1])
        });
        Self::slid(low, starts, a, b)
    }

    /// Slides from these rows, on consecutive diagonals from `low` on.
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
                diagonal += R::DIAGONAL_STEP;
                (i + equal) as u32
            })
            .collect();
        Self {
            steps,
            ..Self::stored(low, rows)
        }
    }

    pub(super) fn diagonals(&self) -> (i64, i64) {
        (
            self.low,
            self.low + R::DIAGONAL_STEP * (self.rows.len() as i64 - 1),
        )
    }

    /// Greatest `i + j` of all points.
    pub(super) fn progress(&self) -> i64 {
        let diagonals = (self.low..).step_by(R::DIAGONAL_STEP as usize);
        self.rows
            .iter()
            .zip(diagonals)
            .map(|(&row, diagonal)| 2 * i64::from(row) - diagonal)
            .max()
            .unwrap_or_default()
    }

    pub(super) fn next_diagonals(&self, rows: i64, cols: i64) -> RangeInclusive<i64> {
        let (low, high) = self.diagonals();
        let low = if low > -cols {
            low - 1
        } else {
            low - 1 + R::DIAGONAL_STEP
        };
        let high = if high < rows {
            high + 1
        } else {
            high + 1 - R::DIAGONAL_STEP
        };
        low..=high
    }

    /// Furthest row on a diagonal; `None` if unreached.
    pub(crate) fn reach(&self, diagonal: i64) -> Option<usize> {
        reach::<R>(self.low, &self.rows, diagonal)
    }

    /// Drops all diagonals outside this range, whose ends must have the parity of the wavefront.
    pub(super) fn narrow(&mut self, diagonals: RangeInclusive<i64>) {
        let index = |diagonal: i64| {
            ((diagonal - self.low) / R::DIAGONAL_STEP).clamp(0, self.rows.len() as i64) as usize
        };
        let (first, end) = (
            index(*diagonals.start()),
            index(*diagonals.end() + R::DIAGONAL_STEP),
        );
        self.rows.truncate(end);
        self.rows.drain(..first);
        self.low += R::DIAGONAL_STEP * first as i64;
    }
}

pub(super) fn reach<R: WavefrontRecurrence>(
    low: i64,
    rows: &[u32],
    diagonal: i64,
) -> Option<usize> {
    let index = usize::try_from((diagonal - low) / R::DIAGONAL_STEP)
        .ok()
        .filter(|_| diagonal >= low)?;
    rows.get(index).map(|&row| row as usize)
}
