//! Codes of the symbols of queries.

use std::collections::HashMap;

use super::Strings;
use crate::pairwise::codes::Symbol;

/// Maximum symbols that all queries share one alphabet for; more make the masks of a query large.
pub(super) const SHARED_CODES: usize = 255;

/// Codes from 1 of symbols in order of appearance; all other symbols have code 0.
pub(super) struct Alphabet<S> {
    /// By symbol, if the type has few.
    table: Vec<u32>,
    others: HashMap<S, u32>,
    pub(super) codes: usize,
}

impl<S: Symbol> Alphabet<S> {
    fn new() -> Self {
        Self {
            table: vec![0; S::TABLE],
            others: HashMap::new(),
            codes: 0,
        }
    }

    /// Alphabet of these symbols.
    pub(super) fn of(symbols: impl IntoIterator<Item = S>) -> Self {
        let mut alphabet = Self::new();
        symbols.into_iter().for_each(|symbol| alphabet.add(symbol));
        alphabet
    }

    /// Alphabet of all strings, or `None` if it has more than [`SHARED_CODES`] symbols.
    pub(super) fn shared(strings: &Strings<'_, S>) -> Option<Self> {
        let mut alphabet = Self::new();
        for string in strings.iter() {
            string.iter().for_each(|&symbol| alphabet.add(symbol));
            if alphabet.codes > SHARED_CODES {
                return None;
            }
        }
        Some(alphabet)
    }

    fn add(&mut self, symbol: S) {
        let code = match S::TABLE {
            0 => self.others.entry(symbol).or_insert(0),
            _ => &mut self.table[symbol.place()],
        };
        if *code == 0 {
            self.codes += 1;
            *code = self.codes as u32;
        }
    }

    #[inline]
    pub(super) fn code(&self, symbol: S) -> u32 {
        match S::TABLE {
            0 => self.others.get(&symbol).copied().unwrap_or(0),
            _ => self.table[symbol.place()],
        }
    }
}
