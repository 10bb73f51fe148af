//! Longest common subsequence.
//!
//! `L[i][j]` is the length of the longest common subsequence of `a[..i]` and `b[..j]`:
//! `L[i][j] = L[i-1][j-1] + 1` where `a[i-1] == b[j-1]`, else `max(L[i-1][j], L[i][j-1])`
//! (Wagner and Fischer 1974, doi:10.1145/321796.321811).
//!
//! [`Lcs`] is the task and shows an example; [`CommonSubsequence`] is its answer.

#[allow(missing_docs)]
pub(crate) mod gpu;
pub(crate) mod options;
pub(crate) mod problem;
#[allow(missing_docs)]
pub(crate) mod reference;
mod selftest;
mod solve;
pub(crate) mod subsequence;
mod task;
pub(crate) mod wavefront;

use crate::names::named;
pub use options::LcsOptions;
pub(crate) use selftest::{selftest, timed_sweep};
pub(crate) use solve::{plan, solve, unverified};
pub use subsequence::Subsequence;
pub use task::{CommonSubsequence, Lcs};

/// Algorithm for the LCS table.
///
/// ```
/// use swath::lcs::Method;
/// use swath::{Engine, Lcs, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let method: Method = "wavefront".parse()?;
/// let report = engine.run(&Lcs::of(b"ABCBDAB", b"BDCABA").method(method))?;
/// assert_eq!((report.length, report.run.method), (4, "wavefront"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The method with the lowest expected time for these inputs and this device.
    #[default]
    Auto,
    /// Bit-parallel strip sweep of the whole table, on the GPU or in SIMD registers. Gains nothing
    /// from similar inputs.
    BitParallel,
    /// Bit-parallel strip sweep of a band of diagonals, which is widened until it proves the
    /// answer.
    Banded,
    /// Bit-parallel blocks with conditional-sum carries (Kawanami and Fujimoto 2014); GPU only. A
    /// baseline.
    ConditionalSum,
    /// Furthest-reaching points in O(nd) (Myers 1986), for similar inputs; on the CPU, or on the
    /// GPU with one pass per wavefront.
    Wavefront,
    /// Plain table of Wagner and Fischer; CPU only. The oracle of the tests.
    Reference,
}

named! {
    Method, "method",
    Auto = "auto",
    BitParallel = "bit-parallel",
    Banded = "banded",
    ConditionalSum = "conditional-sum",
    Wavefront = "wavefront",
    Reference = "reference",
}
