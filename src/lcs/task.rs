//! The task [`Lcs`] and its answer.

use std::borrow::Cow;

use super::subsequence::Subsequence;
use super::{LcsOptions, Method, solve};
use crate::call::control::Control;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::query;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::Two;

/// Longest common subsequence of two sequences: the length, and with [`path`](Self::path) the
/// subsequence.
///
/// The length of two empty sequences, or of sequences with no common symbol, is 0.
///
/// # Cost
/// At most `a.len() * b.len() / 31` limb steps. Similar inputs cost the square of the number of
/// differences.
///
/// # Ties
/// All methods and devices return the same subsequence. It pairs the common prefix, then the common
/// suffix. The rest is traced back from its end: a symbol of the longer rest (`a` on equal length)
/// is dropped if that costs nothing, otherwise a pair is taken, otherwise a symbol of the other
/// rest is dropped.
///
/// # Source
/// Wagner and Fischer 1974, doi:10.1145/321796.321811; each [`Method`] names its own.
///
/// # Example
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

/// Answer of [`Lcs`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CommonSubsequence {
    /// Length of the longest common subsequence.
    pub length: u64,
    /// The subsequence, verified against both inputs; `None` unless [`Lcs::path`] was requested.
    pub subsequence: Option<Subsequence>,
}

impl<'a, S: Symbol> Lcs<'a, S> {
    /// Creates the task for two sequences, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            options: LcsOptions::default(),
        }
    }

    /// Requests the subsequence in addition to its length.
    pub fn path(self) -> Self {
        self.with_path(true)
    }

    /// Requests the subsequence if `path` is true.
    pub fn with_path(mut self, path: bool) -> Self {
        self.options.path = path;
        self
    }

    /// Selects the method; the default is [`Method::Auto`].
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

impl<S: Symbol> Erased for Lcs<'_, S> {
    type Answer = CommonSubsequence;
    type Query<'q>
        = query::Lcs<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Lcs<'_>> {
        Ok(query::Lcs {
            pair: Two::of(&self.a, &self.b)?,
            options: self.options.clone(),
        })
    }
}

impl Sealed for query::Lcs<'_> {}

impl Task for query::Lcs<'_> {
    type Answer = CommonSubsequence;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<CommonSubsequence>> {
        let options = LcsOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        solve::solve(engine, self.pair.slices(), &options).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        solve::plan(engine, self.pair.slices(), &self.options)
    }
}
