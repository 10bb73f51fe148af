//! Bands: diagonals of a table that suffice for the answer.

use std::ops::Range;

/// Diagonals of a table to compute: cells (i, j) with `i - j` in this inclusive range.
///
/// Values in a band are those of the best paths inside the swept tiles. Steps outside are assumed
/// to gain nothing, so no value is too good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Band {
    pub low: i64,
    pub high: i64,
}

impl Band {
    pub const WHOLE: Self = Self {
        low: i64::MIN,
        high: i64::MAX,
    };

    /// The diagonals between the first and the last cell, plus `slack` on either side. Symmetric
    /// under reversal.
    pub fn around(rows: u64, cols: u64, slack: u64) -> Self {
        let skew = rows as i64 - cols as i64;
        let slack = i64::try_from(slack).unwrap_or(i64::MAX);
        Self {
            low: skew.min(0).saturating_sub(slack),
            high: skew.max(0).saturating_add(slack),
        }
    }

    /// Maximum distance of a path of at most this cost from the diagonals between its ends, where
    /// each step off a diagonal costs one. `None` if no such path exists (Ukkonen 1985,
    /// doi:10.1016/S0019-9958(85)80046-2).
    pub fn slack(rows: u64, cols: u64, cost: u64) -> Option<u64> {
        Some(cost.checked_sub(rows.abs_diff(cols))? / 2)
    }

    /// Diagonals of the table inside the band.
    pub fn width(&self, rows: usize, cols: usize) -> usize {
        let (low, high) = (self.low.max(-(cols as i64)), self.high.min(rows as i64));
        (high - low + 1).max(0) as usize
    }

    /// Cells of the table inside the band, roughly.
    pub fn cells(&self, rows: u64, cols: u64) -> u128 {
        // Cells outside the band form a triangle at each edge, clipped to the table.
        let beyond = |width: u64, height: u64, edge: i64| {
            let side = u128::from(u64::try_from((width as i64).saturating_sub(edge)).unwrap_or(0));
            let cut = side.saturating_sub(u128::from(height));
            (side * side - cut * cut) / 2
        };
        let all = u128::from(rows) * u128::from(cols);
        all - beyond(cols, rows, self.low.saturating_neg()) - beyond(rows, cols, self.high)
    }

    /// Columns that intersect the band in some of these rows. Never empty, so that consecutive
    /// strips connect.
    pub fn columns(&self, rows: &Range<u64>, cols: u64) -> Range<u64> {
        // The first column after which some row is not below the band, and the last column where
        // some row is not above it.
        let first = (rows.start as i64)
            .saturating_sub(self.high)
            .clamp(0, cols as i64) as u64;
        let last = (rows.end as i64)
            .saturating_sub(self.low)
            .clamp(0, cols as i64) as u64;
        first.saturating_sub(1)..last + 1
    }

    pub fn blocks(&self, rows: &Range<usize>, cols: usize, block_cols: usize) -> Range<usize> {
        let columns = self.columns(&(rows.start as u64..rows.end as u64), cols as u64);
        columns.start as usize / block_cols
            ..(columns.end as usize)
                .div_ceil(block_cols)
                .min(cols.div_ceil(block_cols))
    }

    pub fn tiles(&self, rows: usize, cols: usize, strip_rows: usize, block_cols: usize) -> u64 {
        let strips = (0..rows)
            .step_by(strip_rows)
            .map(|start| start..(start + strip_rows).min(rows));
        strips
            .map(|strip| self.blocks(&strip, cols, block_cols).len() as u64)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Band;

    #[test]
    fn band_cells_are_exact_up_to_the_edges() {
        for (rows, cols) in [(0, 0), (1, 5), (30, 30), (17, 60), (60, 17)] {
            assert_eq!(Band::WHOLE.cells(rows, cols), u128::from(rows * cols));
            for slack in [0, 1, 5, 16, 40, 100] {
                let band = Band::around(rows, cols, slack);
                let held = |i: u64, j: u64| (band.low..=band.high).contains(&(i as i64 - j as i64));
                let counted = (0..rows)
                    .flat_map(|i| (0..cols).filter(move |&j| held(i, j)))
                    .count() as u128;
                let cells = band.cells(rows, cols);
                assert!(
                    cells.abs_diff(counted) <= u128::from(rows + cols),
                    "{rows} {cols} {slack}: {cells} {counted}"
                );
            }
        }
    }
}
