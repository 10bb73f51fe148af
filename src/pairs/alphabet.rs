//! Codes of the symbols of queries.

use std::collections::HashMap;

use super::Strings;
use crate::host::parallel;
use crate::host::threads::threads;
use crate::pairwise::codes::Symbol;

/// Maximum symbols that all queries share one alphabet for; more make the masks of a query large.
pub(super) const SHARED_CODES: usize = 255;

/// Codes from 1 of symbols in order of appearance; all other symbols have code 0.
pub(super) struct Alphabet<S> {
    /// By symbol, if the type has few.
    table: Vec<u32>,
    others: HashMap<S, u32>,
    /// By code.
    symbols: Vec<S>,
}

impl<S: Symbol> Alphabet<S> {
    fn new() -> Self {
        Self {
            table: vec![0; S::TABLE],
            others: HashMap::new(),
            symbols: Vec::new(),
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
        let all = strings.iter().fold(Self::new(), Self::with);
        all.is_shared().then_some(all)
    }

    /// As [`shared`](Self::shared), of the strings of `0..count`, on all threads.
    pub(super) fn shared_by_threads<'s>(
        count: usize,
        string: impl Fn(usize) -> &'s [S] + Sync,
    ) -> Option<Self> {
        // Few ranges, as tables may be large.
        let of_range = count.div_ceil(4 * threads(None)).max(1);
        let parts = parallel::map_ranges(count, of_range, |range| {
            range.map(&string).fold(Self::new(), Self::with).symbols
        });
        let parts = parts.iter().map(Vec::as_slice);
        let all = parts.fold(Self::new(), Self::with);
        all.is_shared().then_some(all)
    }

    fn with(mut self, string: &[S]) -> Self {
        if self.is_shared() {
            string.iter().for_each(|&symbol| self.add(symbol));
        }
        self
    }

    fn is_shared(&self) -> bool {
        self.codes() <= SHARED_CODES
    }

    #[inline]
    fn add(&mut self, symbol: S) {
        let code = match S::TABLE {
            0 => self.others.entry(symbol).or_insert(0),
            _ => &mut self.table[symbol.place()],
        };
        if *code == 0 {
            self.symbols.push(symbol);
            *code = self.symbols.len() as u32;
        }
    }

    /// Number of symbols, the greatest code.
    pub(super) fn codes(&self) -> usize {
        self.symbols.len()
    }

    /// Writes the codes of symbols as bytes, for an alphabet of up to 254 symbols. Symbols that are not
    /// in the alphabet get the next code, [`codes`](Self::codes) + 1.
    #[inline]
    pub(super) fn encode(&self, symbols: &[S], codes: &mut [u8]) {
        let other = self.codes() as u8 + 1;
        let of = |code: u32| if code == 0 { other } else { code as u8 };
        let all = codes.iter_mut().zip(symbols);
        match S::TABLE {
            0 => all.for_each(|(to, &symbol)| *to = of(self.code(symbol))),
            _ => {
                // The fixed length removes the bounds checks.
                let table = &self.table[..S::TABLE];
                all.for_each(|(to, symbol)| *to = of(table[symbol.place()]));
            }
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
