//! Runs a call: collapses equal strings, joins them block by block, and expands the copies.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use super::decision::Place;
use super::expansion::Expansion;
use super::gpu::{self, GpuJoin, StoredStrings};
use super::join::{Counts, Found, Join, Room, Row, Side};
use super::plan::{Costs, Lengths, Plan, Tuning, lengths};
use super::task::Neighbor;
use super::unique::Unique;
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{Engine, Run};
use crate::error::{Error, Result};
use crate::pairs::Strings;
use crate::pairwise::codes::Symbol;
use crate::path_mode::PathMode;

/// Rows of a block if all columns are indexed at once.
const BLOCK_ROWS: usize = 1 << 15;
/// Host memory of a row of a block.
const ROW_BYTES: u64 = 48;
/// Shares of the host memory left by the fixed tables.
const INDEX_SHARE: u64 = 2;
const FOUND_SHARE: u64 = 16;
/// Their least sizes, below which the call would take for ever.
const MIN_INDEX_BYTES: u64 = 1 << 18;
const MIN_FOUND_BYTES: u64 = 1 << 16;

/// The strings of a call, and the bound.
pub(super) struct Request<'a, S: Symbol> {
    pub(super) rows: &'a Strings<'a, S>,
    /// `None` for pairs of one list.
    pub(super) columns: Option<&'a Strings<'a, S>>,
    pub(super) within: u64,
    pub(super) shard: (u64, u64),
    pub(super) tuning: &'a Tuning,
}

/// Distinct strings of a call.
pub(super) struct Sides<'a, S: Symbol> {
    pub(super) rows: Side<'a, S>,
    columns: Option<Side<'a, S>>,
}

impl<'a, S: Symbol> Sides<'a, S> {
    fn columns(&self) -> &Side<'a, S> {
        self.columns.as_ref().unwrap_or(&self.rows)
    }
}

/// Rows that are joined one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowsOf {
    /// All strings, whose copies are rows of their own.
    Positions,
    /// Distinct strings of one list.
    Numbers,
}

/// Neighbours of consecutive rows on their way to the caller.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    pub(super) neighbors: Vec<Neighbor>,
}

/// Found pairs of consecutive rows.
pub(super) struct FoundBlock<'b> {
    /// Positions, or numbers of distinct strings.
    pub(super) rows: Range<usize>,
    /// Place of each row in `found`.
    pub(super) places: &'b [u32],
    pub(super) found: &'b [Found],
}

/// A join on the CPU or on a GPU.
enum Joiner<'a, S: Symbol> {
    Cpu(Join<'a, S>),
    Gpu(GpuJoin<'a, S>),
}

impl<S: Symbol> Joiner<'_, S> {
    /// Rows of the next block.
    fn max_rows(&self) -> usize {
        match self {
            Self::Cpu(join) if join.is_whole() => BLOCK_ROWS,
            Self::Cpu(_) => usize::MAX,
            Self::Gpu(join) => join.max_rows(),
        }
    }

    async fn find(
        &mut self,
        engine: &Engine,
        rows: &[Row],
        control: &Control,
    ) -> Result<(Vec<Found>, usize)> {
        match self {
            Self::Cpu(join) => engine.on_threads(|| join.find(rows, control)),
            Self::Gpu(join) => join.find(rows).await,
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Cpu(join) => join.counts,
            Self::Gpu(join) => join.counts,
        }
    }
}

/// A call's control, and the time of its phases.
pub(super) type Watched<'w> = (&'w Control, &'w Phases);

impl<'a, S: Symbol> Request<'a, S> {
    pub(super) fn lists(&self) -> Vec<&'a Strings<'a, S>> {
        std::iter::once(self.rows).chain(self.columns).collect()
    }

    fn columns(&self) -> &'a Strings<'a, S> {
        self.columns.unwrap_or(self.rows)
    }

    /// The bound; no more edits than the longest string has symbols.
    pub(super) fn k(&self) -> usize {
        let longest = |strings: &Strings<'_, S>| strings.iter().map(<[S]>::len).max();
        let longest = longest(self.rows).max(longest(self.columns())).unwrap_or(0);
        usize::try_from(self.within).map_or(longest, |within| within.min(longest))
    }

    /// Cells of the tables of all pairs.
    pub(super) fn cells(&self) -> u128 {
        let symbols = |strings: &Strings<'_, S>| -> u128 {
            strings.iter().map(|string| string.len() as u128).sum()
        };
        match self.columns {
            Some(columns) => symbols(self.rows) * symbols(columns),
            None => {
                let squares = self.rows.iter().map(|string| (string.len() as u128).pow(2));
                (symbols(self.rows).pow(2) - squares.sum::<u128>()) / 2
            }
        }
    }

    /// Bytes of the tables of all strings.
    pub(super) fn fixed_bytes(&self) -> u64 {
        let (rows, columns) = (self.rows.len(), self.columns.map_or(0, Strings::len));
        let (of_rows, while_made) = Unique::size_bytes(rows.max(columns));
        let unique = of_rows + if columns > 0 { while_made } else { of_rows };
        unique + Join::<S>::size_bytes(self.columns().len())
    }

    /// # Errors
    /// [`Error::OutOfRange`] for a share that is none, and for too many strings;
    /// [`Error::MemoryBudget`] if the tables of the strings do not fit.
    pub(super) fn check(&self, engine: &Engine) -> Result<()> {
        let (share, shares) = self.shard;
        if share >= shares {
            return Err(Error::OutOfRange {
                what: "the share",
                given: share,
                allowed: match shares {
                    0 => "one of at least 1 shares".to_string(),
                    _ => format!("less than {shares}, the number of shares"),
                },
            });
        }
        let most = self.rows.len().max(self.columns().len());
        if most >= u32::MAX as usize {
            return Err(Error::OutOfRange {
                what: "the number of strings",
                given: most as u64,
                allowed: format!("less than {}", u32::MAX),
            });
        }
        engine.check_host_budget("the tables of the strings", self.fixed_bytes().into())
    }

    /// Rows of the share.
    pub(super) fn positions(&self) -> Range<usize> {
        let (share, shares) = self.shard;
        let rows = self.rows.len() as u128;
        let start = |share: u64| (rows * u128::from(share) / u128::from(shares)) as usize;
        start(share)..start(share + 1)
    }

    /// [`positions`](Self::positions) of a request that fits.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(super) fn positions_checked(&self, engine: &Engine) -> Result<Range<usize>> {
        self.check(engine)?;
        Ok(self.positions())
    }

    /// Host memory for the pairs of a call that keeps them.
    pub(super) fn kept_bytes(&self, engine: &Engine) -> u64 {
        let rest = engine.host_budget().saturating_sub(self.fixed_bytes());
        rest - rest / INDEX_SHARE - rest / FOUND_SHARE
    }

    fn room(&self, engine: &Engine) -> Room {
        let rest = engine.host_budget().saturating_sub(self.fixed_bytes());
        Room {
            index_bytes: (rest / INDEX_SHARE).max(MIN_INDEX_BYTES),
            found_bytes: (rest / FOUND_SHARE).max(MIN_FOUND_BYTES),
        }
    }

    /// Collapses equal strings. Runs on the threads of the engine.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn sides(&self, engine: &Engine, control: &Control) -> Result<Sides<'a, S>> {
        engine.on_threads(|| {
            Ok(Sides {
                rows: Side::new(self.rows, control)?,
                columns: self
                    .columns
                    .map(|columns| Side::new(columns, control))
                    .transpose()?,
            })
        })
    }

    fn plan(&self, (rows, columns): (Lengths, Option<Lengths>), costs: Costs) -> Plan {
        let is_same = columns.is_none();
        let columns = columns.unwrap_or_else(|| rows.clone());
        Plan::new(self.k(), rows, &columns, is_same, (costs, self.tuning))
    }

    /// Plan as if all strings were distinct.
    pub(super) fn plan_of_all(&self, costs: Costs) -> Plan {
        let columns = self.columns.map(|columns| lengths(columns.iter()));
        self.plan((lengths(self.rows.iter()), columns), costs)
    }

    /// Joins the rows and passes them to `each` block by block, in order. Returns the counts and
    /// the method.
    ///
    /// # Errors
    /// [`Error::Cancelled`], errors of the device, and those of `each`.
    pub(super) async fn join(
        &self,
        engine: &Engine,
        sides: &Sides<'a, S>,
        (rows_of, plan, place): (RowsOf, Option<Plan>, Place<'_, S>),
        (control, phases): Watched<'_>,
        mut each: impl AsyncFnMut(FoundBlock<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<(Counts, &'static str)> {
        let is_same = self.columns.is_none();
        let (rows, columns) = (&sides.rows, sides.columns());
        let unique = &columns.unique;
        let last = (0..unique.len() as u32).map(|number| match rows_of {
            RowsOf::Positions => unique.copies(number).last().copied().unwrap_or(0),
            RowsOf::Numbers => number,
        });
        let last: Vec<u32> = last.collect();
        let costs = match place {
            Place::Cpu => Costs::CPU,
            Place::Gpu(..) => gpu::COSTS,
        };
        let plan = plan.unwrap_or_else(|| {
            let columns = sides.columns.as_ref().map(Side::lengths);
            self.plan((rows.lengths(), columns), costs)
        });
        let (method, room) = (plan.method(), self.room(engine));
        let range = match rows_of {
            RowsOf::Positions => self.positions(),
            RowsOf::Numbers => 0..rows.unique.len(),
        };
        let stored = match place {
            Place::Cpu => None,
            Place::Gpu(_, codes) => {
                let sides: Vec<_> = std::iter::once(columns)
                    .chain((!is_same).then_some(rows))
                    .collect();
                Some(engine.on_threads(|| StoredStrings::new(&sides, codes, &last)))
            }
        };
        let mut join = match (&stored, place) {
            (Some(stored), Place::Gpu(device, _)) => {
                let found = (room.found_bytes, self.tuning.parts);
                Joiner::Gpu(GpuJoin::new(device, (rows, columns), stored, plan, found)?)
            }
            _ => {
                let tuning = self.tuning.clone();
                let join =
                    engine.on_threads(|| Join::new((rows, columns), plan, last, room, tuning));
                control.add_total(join.work(range.len()));
                Joiner::Cpu(join)
            }
        };
        phases.lap(Phase::Encode);
        control.set_phase(Phase::Search);
        let most = (room.found_bytes / ROW_BYTES).max(1) as usize;
        let mut next = range.start;
        while next < range.end {
            control.check()?;
            let end = next
                .saturating_add(join.max_rows().min(most))
                .min(range.end);
            let (mut places, rows) = block_rows(&rows.unique, next..end, rows_of, is_same);
            let (found, done) = join.find(engine, &rows, control).await?;
            phases.lap(Phase::Search);
            let is_done = |&&place: &&u32| (place as usize) < done;
            let whole = places.iter().take_while(is_done).count();
            places.truncate(whole);
            let block = FoundBlock {
                rows: next..next + whole,
                places: &places,
                found: &found,
            };
            next += whole;
            if each(block).await?.is_break() {
                break;
            }
        }
        Ok((join.counts(), method))
    }

    /// Passes all neighbours to `blocks` in order. `begin` takes the number of pairs of equal strings
    /// before any work.
    ///
    /// # Errors
    /// [`Error::Cancelled`], errors of the device, and those of `begin`.
    pub(super) async fn solve(
        &self,
        engine: &Engine,
        control: &Control,
        begin: impl FnOnce(u128) -> Result<()>,
        blocks: &HandOver<Block>,
    ) -> Result<(u64, Counts, Run)> {
        let (started, phases) = (Instant::now(), Phases::start());
        control.check()?;
        let (decision, gpu) = self.decide_and_open(engine, &phases).await?;
        let place = decision.place(engine, gpu.as_deref(), (control, &phases));
        let at = (None, place, (control, &phases));
        let (pairs, counts, method) = self.solve_at(engine, at, begin, blocks).await?;
        let run = self.run((method, place.name()), counts, started, &phases);
        Ok((pairs, counts, run))
    }

    /// As [`solve`](Self::solve), at a place and with a plan. Returns the number of neighbours, the
    /// counts and the method.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub(super) async fn solve_at(
        &self,
        engine: &Engine,
        (plan, place, (control, phases)): (Option<Plan>, Place<'_, S>, Watched<'_>),
        begin: impl FnOnce(u128) -> Result<()>,
        blocks: &HandOver<Block>,
    ) -> Result<(u64, Counts, &'static str)> {
        control.set_phase(Phase::Encode);
        let sides = self.sides(engine, control)?;
        if self.columns.is_none() && self.shard == (0, 1) {
            begin(sides.rows.unique.equal_pairs())?;
        }
        let mut pairs = 0;
        let expansion = Expansion {
            rows: &sides.rows.unique,
            columns: &sides.columns().unique,
            is_same: self.columns.is_none(),
            max_neighbors: (self.room(engine).found_bytes / size_of::<Neighbor>() as u64) as usize,
        };
        let expand = async |block: FoundBlock<'_>| {
            let (count, flow) = expansion.pass_on(engine, control, &block, blocks).await?;
            pairs += count;
            Ok(flow)
        };
        let of_rows = (RowsOf::Positions, plan, place);
        let (counts, method) = self
            .join(engine, &sides, of_rows, (control, phases), expand)
            .await?;
        Ok((pairs, counts, method))
    }

    pub(super) fn run(
        &self,
        (method, device): (&'static str, &str),
        counts: Counts,
        started: Instant,
        phases: &Phases,
    ) -> Run {
        Run {
            method,
            path_mode: PathMode::None,
            device: device.to_string(),
            cells: self.cells(),
            computed_cells: counts.cells,
            common_prefix: 0,
            common_suffix: 0,
            elapsed: started.elapsed(),
            phases: phases.totals(),
        }
    }
}

/// Distinct strings of consecutive rows in order of their first occurrence there, and the place of
/// each row among them.
fn block_rows(
    unique: &Unique,
    range: Range<usize>,
    rows_of: RowsOf,
    is_same: bool,
) -> (Vec<u32>, Vec<Row>) {
    let row = |place: usize, number: u32, above: usize| Row {
        place: place as u32,
        number,
        above: is_same.then_some(above as u32),
    };
    if rows_of == RowsOf::Numbers || !unique.has_copies() {
        let rows = range
            .clone()
            .enumerate()
            .map(|(place, at)| row(place, at as u32, at));
        return ((0..range.len() as u32).collect(), rows.collect());
    }
    const NONE: u32 = u32::MAX;
    let mut by_number = ByNumber::of(range.len(), unique.len());
    let (mut places, mut rows) = (Vec::with_capacity(range.len()), Vec::new());
    for position in range {
        let number = unique.number(position);
        let place = by_number.get(number);
        if *place == NONE {
            *place = rows.len() as u32;
            rows.push(row(rows.len(), number, position));
        }
        places.push(*place);
    }
    (places, rows)
}

/// Places of distinct strings; `u32::MAX` for those without one.
enum ByNumber {
    /// Of few.
    Few(HashMap<u32, u32>),
    All(Vec<u32>),
}

impl ByNumber {
    fn of(rows: usize, strings: usize) -> Self {
        if rows < strings / 16 {
            Self::Few(HashMap::with_capacity(rows))
        } else {
            Self::All(vec![u32::MAX; strings])
        }
    }

    fn get(&mut self, number: u32) -> &mut u32 {
        match self {
            Self::Few(places) => places.entry(number).or_insert(u32::MAX),
            Self::All(places) => &mut places[number as usize],
        }
    }
}
