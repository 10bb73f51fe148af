//! The tasks [`Pairs`] and [`ForEach`].

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::SHARED_CODES;
use super::alignments::{Alignments, Known};
use super::measure::Measure;
use super::output::{Block, Output, Takes};
use super::request::Request;
use super::selection::{Selection, check_share};
use super::solve::{self, Query};
use super::strings::{List, Strings, TypedSides};
use super::tokens;
pub(super) use super::values::PairValue;
use super::values::Values;
use super::work::Work;
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::edit_distance::Mode;
use crate::engine::task::{self, Blocks, Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report, Run};
use crate::error::{Error, Result};
use crate::query;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::for_type;
use crate::symbols::alphabet::Alphabet;

/// Symbols that the calling thread reads before a thread of the pool has woken up.
const SYMBOLS_OF_ONE_THREAD: u64 = 1 << 16;

/// Values of many pairs of strings.
///
/// Running it keeps the values of all pairs; [`for_each`](Self::for_each) takes them block by
/// block. Values are in the order of the pairs: query by query for [`cross`](Self::cross) and
/// [`symmetric`](Self::symmetric).
///
/// # Errors
/// [`Error::OutOfRange`] for lists that do not fit together, [`Error::MethodUnavailable`] for a mode
/// or bound that the measure does not have, [`Error::MemoryBudget`] if the values of all pairs
/// exceed the host memory.
///
/// # Example
/// ```
/// use swath::pairs::{Pairs, Strings};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let queries = Strings::<u8>::from_slices(["kitten", "mitten"]);
/// let targets = Strings::from_slices(["sitting", "kitten", ""]);
/// let report = engine.run(&Pairs::cross(&queries, &targets).within(4))?;
/// // A distance above the bound is the bound + 1.
/// assert!(report.values.iter().eq([3, 0, 5, 3, 1, 5]));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Pairs<'a, S: Symbol = u8> {
    pub(super) queries: Strings<'a, S>,
    /// `None` if the queries are also the targets.
    pub(super) targets: Option<Strings<'a, S>>,
    pub(super) call: PairOptions<'a>,
}

/// Options of [`Pairs`], for a [query](crate::query).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairOptions<'a> {
    pub(super) selection: Arc<Selection<'a>>,
    /// Value of a pair; [`Measure::Edit`] by default.
    pub measure: Measure,
    /// The part of the target to compare with; [`Mode::Global`] by default.
    pub mode: Mode,
    /// Greatest distance of interest, as in [`Pairs::within`].
    pub within: Option<u64>,
    /// The pairs that are computed; all by default.
    pub share: Share,
}

impl<'a> From<Selection<'a>> for PairOptions<'a> {
    fn from(selection: Selection<'a>) -> Self {
        Self {
            selection: Arc::new(selection),
            measure: Measure::Edit,
            mode: Mode::Global,
            within: None,
            share: Share::Shard(0, 1),
        }
    }
}

impl PairOptions<'_> {
    fn positions(&self, queries: List<'_>, targets: List<'_>) -> Result<Range<u64>> {
        let count = self.selection.count(queries.len(), targets.len())?;
        let (share, shares) = match &self.share {
            Share::Shard(share, shares) => (*share, *shares),
            Share::Range(range) if range.start <= range.end && range.end <= count => {
                return Ok(range.clone());
            }
            Share::Range(range) => {
                return Err(Error::OutOfRange {
                    what: "the end of the range",
                    given: range.end,
                    allowed: format!("from its start {} to {count}", range.start),
                });
            }
        };
        check_share(share, shares)?;
        let start = |share: u64| {
            self.selection
                .shard_start(share, shares, queries, targets, count)
        };
        Ok(start(share)..start(share + 1))
    }
}

const PROBLEM: &str = "pairs";

type Sink<'s> = dyn FnMut(&Block) -> ControlFlow<()> + 's;

/// The pairs of a call among all pairs.
#[derive(Clone, Debug)]
pub enum Share {
    /// A share (from 0) of a number of shares, as in [`Pairs::shard`].
    Shard(u64, u64),
    /// Pairs by position.
    Range(Range<u64>),
}

/// Answer of [`Pairs`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PairValues {
    /// Positions of the pairs among all pairs: all of them, or those of a shard.
    pub pairs: Range<u64>,
    /// One value per pair.
    pub values: Values,
}

/// Answer of [`ForEach`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PairsDone {
    /// Number of pairs whose values were passed on.
    pub pairs: u64,
}

/// Values of consecutive pairs.
#[derive(Debug)]
pub struct PairBlock<'a> {
    first: u64,
    values: Cow<'a, Values>,
    selection: Arc<Selection<'a>>,
    targets: usize,
    within: Option<u64>,
}

impl PairBlock<'_> {
    /// The same block with values of its own.
    pub(super) fn owned(&self, selection: Arc<Selection<'static>>) -> PairBlock<'static> {
        PairBlock {
            first: self.first,
            values: Cow::Owned(self.values().clone()),
            selection,
            targets: self.targets,
            within: self.within,
        }
    }

    /// Position of the first pair among all pairs.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// One value per pair.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The pairs within the bound, or all pairs without one, in order.
    pub fn kept(&self) -> impl Iterator<Item = PairValue> + '_ {
        let max_value = self.within.unwrap_or(u64::MAX);
        self.values.up_to(max_value).map(|(index, value)| {
            let position = self.first + index as u64;
            let (query, target) = self.selection.pair(position, self.targets);
            PairValue {
                query,
                target,
                value,
            }
        })
    }
}

/// The pairs within the bound among consecutive pairs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeptBlock<'a> {
    /// Positions of the consecutive pairs among all pairs.
    pub pairs: Range<u64>,
    /// Those within the bound, in order.
    pub kept: &'a [PairValue],
    /// For each of them, symbols at the start of the target in which no best piece lies; for
    /// [`Alignments::offsets`]. `None` if they are not known.
    pub offsets: Option<&'a [u32]>,
}

impl<'a, S: Symbol> Pairs<'a, S> {
    fn new(
        queries: &'a Strings<'_, S>,
        targets: Option<&'a Strings<'_, S>>,
        selection: Selection<'a>,
    ) -> Self {
        Self {
            queries: queries.borrowed(),
            targets: targets.map(Strings::borrowed),
            call: selection.into(),
        }
    }

    /// Every query with every target.
    pub fn cross(queries: &'a Strings<'_, S>, targets: &'a Strings<'_, S>) -> Self {
        Self::new(queries, Some(targets), Selection::Cross)
    }

    /// Every pair of one list once: the first string with all later ones, then the second, and so
    /// on. This is the order of SciPy's condensed distance matrices.
    pub fn symmetric(strings: &'a Strings<'_, S>) -> Self {
        Self::new(strings, None, Selection::Symmetric)
    }

    /// The first query with the first target, the second with the second, and so on.
    pub fn zip(queries: &'a Strings<'_, S>, targets: &'a Strings<'_, S>) -> Self {
        Self::new(queries, Some(targets), Selection::Zip)
    }

    /// These pairs: positions of a query and of a target.
    pub fn list(
        queries: &'a Strings<'_, S>,
        targets: &'a Strings<'_, S>,
        pairs: impl Into<Cow<'a, [(u32, u32)]>>,
    ) -> Self {
        Self::new(queries, Some(targets), Selection::List(pairs.into()))
    }

    /// Computes edit distances, the default.
    pub fn edit(self) -> Self {
        self.measure(Measure::Edit)
    }

    /// Computes indel distances.
    pub fn indel(self) -> Self {
        self.measure(Measure::Indel)
    }

    /// Computes lengths of longest common subsequences.
    pub fn lcs(self) -> Self {
        self.measure(Measure::Lcs)
    }

    /// Sets the measure.
    pub fn measure(mut self, measure: Measure) -> Self {
        self.call.measure = measure;
        self
    }

    /// Compares each query with the whole target, or with its best prefix or piece.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.call.mode = mode;
        self
    }

    /// Greatest distance of interest. Greater ones become `max_distance + 1`, and are left out of
    /// [`PairBlock::kept`].
    pub fn within(mut self, max_distance: u64) -> Self {
        self.call.within = Some(max_distance);
        self
    }

    /// Computes only share `share` (from 0) of `shares` shares of consecutive pairs, which have
    /// about equally many cells. The values of all shares in order are those of all pairs.
    pub fn shard(mut self, share: u64, shares: u64) -> Self {
        self.call.share = Share::Shard(share, shares);
        self
    }

    /// Computes only the pairs at these positions among all pairs, instead of a share. A call that
    /// goes on after an interruption starts at the first pair without a value.
    pub fn range(mut self, positions: Range<u64>) -> Self {
        self.call.share = Share::Range(positions);
        self
    }

    /// Passes the values to `sink` block by block, in order. [`ControlFlow::Break`] ends the call.
    pub fn for_each<F>(self, sink: F) -> ForEach<'a, S, F>
    where
        F: FnMut(PairBlock<'_>) -> ControlFlow<()>,
    {
        ForEach::new(self, sink)
    }

    /// Passes the pairs within the bound to `sink` block by block, in order.
    /// [`ControlFlow::Break`] ends the call. A GPU sends back only these, so this is faster than
    /// [`for_each`](Self::for_each) where they are few. Without a bound they are all pairs.
    pub fn for_each_kept<F>(self, sink: F) -> ForEachKept<'a, S, F>
    where
        F: FnMut(KeptBlock<'_>) -> ControlFlow<()>,
    {
        ForEachKept::new(Kept(self), sink)
    }

    /// Aligns pairs whose values are known; see [`Alignments`].
    pub fn alignments(&'a self, pairs: &'a [PairValue]) -> Alignments<'a, S> {
        let known = Known {
            pairs,
            offsets: None,
            measure: self.call.measure,
            mode: self.call.mode,
        };
        Alignments::new(&self.queries, self.targets(), known)
    }

    /// Number of pairs.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for lists that do not fit together.
    pub fn count(&self) -> Result<u64> {
        let (queries, targets) = (&self.queries, self.targets());
        self.call.selection.count(queries.len(), targets.len())
    }

    fn targets(&self) -> &Strings<'a, S> {
        self.targets.as_ref().unwrap_or(&self.queries)
    }

    /// Positions of the pairs that are computed: all, or those of the shard or the range.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for lists that do not fit together, and a share or range that is not
    /// there.
    pub fn positions(&self) -> Result<Range<u64>> {
        let query = self.query()?;
        let (queries, targets) = query.lists.lists(PROBLEM)?;
        self.call.positions(queries, targets.unwrap_or(queries))
    }
}

impl<S: Symbol> Erased for Pairs<'_, S> {
    type Answer = PairValues;
    type Query<'q>
        = query::Pairs<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Pairs<'_>> {
        Ok(query::Pairs {
            lists: TypedSides::of(&self.queries, self.targets.as_ref())?,
            options: self.call.clone(),
        })
    }
}

impl query::Pairs<'_> {
    /// `sorted` are the lists of a measure of tokens.
    fn query<'q>(
        &'q self,
        sorted: Option<&'q TypedSides<'_>>,
        engine: &Engine,
        takes: Takes,
        blocks: &'q HandOver<Block>,
    ) -> Result<Query<'q, 'q>> {
        let options = &self.options;
        let (queries, targets) = self.lists.lists(PROBLEM)?;
        let positions = options.positions(queries, targets.unwrap_or(queries))?;
        let (queries, targets) = sorted.unwrap_or(&self.lists).lists(PROBLEM)?;
        let request = Request {
            queries,
            targets: targets.unwrap_or(queries),
            measure: options.measure.of_values(),
            mode: options.mode,
            within: options.within,
        };
        let alphabet = if queries.symbols_before(queries.len()) <= SYMBOLS_OF_ONE_THREAD {
            Alphabet::few(queries.strings(), SHARED_CODES)
        } else {
            let query = |index| queries.string(index);
            engine.on_threads(|| Alphabet::few_by_threads(queries.len(), query, SHARED_CODES))
        };
        Ok(Query {
            output: Output {
                takes,
                all: Values::none(request.greatest()),
                blocks,
                next: positions.start,
            },
            work: Work::new(request, alphabet, &options.selection, positions),
            is_divided: false,
        })
    }

    /// Computes the pairs; `sink` takes the blocks of a caller who does not take all values at the
    /// end. Returns all values of one who does, and the number of pairs that were passed on.
    async fn run(
        &self,
        engine: &Engine,
        control: &Control,
        takes: Takes,
        sink: &mut Sink<'_>,
    ) -> Result<(PairValues, PairsDone, Run)> {
        let blocks = HandOver::default();
        let sorted = tokens::sorted(self.options.measure, &self.lists);
        let mut query = self.query(sorted.as_ref(), engine, takes, &blocks)?;
        let solving = solve::solve(engine, &mut query, control);
        let run = blocks.drive(solving, |block| Ok(sink(block))).await?;
        let Query { work, output, .. } = query;
        let pairs = output.next - work.positions.start;
        let values = PairValues {
            pairs: work.positions,
            values: output.all,
        };
        Ok((values, PairsDone { pairs }, run))
    }

    fn plan(&self, engine: &Engine, takes: Takes) -> Result<PlanSummary> {
        let blocks = HandOver::default();
        let sorted = tokens::sorted(self.options.measure, &self.lists);
        solve::plan(
            engine,
            &self.query(sorted.as_ref(), engine, takes, &blocks)?,
        )
    }
}

impl Sealed for query::Pairs<'_> {}

impl Task for query::Pairs<'_> {
    type Answer = PairValues;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<PairValues>> {
        let mut no_blocks = |_: &Block| ControlFlow::Continue(());
        let (values, _, run) = self
            .run(engine, control, Takes::All, &mut no_blocks)
            .await?;
        Ok(Report::new(values, run))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.plan(engine, Takes::All)
    }
}

/// [`Pairs`] whose values go to a closure, from [`Pairs::for_each`].
///
/// ```
/// use std::ops::ControlFlow;
///
/// use swath::pairs::{Pairs, Strings};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let words = Strings::<u8>::from_slices(["stream", "steam", "team"]);
/// let mut near = Vec::new();
/// let task = Pairs::symmetric(&words).within(1).for_each(|block| {
///     near.extend(block.kept().map(|pair| (pair.query, pair.target)));
///     ControlFlow::Continue(())
/// });
/// engine.run(&task)?;
/// drop(task);
/// assert_eq!(near, [(0, 1), (1, 2)]);
/// # Ok::<(), swath::Error>(())
/// ```
pub type ForEach<'a, S, F> = task::ForEach<Pairs<'a, S>, F>;

impl<S: Symbol> Blocks for Pairs<'_, S> {
    type Block<'b> = PairBlock<'b>;
    type Done = PairsDone;

    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        sink: impl FnMut(PairBlock<'_>) -> ControlFlow<()>,
    ) -> Result<Report<PairsDone>> {
        self.query()?.pass_on(engine, control, sink).await
    }

    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary> {
        self.query()?.plan_blocks(engine)
    }
}

impl Blocks for query::Pairs<'_> {
    type Block<'b> = PairBlock<'b>;
    type Done = PairsDone;

    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        mut sink: impl FnMut(PairBlock<'_>) -> ControlFlow<()>,
    ) -> Result<Report<PairsDone>> {
        let targets = for_type!(&self.lists, |(one, other)| other
            .as_ref()
            .unwrap_or(one)
            .len());
        let mut each = |block: &Block| {
            sink(PairBlock {
                first: block.pairs.start,
                values: Cow::Borrowed(&block.values),
                selection: self.options.selection.clone(),
                targets,
                within: self.options.within,
            })
        };
        let (_, done, run) = self.run(engine, control, Takes::Blocks, &mut each).await?;
        Ok(Report::new(done, run))
    }

    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary> {
        self.plan(engine, Takes::Blocks)
    }
}

/// [`Pairs`] of which those within the bound go to a closure, from [`Pairs::for_each_kept`].
///
/// ```
/// use std::ops::ControlFlow;
///
/// use swath::pairs::{Pairs, Strings};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let words = Strings::<u8>::from_slices(["stream", "steam", "team"]);
/// let mut near = Vec::new();
/// let task = Pairs::symmetric(&words).within(1).for_each_kept(|block| {
///     near.extend_from_slice(block.kept);
///     ControlFlow::Continue(())
/// });
/// engine.run(&task)?;
/// drop(task);
/// assert_eq!((near[1].query, near[1].target, near[1].value), (1, 2, 1));
/// # Ok::<(), swath::Error>(())
/// ```
pub type ForEachKept<'a, S, F> = task::ForEach<Kept<Pairs<'a, S>>, F>;

/// [`Pairs`] of which those within the bound are passed on.
pub struct Kept<P>(pub(crate) P);

impl<P> Sealed for Kept<P> {}

impl<S: Symbol> Blocks for Kept<Pairs<'_, S>> {
    type Block<'b> = KeptBlock<'b>;
    type Done = PairsDone;

    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        sink: impl FnMut(KeptBlock<'_>) -> ControlFlow<()>,
    ) -> Result<Report<PairsDone>> {
        Kept(self.0.query()?).pass_on(engine, control, sink).await
    }

    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary> {
        Kept(self.0.query()?).plan_blocks(engine)
    }
}

impl Blocks for Kept<query::Pairs<'_>> {
    type Block<'b> = KeptBlock<'b>;
    type Done = PairsDone;

    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        mut sink: impl FnMut(KeptBlock<'_>) -> ControlFlow<()>,
    ) -> Result<Report<PairsDone>> {
        let mut each = |block: &Block| {
            sink(KeptBlock {
                pairs: block.pairs.clone(),
                kept: &block.kept,
                offsets: block.offsets.as_deref(),
            })
        };
        let (_, done, run) = self.0.run(engine, control, Takes::Kept, &mut each).await?;
        Ok(Report::new(done, run))
    }

    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary> {
        self.0.plan(engine, Takes::Kept)
    }
}
