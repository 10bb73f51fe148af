//! Where a substring lies in the inputs.

use crate::engine::names::named;

/// The strand of DNA that a substring is read from.
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
    /// As the input stands there.
    #[default]
    Forward,
    /// The reverse complement of what stands there.
    Reverse,
}

impl Strand {
    /// Both, forward first.
    pub const ALL: [Strand; 2] = [Strand::Forward, Strand::Reverse];

    /// The sign that formats of bioinformatics have for it.
    pub fn name(self) -> &'static str {
        match self {
            Strand::Forward => "+",
            Strand::Reverse => "-",
        }
    }

    /// The other one.
    pub(crate) fn opposite(self) -> Self {
        match self {
            Strand::Forward => Strand::Reverse,
            Strand::Reverse => Strand::Forward,
        }
    }
}

named!(Strand, "strand");

/// A run of consecutive symbols of one record. Places are ordered by input, record, start and strand.
///
/// On the reverse strand, too, the start is counted on the record as it stands: what the place means is the reverse complement of
/// `record[start..start + length]`.
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
    /// Which input, from 0.
    pub input: usize,
    /// Which record of it, from 0.
    pub record: usize,
    /// The first symbol in the record, from 0.
    pub start: usize,
    /// The strand that it is read from.
    pub strand: Strand,
}
