//! Options of a supersequence call.

use super::Method;
use crate::call::control::Control;

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScsOptions {
    pub method: Method,
    /// Recovers the supersequence, not only its length.
    pub path: bool,
    pub control: Control,
}
