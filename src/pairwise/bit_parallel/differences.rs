//! The reference tables, and their differences between neighbouring cells: the oracle of every sweep's tests.

use super::recurrence::{Column, Recurrence};
use crate::pairwise::bit_parallel::shape::Table;

/// Values by column, the one left of the first symbol first, and by row.
pub(crate) struct Values(Vec<Vec<i64>>);

impl Values {
    pub(crate) fn new<R: Recurrence>(a: &[u32], b: &[u32]) -> Self {
        let lcs = R::TABLE == Table::Lcs;
        let mut columns = vec![
            (0..=a.len() as i64)
                .map(|row| if lcs { 0 } else { row })
                .collect::<Vec<_>>(),
        ];
        for (before, y) in b.iter().enumerate() {
            let mut column = vec![if lcs { 0 } else { before as i64 + 1 }];
            for (row, x) in a.iter().enumerate() {
                let (up, left, diagonal) =
                    (column[row], columns[before][row + 1], columns[before][row]);
                column.push(match lcs {
                    true => up.max(left).max(diagonal + i64::from(x == y)),
                    false => (up + 1).min(left + 1).min(diagonal + i64::from(x != y)),
                });
            }
            columns.push(column);
        }
        Self(columns)
    }

    /// The vertical differences of some rows behind `col` columns, as [`Recurrence::FIRST_COLUMN`] has them.
    pub(crate) fn vertical<R: Recurrence>(
        &self,
        rows: std::ops::Range<usize>,
        col: usize,
    ) -> [Vec<u64>; 2] {
        let column = &self.0[col];
        let differences = rows.map(|row| column[row + 1] - column[row]);
        match R::TABLE {
            Table::Lcs => [
                pack(differences.map(|difference| difference == 0)),
                Vec::new(),
            ],
            _ => [1, -1].map(|sign| pack(differences.clone().map(|difference| difference == sign))),
        }
    }

    /// The horizontal differences of some columns below `row` rows, as [`Recurrence::FIRST_ROW`] has them.
    pub(crate) fn horizontal<R: Recurrence>(
        &self,
        row: usize,
        cols: std::ops::Range<usize>,
    ) -> [Vec<u64>; 2] {
        [1, -1].map(|sign| {
            pack(
                cols.clone()
                    .map(|col| self.0[col + 1][row] - self.0[col][row] == sign),
            )
        })
    }
}

/// The last column.
pub(crate) fn last_column<R: Recurrence>(a: &[u32], b: &[u32]) -> Column {
    Column(Values::new::<R>(a, b).vertical::<R>(0..a.len(), b.len()))
}

fn pack(bits: impl Iterator<Item = bool>) -> Vec<u64> {
    let bits: Vec<_> = bits.collect();
    bits.chunks(64)
        .map(|bits| {
            bits.iter()
                .rev()
                .fold(0, |word, &bit| word << 1 | u64::from(bit))
        })
        .collect()
}
