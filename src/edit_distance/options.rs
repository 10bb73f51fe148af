//! What a task asks of its methods.

use super::{Gaps, Method, Mode};
use crate::call::control::Control;
use crate::pairwise::tuning::Tuning;

/// What to compute, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EditOptions {
    /// The method; [`Method::Auto`] by default.
    pub method: Method,
    /// Whether to recover the alignment too, not only the distance.
    pub path: bool,
    /// What of the target to compare with; [`Mode::Global`] by default.
    pub mode: Mode,
    /// The greatest distance of interest: where it is greater, the answer is [`Distance::MoreThan`](super::Distance::MoreThan) and comes early.
    pub max_distance: Option<u64>,
    /// Where the gaps of the alignment go; `None` leaves them where the canonical path has them.
    pub gaps: Option<Gaps>,
    /// Whether to find where the pieces of [`Mode::Infix`] start, not only where they end.
    pub starts: bool,
    /// Cancel handle and progress callback.
    pub control: Control,
    /// Forced shapes of the GPU kernel, for tests and benchmarks.
    pub tuning: Tuning,
}
