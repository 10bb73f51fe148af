//! Options of an LCS call.

use super::Method;
use crate::call::control::Control;
use crate::pairwise::tuning::Tuning;

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LcsOptions {
    pub method: Method,
    /// Recovers the subsequence, not only its length.
    pub path: bool,
    pub control: Control,
    /// Forced shapes of the GPU kernel, for tests and benchmarks.
    pub tuning: Tuning,
}
