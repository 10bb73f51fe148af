//! The task of a shortest common supersequence.

use std::borrow::Cow;

use super::{Method, ScsOptions, Supersequence, many};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::pairwise::codes::Symbol;

/// Asks for a shortest common supersequence of two or more sequences: its length, and with [`path`](Self::path) the string.
///
/// Cost: of two by default that of [`Lcs`](crate::Lcs), and one step a symbol for the string. Of more the longest common
/// subsequences of all pairs; where the table with a dimension for each input is small, its cells times the square of the number of
/// inputs, and the answer is exact; else a heuristic answers, with a lower bound beside it.
///
/// Of all shortest common supersequences of two it gives the same one on every device and by every method: it has once what the
/// subsequence of [`Lcs`](crate::Lcs) pairs, and before each pair the symbols that only `a` has, then those that only `b` has.
/// No sequence, and empty ones, have the length 0.
///
/// # Errors
/// [`Error::MethodUnavailable`](crate::Error::MethodUnavailable) where the method compares two sequences and there are more.
///
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

/// The answer of [`Scs`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CommonSupersequence {
    /// Length of the supersequence: the shortest where it is [`exact`](Self::exact).
    pub length: u64,
    /// No common supersequence is shorter than this; [`length`](Self::length) where that is exact.
    pub lower_bound: u64,
    /// Whether the length is proven to be the least. Two inputs always are.
    pub exact: bool,
    /// Where the inputs' symbols lie in it, proven against all inputs, where [`Scs::path`] asked for it.
    pub supersequence: Option<Supersequence>,
}

impl<'a, S: Symbol> Scs<'a, S> {
    /// Of these two, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self {
            inputs: vec![a.into(), b.into()],
            options: ScsOptions::default(),
        }
    }

    /// Of all of these, borrowed or owned.
    pub fn of_all<T: Into<Cow<'a, [S]>>>(inputs: impl IntoIterator<Item = T>) -> Self {
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            options: ScsOptions::default(),
        }
    }

    /// The supersequence too, not only its length.
    pub fn path(self) -> Self {
        self.with_path(true)
    }

    /// The supersequence too, where `path` says so.
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
    pub fn with_options(mut self, options: &ScsOptions) -> Self {
        self.options = options.clone();
        self
    }

    fn inputs(&self) -> Vec<&[S]> {
        self.inputs.iter().map(|input| &**input).collect()
    }
}

impl<S: Symbol> Sealed for Scs<'_, S> {}

impl<S: Symbol> Task for Scs<'_, S> {
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
        let solved = many::solve(engine, &self.inputs(), &options).await?;
        let method = solved.run.method.name();
        let answer = CommonSupersequence {
            length: solved.length,
            lower_bound: solved.lower_bound,
            exact: solved.exact,
            supersequence: solved.supersequence,
        };
        Ok(Report::new(answer, solved.run.with_method(method)))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let plan = pollster::block_on(many::summarize(engine, &self.inputs(), &self.options))?;
        let method = plan.method.name();
        Ok(plan.with_method(method))
    }
}
