//! Options of an edit distance call.

use super::{Gaps, Method, Mode};
use crate::call::control::Control;
use crate::sequences::tuning::Tuning;

/// Options of [`Edit`](super::Edit), for a [query](crate::query).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EditOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Recovers the alignment, not only the distance.
    pub path: bool,
    /// The part of the target to compare with; [`Mode::Global`] by default.
    pub mode: Mode,
    /// Maximum distance of interest; above it the call ends early with
    /// [`Distance::MoreThan`](super::Distance::MoreThan).
    pub max_distance: Option<u64>,
    /// `None` keeps the gaps of the canonical path.
    pub gaps: Option<Gaps>,
    /// Locates the starts of [`Mode::Infix`] pieces, not only their ends.
    pub starts: bool,
    #[doc(hidden)]
    pub control: Control,
    /// Forced shapes of the GPU kernel, for tests and benchmarks.
    #[doc(hidden)]
    pub tuning: Tuning,
}
