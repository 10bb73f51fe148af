//! Edit distance with unit costs (Levenshtein), and the alignment.
//!
//! `D[i][j]` is the least number of substitutions, insertions and deletions that turn `a[..i]` into `b[..j]`:
//! `D[i][j] = min(D[i-1][j-1] + (a[i-1] != b[j-1]), D[i-1][j] + 1, D[i][j-1] + 1)` with `D[i][0] = i` and `D[0][j] = j`
//! (Wagner and Fischer 1974, doi:10.1145/321796.321811). `a` is the query and `b` the target.
//!
//! The task [`Edit`] asks for it, and has an example.

mod alignment;
mod cigar;
mod filter;
mod gaps;
mod global;
pub(crate) mod gpu;
mod locate;
pub(crate) mod options;
mod pieces;
mod problem;
pub(crate) mod reference;
mod search;
mod selftest;
mod solve;
mod starts;
mod summary;
mod task;
pub(crate) mod tiled;
pub(crate) mod tiled_cpu;
pub(crate) mod wavefront;

use crate::engine::names::named;
pub use alignment::{Alignment, Op};
pub(crate) use options::EditOptions;
pub(crate) use selftest::selftest;
pub(crate) use solve::solve;
pub(crate) use summary::summarize;
pub use task::{Edit, EditDistance};

/// How to compute the table.
///
/// ```
/// use swath::edit_distance::Method;
/// use swath::{Edit, Engine, Options};
///
/// let method: Method = "bit-parallel".parse()?;
/// let report = Engine::new(Options::default())?.run(&Edit::of(b"kitten", b"sitting").method(method))?;
/// assert_eq!((report.distance.exactly(), report.run.method), (Some(3), "bit-parallel"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest that is right for these inputs and this device.
    #[default]
    Auto,
    /// The strip sweep over bit vectors, on the GPU or in SIMD registers; similar inputs are not treated apart. Of [`Mode::Infix`]
    /// it is the whole table.
    BitParallel,
    /// The strip sweep of the diagonals that a best path may reach, widened until they prove the distance.
    Banded,
    /// One pass an anti-diagonal of cells; the distance alone, a baseline.
    AntiDiagonal,
    /// One pass an anti-diagonal of tiles; the distance alone, a baseline.
    Tiled,
    /// Diagonal transition for inputs that differ little, on the CPU or, wavefront by wavefront, on the GPU; global only.
    Wavefront,
    /// The plain table, the reference; CPU only.
    Reference,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 7] = [
        Method::Auto,
        Method::BitParallel,
        Method::Banded,
        Method::AntiDiagonal,
        Method::Tiled,
        Method::Wavefront,
        Method::Reference,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::BitParallel => "bit-parallel",
            Method::Banded => "banded",
            Method::AntiDiagonal => "anti-diagonal",
            Method::Tiled => "tiled",
            Method::Wavefront => "wavefront",
            Method::Reference => "reference",
        }
    }
}

named!(Method, "method");

/// What of the target the query is compared with.
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
    /// All of it.
    #[default]
    Global,
    /// The prefix at the least distance.
    Prefix,
    /// The piece at the least distance, wherever it starts and ends.
    Infix,
}

impl Mode {
    /// Every mode, in the order of the documentation.
    pub const ALL: [Mode; 3] = [Mode::Global, Mode::Prefix, Mode::Infix];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Global => "global",
            Mode::Prefix => "prefix",
            Mode::Infix => "infix",
        }
    }
}

named!(Mode, "mode");

/// Where gaps go that could lie in several places.
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
    /// As far to the start as equal symbols let them.
    Left,
    /// As far to the end.
    Right,
}

impl Gaps {
    /// Both.
    pub const ALL: [Gaps; 2] = [Gaps::Left, Gaps::Right];

    /// The name used on the command line: `"left"` or `"right"`.
    pub fn name(self) -> &'static str {
        match self {
            Gaps::Left => "left",
            Gaps::Right => "right",
        }
    }
}

named!(Gaps, "side of gaps");

/// What ran to get an answer.
pub(crate) type Run = crate::engine::report::Run<Method>;

/// What a call would do.
pub(crate) type PlanSummary = crate::engine::report::PlanSummary<Method>;

/// A distance, or that it is greater than was asked for.
///
/// ```
/// use swath::edit_distance::Distance;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// assert_eq!(engine.run(&Edit::of(b"kitten", b"sitting").within(5))?.distance, Distance::Exactly(3));
/// assert_eq!(engine.run(&Edit::of(b"kitten", b"sitting").within(2))?.distance, Distance::MoreThan(2));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Distance {
    /// The distance.
    Exactly(u64),
    /// It is greater than this, the most that [`Edit::within`] allows.
    MoreThan(u64),
}

impl Distance {
    /// The distance, where it is not greater than was asked for.
    pub fn exactly(self) -> Option<u64> {
        match self {
            Distance::Exactly(distance) => Some(distance),
            Distance::MoreThan(_) => None,
        }
    }
}

/// The number, or `>` and the bound.
impl std::fmt::Display for Distance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Distance::Exactly(distance) => write!(formatter, "{distance}"),
            Distance::MoreThan(bound) => write!(formatter, "> {bound}"),
        }
    }
}

/// A piece of the target at the least distance from the query.
///
/// ```
/// use swath::{Edit, Engine, Options};
///
/// let report = Engine::new(Options::default())?.run(&Edit::of(b"ACGT", b"TTACGTT").infix().starts())?;
/// assert_eq!((report.pieces[0].start, report.pieces[0].end), (Some(2), 6));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Piece {
    /// Its first symbol, from 0, where it is known: with [`Mode::Prefix`] it is 0, with [`Mode::Infix`] it comes where
    /// [`Edit::starts`] or the alignment asks for it. Of several starts it is the first, that of the longest piece.
    pub start: Option<usize>,
    /// Behind its last symbol; 0 for the empty piece before the target.
    pub end: usize,
}

/// What a call found, and what ran.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// The least distance.
    pub distance: Distance,
    /// Every place where a piece of the target at that distance ends, in increasing order; empty with [`Mode::Global`] and
    /// where the distance is greater than was asked for.
    pub pieces: Vec<Piece>,
    /// The alignment to the target or to the first of the pieces, proven against both inputs, where [`EditOptions::path`]
    /// asked for it and the distance is not greater than was asked for.
    pub alignment: Option<Alignment>,
    /// What ran.
    pub run: Run,
}
