//! What an engine runs: every problem brings a task of its own.

use super::Engine;
use super::report::{PlanSummary, Report};
use crate::call::control::Control;
use crate::error::Result;

/// A question with its inputs, which [`Engine::run`] answers: [`Lcs`](crate::Lcs), [`Edit`](crate::Edit), [`Scs`](crate::Scs),
/// [`Substring`](crate::Substring), [`Matches`](crate::substring::Matches), [`Parenthesize`](crate::Parenthesize) and
/// [`RadixSort`](crate::sort::RadixSort).
///
/// Tasks borrow their inputs or own them; those that own them can be [started](Engine::start). The trait is sealed.
pub trait Task: Sealed {
    /// What is found.
    type Answer: Send + 'static;

    /// Decides, computes and proves.
    #[doc(hidden)]
    fn solve(
        &self,
        engine: &Engine,
        control: &Control,
    ) -> impl Future<Output = Result<Report<Self::Answer>>>;

    /// Decides, and tells what would run.
    #[doc(hidden)]
    fn decide(&self, engine: &Engine) -> Result<PlanSummary>;
}

/// Only this crate makes tasks.
pub trait Sealed {}
