//! Polynomial hashes of substrings, in constant time from those of all prefixes.
//!
//! Equal substrings have equal hashes. Unequal ones may have, too: every candidate is verified.

use crate::pairwise::codes::Symbol;

const BASE: u64 = 0x9E6C_63D0_876A_5F4B;
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Spreads every bit over the word (the finalizer of MurmurHash3).
pub(super) fn mix(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    word ^= word >> 33;
    word = word.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    word ^ word >> 33
}

fn term<S: Symbol>(symbol: S) -> u64 {
    let word = (symbol.place() as u64 + 1).wrapping_mul(SPREAD);
    word ^ word >> 32
}

/// Hash of a whole string.
pub(super) fn of_string<S: Symbol>(string: &[S]) -> u64 {
    let append = |hash: u64, &symbol: &S| hash.wrapping_mul(BASE).wrapping_add(term(symbol));
    mix(string.iter().fold(string.len() as u64, append))
}

/// Hashes of the prefixes of a string.
#[derive(Default)]
pub(super) struct Prefixes {
    /// By length; one more than there are symbols.
    hashes: Vec<u64>,
    /// Powers of the base, at least as many.
    powers: Vec<u64>,
}

impl Prefixes {
    /// Replaces the string.
    pub(super) fn load<S: Symbol>(&mut self, string: &[S]) {
        self.hashes.clear();
        self.hashes.push(0);
        let mut hash = 0u64;
        self.hashes.extend(string.iter().map(|&symbol| {
            hash = hash.wrapping_mul(BASE).wrapping_add(term(symbol));
            hash
        }));
        if self.powers.is_empty() {
            self.powers.push(1);
        }
        while self.powers.len() < self.hashes.len() {
            let last = self.powers[self.powers.len() - 1];
            self.powers.push(last.wrapping_mul(BASE));
        }
    }

    /// Hash of symbols `start..end`.
    #[inline]
    pub(super) fn of(&self, start: usize, end: usize) -> u64 {
        self.append(0, start, end)
    }

    /// Hash of a text with hash `before`, followed by symbols `start..end`.
    #[inline]
    pub(super) fn append(&self, before: u64, start: usize, end: usize) -> u64 {
        let power = self.powers[end - start];
        let shifted = before.wrapping_sub(self.hashes[start]).wrapping_mul(power);
        shifted.wrapping_add(self.hashes[end])
    }
}
