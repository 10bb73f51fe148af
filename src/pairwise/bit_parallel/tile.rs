//! What a path through a part of the table is recomputed from.

use std::ops::Range;

use super::recurrence::Recurrence;

/// A rectangle of the table with what enters it from the left and from above.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    /// Rows, from 0.
    pub rows: Range<usize>,
    /// Columns, from 0.
    pub cols: Range<usize>,
    /// Vertical differences at the column left of `cols.start`, by vector, 64 rows a word.
    pub v: [Vec<u64>; 2],
    /// Horizontal differences of the row above `rows.start`, by bit, 64 columns a word.
    pub h: [Vec<u64>; 2],
}

impl Tile {
    /// A tile that starts at the table's first row and column.
    pub(crate) fn corner<R: Recurrence>(rows: usize, cols: usize) -> Self {
        Self {
            rows: 0..rows,
            cols: 0..cols,
            v: R::FIRST_COLUMN.map(|word| vec![word; rows.div_ceil(64)]),
            h: R::FIRST_ROW.map(|word| vec![word; cols.div_ceil(64)]),
        }
    }
}
