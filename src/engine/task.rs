//! Interface of tasks; every problem implements it.

use super::Engine;
use super::report::{PlanSummary, Report};
use crate::call::control::Control;
use crate::error::Result;

/// A problem with its inputs, run by [`Engine::run`]: [`Lcs`](crate::Lcs), [`Edit`](crate::Edit),
/// [`Scs`](crate::Scs), [`Substring`](crate::Substring), [`Matches`](crate::substring::Matches),
/// [`Parenthesize`](crate::Parenthesize) and [`RadixSort`](crate::sort::RadixSort).
///
/// Tasks borrow or own their inputs; a task that owns them can be [started](Engine::start) on
/// another thread. The trait is sealed.
pub trait Task: Sealed {
    /// Type of the answer.
    type Answer: Send + 'static;

    /// Plans, computes and verifies.
    #[doc(hidden)]
    fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Self::Answer>>;

    /// Plans without running.
    #[doc(hidden)]
    fn decide(&self, engine: &Engine) -> Result<PlanSummary>;
}

/// Seals [`Task`].
pub trait Sealed {}
