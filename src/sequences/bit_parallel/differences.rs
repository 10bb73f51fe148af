//! Reference tables and their differences between neighbouring cells, for tests.

use super::recurrence::{Column, Recurrence};
use crate::sequences::bit_parallel::shape::TableKind;

/// Values indexed by column, then row, including the column before the first symbol.
pub(crate) struct ReferenceValues(Vec<Vec<i64>>);

impl ReferenceValues {
    pub(crate) fn new<R: Recurrence, S: PartialEq>(a: &[S], b: &[S]) -> Self {
        let lcs = R::TABLE == TableKind::Lcs;
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
                column.push(if lcs {
                    up.max(left).max(diagonal + i64::from(x == y))
                } else {
                    (up + 1).min(left + 1).min(diagonal + i64::from(x != y))
                });
            }
            columns.push(column);
        }
        Self(columns)
    }

    pub(crate) fn last_column(mut self) -> Vec<i64> {
        self.0.pop().unwrap_or_default()
    }

    /// Vertical differences of `rows` after `col` columns, encoded as in
    /// [`Recurrence::FIRST_COLUMN`].
    pub(crate) fn vertical<R: Recurrence>(
        &self,
        rows: std::ops::Range<usize>,
        col: usize,
    ) -> [Vec<u64>; 2] {
        let column = &self.0[col];
        let differences = rows.map(|row| column[row + 1] - column[row]);
        match R::TABLE {
            TableKind::Lcs => [
                pack(differences.map(|difference| difference == 0)),
                Vec::new(),
            ],
            _ => [1, -1].map(|sign| pack(differences.clone().map(|difference| difference == sign))),
        }
    }

    /// Horizontal differences of `cols` after `row` rows, encoded as in [`Recurrence::FIRST_ROW`].
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

pub(crate) fn last_column<R: Recurrence>(a: &[u32], b: &[u32]) -> Column {
    Column(ReferenceValues::new::<R, _>(a, b).vertical::<R>(0..a.len(), b.len()))
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
