//! All maximal matches: equal runs in two inputs that neither end can be extended.

mod anchors;
mod index;
mod rolling;
mod sizes;
mod solve;
mod summary;

use std::borrow::Cow;

use super::answer::MaximalMatches;
use super::inputs::records;
use super::options::SubstringOptions;
use super::texts::Strands;
use super::{Method, dna};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::pairwise::codes::Symbol;

/// Asks for all maximal matches of at least so many symbols, of each two of the inputs; [`Substring::min_length`] makes it.
///
/// A match is a pair of equal runs, and a maximal one can be extended at neither end: the symbols there differ, or a record ends.
/// These are the matches that MUMmer finds with `-maxmatch`: a run may be in any number of them. With both strands there are those,
/// too, where one run equals the reverse complement of the other.
///
/// Cost by default: all symbols once, and what is found by its length. Repeats are enumerated, so that there can be as many matches
/// as pairs of symbols; those that do not fit into the host's memory are an error that names a length for which they would.
///
/// # Errors
/// [`Error::OutOfRange`](crate::Error::OutOfRange) for the length 0 and for fewer than two inputs;
/// [`Error::TooManyMatches`](crate::Error::TooManyMatches); [`Error::NotDna`](crate::Error::NotDna) with both strands.
///
/// ```
/// use swath::{Engine, Options, Substring};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&Substring::of(b"GATTACAGATTACA", b"CATTAC").min_length(5))?;
/// let starts: Vec<_> = report.matches.iter().map(|found| (found.a.start, found.b.start, found.length)).collect();
/// assert_eq!(starts, [(1, 1, 5), (8, 1, 5)]);
/// # Ok::<(), swath::Error>(())
/// ```
///
/// [`Substring::min_length`]: super::Substring::min_length
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Matches<'a, S: Symbol = u8> {
    inputs: Vec<Vec<Cow<'a, [S]>>>,
    strands: Strands<S>,
    least: u64,
    options: SubstringOptions,
}

impl<'a, S: Symbol> Matches<'a, S> {
    pub(super) fn new(
        inputs: Vec<Vec<Cow<'a, [S]>>>,
        strands: Strands<S>,
        least: u64,
        options: SubstringOptions,
    ) -> Self {
        Self {
            inputs,
            strands,
            least,
            options,
        }
    }

    /// By this method; [`Method::Auto`] by default.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }
}

impl Matches<'_, u8> {
    /// On both strands of DNA, as [`Substring::both_strands`](super::Substring::both_strands).
    pub fn both_strands(mut self) -> Self {
        self.strands = Strands::Both(dna::complement);
        self
    }
}

impl<S: Symbol> Sealed for Matches<'_, S> {}

impl<S: Symbol> Task for Matches<'_, S> {
    type Answer = MaximalMatches;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<MaximalMatches>> {
        let options = SubstringOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        let inputs = records(&self.inputs);
        let (matches, run) = engine
            .on_threads(|| solve::solve(engine, &inputs, self.strands, self.least, &options))?;
        let method = run.method.name();
        Ok(Report::new(
            MaximalMatches { matches },
            run.with_method(method),
        ))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let plan = summary::matches(
            engine,
            &records(&self.inputs),
            self.strands,
            self.least,
            &self.options,
        )?;
        let method = plan.method.name();
        Ok(plan.with_method(method))
    }
}
