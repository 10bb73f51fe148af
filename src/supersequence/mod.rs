//! Shortest common supersequence (SCS).
//!
//! `M[i][j]` is the length of the shortest sequence with subsequences `a[..i]` and `b[..j]`:
//! `M[i][0] = i`, `M[0][j] = j`, `M[i][j] = M[i-1][j-1] + 1` where `a[i-1] == b[j-1]`, else
//! `min(M[i-1][j], M[i][j-1]) + 1`. It equals `i + j - L[i][j]` with the length `L` of the longest
//! common subsequence, so the default method runs at the speed of [`lcs`](crate::lcs) and merges
//! both inputs along its path.
//!
//! [`Scs`] is the task and shows an example; [`CommonSupersequence`] is its answer.
//!
//! Source: Zhao, "Parallel Computing the Shortest Common Supersequence Problem".

pub(crate) mod many;
pub(crate) mod options;
#[allow(missing_docs)]
pub(crate) mod query;
#[allow(missing_docs)]
pub(crate) mod reference;
mod selftest;
mod solve;
mod task;
pub(crate) mod ways;
pub(crate) mod witness;

use crate::names::named;
pub use options::ScsOptions;
pub(crate) use selftest::selftest;
pub use task::{CommonSupersequence, Scs};
pub use witness::{Placement, Supersequence};

/// Algorithm for the supersequence.
///
/// ```
/// use swath::supersequence::Method;
/// use swath::{Engine, Options, Scs};
///
/// let engine = Engine::new(Options::default())?; let method: Method = "row-wise".parse()?; let
/// report = engine.run(&Scs::of(b"cab", b"abac").method(method))?; assert_eq!((report.length,
/// report.run.method), (5, "row-wise"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Two inputs: the method with the lowest expected time for these inputs and this device.
    /// Several inputs: the exact method if it is affordable, otherwise the best heuristic.
    #[default]
    Auto,
    /// Via the LCS by the bit-parallel strip sweep.
    BitParallel,
    /// Via the LCS by the strip sweep of a band of diagonals.
    Banded,
    /// Via the LCS by furthest-reaching points in O(nd).
    Wavefront,
    /// Row by row, with a table of last occurrences (Zhao, algorithm 3). A baseline.
    RowWise,
    /// One pass per anti-diagonal, with three rolling anti-diagonals (Zhao, algorithm 1). A
    /// baseline.
    AntiDiagonal,
    /// Plain table; CPU only. The oracle of the tests.
    Reference,
    /// Several inputs: the table with one dimension per input. Exact; CPU only.
    KDimensional,
    /// Several inputs: repeatedly merges the pair with the longest LCS. A heuristic, exact for two
    /// inputs.
    MergeTree,
    /// Several inputs: repeatedly appends the symbol that most inputs need next, weighted by their
    /// remaining lengths. A heuristic even for two inputs; CPU only.
    MajorityMerge,
}

named! {
    Method, "method",
    Auto = "auto",
    BitParallel = "bit-parallel",
    Banded = "banded",
    Wavefront = "wavefront",
    RowWise = "row-wise",
    AntiDiagonal = "anti-diagonal",
    Reference = "reference",
    KDimensional = "k-dimensional",
    MergeTree = "merge-tree",
    MajorityMerge = "majority-merge",
}
