//! Bytes that match others: ambiguous letters of DNA, and pairs that count as equal.
//!
//! A [`Matching`] tells which bytes match. Its [`letters`](Matching::letters) are the symbols of
//! [`Edit`](crate::Edit) and [`Lcs`](crate::Lcs) tasks. Matching is symmetric but not transitive:
//! N matches A and C, which differ.

use std::hash::{Hash, Hasher};

use crate::error::{Error, Result};
use crate::sequences::codes::Symbol;

/// Bits of a letter before those of its sets.
const BYTE: u32 = 8;
/// Number of sets of bytes that match each other.
const SETS: u32 = u32::BITS - BYTE;

/// A byte, and the sets that it is in. Two letters are equal if their bytes are, or if they are in a
/// common set.
///
/// This equality is not transitive, so letters are symbols of [`Edit`](crate::Edit) and
/// [`Lcs`](crate::Lcs) only; other tasks refuse them. Letters of different [`Matching`]s must not be
/// compared.
#[derive(Clone, Copy, Debug)]
pub struct Letter(u32);

impl Letter {
    /// The byte.
    pub fn byte(self) -> u8 {
        self.0 as u8
    }

    /// True if both match the same letters.
    pub(crate) fn is_same(self, other: Self) -> bool {
        self.0 == other.0
    }
}

impl PartialEq for Letter {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (self.0 ^ other.0) << SETS == 0 || (self.0 & other.0) >> BYTE != 0
    }
}

/// Asked for by [`Symbol`]. Nothing relies on its transitivity where [`Symbol::MATCHES_OTHERS`].
impl Eq for Letter {}

impl Hash for Letter {
    fn hash<H: Hasher>(&self, _: &mut H) {
        // Letters of different bytes may be equal.
    }
}

impl Symbol for Letter {
    const TABLE: usize = 0;
    const MATCHES_OTHERS: bool = true;

    fn groups(self) -> u32 {
        self.0 >> BYTE
    }

    fn place(self) -> usize {
        self.0 as usize
    }

    fn is_same(self, other: Self) -> bool {
        Letter::is_same(self, other)
    }

    fn letters(symbols: &[Self]) -> Option<&[Letter]> {
        Some(symbols)
    }
}

/// Which bytes match others; every byte matches itself.
///
/// ```
/// use swath::matching::Matching;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let iupac = Matching::iupac();
/// let report = engine.run(&Edit::of(iupac.letters(b"GANTRC"), iupac.letters(b"GATTAC")))?;
/// assert_eq!(report.distance.exactly(), Some(0));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matching {
    /// Sets of each byte.
    sets: [u32; 256],
    used: u32,
    ignores_case: bool,
}

/// Letters that stand for each of the four bases: A, C, G, and T or U.
const IUPAC: [&[u8]; 4] = [b"ARMWVHDN", b"CYMSVHBN", b"GRKSVDBN", b"TUYKWHDBN"];

fn cases(byte: u8) -> [u8; 2] {
    [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
}

impl Default for Matching {
    /// Every byte matches itself alone.
    fn default() -> Self {
        Self {
            sets: [0; 256],
            used: 0,
            ignores_case: false,
        }
    }
}

impl Matching {
    /// The IUPAC letters of DNA and RNA in either case: two match if some base is meant by both. N
    /// matches all, R matches A, G and all that may be one of these, U is T, and a is A.
    pub fn iupac() -> Self {
        let mut matching = Self {
            ignores_case: true,
            ..Self::default()
        };
        for letters in IUPAC {
            matching.add(letters.iter().copied().flat_map(cases));
        }
        matching
    }

    /// Lets two bytes match, after [`iupac`](Self::iupac) in either case. This does not make other
    /// bytes match that match one of them.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for the 25th pair, or for the 21st besides [`iupac`](Self::iupac).
    pub fn equal(mut self, x: u8, y: u8) -> Result<Self> {
        if x == y && !self.ignores_case {
            return Ok(self);
        }
        if self.used == SETS {
            return Err(Error::OutOfRange {
                what: "the number of pairs of symbols that match",
                given: u64::from(SETS) + 1,
                allowed: format!("{SETS} or less, with ambiguous letters {}", SETS - 4),
            });
        }
        if self.ignores_case {
            self.add([x, y].into_iter().flat_map(cases));
        } else {
            self.add([x, y]);
        }
        Ok(self)
    }

    fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.sets[usize::from(byte)] |= 1 << (BYTE + self.used);
        }
        self.used += 1;
    }

    /// The letters of a sequence.
    pub fn letters(&self, bytes: &[u8]) -> Vec<Letter> {
        let letter = |&byte: &u8| Letter(u32::from(byte) | self.sets[usize::from(byte)]);
        bytes.iter().map(letter).collect()
    }

    /// True if the bytes match.
    pub fn matches(&self, x: u8, y: u8) -> bool {
        x == y || self.sets[usize::from(x)] & self.sets[usize::from(y)] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_letters_match_what_they_stand_for() {
        let bases = |letter: u8| match letter.to_ascii_uppercase() {
            b'A' => "A",
            b'C' => "C",
            b'G' => "G",
            b'T' | b'U' => "T",
            b'R' => "AG",
            b'Y' => "CT",
            b'S' => "CG",
            b'W' => "AT",
            b'K' => "GT",
            b'M' => "AC",
            b'B' => "CGT",
            b'D' => "AGT",
            b'H' => "ACT",
            b'V' => "ACG",
            b'N' => "ACGT",
            _ => "",
        };
        let iupac = Matching::iupac();
        for (x, y) in (0..=255u8).flat_map(|x| (0..=255u8).map(move |y| (x, y))) {
            let share = bases(x).chars().any(|base| bases(y).contains(base));
            assert_eq!(iupac.matches(x, y), x == y || share, "{x} {y}");
            let letters = iupac.letters(&[x, y]);
            assert_eq!(letters[0] == letters[1], iupac.matches(x, y));
        }
    }

    #[test]
    fn pairs_match_without_those_that_match_one_of_them() {
        let matching = Matching::default().equal(b'x', b'y').expect("few");
        let matching = matching.equal(b'y', b'z').expect("few");
        assert!(matching.matches(b'x', b'y') && matching.matches(b'z', b'y'));
        assert!(!matching.matches(b'x', b'z'));
        let iupac = Matching::iupac().equal(b'T', b'c').expect("few");
        for (x, y) in [(b'T', b'C'), (b't', b'C'), (b'c', b't')] {
            assert!(iupac.matches(x, y) && !matching.matches(x, y));
        }
        assert!(!iupac.matches(b'U', b'C'));
        let many = (0..24).try_fold(Matching::default(), |all, x| all.equal(x, 100 + x));
        assert!(many.expect("24 fit").equal(b'x', b'y').is_err());
    }
}
