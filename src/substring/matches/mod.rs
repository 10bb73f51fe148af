//! All maximal matches: equal runs in two inputs that cannot be extended at either end.

mod anchors;
mod index;
mod sizes;
mod solve;

use super::answer::MaximalMatches;
use super::{Method, Substring};
use crate::call::control::Control;
use crate::call::hand_over::ready;
use crate::engine::placement::Call;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::query;
use crate::sequences::codes::Symbol;
use solve::AllMatches;

/// Task that finds all maximal matches of at least a given length, between every two of the inputs.
/// Created by [`Substring::min_length`].
///
/// A match is a pair of equal runs in two inputs. It is maximal if it cannot be extended at either
/// end: the symbols there differ, or a record ends. These are the matches of MUMmer's `-maxmatch`:
/// a run may be part of any number of them. If both strands are searched, the answer includes the
/// runs that equal the reverse complement of the other. A run that is its own reverse complement
/// matches on the forward strand only.
///
/// Inputs shorter than the least length have no match.
///
/// Cost of the default method: O(n) for n symbols, plus the length of the matches. Repeats are
/// enumerated, so there may be as many matches as pairs of symbols. If the matches do not fit into
/// host memory, the call fails with an error that names a length for which they would.
///
/// # Errors
/// [`Error::OutOfRange`](crate::Error::OutOfRange) for the length 0 and for fewer than two inputs;
/// [`Error::TooManyMatches`](crate::Error::TooManyMatches) if the matches exceed the host memory;
/// [`Error::NotDna`](crate::Error::NotDna) if both strands are searched and an input is not DNA.
///
/// ```
/// use swath::{Engine, Options, Substring};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&Substring::of(b"GATTACAGATTACA", b"CATTAC").min_length(5))?;
/// let matches = report.matches.iter();
/// let runs: Vec<_> = matches.map(|found| (found.a.start, found.b.start, found.length)).collect();
/// assert_eq!(runs, [(1, 1, 5), (8, 1, 5)]);
/// # Ok::<(), swath::Error>(())
/// ```
///
/// [`Substring::min_length`]: super::Substring::min_length
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Matches<'a, S: Symbol = u8> {
    pub(super) substring: Substring<'a, S>,
    pub(super) min_length: u64,
}

impl<'a, S: Symbol> Substring<'a, S> {
    /// Finds all maximal matches of at least `length` symbols instead of the longest substring.
    pub fn min_length(self, length: u64) -> Matches<'a, S> {
        Matches {
            substring: self,
            min_length: length,
        }
    }
}

impl<S: Symbol> Matches<'_, S> {
    /// The method; [`Method::Auto`] by default.
    pub fn method(mut self, method: Method) -> Self {
        self.substring = self.substring.method(method);
        self
    }
}

impl Matches<'_, u8> {
    /// Searches both strands of DNA, like
    /// [`Substring::both_strands`](super::Substring::both_strands).
    pub fn both_strands(mut self) -> Self {
        self.substring = self.substring.both_strands();
        self
    }
}

impl<S: Symbol> Erased for Matches<'_, S> {
    type Answer = MaximalMatches;
    type Query<'q>
        = query::Matches<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Matches<'_>> {
        Ok(self.substring.query()?.min_length(self.min_length))
    }
}

impl query::Matches<'_> {
    fn checked(&self) -> Result<AllMatches<'_>> {
        let query::Substring {
            records,
            both_strands,
            options,
        } = &self.substring;
        AllMatches::new(records, *both_strands, self.min_length, options)
    }
}

impl Sealed for query::Matches<'_> {}

impl Task for query::Matches<'_> {
    type Answer = MaximalMatches;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<MaximalMatches>> {
        // No way of these queries waits for a device.
        engine.on_threads(|| {
            let call = Call::start(engine, control);
            ready(self.checked()?.solve(&call))
        })
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.checked()?.plan(engine)
    }
}
