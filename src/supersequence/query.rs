//! The query of the table methods for two inputs.

use super::{Method, ScsOptions};
use crate::engine::placement::Answered;
use crate::lcs::subsequence::Subsequence;
use crate::path_mode::PathMode;
use crate::sequences::affixes::Stripped;
use crate::sequences::codes::{Encoded, Symbol};

/// Two inputs without their common affixes.
pub(crate) struct TableQuery<'a, S> {
    pub(super) stripped: &'a Stripped<'a, S>,
    pub(super) method: Method,
    pub path: bool,
    /// Empty for [`Method::Reference`], which compares symbols.
    pub codes: Encoded,
}

/// Answer between the affixes.
pub(crate) struct TableAnswer {
    pub length: u64,
    /// `None` without a path.
    pub shared: Option<Subsequence>,
}

impl<'a, S: Symbol> TableQuery<'a, S> {
    pub(super) fn new(stripped: &'a Stripped<'a, S>, options: &ScsOptions) -> Self {
        let codes = match options.method {
            Method::Reference => Encoded::new::<S>(&[], &[]),
            _ => Encoded::new(stripped.rows, stripped.cols),
        };
        Self {
            stripped,
            method: options.method,
            path: options.path,
            codes,
        }
    }

    /// Cells between the affixes.
    pub(crate) fn table_cells(&self) -> u128 {
        self.stripped.cells()
    }

    /// False if an input is a prefix or suffix of the other, or empty.
    pub(crate) fn has_table(&self) -> bool {
        self.table_cells() > 0
    }

    /// Host bytes of the codes.
    pub(crate) fn code_bytes(&self) -> u64 {
        4 * self.symbols()
    }

    pub(super) fn symbols(&self) -> u64 {
        (self.stripped.rows.len() + self.stripped.cols.len()) as u64
    }

    /// The answer if no symbols are left to match.
    pub(crate) fn unmatched(&self) -> Answered<TableAnswer> {
        self.answered(self.symbols(), self.path.then(Subsequence::default))
    }

    /// An answer of the whole table.
    pub(crate) fn answered(
        &self,
        length: u64,
        shared: Option<Subsequence>,
    ) -> Answered<TableAnswer> {
        Answered {
            path_mode: PathMode::Table.if_path(self.path),
            computed_cells: self.table_cells(),
            answer: TableAnswer { length, shared },
        }
    }
}
