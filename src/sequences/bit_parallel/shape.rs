//! Table kind, dimensions and computed part of a problem with two sequences.

use super::band::Band;
use crate::sequences::codes::{Alphabet, Codes};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableKind {
    Lcs,
    Edit,
    /// Edit distances with a first column of zeros. The last column gives the best distance from
    /// `b` to a substring of `a` that ends at each row.
    EditInfix,
}

impl TableKind {
    pub const fn vertical(self) -> u32 {
        if matches!(self, TableKind::Lcs) { 1 } else { 2 }
    }

    /// Bits per column that a limb passes to the one below.
    pub const fn horizontal(self) -> u32 {
        if matches!(self, TableKind::Lcs) { 1 } else { 2 }
    }

    /// Vertical differences left of the first column, for 64 rows.
    pub const fn first_column(self) -> [u64; 2] {
        if matches!(self, TableKind::EditInfix) {
            [0, 0]
        } else {
            [!0, 0]
        }
    }

    /// Name of a method without a limit on the alphabet.
    pub(crate) fn unlimited(self) -> &'static str {
        if self == TableKind::EditInfix {
            "reference"
        } else {
            "wavefront"
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub table: TableKind,
    pub rows: u64,
    pub cols: u64,
    pub alphabet: Alphabet,
    pub band: Band,
}

impl Shape {
    pub fn new(table: TableKind, rows: u64, cols: u64, alphabet: impl Into<Alphabet>) -> Self {
        Self {
            table,
            rows,
            cols,
            alphabet: alphabet.into(),
            band: Band::WHOLE,
        }
    }

    pub fn of(table: TableKind, codes: Codes<'_>) -> Self {
        let (rows, cols) = (codes.a.len() as u64, codes.b.len() as u64);
        Self::new(table, rows, cols, codes.alphabet)
    }

    /// Restricts the shape to the band of all paths with at most this cost; the full table if that
    /// is not smaller.
    pub fn within(self, cost: u64) -> Self {
        let slack = Band::slack(self.rows, self.cols, cost).unwrap_or(0);
        let whole = slack >= self.rows.min(self.cols);
        Self {
            band: if whole {
                Band::WHOLE
            } else {
                Band::around(self.rows, self.cols, slack)
            },
            ..self
        }
    }

    /// The first half of the table and of its band: roughly a part by Hirschberg's method.
    pub fn half(self) -> Self {
        let Self { rows, cols, .. } = self;
        let Band { low, high } = self.band;
        let band = if self.band == Band::WHOLE {
            Band::WHOLE
        } else {
            Band {
                low: low / 2,
                high: high / 2,
            }
        };
        Self {
            rows: rows / 2,
            cols: cols / 2,
            band,
            ..self
        }
    }

    /// Cells inside the band. Strips at its edges compute a few more.
    pub fn cells(&self) -> u128 {
        self.band.cells(self.rows, self.cols)
    }
}
