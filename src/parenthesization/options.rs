//! Options of a parenthesization.

use super::{Method, Precision, Tuning};
use crate::call::control::Control;

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParenthesizationOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Required precision of a GPU for real weights; [`Precision::Exact`] by default.
    pub precision: Precision,
    pub control: Control,
    /// Kernel overrides for tests and benchmarks.
    pub tuning: Tuning,
}
