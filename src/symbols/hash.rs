//! Polynomial hashes modulo 2^64 of windows of a sequence.
//!
//! Equal windows have equal hashes. Unequal ones may have, too: every candidate is verified.

use super::places::Places;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{SymbolSlice, for_type};

/// Multiplier (Knuth's 64-bit linear congruential generator).
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

pub(crate) fn hash(window: impl Places) -> u64 {
    let mut hash = 0;
    window.for_each_place(|index| hash = push(hash, index));
    hash
}

/// Hash of a string of bytes, eight at a time: another one than [`hash`].
pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]);
    words.fold(bytes.len() as u64, |hash, &word| {
        mix(hash ^ u64::from_le_bytes(word))
    })
}

/// Hashes of the windows of `len` symbols, in order; none if there are fewer symbols. `len` is at
/// least 1.
///
/// The last symbols of a window hardly affect the upper bits; those of a [`mixed`] hash depend on all
/// symbols.
pub(crate) fn hashes<S: Symbol>(symbols: &[S], len: usize) -> impl Iterator<Item = u64> {
    // Weight of the symbol that leaves the window.
    let weight = (0..len).fold(1u64, |power, _| power.wrapping_mul(MULTIPLIER));
    let first = &symbols[..(len - 1).min(symbols.len())];
    let entering = symbols.iter().skip(len - 1);
    // Before the first window, a symbol of value 0 leaves.
    let state = (hash(first), 0);
    let next = move |(hash, leaving): &mut (u64, u64), (&symbol, &oldest): (&S, &S)| {
        *hash = push(*hash, symbol.place()).wrapping_sub(weight.wrapping_mul(*leaving));
        *leaving = value(oldest.place());
        Some(*hash)
    };
    entering.zip(symbols).scan(state, next)
}

/// A hash whose upper bits depend on all bits of `hash` (Fibonacci hashing).
#[inline]
pub(crate) fn mixed(hash: u64) -> u64 {
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The highest `bits` bits of the [`mixed`] hash.
#[inline]
pub(crate) fn top(hash: u64, bits: u32) -> usize {
    (mixed(hash) >> (u64::BITS - bits)) as usize
}

/// Spreads every bit over the word (the finalizer of MurmurHash3).
pub(crate) fn mix(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    word ^= word >> 33;
    word = word.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    word ^ word >> 33
}

/// Hashes of the prefixes of a string.
#[derive(Default)]
pub(crate) struct Prefixes {
    /// By length; one more than there are symbols.
    hashes: Vec<u64>,
    /// Powers of the multiplier, at least as many.
    powers: Vec<u64>,
}

impl Prefixes {
    pub(crate) fn load(&mut self, string: SymbolSlice<'_>) {
        self.hashes.clear();
        self.hashes.push(0);
        let mut hash = 0u64;
        for_type!(string, |symbols| {
            self.hashes.extend(symbols.iter().map(|symbol| {
                hash = push(hash, symbol.place());
                hash
            }));
        });
        if self.powers.is_empty() {
            self.powers.push(1);
        }
        while self.powers.len() < self.hashes.len() {
            let last = self.powers[self.powers.len() - 1];
            self.powers.push(last.wrapping_mul(MULTIPLIER));
        }
    }

    /// Hash of symbols `start..end`.
    #[inline]
    pub(crate) fn of(&self, start: usize, end: usize) -> u64 {
        self.append(0, start, end)
    }

    /// Hash of a text with hash `before`, followed by symbols `start..end`.
    #[inline]
    pub(crate) fn append(&self, before: u64, start: usize, end: usize) -> u64 {
        let power = self.powers[end - start];
        let shifted = before.wrapping_sub(self.hashes[start]).wrapping_mul(power);
        shifted.wrapping_add(self.hashes[end])
    }
}

fn value(index: usize) -> u64 {
    index as u64 + 1
}

#[inline(always)]
fn push(hash: u64, index: usize) -> u64 {
    hash.wrapping_mul(MULTIPLIER).wrapping_add(value(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolled_hashes_are_those_of_the_windows() {
        let symbols: Vec<u8> = (0..50).map(|place| (place * place % 7) as u8).collect();
        for len in [1, 2, 9, 50, 51] {
            let rolled: Vec<_> = hashes(&symbols, len).collect();
            let expected: Vec<_> = symbols.windows(len).map(hash).collect();
            assert_eq!(rolled, expected, "{len}");
        }
    }
}
