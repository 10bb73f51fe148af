//! Edit distance with unit costs (Levenshtein) and the alignment.
//!
//! `D[i][j]` is the least number of substitutions, insertions and deletions that turn `a[..i]` into
//! `b[..j]`: `D[i][j] = min(D[i-1][j-1] + (a[i-1] != b[j-1]), D[i-1][j] + 1, D[i][j-1] + 1)` with
//! `D[i][0] = i` and `D[0][j] = j` (Wagner and Fischer 1974, doi:10.1145/321796.321811). `a` is the
//! query and `b` the target.
//!
//! [`Edit`] is the task and shows an example; [`EditDistance`] is its answer.

mod alignment;
mod cigar;
mod gaps;
mod global;
#[allow(missing_docs)]
pub(crate) mod gpu;
pub(crate) mod known;
pub(crate) mod options;
mod pieces;
pub(crate) mod problem;
#[allow(missing_docs)]
pub(crate) mod reference;
mod selftest;
mod solve;
mod task;
#[allow(missing_docs)]
pub(crate) mod wavefront;

use crate::names::named;
pub use alignment::{Alignment, Op};
pub(crate) use global::global;
pub use options::EditOptions;
pub(crate) use selftest::selftest;
pub(crate) use solve::{plan, solve};
pub use task::{Edit, EditDistance};

/// Algorithm for the edit distance table.
///
/// ```
/// use swath::edit_distance::Method;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?; let method: Method = "bit-parallel".parse()?; let
/// report = engine.run(&Edit::of(b"kitten", b"sitting").method(method))?;
/// assert_eq!((report.distance.exactly(), report.run.method), (Some(3), "bit-parallel"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The method with the lowest expected time for these inputs and this device.
    #[default]
    Auto,
    /// Bit-parallel strip sweep, on the GPU or in SIMD registers. Gains nothing from similar
    /// inputs. With [`Mode::Infix`] it sweeps the whole table.
    BitParallel,
    /// Bit-parallel strip sweep of a band of diagonals, which is widened until it proves the
    /// distance (Ukkonen 1985).
    Banded,
    /// One pass per anti-diagonal of cells; the distance only. A baseline.
    AntiDiagonal,
    /// One pass per anti-diagonal of tiles; the distance only. A baseline.
    Tiled,
    /// Furthest-reaching points by diagonal transition (Ukkonen 1985), for similar inputs; on the
    /// CPU, or on the GPU with one pass per wavefront. Global only.
    Wavefront,
    /// Plain table of Wagner and Fischer; CPU only. The oracle of the tests.
    Reference,
}

named! {
    Method, "method",
    Auto = "auto",
    BitParallel = "bit-parallel",
    Banded = "banded",
    AntiDiagonal = "anti-diagonal",
    Tiled = "tiled",
    Wavefront = "wavefront",
    Reference = "reference",
}

/// Part of the target that the query is compared with. The whole query is always aligned.
///
/// ```
/// use swath::edit_distance::Mode;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// for (mode, distance) in [(Mode::Global, 3), (Mode::Prefix, 2), (Mode::Infix, 0)] {
///     let report = engine.run(&Edit::of(b"ACGT", b"TTACGTT").mode(mode))?;
///     assert_eq!(report.distance.exactly(), Some(distance));
/// }
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// The whole target (NW in edlib). Use it for two versions of one sequence.
    ///
    /// `ACGT` and `TTACGTT` have distance 3: three symbols of the target are deleted.
    #[default]
    Global,
    /// The nearest prefix of the target (SHW in edlib): gaps at the target's end are free. Use it
    /// to match a primer or barcode at the start of a read.
    ///
    /// `ACGT` and `TTACGTT` have distance 2: the prefix `TTACGT` has two symbols too many.
    Prefix,
    /// The nearest piece of the target (HW in edlib): gaps at both ends of the target are free. Use
    /// it to find a read in a genome or a word in a text.
    ///
    /// `ACGT` and `TTACGTT` have distance 0: `ACGT` occurs at 2.
    Infix,
}

named! {
    Mode, "mode",
    Global = "global",
    Prefix = "prefix",
    Infix = "infix",
}

/// Placement of gaps that have several optimal positions.
///
/// ```
/// use swath::edit_distance::Gaps;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// for (gaps, cigar) in [(Gaps::Left, "1D3M"), (Gaps::Right, "2M1D1M")] {
///     let report = engine.run(&Edit::of(b"AAT", b"AAAT").path().gaps(gaps))?;
///     assert_eq!(report.alignment.as_ref().expect("it was asked for").cigar(), cigar);
/// }
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gaps {
    /// As far left as equal symbols allow, as in VCF.
    Left,
    /// As far right as equal symbols allow, as in HGVS.
    Right,
}

named! {
    Gaps, "side of gaps",
    Left = "left",
    Right = "right",
}

/// Edit distance, or a lower bound if it exceeds the requested maximum.
///
/// ```
/// use swath::edit_distance::Distance;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?; let within = |max|
/// engine.run(&Edit::of(b"kitten", b"sitting").within(max)); assert_eq!(within(5)?.distance,
/// Distance::Exactly(3)); assert_eq!(within(2)?.distance, Distance::MoreThan(2));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Distance {
    /// The distance.
    Exactly(u64),
    /// The distance exceeds this bound, the maximum of [`Edit::within`].
    MoreThan(u64),
}

impl Distance {
    /// The distance; `None` if it exceeds the requested maximum.
    pub fn exactly(self) -> Option<u64> {
        match self {
            Distance::Exactly(distance) => Some(distance),
            Distance::MoreThan(_) => None,
        }
    }
}

/// Formats the distance, or `> ` and the bound.
impl std::fmt::Display for Distance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Distance::Exactly(distance) => write!(formatter, "{distance}"),
            Distance::MoreThan(bound) => write!(formatter, "> {bound}"),
        }
    }
}

/// Piece of the target at the minimum distance from the query. Positions count symbols from 0.
///
/// ```
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?; let report = engine.run(&Edit::of(b"ACGT",
/// b"TTACGTT").infix().starts())?; assert_eq!((report.pieces[0].start, report.pieces[0].end),
/// (Some(2), 6));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Piece {
    /// Position of the first symbol; 0 with [`Mode::Prefix`]. With [`Mode::Infix`] it is `None`
    /// unless [`Edit::starts`] was requested; [`Edit::path`] alone sets it for the first piece. Of
    /// several starts it is the first, which gives the longest piece.
    pub start: Option<usize>,
    /// Position after the last symbol; 0 for the empty piece at the start of the target.
    pub end: usize,
}
