//! Shortest common supersequence (SCS).
//!
//! `M[i][j]` is the length of the shortest sequence that has `a[..i]` and `b[..j]` as subsequences: `M[i][0] = i`, `M[0][j] = j`,
//! `M[i][j] = M[i-1][j-1] + 1` where `a[i-1] == b[j-1]`, else `min(M[i-1][j], M[i][j-1]) + 1`. It is `i + j - L[i][j]` with the
//! length `L` of the longest common subsequence, so the default runs at the speed of [`lcs`](crate::lcs) and merges both
//! inputs along its path.
//!
//! The task [`Scs`] asks for it, and has an example.
//!
//! Source: Zhao, "Parallel Computing the Shortest Common Supersequence Problem".

mod anti_diagonal;
mod choice;
pub(crate) mod many;
pub(crate) mod midpoints;
pub(crate) mod options;
pub(crate) mod reference;
pub(crate) mod row_wise;
mod segment;
mod selftest;
pub(crate) mod solve;
mod stored;
mod summary;
mod task;
mod traceback;
pub(crate) mod witness;

use crate::engine::names::named;
pub(crate) use options::ScsOptions;
pub(crate) use selftest::selftest;
pub use task::{CommonSupersequence, Scs};
pub use witness::{Placement, Supersequence};

/// How to compute.
///
/// ```
/// use swath::supersequence::Method;
/// use swath::{Engine, Options, Scs};
///
/// let method: Method = "row-wise".parse()?;
/// let report = Engine::new(Options::default())?.run(&Scs::of(b"cab", b"abac").method(method))?;
/// assert_eq!((report.length, report.run.method), (5, "row-wise"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest that is right for these inputs and this device; for several inputs the exact one where it is affordable.
    #[default]
    Auto,
    /// Through the longest common subsequence by the strip sweep over bit vectors.
    BitParallel,
    /// Through the longest common subsequence by the strip sweep of a band of diagonals.
    Banded,
    /// Through the longest common subsequence by the O(nd) wavefront.
    Wavefront,
    /// Every row from the row before alone, with a table of last occurrences (Zhao, algorithm 3).
    RowWise,
    /// One pass per anti-diagonal, three of them rolling (Zhao, algorithm 1).
    AntiDiagonal,
    /// The plain table, the reference; CPU only.
    Reference,
    /// Several inputs: the table with a dimension for each; exact, CPU only.
    KDimensional,
    /// Several inputs: the pair that shares most is merged first, and so on; a heuristic, exact for two.
    MergeTree,
    /// Several inputs: the symbol that most of them need next, weighted by what they still have; a heuristic for two
    /// inputs too, CPU only.
    MajorityMerge,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 10] = [
        Method::Auto,
        Method::BitParallel,
        Method::Banded,
        Method::Wavefront,
        Method::RowWise,
        Method::AntiDiagonal,
        Method::Reference,
        Method::KDimensional,
        Method::MergeTree,
        Method::MajorityMerge,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::BitParallel => "bit-parallel",
            Method::Banded => "banded",
            Method::Wavefront => "wavefront",
            Method::RowWise => "row-wise",
            Method::AntiDiagonal => "anti-diagonal",
            Method::Reference => "reference",
            Method::KDimensional => "k-dimensional",
            Method::MergeTree => "merge-tree",
            Method::MajorityMerge => "majority-merge",
        }
    }
}

named!(Method, "method");

/// What ran to get an answer.
pub(crate) type Run = crate::engine::report::Run<Method>;

/// What a call would do.
pub(crate) type PlanSummary = crate::engine::report::PlanSummary<Method>;

/// What a call found, and what ran.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// Length of the supersequence: the shortest where it is [`exact`](Self::exact).
    pub length: u64,
    /// No common supersequence is shorter than this; [`length`](Self::length) where that is exact.
    pub lower_bound: u64,
    /// Whether the length is proven to be the least. Of two inputs it always is, but by [`Method::MajorityMerge`].
    pub exact: bool,
    /// Where the inputs' symbols lie in it, proven against all inputs, where [`ScsOptions::path`] asked for it.
    pub supersequence: Option<Supersequence>,
    /// What ran.
    pub run: Run,
}
