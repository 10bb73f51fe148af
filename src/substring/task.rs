//! The task of the longest common substring.

use std::borrow::Cow;

use super::answer::CommonSubstring;
use super::inputs::Records;
use super::solve::Longest;
use super::{Method, SubstringOptions};
use crate::call::control::Control;
use crate::engine::placement::Call;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::query;
use crate::sequences::codes::Symbol;

/// Task that finds the longest common substrings of two or more inputs: their length, every such
/// substring, and all places of each.
///
/// A substring is a run of consecutive symbols and never crosses the end of a record. If no symbol
/// occurs in enough inputs, for example because they are empty, the length is 0 and there is no
/// substring. Ties are not broken: all longest substrings are reported, in the order of their first
/// places.
///
/// Cost of the default method: a few O(n) filters of all n windows if the matches are far longer
/// than chance matches; O(n log n) at worst.
///
/// # Errors
/// [`Error::OutOfRange`](crate::Error::OutOfRange) for fewer than two inputs, and for an impossible
/// [minimum number of inputs](Self::in_at_least); [`Error::NotDna`](crate::Error::NotDna) if [both
/// strands](Self::both_strands) are searched and an input is not DNA;
/// [`Error::MethodUnavailable`](crate::Error::MethodUnavailable) for [`Method::Anchors`], which
/// needs a [least length](Self::min_length).
///
/// ```
/// use swath::{Engine, Options, Substring};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&Substring::of(b"xxABCyyABC", b"zABCz"))?;
/// assert_eq!((report.length, report.substrings.len()), (3, 1));
/// let places = report.substrings[0].places.iter();
/// let starts: Vec<_> = places.map(|place| (place.input, place.start)).collect();
/// assert_eq!(starts, [(0, 2), (0, 7), (1, 1)]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Substring<'a, S: Symbol = u8> {
    inputs: Vec<Vec<Cow<'a, [S]>>>,
    both_strands: bool,
    options: SubstringOptions,
}

impl<'a, S: Symbol> Substring<'a, S> {
    /// Searches two inputs, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self::of_records([[a.into()], [b.into()]])
    }

    /// Searches any number of inputs, borrowed or owned.
    pub fn of_many<T: Into<Cow<'a, [S]>>>(inputs: impl IntoIterator<Item = T>) -> Self {
        Self::of_records(inputs.into_iter().map(|input| [input]))
    }

    /// Searches inputs of several records each, such as the contigs of an assembly.
    pub fn of_records<R, T>(inputs: impl IntoIterator<Item = R>) -> Self
    where
        R: IntoIterator<Item = T>,
        T: Into<Cow<'a, [S]>>,
    {
        let inputs = inputs
            .into_iter()
            .map(|records| records.into_iter().map(Into::into).collect())
            .collect();
        Self {
            inputs,
            both_strands: false,
            options: SubstringOptions::default(),
        }
    }

    /// Minimum number of inputs that contain the substring; all inputs by default.
    pub fn in_at_least(mut self, inputs: u64) -> Self {
        self.options.inputs = Some(inputs);
        self
    }

    /// The method; [`Method::Auto`] by default.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    /// Seed of the hashes; random for every call by default. The answer does not depend on it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    #[doc(hidden)]
    pub fn with_options(mut self, options: &SubstringOptions) -> Self {
        self.options = options.clone();
        self
    }
}

impl Substring<'_, u8> {
    /// Searches both strands of DNA: a substring and its reverse complement count as one. Symbols
    /// are compared exactly: case matters, and N matches only N.
    pub fn both_strands(mut self) -> Self {
        self.both_strands = true;
        self
    }
}

impl<S: Symbol> Erased for Substring<'_, S> {
    type Answer = CommonSubstring;
    type Query<'q>
        = query::Substring<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Substring<'_>> {
        Ok(query::Substring {
            records: Records::of(&self.inputs)?,
            both_strands: self.both_strands,
            options: self.options.clone(),
        })
    }
}

impl query::Substring<'_> {
    fn checked(&self) -> Result<Longest<'_>> {
        Longest::new(&self.records, self.both_strands, &self.options)
    }
}

impl Sealed for query::Substring<'_> {}

impl Task for query::Substring<'_> {
    type Answer = CommonSubstring;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<CommonSubstring>> {
        let call = Call::start(engine, control);
        self.checked()?.solve(&call).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.checked()?.plan(engine)
    }
}
