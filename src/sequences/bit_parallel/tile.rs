//! Tiles that a traceback recomputes.

use std::ops::Range;

use super::recurrence::Recurrence;

/// A rectangle of the table with its left and upper boundary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    pub rows: Range<usize>,
    pub cols: Range<usize>,
    /// Vertical differences left of `cols.start`: `[vector][word]`, 64 rows per word.
    pub v: [Vec<u64>; 2],
    /// Horizontal differences above `rows.start`: `[bit][word]`, 64 columns per word.
    pub h: [Vec<u64>; 2],
}

impl Tile {
    pub(crate) fn corner<R: Recurrence>(rows: usize, cols: usize) -> Self {
        Self {
            rows: 0..rows,
            cols: 0..cols,
            v: R::FIRST_COLUMN.map(|word| vec![word; rows.div_ceil(64)]),
            h: R::FIRST_ROW.map(|word| vec![word; cols.div_ceil(64)]),
        }
    }
}
