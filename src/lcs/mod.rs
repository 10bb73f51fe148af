//! Longest common subsequence.
//!
//! `L[i][j]` is the length of the longest common subsequence of `a[..i]` and `b[..j]`:
//! `L[i][j] = L[i-1][j-1] + 1` where `a[i-1] == b[j-1]`, else `max(L[i-1][j], L[i][j-1])`
//! (Wagner and Fischer 1974, doi:10.1145/321796.321811).
//!
//! The task [`Lcs`] asks for it, and has an example.

pub(crate) mod conditional_sum;
pub(crate) mod gpu;
pub(crate) mod options;
mod problem;
pub(crate) mod reference;
mod selftest;
mod solve;
pub(crate) mod subsequence;
mod task;
pub(crate) mod wavefront;

use crate::engine::names::named;
pub(crate) use options::LcsOptions;
pub(crate) use selftest::{selftest, timed_sweep};
pub(crate) use solve::{solve, summarize, unverified};
pub use subsequence::Subsequence;
pub use task::{CommonSubsequence, Lcs};

/// How to compute the table.
///
/// ```
/// use swath::lcs::Method;
/// use swath::{Engine, Options, Lcs};
///
/// let method: Method = "wavefront".parse()?;
/// let report = Engine::new(Options::default())?.run(&Lcs::of(b"ABCBDAB", b"BDCABA").method(method))?;
/// assert_eq!((report.length, report.run.method), (4, "wavefront"));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest that is right for these inputs and this device.
    #[default]
    Auto,
    /// The strip sweep over bit vectors, on the GPU or in SIMD registers; similar inputs are not treated apart.
    BitParallel,
    /// The strip sweep of the diagonals that a best path may reach, widened until they prove the answer.
    Banded,
    /// The bit-parallel blocks of Kawanami and Fujimoto with conditional-sum carries; GPU only, the baseline.
    ConditionalSum,
    /// The O(nd) wavefront for inputs that differ little, on the CPU or, wavefront by wavefront, on the GPU.
    Wavefront,
    /// The plain table, the reference; CPU only.
    Reference,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 6] = [
        Method::Auto,
        Method::BitParallel,
        Method::Banded,
        Method::ConditionalSum,
        Method::Wavefront,
        Method::Reference,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::BitParallel => "bit-parallel",
            Method::Banded => "banded",
            Method::ConditionalSum => "conditional-sum",
            Method::Wavefront => "wavefront",
            Method::Reference => "reference",
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
    /// Length of the longest common subsequence.
    pub length: u64,
    /// The subsequence, proven against both inputs, where [`LcsOptions::path`] asked for it.
    pub subsequence: Option<Subsequence>,
    /// What ran.
    pub run: Run,
}
