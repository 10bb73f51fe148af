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

pub use task::{Orient, Orientations, OrientedPair};

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
    /// Symbols without a complement stay as they are; a `start` past the end counts modulo the
    /// length.
    pub fn apply(&self, record: &[u8]) -> Vec<u8> {
        let mut turned = match self.strand {
            Strand::Forward => record.to_vec(),
            Strand::Reverse => record
                .iter()
                .rev()
                .map(|&symbol| opposite(symbol))
                .collect(),
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

fn opposite(symbol: u8) -> u8 {
    match dna::complement(symbol) {
        0 => symbol,
        complement => complement,
    }
}
