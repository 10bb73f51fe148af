//! The task [`Edit`] and its answer.

use std::borrow::Cow;

use super::{Alignment, Distance, EditOptions, Gaps, Method, Mode, Piece, solve};
use crate::call::control::Control;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::query;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::Two;

/// Edit distance with unit costs: of two sequences, or of a query `a` and the nearest prefix or
/// piece of a target `b`. With [`path`](Self::path) also the alignment.
///
/// In global mode the distance of two empty sequences is 0, and of an empty and another sequence the
/// length of the other.
///
/// # Cost
/// At most `a.len() * b.len() / 63` limb steps. Similar inputs cost their length times the number
/// of differences. An infix search within `k` edits costs about `3 * k * b.len() / 63`, plus
/// `a.len() * a.len() / 63` for each similar place.
///
/// # Ties
/// All methods and devices return the same alignment. It pairs the common prefix, then the common
/// suffix. The rest is traced back from its end: a symbol of the longer rest (`a` on equal length)
/// is dropped if that is optimal; otherwise the two symbols are paired if they are equal or that is
/// no worse than dropping a symbol of the other rest; otherwise that symbol is dropped.
/// [`gaps`](Self::gaps) then shifts the gaps. In prefix and infix mode the alignment is to the
/// piece that ends first, and of those to the longest.
///
/// # Errors
/// [`Error::EmptyQuery`](crate::Error::EmptyQuery) for an infix search with empty `a`, before any
/// work.
///
/// # Source
/// Wagner and Fischer 1974, doi:10.1145/321796.321811; infix: Sellers 1980,
/// doi:10.1016/0196-6774(80)90016-4.
///
/// # Example
/// ```
/// use swath::{Edit, Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&Edit::of(b"kitten", b"sitting").path())?;
/// assert_eq!(report.distance.exactly(), Some(3));
/// assert_eq!(report.alignment.as_ref().expect("it was asked for").cigar(), "6M1D");
/// let nearest = engine.run(&Edit::of(b"ACGT", b"TTTACCTTTT").infix().within(2))?;
/// assert_eq!(nearest.pieces[0].end, 7);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Edit<'a, S: Symbol = u8> {
    a: Cow<'a, [S]>,
    b: Cow<'a, [S]>,
    options: EditOptions,
}

/// Answer of [`Edit`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EditDistance {
    /// The least distance.
    pub distance: Distance,
    /// All pieces of the target at that distance, by increasing end. Empty with [`Mode::Global`]
    /// and for [`Distance::MoreThan`].
    pub pieces: Vec<Piece>,
    /// The alignment to the target or to the first of `pieces`, verified against both inputs.
    /// `None` unless [`Edit::path`] was requested, and for [`Distance::MoreThan`].
    pub alignment: Option<Alignment>,
}

impl<'a, S: Symbol> Edit<'a, S> {
    /// Creates the task for the query `a` and the target `b`, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            options: EditOptions::default(),
        }
    }

    /// Requests the alignment in addition to the distance.
    pub fn path(self) -> Self {
        self.with_path(true)
    }

    /// Requests the alignment if `path` is true.
    pub fn with_path(mut self, path: bool) -> Self {
        self.options.path = path;
        self
    }

    /// Compares the query with the nearest prefix of the target: [`Mode::Prefix`].
    pub fn prefix(self) -> Self {
        self.mode(Mode::Prefix)
    }

    /// Compares the query with the nearest piece of the target: [`Mode::Infix`].
    pub fn infix(self) -> Self {
        self.mode(Mode::Infix)
    }

    /// Selects the part of the target to compare with; the default is [`Mode::Global`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.options.mode = mode;
        self
    }

    /// Limits the search to distances of at most `max_distance`. A greater distance ends the call
    /// early with [`Distance::MoreThan`].
    pub fn within(mut self, max_distance: u64) -> Self {
        self.options.max_distance = Some(max_distance);
        self
    }

    /// Shifts gaps that have several optimal positions. By default they stay on the canonical path.
    pub fn gaps(mut self, gaps: Gaps) -> Self {
        self.options.gaps = Some(gaps);
        self
    }

    /// Requests the starts of [`Mode::Infix`] pieces in addition to their ends.
    pub fn starts(mut self) -> Self {
        self.options.starts = true;
        self
    }

    /// Selects the method; the default is [`Method::Auto`].
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    #[doc(hidden)]
    pub fn with_options(mut self, options: &EditOptions) -> Self {
        self.options = options.clone();
        self
    }
}

impl<S: Symbol> Erased for Edit<'_, S> {
    type Answer = EditDistance;
    type Query<'q>
        = query::Edit<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Edit<'_>> {
        Ok(query::Edit {
            pair: Two::of(&self.a, &self.b)?,
            options: self.options.clone(),
        })
    }
}

impl Sealed for query::Edit<'_> {}

impl Task for query::Edit<'_> {
    type Answer = EditDistance;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<EditDistance>> {
        let options = EditOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        solve::solve(engine, self.pair.slices(), &options).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        solve::plan(engine, self.pair.slices(), &self.options)
    }
}
