//! Longest common subsequence.
//!
//! `L[i][j]` is the length of the longest common subsequence of `a[..i]` and `b[..j]`:
//! `L[i][j] = L[i-1][j-1] + 1` where `a[i-1] == b[j-1]`, else `max(L[i-1][j], L[i][j-1])`
//! (Wagner and Fischer 1974, doi:10.1145/321796.321811).

pub(crate) mod cpu;
pub(crate) mod ends;
pub mod gpu;
pub(crate) mod hirschberg;
#[cfg(test)]
pub(crate) mod inputs;
pub mod reference;
mod selftest;
mod solve;
pub mod subsequence;
pub(crate) mod trace;
pub(crate) mod wavefront;

use std::time::Duration;

use crate::control::Control;
pub use gpu::tiling::Tuning;
pub(crate) use selftest::selftest;
pub(crate) use solve::{solve, summarize};
use subsequence::Subsequence;

/// How to compute the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The fastest that is right for these inputs and this device.
    #[default]
    Auto,
    /// The strip sweep over bit vectors, on the GPU or in SIMD registers; similar inputs are not treated apart.
    BitParallel,
    /// The bit-parallel blocks of Kawanami and Fujimoto with conditional-sum carries; GPU only, the baseline.
    ConditionalSum,
    /// The O(nd) wavefront for inputs that differ little; CPU only.
    Wavefront,
    /// The textbook table; CPU only.
    Reference,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 5] =
        [Method::Auto, Method::BitParallel, Method::ConditionalSum, Method::Wavefront, Method::Reference];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::BitParallel => "bit-parallel",
            Method::ConditionalSum => "conditional-sum",
            Method::Wavefront => "wavefront",
            Method::Reference => "reference",
        }
    }
}

/// What to compute, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LcsOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Whether to recover the subsequence too, not only its length.
    pub path: bool,
    /// Cancel handle and progress callback.
    pub control: Control,
    /// Forced shapes of the GPU kernel, for tests and benchmarks.
    pub tuning: Tuning,
}

/// The answer of [`Engine::lcs`](crate::Engine::lcs).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lcs {
    /// Length of the longest common subsequence.
    pub length: u64,
    /// The subsequence, proven against both inputs, where [`LcsOptions::path`] asked for it.
    pub subsequence: Option<Subsequence>,
    /// What ran.
    pub run: Run,
}

/// What ran to get an answer, and how long it took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// The method that ran; never [`Method::Auto`].
    pub method: Method,
    /// How the path was recovered: `"none"`, `"stored boundaries"`, `"hirschberg"`, `"hirschberg above stored boundaries"`,
    /// `"wavefronts"` or `"table"`.
    pub path_mode: &'static str,
    /// The device that ran it, by name.
    pub device: String,
    /// Cells of the full table, `a.len() * b.len()`: the measure that speeds are stated in.
    pub cells: u128,
    /// Cells that were computed; fewer where ends were stripped or a wavefront ran, more where a path was recomputed.
    pub computed_cells: u128,
    /// Symbols of the common prefix, paired without computing.
    pub common_prefix: u64,
    /// Symbols of the common suffix, paired without computing.
    pub common_suffix: u64,
    /// Wall time of the whole call.
    pub elapsed: Duration,
    /// Wall time by phase in the order they ran: `"strip"`, `"wavefront"`, `"encode"`, `"plan"`, `"upload"`, `"sweep"`,
    /// `"trace"`, `"verify"`; phases that did not run are absent.
    pub phases: Vec<(&'static str, Duration)>,
}

/// What a call would do: the answer of [`Engine::lcs_plan`](crate::Engine::lcs_plan).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanSummary {
    /// The method that would run; never [`Method::Auto`].
    pub method: Method,
    /// The device that would run it, by name.
    pub device: String,
    /// As in [`Run::path_mode`].
    pub path_mode: &'static str,
    /// Cells of the full table.
    pub cells: u128,
    /// Rows and columns of one tile.
    pub tile: (u64, u64),
    /// Strips of the table.
    pub strips: u64,
    /// Passes, one dispatch or one wavefront of tiles each.
    pub passes: u64,
    /// Bytes held in device memory.
    pub device_bytes: u64,
    /// Bytes held in host memory for boundaries and codes.
    pub host_bytes: u64,
    /// A rough estimate of the time for the sweep.
    pub expected: Duration,
}

/// The native code that this processor runs, for the list of devices.
pub(crate) fn cpu_kernel_name() -> &'static str {
    cpu::kernel_name()
}
