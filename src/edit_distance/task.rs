//! The task of an edit distance.

use std::borrow::Cow;

use super::{Alignment, Distance, EditOptions, Gaps, Method, Mode, Piece, solve, summarize};
use crate::call::control::Control;
use crate::engine::task::{Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::pairwise::codes::Symbol;

/// Asks for the edit distance with unit costs: of two whole sequences, or of a query and the prefix or piece of a target that is
/// nearest to it; with [`path`](Self::path) the alignment too.
///
/// Cost: `a.len() * b.len() / 63` limb steps at most; inputs that differ little cost their length times what they differ by,
/// and a search for a piece within `k` edits about `3 * k * b.len() / 63` and `a.len() * a.len() / 63` for each that is near.
///
/// Of all best alignments it gives the same one on every device and by every method: the common prefix and then the common
/// suffix are paired; between them, walking back from the ends, a symbol of the longer rest (of `a` where they are equally
/// long) is dropped where that is best, else the two symbols stand opposite each other where they are equal or that is no
/// worse than dropping a symbol of the other, else that is dropped. Where pieces of `b` are compared, it is the alignment
/// to the piece that ends first, and of those to the longest. [`gaps`](Self::gaps) then moves its gaps. Two empty sequences have
/// the distance 0.
///
/// # Errors
/// [`Error::EmptyQuery`](crate::Error::EmptyQuery) before any work.
///
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

/// The answer of [`Edit`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EditDistance {
    /// The least distance.
    pub distance: Distance,
    /// Every place where a piece of the target at that distance ends, in increasing order; empty with [`Mode::Global`] and
    /// where the distance is greater than was asked for.
    pub pieces: Vec<Piece>,
    /// The alignment to the target or to the first of the pieces, proven against both inputs, where [`Edit::path`]
    /// asked for it and the distance is not greater than was asked for.
    pub alignment: Option<Alignment>,
}

impl<'a, S: Symbol> Edit<'a, S> {
    /// Of the query `a` and the target `b`, borrowed or owned.
    pub fn of(a: impl Into<Cow<'a, [S]>>, b: impl Into<Cow<'a, [S]>>) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            options: EditOptions::default(),
        }
    }

    /// The alignment too, not only the distance.
    pub fn path(self) -> Self {
        self.with_path(true)
    }

    /// The alignment too, where `path` says so.
    pub fn with_path(mut self, path: bool) -> Self {
        self.options.path = path;
        self
    }

    /// To the prefix of the target that is nearest.
    pub fn prefix(self) -> Self {
        self.mode(Mode::Prefix)
    }

    /// To the piece of the target that is nearest, wherever it starts and ends.
    pub fn infix(self) -> Self {
        self.mode(Mode::Infix)
    }

    /// What of the target to compare with; [`Mode::Global`] by default.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.options.mode = mode;
        self
    }

    /// Only distances up to `most` are of interest: where it is greater, the answer is [`Distance::MoreThan`] and comes early.
    pub fn within(mut self, most: u64) -> Self {
        self.options.max_distance = Some(most);
        self
    }

    /// Where gaps of the alignment go that could lie in several places; otherwise they stay where the canonical path has them.
    pub fn gaps(mut self, gaps: Gaps) -> Self {
        self.options.gaps = Some(gaps);
        self
    }

    /// Where the pieces of [`Mode::Infix`] start, not only where they end.
    pub fn starts(mut self) -> Self {
        self.options.starts = true;
        self
    }

    /// By this method; [`Method::Auto`] by default.
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

impl<S: Symbol> Sealed for Edit<'_, S> {}

impl<S: Symbol> Task for Edit<'_, S> {
    type Answer = EditDistance;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<EditDistance>> {
        let options = EditOptions {
            control: control.clone(),
            ..self.options.clone()
        };
        let solved = solve(engine, &self.a, &self.b, &options).await?;
        let method = solved.run.method.name();
        let answer = EditDistance {
            distance: solved.distance,
            pieces: solved.pieces,
            alignment: solved.alignment,
        };
        Ok(Report::new(answer, solved.run.with_method(method)))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let plan = pollster::block_on(summarize(engine, &self.a, &self.b, &self.options))?;
        let method = plan.method.name();
        Ok(plan.with_method(method))
    }
}
