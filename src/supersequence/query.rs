//! The query of the table methods for two inputs.

use super::{Method, ScsOptions};
use crate::engine::placement::Answered;
use crate::lcs::subsequence::Subsequence;
use crate::path_mode::PathMode;
use crate::sequences::codes::Encoded;
use crate::sequences::stripped::StrippedPair;
use crate::sequences::typed::for_type;

/// Two inputs without their common affixes.
pub(crate) struct TableQuery<'a> {
    pub(super) stripped: &'a StrippedPair<'a>,
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

impl<'a> TableQuery<'a> {
    pub(super) fn new(stripped: &'a StrippedPair<'a>, options: &ScsOptions) -> Self {
        let codes = match options.method {
            Method::Reference => Encoded::new::<u8>(&[], &[]),
            _ => for_type!(stripped, |pair| Encoded::new(pair.rows, pair.cols)),
        };
        Self {
            stripped,
            method: options.method,
            path: options.path,
            codes,
        }
    }

    /// Rows and columns between the affixes.
    pub(super) fn lens(&self) -> (usize, usize) {
        (self.stripped.rows().len(), self.stripped.cols().len())
    }

    pub(crate) fn table_cells(&self) -> u128 {
        let (rows, cols) = self.lens();
        rows as u128 * cols as u128
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
        let (rows, cols) = self.lens();
        (rows + cols) as u64
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
