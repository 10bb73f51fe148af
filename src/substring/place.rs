//! Places of substrings in the inputs.

use crate::names::named;

/// Strand of DNA that a substring is read on.
///
/// ```
/// use swath::substring::Strand;
/// use swath::{Engine, Options, Substring};
///
/// // Each is the reverse complement of the other.
/// let both = Substring::of(b"GATTACA", b"TGTAATC").both_strands();
/// let report = Engine::new(Options::default())?.run(&both)?;
/// let strands: Vec<_> = report.substrings[0].places.iter().map(|place| place.strand).collect();
/// assert_eq!((report.length, strands), (7, vec![Strand::Forward, Strand::Reverse]));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strand {
    /// The input as given.
    #[default]
    Forward,
    /// The reverse complement of the input.
    Reverse,
}

impl Strand {
    fn opposite(self) -> Self {
        match self {
            Strand::Forward => Strand::Reverse,
            Strand::Reverse => Strand::Forward,
        }
    }
}

named! {
    Strand, "strand",
    Forward = "+",
    Reverse = "-",
}

/// Position of a substring in an input. Places are ordered by input, record, start and strand.
///
/// `start` counts from the start of the record on both strands. A place on the reverse strand
/// denotes the reverse complement of `record[start..start + length]`.
///
/// ```
/// use swath::{Engine, Options, Substring};
///
/// // The second input has two records.
/// let records = [vec![&b"xABC"[..]], vec![b"yy", b"zzABC"]];
/// let report = Engine::new(Options::default())?.run(&Substring::of_records(records))?;
/// let place = report.substrings[0].places[1];
/// assert_eq!((place.input, place.record, place.start), (1, 1, 2));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Place {
    /// Index of the input, from 0.
    pub input: usize,
    /// Index of the record in the input, from 0.
    pub record: usize,
    /// Index of the first symbol in the record, from 0.
    pub start: usize,
    /// The strand that the substring is read on.
    pub strand: Strand,
}

impl Place {
    /// The place read on the opposite strand.
    pub(super) fn turned(self) -> Self {
        Self {
            strand: self.strand.opposite(),
            ..self
        }
    }
}
