//! The task [`Orient`] and its answer.

use std::borrow::Cow;

use super::anchors;
use super::pairing::{self, OrientedPair};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::substring::MaximalMatch;

/// Strand and origin of the records of `a` relative to those of `b`, and which belong together.
///
/// By default only the forward strand is searched and no record is rotated; then the answer pairs
/// the records alone. The answer is a heuristic, see [the module](crate::orientation).
///
/// # Cost
/// O(n) for n symbols, plus O(k log k) for each of about 100 rotations of k matches, at most 8,192
/// for each pair of records.
///
/// # Errors
/// [`Error::NotDna`](crate::Error::NotDna) if both strands are searched and an input is not DNA.
///
/// ```
/// use swath::orientation::Orient;
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let a = b"TGCATTGACCGATAGGCTCTTAGGAACCGTTTCTGACCATGG";
/// // The same circle, from another base on.
/// let b = b"CCGTTTCTGACCATGGTGCATTGACCGATAGGCTCTTAGGAA";
/// let found = engine.run(&Orient::of(a, b).both_strands().circular())?;
/// let turned = found.pairs[0].orientation.apply(a);
/// assert_eq!(engine.run(&Edit::of(turned, b))?.distance.exactly(), Some(0));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Orient<'a> {
    a: Vec<Cow<'a, [u8]>>,
    b: Vec<Cow<'a, [u8]>>,
    both_strands: bool,
    circular: bool,
}

/// Answer of [`Orient`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Orientations {
    /// Pairs of records by increasing index in `a`; each record is in at most one. Two inputs of one
    /// record each are always a pair.
    pub pairs: Vec<OrientedPair>,
    /// Maximal matches that are too long to be due to chance, from which the pairs were found.
    pub anchors: Vec<MaximalMatch>,
}

impl<'a> Orient<'a> {
    /// Compares two records, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [u8]>>, b: impl Into<Cow<'a, [u8]>>) -> Self {
        Self::of_records([a.into()], [b.into()])
    }

    /// Compares two inputs of several records each, such as a chromosome with its plasmids.
    pub fn of_records<T: Into<Cow<'a, [u8]>>>(
        a: impl IntoIterator<Item = T>,
        b: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            a: a.into_iter().map(Into::into).collect(),
            b: b.into_iter().map(Into::into).collect(),
            both_strands: false,
            circular: false,
        }
    }

    /// Looks at both strands of DNA.
    pub fn both_strands(mut self) -> Self {
        self.both_strands = true;
        self
    }

    /// The records of `a` are circular: their origin is chosen, too.
    pub fn circular(mut self) -> Self {
        self.circular = true;
        self
    }

    fn records(&self) -> (Vec<&[u8]>, Vec<&[u8]>) {
        (
            self.a.iter().map(|one| &**one).collect(),
            self.b.iter().map(|one| &**one).collect(),
        )
    }
}

impl Sealed for Orient<'_> {}

impl Task for Orient<'_> {
    type Answer = Orientations;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Orientations>> {
        let (a, b) = self.records();
        let found = anchors::find(engine, &a, &b, self.both_strands, control).await?;
        let pairs = pairing::pairs(&found.matches, &a, &b, self.circular);
        let anchors = found.answer.matches;
        Ok(Report::new(Orientations { pairs, anchors }, found.run))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let (a, b) = self.records();
        anchors::search(&a, &b, self.both_strands, anchors::first_length(&a, &b)).decide(engine)
    }
}
