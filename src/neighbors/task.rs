//! The tasks [`Neighbors`] and [`ForEach`].

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use super::blocks::{Block, Neighbor, NeighborsDone, Work};
use super::estimate::{self, Estimate};
use super::expansion::Expand;
use super::plan::Tuning;
use super::request::Request;
use super::shard::Shard;
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::engine::task::{self, Blocks, Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::{Error, Result};
use crate::pairs::selection::check_share;
use crate::pairs::strings::TypedSides;
use crate::pairs::{Measure, Strings};
use crate::query;
use crate::sequences::codes::Symbol;

/// All pairs of strings within an edit distance, a Hamming distance or an optimal string alignment.
///
/// Running it keeps all pairs; [`for_each`](Self::for_each) takes them block by block. Pairs are
/// sorted by row, then by column. Equal strings are within any distance.
///
/// The cost is about that of hashing and sorting some keys of each string, plus the pairs. Bounds
/// near the lengths of the strings have no such keys: then all pairs of about equal length are
/// compared.
///
/// # Errors
/// [`Error::TooManyNeighbors`] if the pairs that are kept exceed the host memory,
/// [`Error::MemoryBudget`] if the tables of the strings do, and [`Error::OutOfRange`] for 2^32
/// strings; for groups and both strands those of [`by`](Self::by) and
/// [`both_strands`](Self::both_strands).
///
/// # Example
/// ```
/// use swath::neighbors::Neighbors;
/// use swath::pairs::Strings;
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let words = Strings::<u8>::from_slices(["stream", "steam", "team", "stream"]);
/// let report = engine.run(&Neighbors::of(&words).within(1))?;
/// let pairs: Vec<_> = report.neighbors.iter().map(|one| (one.row, one.column, one.distance)).collect();
/// assert_eq!(pairs, [(0, 1, 1), (0, 3, 0), (1, 2, 1), (1, 3, 1)]);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Neighbors<'a, S: Symbol = u8> {
    pub(super) rows: Strings<'a, S>,
    /// `None` for pairs of one list.
    pub(super) columns: Option<Strings<'a, S>>,
    pub(super) call: NeighborOptions<'a>,
}

/// Options of [`Neighbors`], for a [query](crate::query).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NeighborOptions<'a> {
    /// Distance of a pair, as in [`Neighbors::measure`]; [`Measure::Edit`] by default.
    pub measure: Measure,
    /// Greatest distance; 0 by default, for equal strings.
    pub within: u64,
    /// A share (from 0) of a number of shares, as in [`Neighbors::shard`].
    pub shard: (u64, u64),
    /// Groups of the rows and of the columns, as in [`Neighbors::by`].
    pub groups: [Option<Cow<'a, [u32]>>; 2],
    /// Compares both strands, as in [`Neighbors::both_strands`].
    pub both_strands: bool,
    pub(super) tuning: Tuning,
}

impl Default for NeighborOptions<'_> {
    fn default() -> Self {
        Self {
            measure: Measure::Edit,
            within: 0,
            shard: (0, 1),
            groups: [None, None],
            both_strands: false,
            tuning: Tuning::default(),
        }
    }
}

impl query::Neighbors<'_> {
    /// # Errors
    /// [`Error::MethodUnavailable`] for letters, [`Error::OutOfRange`] for groups of other strings.
    pub(super) fn request(&self) -> Result<Request<'_>> {
        let (rows, columns) = self.lists.lists("neighbors")?;
        let options = &self.options;
        let given = options.groups.each_ref();
        let mut groups = given.map(|one| one.as_deref().unwrap_or_default());
        if columns.is_none() {
            groups[1] = groups[0];
        }
        let lens = [rows, columns.unwrap_or(rows)].map(|list| list.len());
        let (share, shares) = options.shard;
        check_share(share, shares)?;
        let has_groups = options.groups.iter().any(Option::is_some);
        for (groups, strings) in groups.iter().zip(lens) {
            if has_groups && groups.len() != strings {
                return Err(Error::OutOfRange {
                    what: "the number of groups of a list",
                    given: groups.len() as u64,
                    allowed: format!("{strings}, that of its strings"),
                });
            }
        }
        Ok(Request {
            rows,
            columns,
            groups,
            both_strands: options.both_strands,
            measure: options.measure,
            within: options.within,
            shard: Shard { share, shares },
            tuning: &options.tuning,
            lengths: OnceLock::new(),
        })
    }
}

/// Answer of [`Neighbors`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NeighborList {
    /// All pairs, by row and column.
    pub neighbors: Vec<Neighbor>,
    /// Counts of the work.
    pub work: Work,
}

/// Neighbours of consecutive rows.
#[derive(Clone, Debug)]
pub struct NeighborBlock<'a> {
    /// The rows; all their pairs are in this block.
    pub rows: Range<usize>,
    /// The pairs, by row and column.
    pub neighbors: &'a [Neighbor],
}

impl<'a, S: Symbol> Neighbors<'a, S> {
    /// Pairs of one list, each once: the row is the earlier string.
    pub fn of(strings: &'a Strings<'_, S>) -> Self {
        Self {
            rows: strings.borrowed(),
            columns: None,
            call: NeighborOptions::default(),
        }
    }

    /// Pairs of a string of `a`, the row, and one of `b`, the column.
    pub fn between(a: &'a Strings<'_, S>, b: &'a Strings<'_, S>) -> Self {
        Self {
            columns: Some(b.borrowed()),
            ..Self::of(a)
        }
    }

    /// Sets the distance: [`Measure::Edit`], [`Measure::Hamming`] or [`Measure::Osa`]. Pairs are found
    /// within as many edits, for the last one twice as many, and those within the distance are kept.
    ///
    /// ```
    /// use swath::pairs::Measure;
    /// use swath::{Engine, Neighbors, Options, pairs::Strings};
    ///
    /// let words = Strings::<u8>::from_slices(["form", "from", "farm"]);
    /// let near = Neighbors::of(&words).measure(Measure::Osa).within(1);
    /// let report = Engine::new(Options::default())?.run(&near)?;
    /// assert!(report.neighbors.iter().map(|one| (one.row, one.column)).eq([(0, 1), (0, 2)]));
    /// # Ok::<(), swath::Error>(())
    /// ```
    pub fn measure(mut self, measure: Measure) -> Self {
        self.call.measure = measure;
        self
    }

    /// Greatest distance; 0 by default, for equal strings.
    pub fn within(mut self, max_distance: u64) -> Self {
        self.call.within = max_distance;
        self
    }

    /// Compares only strings of equal groups, of which there is a number for each string, such as that
    /// of a sample or of a cell barcode. Of two lists the second one needs
    /// [`columns_by`](Self::columns_by), too.
    ///
    /// # Errors
    /// The call ends with [`Error::OutOfRange`] if there are more or fewer groups than strings.
    ///
    /// ```
    /// # use swath::neighbors::Neighbors;
    /// # use swath::pairs::Strings;
    /// # use swath::{Engine, Options};
    /// # let engine = Engine::new(Options::default())?;
    /// let umis = Strings::<u8>::from_slices(["ACGT", "ACGT", "ACGA", "ACGT"]);
    /// let cells = [7, 8, 7, 8];
    /// let report = engine.run(&Neighbors::of(&umis).within(1).by(&cells[..]))?;
    /// assert!(report.neighbors.iter().map(|one| (one.row, one.column)).eq([(0, 2), (1, 3)]));
    /// # Ok::<(), swath::Error>(())
    /// ```
    pub fn by(mut self, groups: impl Into<Cow<'a, [u32]>>) -> Self {
        self.call.groups[0] = Some(groups.into());
        self
    }

    /// Groups of the strings of the second list, for [`by`](Self::by).
    pub fn columns_by(mut self, groups: impl Into<Cow<'a, [u32]>>) -> Self {
        self.call.groups[1] = Some(groups.into());
        self
    }

    /// Compares strings of DNA on both strands: the distance of a pair is the smaller one of a string
    /// to the other and of its reverse complement to the other. [`Neighbor::strand`] tells which one
    /// it is, forward if they are equal.
    ///
    /// # Errors
    /// The call ends with [`Error::NotDna`] for symbols without a complement, and with
    /// [`Error::MethodUnavailable`] for symbols that are no bytes.
    ///
    /// ```
    /// # use swath::neighbors::Neighbors;
    /// # use swath::pairs::Strings;
    /// # use swath::substring::Strand;
    /// # use swath::{Engine, Options};
    /// # let engine = Engine::new(Options::default())?;
    /// let reads = Strings::<u8>::from_slices(["AACG", "CGTT"]);
    /// let report = engine.run(&Neighbors::of(&reads).both_strands())?;
    /// assert_eq!(report.neighbors[0].strand, Strand::Reverse);
    /// # Ok::<(), swath::Error>(())
    /// ```
    pub fn both_strands(mut self) -> Self {
        self.call.both_strands = true;
        self
    }

    /// Finds only the pairs of share `share` (from 0) of `shares`, so that several machines divide a
    /// join. Columns are dealt out in turn: a share indexes its own ones, an equal part of the
    /// entries, and looks up all rows. Each pair is of one share. A share has its pairs sorted; merged by
    /// row and column, the shares have all pairs.
    ///
    /// ```
    /// # use swath::neighbors::Neighbors;
    /// # use swath::pairs::Strings;
    /// # use swath::{Engine, Options};
    /// # let engine = Engine::new(Options::default())?;
    /// let words = Strings::<u8>::from_slices(["stream", "steam", "team"]);
    /// let near = Neighbors::of(&words).within(1);
    /// let mut joined = Vec::new();
    /// for share in 0..2 {
    ///     joined.extend(engine.run(&near.clone().shard(share, 2))?.answer.neighbors);
    /// }
    /// joined.sort();
    /// assert_eq!(joined, engine.run(&near)?.neighbors);
    /// # Ok::<(), swath::Error>(())
    /// ```
    pub fn shard(mut self, share: u64, shares: u64) -> Self {
        self.call.shard = (share, shares);
        self
    }

    /// Passes the pairs to `sink` block by block, in order. [`ControlFlow::Break`] ends the call.
    pub fn for_each<F>(self, sink: F) -> ForEach<'a, S, F>
    where
        F: FnMut(NeighborBlock<'_>) -> ControlFlow<()>,
    {
        ForEach::new(self, sink)
    }

    /// Rough numbers of pairs, from a sample of the strings; exact for at most 1,024 strings.
    ///
    /// # Errors
    /// Errors of [`Neighbors`] before any work.
    pub fn estimate(&self, engine: &Engine) -> Result<Estimate> {
        estimate::estimate(engine, &self.query()?.request()?)
    }
}

impl Request<'_> {
    /// Passes all neighbours to `consume` in order. `check_equal` takes the number of pairs of equal
    /// strings before any work.
    async fn solve(
        &self,
        engine: &Engine,
        control: &Control,
        check_equal: &dyn Fn(u128) -> Result<()>,
        consume: &mut dyn FnMut(&mut Block) -> Result<ControlFlow<()>>,
    ) -> Result<Report<NeighborsDone>> {
        let blocks = HandOver::default();
        let joining = self.join(engine, control, Expand::new(&blocks, check_equal));
        blocks.drive(joining, consume).await
    }
}

impl<S: Symbol> Erased for Neighbors<'_, S> {
    type Answer = NeighborList;
    type Query<'q>
        = query::Neighbors<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Neighbors<'_>> {
        Ok(query::Neighbors {
            lists: TypedSides::of(&self.rows, self.columns.as_ref())?,
            options: self.call.clone(),
        })
    }
}

impl Sealed for query::Neighbors<'_> {}

impl Task for query::Neighbors<'_> {
    type Answer = NeighborList;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<NeighborList>> {
        let request = self.request()?;
        let limit = request.kept_bytes(engine);
        let too_many = |pairs: f64| {
            let pairs = pairs as u64;
            Error::TooManyNeighbors {
                pairs,
                within: request.within,
                needed: pairs.saturating_mul(size_of::<Neighbor>() as u64),
                limit,
            }
        };
        let fits = |pairs: u128| pairs * size_of::<Neighbor>() as u128 <= u128::from(limit);
        let check_equal = |equal: u128| {
            if fits(equal) {
                Ok(())
            } else {
                Err(too_many(equal as f64))
            }
        };
        let mut neighbors = Vec::new();
        let mut keep = |block: &mut Block| {
            let count = neighbors.len() + block.neighbors.len();
            if !fits(count as u128) {
                let share = block.rows.end as f64 / request.rows.len() as f64;
                return Err(too_many(count as f64 / share));
            }
            neighbors.append(&mut block.neighbors);
            Ok(ControlFlow::Continue(()))
        };
        let report = request
            .solve(engine, control, &check_equal, &mut keep)
            .await?;
        Ok(report.map(|done| NeighborList {
            neighbors,
            work: done.work,
        }))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let request = self.request()?;
        request.summary(engine, estimate::estimate(engine, &request)?)
    }
}

/// [`Neighbors`] whose pairs go to a closure, from [`Neighbors::for_each`].
///
/// ```
/// use std::ops::ControlFlow;
///
/// use swath::neighbors::Neighbors;
/// use swath::pairs::Strings;
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let queries = Strings::<u8>::from_slices(["kitten", "tea"]);
/// let targets = Strings::from_slices(["mitten", "sitting", "team"]);
/// let mut near = Vec::new();
/// let task = Neighbors::between(&queries, &targets).within(1).for_each(|block| {
///     near.extend(block.neighbors.iter().map(|pair| (pair.row, pair.column)));
///     ControlFlow::Continue(())
/// });
/// engine.run(&task)?;
/// drop(task);
/// assert_eq!(near, [(0, 0), (1, 2)]);
/// # Ok::<(), swath::Error>(())
/// ```
pub type ForEach<'a, S, F> = task::ForEach<Neighbors<'a, S>, F>;

impl<S: Symbol> Blocks for Neighbors<'_, S> {
    type Block<'b> = NeighborBlock<'b>;
    type Done = NeighborsDone;

    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        mut sink: impl FnMut(NeighborBlock<'_>) -> ControlFlow<()>,
    ) -> Result<Report<NeighborsDone>> {
        let mut each = |block: &mut Block| {
            Ok(sink(NeighborBlock {
                rows: block.rows.clone(),
                neighbors: &block.neighbors,
            }))
        };
        let query = self.query()?;
        let request = query.request()?;
        request.solve(engine, control, &|_| Ok(()), &mut each).await
    }

    fn plan_blocks(&self, engine: &Engine) -> Result<PlanSummary> {
        self.decide(engine)
    }
}
