//! What a task asks of its methods.

use super::Method;
use crate::call::control::Control;
use crate::pairwise::tuning::Tuning;

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
