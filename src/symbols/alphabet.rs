//! Codes of distinct symbols.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::hash::top;
use super::places::Places;
use crate::host::parallel;
use crate::host::threads::threads;
use crate::sequences::codes::{Symbol, TASK_SYMBOLS};

/// Places with an entry in the table: all bytes, and the first characters of Unicode.
const TABLE: usize = 1 << 8;

/// An odd number that inputs cannot know, so that no input makes its symbols collide.
static SECRET: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0) | 1);

/// Codes from 1 of distinct symbols in order of appearance; all other symbols have code 0. The
/// symbols are of a type whose [places](Symbol::place) differ where they do.
#[derive(Clone, Default)]
pub(crate) struct Alphabet {
    /// By place; empty if the first symbol is in a slot.
    table: Vec<u32>,
    /// By hash of the places without an entry, with linear probing. The length is 0 or a power of
    /// two, and at least half is empty, with code 0.
    slots: Vec<u32>,
    /// [`SECRET`] once there are slots.
    secret: u64,
    /// By code - 1.
    places: Vec<usize>,
}

impl Alphabet {
    pub(crate) fn of<P: Places>(strings: impl IntoIterator<Item = P>) -> Self {
        Self::few(strings, usize::MAX).unwrap_or_default()
    }

    /// Alphabet of these strings, or `None` if it has more than `max` symbols.
    pub(crate) fn few<P: Places>(strings: impl IntoIterator<Item = P>, max: usize) -> Option<Self> {
        let mut all = Self::default();
        strings.into_iter().all(|string| {
            string.for_each_place(|index| _ = all.add(index));
            all.codes() <= max
        });
        all.if_few(max)
    }

    /// As [`few`](Self::few), of the strings of `0..count`, on the current thread pool.
    pub(crate) fn few_by_threads<P: Places>(
        count: usize,
        string: impl Fn(usize) -> P + Sync,
        max: usize,
    ) -> Option<Self> {
        // Few ranges, as tables may be large.
        let of_range = count.div_ceil(4 * threads(None)).max(1);
        let parts =
            parallel::map_ranges(count, of_range, |range| Self::few(range.map(&string), max));
        let mut all = Self::default();
        for part in parts {
            part?.places.iter().for_each(|&index| _ = all.add(index));
        }
        all.if_few(max)
    }

    fn if_few(self, max: usize) -> Option<Self> {
        (self.codes() <= max).then_some(self)
    }

    /// The code of the symbol at a place, which is new if the alphabet does not have the symbol yet.
    #[inline]
    pub(crate) fn add(&mut self, index: usize) -> u32 {
        if self.table.is_empty() && self.slots.is_empty() && index < TABLE {
            self.table.resize(TABLE, 0);
        }
        let code = if index < self.table.len() {
            &mut self.table[index]
        } else {
            if 2 * self.places.len() >= self.slots.len() {
                self.reserve(self.places.len());
            }
            let slot = self.slot(index);
            &mut self.slots[slot]
        };
        if *code == 0 {
            self.places.push(index);
            *code = self.places.len() as u32;
        }
        *code
    }

    /// Makes slots for more symbols.
    #[cold]
    pub(crate) fn reserve(&mut self, more: usize) {
        let symbols = self.places.len() + more;
        self.secret = *SECRET;
        self.slots.clear();
        self.slots.resize((2 * symbols + 16).next_power_of_two(), 0);
        for (code, &index) in (1..).zip(&self.places) {
            if index >= self.table.len() {
                let slot = self.slot(index);
                self.slots[slot] = code;
            }
        }
    }

    /// The slot of a place without an entry, or an empty one.
    #[inline]
    fn slot(&self, index: usize) -> usize {
        let hash = (index as u64).wrapping_mul(self.secret);
        let mut slot = top(hash, self.slots.len().trailing_zeros());
        while let Some(&code) = self.slots.get(slot)
            && code > 0
            && self.places[code as usize - 1] != index
        {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    /// The alphabet with the other symbols of a second one behind its own.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        other.places.iter().for_each(|&index| _ = all.add(index));
        all
    }

    /// Number of symbols, the greatest code.
    pub(crate) fn codes(&self) -> usize {
        self.places.len()
    }

    /// The places of the symbols, by code - 1.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Calls `each` with the code of each symbol of a string.
    #[inline]
    pub(crate) fn for_each(&self, string: impl Places, mut each: impl FnMut(u32)) {
        string.for_each_place(|index| each(self.code(index)));
    }

    pub(crate) fn encoded(&self, string: impl Places) -> Vec<u32> {
        string.codes(|index| self.code(index))
    }

    /// Writes the codes of a string as bytes, and `other` for symbols that are not in the alphabet.
    pub(crate) fn write(&self, string: impl Places, other: u8, codes: &mut [u8]) {
        let mut codes = codes.iter_mut();
        self.for_each(string, |code| {
            if let Some(to) = codes.next() {
                *to = if code == 0 { other } else { code as u8 };
            }
        });
    }

    /// The code of the symbol at a place.
    #[inline]
    pub(crate) fn code(&self, index: usize) -> u32 {
        match self.table.get(index) {
            Some(&code) => code,
            None => self.slots.get(self.slot(index)).copied().unwrap_or(0),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        for index in self.places.drain(..) {
            if let Some(code) = self.table.get_mut(index) {
                *code = 0;
            }
        }
    }
}

/// Whether a symbol occurs in any of these sequences, by place; all places are less than `places`.
pub(crate) fn seen<'s, S: Symbol>(
    sequences: impl IntoIterator<Item = &'s [S]>,
    places: usize,
) -> Vec<bool> {
    let none = || vec![false; places];
    let chunks = |sequence: &'s [S]| sequence.chunks(TASK_SYMBOLS.max(places));
    let chunks: Vec<_> = sequences.into_iter().flat_map(chunks).collect();
    let seen = parallel::fold(chunks.len(), none, |seen, chunk| {
        // A fixed length removes the bounds checks.
        let len = if S::TABLE > 0 { S::TABLE } else { places };
        let seen = &mut seen[..len];
        chunks[chunk]
            .iter()
            .for_each(|symbol| seen[symbol.place()] = true);
    });
    let either = |mut all: Vec<bool>, other: Vec<bool>| {
        all.iter_mut()
            .zip(other)
            .for_each(|(all, other)| *all |= other);
        all
    };
    seen.into_iter().reduce(either).unwrap_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::hash::mixed;

    #[test]
    fn symbols_of_one_slot_have_their_own_codes() {
        let multiplier = mixed(1);
        // Inverse modulo 2^64, by Newton's method. The hashes of its multiples are small numbers.
        let inverse = (0..6).fold(1u64, |x, _| {
            x.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(multiplier)))
        });
        assert_eq!(mixed(inverse), 1);
        let symbols: Vec<u64> = (0..150)
            .map(|symbol: u64| symbol.wrapping_mul(inverse))
            .collect();
        let mut alphabet = Alphabet::default();
        for _ in 0..2 {
            assert_eq!(alphabet.encoded(&symbols[..]), [0; 150]);
            let added = symbols.codes(|place| alphabet.add(place));
            assert!(added.iter().copied().eq(1..=150));
            assert_eq!(alphabet.encoded(&symbols[..]), added);
            assert_eq!(alphabet.encoded(&[1u64, inverse, 2][..]), [0, 2, 0]);
            alphabet.clear();
        }
    }
}
