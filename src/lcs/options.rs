//! Options of an LCS call.

use super::Method;
use crate::call::control::Control;
use crate::sequences::tuning::Tuning;

/// Options of [`Lcs`](super::Lcs), for a [query](crate::query).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LcsOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Recovers the subsequence, not only its length.
    pub path: bool,
    #[doc(hidden)]
    pub control: Control,
    /// Forced shapes of the GPU kernel, for tests and benchmarks.
    #[doc(hidden)]
    pub tuning: Tuning,
}
