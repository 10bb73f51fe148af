//! Which table a problem of two sequences is, its size, and what is computed of it.

use super::band::Band;

/// Which table is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// Lengths of longest common subsequences.
    Lcs,
    /// Edit distances.
    Edit,
    /// Edit distances with a first column of zeros: the last one tells how near the columns' sequence comes to any piece of
    /// the rows' that ends at a row.
    EditInfix,
}

impl Table {
    /// Vectors of vertical differences.
    pub const fn vertical(self) -> u32 {
        if matches!(self, Table::Lcs) { 1 } else { 2 }
    }

    /// Horizontal differences that a limb hands on, in bits a column.
    pub const fn horizontal(self) -> u32 {
        if matches!(self, Table::Lcs) { 1 } else { 2 }
    }

    /// The vertical differences left of the first column, 64 rows.
    pub const fn first_column(self) -> [u64; 2] {
        if matches!(self, Table::EditInfix) {
            [0, 0]
        } else {
            [!0, 0]
        }
    }

    /// A method that has no limit on symbols.
    pub(crate) fn unlimited(self) -> &'static str {
        if self == Table::EditInfix {
            "reference"
        } else {
            "wavefront"
        }
    }
}

/// Size of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Which table.
    pub table: Table,
    /// Length of `a`.
    pub rows: u64,
    /// Length of `b`.
    pub cols: u64,
    /// Symbols that both have.
    pub shared: u32,
    /// What is computed of the table.
    pub band: Band,
}

impl Shape {
    /// A whole table.
    pub fn new(table: Table, rows: u64, cols: u64, shared: u32) -> Self {
        Self {
            table,
            rows,
            cols,
            shared,
            band: Band::WHOLE,
        }
    }

    /// The band that holds every path from corner to corner of no greater cost, or the whole table where that is no less.
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

    /// Cells that are computed; strips at the edges of a band have some more.
    pub fn cells(&self) -> u128 {
        self.band.cells(self.rows, self.cols)
    }
}
