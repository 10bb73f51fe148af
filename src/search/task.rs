//! The task [`Search`].

use std::ops::ControlFlow;

use super::ops::Ops;
use super::options::SearchOptions;
use super::place::{Choice, Exact, Place, Strands};
use super::request::Request;
use super::run::{Block, SearchDone};
use crate::call::control::Control;
use crate::edit_distance::Op;
use crate::engine::task::{self, Blocks, Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::matching::Matching;
use crate::pairs::Strings;
use crate::pairs::strings::TypedSides;
use crate::query;
use crate::sequences::codes::Symbol;

/// All places of patterns in texts within a number of edits.
///
/// Running it keeps all places; [`for_each`](Self::for_each) takes them block by block while the
/// search goes on. Places are sorted by text, start, end, pattern and strand. What a place is, and
/// which of several ends and starts it has, is described in the [module](crate::search).
///
/// A text without places has none; neither has an empty list. Places are the same on every device
/// and number of threads. A GPU searches patterns of at most 248 symbols that may have edits, in
/// texts of at most 256 classes of symbols; the CPU searches the others.
///
/// # Cost
/// About `3 * within * texts / 63` limb steps for each pattern in unrelated text, at most
/// `pattern * texts / 63`, and less for many short patterns, which are searched together; and
/// `pattern^2 / 63` for each place.
///
/// # Errors
/// [`EmptyQuery`](crate::Error::EmptyQuery) for an empty pattern,
/// [`OutOfRange`](crate::Error::OutOfRange) for a pattern that is not longer than the bound and its
/// exact part, or whose symbols may all stick out, and for bounds of own for more than 2^24 numbers of
/// edits on diagonals, [`NotDna`](crate::Error::NotDna) for a pattern without a reverse complement,
/// [`MethodUnavailable`](crate::Error::MethodUnavailable) for symbols that are not bytes with options
/// that need bytes, [`MemoryBudget`](crate::Error::MemoryBudget) if the places that are kept exceed
/// the host memory.
///
/// # Source
/// Sellers 1980, doi:10.1016/0196-6774(80)90016-4; Myers 1999, doi:10.1145/316542.316550;
/// Navarro and Baeza-Yates 1999, doi:10.1016/S0020-0190(99)00121-0.
///
/// # Example
/// ```
/// use swath::pairs::Strings;
/// use swath::{Engine, Options, Search};
///
/// let engine = Engine::new(Options::default())?;
/// let patterns = Strings::<u8>::from_slices(["ACGTAC"]);
/// let texts = Strings::from_slices(["TTTACGAACTT", "GGTACGTGG"]);
/// let report = engine.run(&Search::of(&patterns, &texts).within(1).both_strands())?;
/// let places = report.places.iter().map(|one| (one.text, one.start, one.end, one.cost));
/// assert!(places.eq([(0, 3, 9, 1), (1, 1, 7, 0)]));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Search<'a, S: Symbol = u8> {
    patterns: Strings<'a, S>,
    texts: Strings<'a, S>,
    pub(super) call: SearchOptions,
}

impl query::Search<'_> {
    fn request(&self) -> Result<Request<'_>> {
        let (patterns, texts) = self.lists.lists("search")?;
        Request::new(patterns, texts.unwrap_or(patterns), &self.options)
    }
}

/// Answer of [`Search`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlaceList {
    /// All places, in order.
    pub places: Vec<Place>,
    /// Steps of the alignment of each place, if they were [asked for](Search::alignments).
    pub alignments: Option<Vec<Vec<(Op, usize)>>>,
}

/// Consecutive places.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlaceBlock<'a> {
    /// The places, in order.
    pub places: &'a [Place],
    /// Steps of the alignment of each place, along the text, if they were
    /// [asked for](Search::alignments).
    pub alignments: Option<&'a [Vec<(Op, usize)>]>,
}

impl<'a, S: Symbol> Search<'a, S> {
    /// Creates the task for all patterns in all texts.
    pub fn of(patterns: &'a Strings<'_, S>, texts: &'a Strings<'_, S>) -> Self {
        Self {
            patterns: patterns.borrowed(),
            texts: texts.borrowed(),
            call: SearchOptions::default(),
        }
    }

    /// Maximum number of insertions, deletions and substitutions; 0 by default. Less than the length
    /// of each pattern without its exact part.
    pub fn within(mut self, max_distance: u64) -> Self {
        self.call.within = max_distance;
        self
    }

    /// Searches these strands of the patterns. The reverse strand is for bytes of DNA with IUPAC
    /// codes.
    pub fn strands(mut self, strands: Strands) -> Self {
        self.call.strands = strands;
        self
    }

    /// Searches the patterns and their reverse complements.
    pub fn both_strands(self) -> Self {
        self.strands(Strands::Both)
    }

    /// Sets which ends are places.
    pub fn choice(mut self, choice: Choice) -> Self {
        self.call.choice = choice;
        self
    }

    /// Makes a place of every end within the bound.
    pub fn ends(self) -> Self {
        self.choice(Choice::Ends)
    }

    /// Finds only the places of least cost of each pattern in each text.
    pub fn best(self) -> Self {
        self.choice(Choice::Best)
    }

    /// Lets a part of each pattern match without an edit.
    pub fn exact(mut self, exact: Exact) -> Self {
        self.call.exact = Some(exact);
        self
    }

    /// Finds only places that are followed, on the strand of the pattern, by these letters, such as
    /// NGG. Letters are IUPAC codes in either case, and match the bases that they stand for; a
    /// letter of the text that stands for several bases matches if the motif's stands for all of
    /// them.
    pub fn motif(mut self, letters: impl Into<Vec<u8>>) -> Self {
        self.call.motif = letters.into();
        self
    }

    /// Lets bytes match others.
    pub fn matching(mut self, matching: Matching) -> Self {
        self.call.matching = Some(Box::new(matching));
        self
    }

    /// Bounds the substitutions, besides the edits.
    pub fn max_substitutions(mut self, max: u64) -> Self {
        self.call.max_substitutions = Some(max);
        self
    }

    /// Bounds the inserted and deleted symbols, besides the edits. With 0, costs are Hamming
    /// distances.
    pub fn max_gaps(mut self, max: u64) -> Self {
        self.call.max_gaps = Some(max);
        self
    }

    /// Lets patterns stick out of the texts, as adapters do at the ends of reads: each symbol outside
    /// costs this many thousandths of an edit, 1 to 1000, and the sum of a side is rounded down.
    ///
    /// ```
    /// use swath::pairs::Strings;
    /// use swath::{Engine, Options, Search};
    ///
    /// let engine = Engine::new(Options::default())?;
    /// let adapter = Strings::<u8>::from_slices(["AGATCGGAAGAGC"]);
    /// let reads = Strings::from_slices(["TTGCATTGCAGATCGGA"]);
    /// let report = engine.run(&Search::of(&adapter, &reads).within(2).overhang(500))?;
    /// let place = report.places[0];
    /// assert_eq!((place.start, place.end, place.cost, place.after), (9, 17, 2, 5));
    /// # Ok::<(), swath::Error>(())
    /// ```
    pub fn overhang(mut self, thousandths: u32) -> Self {
        self.call.overhang = Some(thousandths);
        self
    }

    /// Adds the alignment of each place: that of [`Edit`](crate::Edit) of the pattern, on its strand,
    /// with the piece, without the symbols that stick out. If that exceeds bounds of substitutions or
    /// gaps, it is another one that keeps them.
    pub fn alignments(mut self) -> Self {
        self.call.alignments = true;
        self
    }

    /// Passes the places to `sink` block by block, in order. [`ControlFlow::Break`] ends the call.
    pub fn for_each<F>(self, sink: F) -> ForEach<'a, S, F>
    where
        F: FnMut(PlaceBlock<'_>) -> ControlFlow<()>,
    {
        ForEach::new(self, sink)
    }
}

impl<S: Symbol> Erased for Search<'_, S> {
    type Answer = PlaceList;
    type Query<'q>
        = query::Search<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Search<'_>> {
        Ok(query::Search {
            lists: TypedSides::of(&self.patterns, Some(&self.texts))?,
            options: self.call.clone(),
        })
    }
}

impl Sealed for query::Search<'_> {}

impl Task for query::Search<'_> {
    type Answer = PlaceList;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<PlaceList>> {
        let (mut kept, mut bytes) = (Block::default(), 0);
        let mut keep = |block: &mut Block| {
            let steps: usize = block.alignments.iter().map(Vec::len).sum();
            bytes += block.places.len() * size_of::<Place>()
                + block.alignments.len() * size_of::<Ops>()
                + steps * size_of::<(Op, usize)>();
            engine.check_host_budget("the places", bytes as u128)?;
            kept.places.append(&mut block.places);
            kept.alignments.append(&mut block.alignments);
            Ok(ControlFlow::Continue(()))
        };
        let report = self.request()?.solve(engine, control, &mut keep).await?;
        Ok(report.map(|_| PlaceList {
            places: kept.places,
            alignments: self.options.alignments.then_some(kept.alignments),
        }))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.request()?.plan(engine)
    }
}

/// [`Search`] whose places go to a closure, from [`Search::for_each`].
///
/// ```
/// use std::ops::ControlFlow;
///
/// use swath::pairs::Strings;
/// use swath::{Engine, Options, Search};
///
/// let engine = Engine::new(Options::default())?;
/// let patterns = Strings::<u8>::from_slices(["needle"]);
/// let texts = Strings::from_slices(["a needel in a haystack", "two needles"]);
/// let mut found = Vec::new();
/// let task = Search::of(&patterns, &texts).within(2).for_each(|block| {
///     found.extend(block.places.iter().map(|one| (one.text, one.start, one.cost)));
///     ControlFlow::Continue(())
/// });
/// engine.run(&task)?;
/// drop(task);
/// assert_eq!(found, [(0, 2, 1), (1, 4, 0)]);
/// # Ok::<(), swath::Error>(())
/// ```
pub type ForEach<'a, S, F> = task::ForEach<Search<'a, S>, F>;

impl<S: Symbol> Blocks for Search<'_, S> {
    type Block<'b> = PlaceBlock<'b>;
    type Done = SearchDone;

    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        mut sink: impl FnMut(PlaceBlock<'_>) -> ControlFlow<()>,
    ) -> Result<Report<SearchDone>> {
        let query = self.query()?;
        let mut each = |block: &mut Block| {
            Ok(sink(PlaceBlock {
                places: &block.places,
                alignments: (query.options.alignments).then_some(&block.alignments[..]),
            }))
        };
        query.request()?.solve(engine, control, &mut each).await
    }

    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary> {
        self.decide(engine)
    }
}
