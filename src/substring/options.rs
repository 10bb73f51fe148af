//! What a task asks of its methods.

use super::Method;
use crate::call::control::Control;

/// What to compute, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SubstringOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// In how many inputs a substring has to be; in all of them by default.
    pub inputs: Option<u64>,
    /// Cancel handle and progress callback.
    pub control: Control,
}
