//! What a task asks of its methods.

use super::{Method, Precision, Tuning};
use crate::call::control::Control;

/// How to compute.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParenthesizationOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// How precise a GPU has to be with real weights; [`Precision::Exact`] by default.
    pub precision: Precision,
    /// Cancel handle and progress callback.
    pub control: Control,
    /// Forced shapes of the GPU kernels, for tests and benchmarks.
    pub tuning: Tuning,
}
