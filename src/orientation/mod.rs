//! Strand and origin of records: how to turn one sequence before it is aligned to another.
//!
//! Genomes of one species often lie in their files on opposite strands, and circular ones start at
//! different bases. [`Orient`] finds the strand and the rotation from the maximal matches of both
//! inputs, and which record of one input belongs to which of the other.
//!
//! The choice is a heuristic: it takes the rotation whose collinear matches are longest in total,
//! which need not be the rotation of least distance. A later alignment is exact for the sequences
//! as turned.

mod anchors;
mod chain;
mod pairing;
mod seam;
mod task;

use crate::error::Result;
use crate::substring::{Strand, dna};

pub use pairing::OrientedPair;
pub use task::{Orient, Orientations};

/// The reverse complement of DNA.
///
/// # Errors
/// [`Error::NotDna`](crate::Error::NotDna) with the first symbol that is none of the 15 IUPAC
/// letters.
///
/// ```
/// use swath::orientation::reverse_complement;
///
/// assert_eq!(reverse_complement(b"AACGN")?, b"NCGTT");
/// assert!(reverse_complement(b"AACGU").is_err());
/// # Ok::<(), swath::Error>(())
/// ```
pub fn reverse_complement(record: &[u8]) -> Result<Vec<u8>> {
    dna::check(0, &[record])?;
    let strand = Strand::Reverse;
    Ok(Orientation { strand, start: 0 }.apply(record))
}

/// Strand and rotation of a record.
///
/// ```
/// use swath::orientation::Orientation;
/// use swath::substring::Strand;
///
/// let orientation = Orientation { strand: Strand::Reverse, start: 1 };
/// assert_eq!(orientation.apply(b"AACG"), b"GTTC");
/// assert_eq!(orientation.position(0, 4), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Orientation {
    /// The strand that is read.
    pub strand: Strand,
    /// Position on that strand, from 0, of the first symbol of the turned record; less than its
    /// length, and 0 unless the record is circular.
    pub start: usize,
}

impl Orientation {
    /// The record on [`strand`](Self::strand), rotated to begin at [`start`](Self::start).
    ///
    /// A record with U and without T is RNA, in which the complement of A is U; that of U is A in any
    /// record. Symbols without a complement stay as they are; a `start` past the end counts modulo
    /// the length.
    pub fn apply(&self, record: &[u8]) -> Vec<u8> {
        let mut turned = match self.strand {
            Strand::Forward => record.to_vec(),
            Strand::Reverse => {
                let has = |letter: u8| record.iter().any(|one| one.eq_ignore_ascii_case(&letter));
                let is_rna = has(b'U') && !has(b'T');
                let symbols = record.iter().rev();
                symbols.map(|&one| complement(one, is_rna)).collect()
            }
        };
        if !turned.is_empty() {
            let start = self.start % turned.len();
            turned.rotate_left(start);
        }
        turned
    }

    /// Position in a record of `len` symbols, as given, of the symbol at `position` of the turned
    /// record.
    ///
    /// # Panics
    /// If `len` is 0.
    pub fn position(&self, position: usize, len: usize) -> usize {
        let on_strand = (position + self.start) % len;
        match self.strand {
            Strand::Forward => on_strand,
            Strand::Reverse => len - 1 - on_strand,
        }
    }
}

/// The complement of a letter of DNA or RNA; any other symbol itself.
fn complement(symbol: u8, is_rna: bool) -> u8 {
    match (symbol, dna::complement(symbol)) {
        (b'U', _) => b'A',
        (b'u', _) => b'a',
        (b'A', _) if is_rna => b'U',
        (b'a', _) if is_rna => b'u',
        (_, 0) => symbol,
        (_, complement) => complement,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverse_strands_of_dna_and_rna() {
        let reverse = Orientation {
            strand: Strand::Reverse,
            start: 0,
        };
        for (record, expected) in [
            (&b"AACGTRn"[..], &b"nYACGTT"[..]),
            (b"AACGURn", b"nYACGUU"),
            (b"aaU", b"Auu"),
            (b"AUT", b"AAT"),
            (b"A-", b"-T"),
        ] {
            assert_eq!(reverse.apply(record), expected);
            let has_both = record.contains(&b'U') && record.contains(&b'T');
            assert_eq!(reverse.apply(expected) == record, !has_both);
        }
    }
}
