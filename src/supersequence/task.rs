//! The task [`Scs`] and its answer.

use std::borrow::Cow;

use super::{Method, ScsOptions, Supersequence, many};
use crate::call::control::Control;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::query;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::Lists;

/// Shortest common supersequence of two or more sequences: the length, and with
/// [`path`](Self::path) the string.
///
/// The length is 0 for no inputs and for empty inputs. With no common symbol it is the sum of the
/// input lengths.
///
/// # Cost
/// Two inputs: by default the cost of [`Lcs`](crate::Lcs), plus one step per symbol for the string.
/// More inputs: an exact table if it is small, at the product of the lengths times the square of
/// the number of inputs; otherwise the LCS of all pairs and a heuristic, which also gives a lower
/// bound.
///
/// # Ties
/// For two inputs all methods and devices return the same string. It contains the subsequence of
/// [`Lcs`](crate::Lcs) once; before each of its pairs come the symbols of `a` alone, then those of
/// `b` alone.
///
/// # Errors
/// [`Error::MethodUnavailable`](crate::Error::MethodUnavailable) for more than two inputs and a
/// method for two.
///
/// # Source
/// Zhao, "Parallel Computing the Shortest Common Supersequence Problem"; several inputs: Jiang and
/// Li 1995, doi:10.1137/S009753979223842X.
///
/// # Example
/// ```
/// use swath::{Engine, Options, Scs};
///
/// let engine = Engine::new(Options::default())?;
/// assert_eq!(engine.run(&Scs::of(b"cab", b"abac"))?.length, 5);
/// let three = engine.run(&Scs::of_all([&b"cab"[..], b"abac", b"bca"]))?;
/// assert!(three.exact && three.length == 6);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Scs<'a, S: Symbol = u8> {
    inputs: Vec<Cow<'a, [S]>>,
    options: ScsOptions,
}

/// Answer of [`Scs`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CommonSupersequence {
    /// Length of the supersequence; the least possible if [`exact`](Self::exact).
    pub length: u64,
    /// Lower bound of every common supersequence's length; equals [`length`](Self::length) if
    /// exact.
    pub lower_bound: u64,
    /// True if the length is proven minimal: for two inputs always, except by
    /// [`Method::MajorityMerge`].
    pub exact: bool,
    /// The supersequence as embeddings, verified against all inputs; `None` unless [`Scs::path`]
    /// was requested.
    pub supersequence: Option<Supersequence>,
}

impl<'a, S: Symbol> Scs<'a, S> {
    /// Creates the task for two inputs, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self {
            inputs: vec![a.into(), b.into()],
            options: ScsOptions::default(),
        }
    }

    /// Creates the task for any number of inputs, borrowed or owned.
    pub fn of_all<T: Into<Cow<'a, [S]>>>(inputs: impl IntoIterator<Item = T>) -> Self {
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            options: ScsOptions::default(),
        }
    }

    /// Requests the supersequence in addition to its length.
    pub fn path(self) -> Self {
        self.with_path(true)
    }

    /// Requests the supersequence if `path` is true.
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
    pub fn with_options(mut self, options: &ScsOptions) -> Self {
        self.options = options.clone();
        self
    }
}

impl<S: Symbol> Erased for Scs<'_, S> {
    type Answer = CommonSupersequence;
    type Query<'q>
        = query::Scs<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Scs<'_>> {
        let inputs: Vec<_> = self.inputs.iter().map(|input| &**input).collect();
        Ok(query::Scs {
            inputs: Lists::of(&inputs)?,
            options: self.options.clone(),
        })
    }
}

impl Sealed for query::Scs<'_> {}

impl Task for query::Scs<'_> {
    type Answer = CommonSupersequence;

    async fn solve(
        &self,
        engine: &Engine,
        control: &Control,
    ) -> Result<Report<CommonSupersequence>> {
        let options = ScsOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        many::solve(engine, &self.inputs, &options).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        many::plan(engine, &self.inputs, &self.options)
    }
}
