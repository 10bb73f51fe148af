//! The task of a longest common subsequence.

use std::borrow::Cow;

use super::subsequence::Subsequence;
use super::{LcsOptions, Method, solve, summarize};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::pairwise::codes::Symbol;

/// Asks for the longest common subsequence of two sequences: its length, and with [`path`](Self::path) the subsequence.
///
/// Cost: `a.len() * b.len() / 31` limb steps at most; inputs that differ little cost the square of what they differ by.
///
/// Of all longest common subsequences it gives the same one on every device and by every method: the common prefix and
/// then the common suffix are paired; between them, walking back from the ends, symbols of the longer rest (of `a` where
/// they are equally long) are dropped while that costs nothing, then a pair is taken, then a symbol of the other dropped.
/// Two empty sequences have the length 0.
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&Lcs::of(b"xxABCyy", b"zABCz").path())?;
/// assert_eq!(report.length, 3);
/// let block = report.subsequence.as_ref().expect("it was asked for").blocks()[0];
/// assert_eq!((block.a, block.b, block.len), (2, 1, 3));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Lcs<'a, S: Symbol = u8> {
    a: Cow<'a, [S]>,
    b: Cow<'a, [S]>,
    options: LcsOptions,
}

/// The answer of [`Lcs`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CommonSubsequence {
    /// Length of the longest common subsequence.
    pub length: u64,
    /// The subsequence, proven against both inputs, where [`Lcs::path`] asked for it.
    pub subsequence: Option<Subsequence>,
}

impl<'a, S: Symbol> Lcs<'a, S> {
    /// Of these two, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            options: LcsOptions::default(),
        }
    }

    /// The subsequence too, not only its length.
    pub fn path(self) -> Self {
        self.with_path(true)
    }

    /// The subsequence too, where `path` says so.
    pub fn with_path(mut self, path: bool) -> Self {
        self.options.path = path;
        self
    }

    /// By this method; [`Method::Auto`] by default.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    #[doc(hidden)]
    pub fn with_options(mut self, options: &LcsOptions) -> Self {
        self.options = options.clone();
        self
    }
}

impl<S: Symbol> Sealed for Lcs<'_, S> {}

impl<S: Symbol> Task for Lcs<'_, S> {
    type Answer = CommonSubsequence;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<CommonSubsequence>> {
        let options = LcsOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        let solved = solve(engine, &self.a, &self.b, &options).await?;
        let method = solved.run.method.name();
        let answer = CommonSubsequence {
            length: solved.length,
            subsequence: solved.subsequence,
        };
        Ok(Report::new(answer, solved.run.with_method(method)))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let plan = pollster::block_on(summarize(engine, &self.a, &self.b, &self.options))?;
        let method = plan.method.name();
        Ok(plan.with_method(method))
    }
}
