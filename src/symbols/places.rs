//! Strings whose symbols are encoded one after the other.

use crate::sequences::codes::Symbol;
use crate::sequences::typed::{SymbolSlice, for_type};

/// A string whose symbols are encoded one after the other.
pub(crate) trait Places: Copy {
    /// Calls `each` with the [place](Symbol::place) of each symbol.
    fn for_each_place(self, each: impl FnMut(usize));

    /// The code of the place of each symbol.
    fn codes(self, code: impl FnMut(usize) -> u32) -> Vec<u32>;
}

impl<S: Symbol> Places for &[S] {
    #[inline]
    fn for_each_place(self, each: impl FnMut(usize)) {
        self.iter().map(|symbol| symbol.place()).for_each(each);
    }

    #[inline]
    fn codes(self, code: impl FnMut(usize) -> u32) -> Vec<u32> {
        self.iter().map(|symbol| symbol.place()).map(code).collect()
    }
}

impl Places for SymbolSlice<'_> {
    #[inline]
    fn for_each_place(self, each: impl FnMut(usize)) {
        for_type!(self, |symbols| symbols.for_each_place(each));
    }

    #[inline]
    fn codes(self, code: impl FnMut(usize) -> u32) -> Vec<u32> {
        for_type!(self, |symbols| symbols.codes(code))
    }
}
