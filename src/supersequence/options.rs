//! Options of a supersequence call.

use super::Method;
use crate::call::control::Control;

/// Options of [`Scs`](super::Scs), for a [query](crate::query).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ScsOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Recovers the supersequence, not only its length.
    pub path: bool,
    #[doc(hidden)]
    pub control: Control,
}
