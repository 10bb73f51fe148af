//! What a task asks of its methods.

use super::Method;
use crate::call::control::Control;

/// What to compute, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScsOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Whether to recover the supersequence too, not only its length.
    pub path: bool,
    /// Cancel handle and progress callback.
    pub control: Control,
}
