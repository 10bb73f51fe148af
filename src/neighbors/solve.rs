//! Runs a call: collapses equal strings, joins them block by block, and expands the copies.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use super::estimate::Estimate;
use super::join::{Counts, Found, Join, Room, Row, Side};
use super::plan::{Lengths, Plan, Tuning, lengths};
use super::task::Neighbor;
use super::unique::Unique;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine, PlanSummary, Run, profile};
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
/// Time to hash a string and to find its copies.
const UNIQUE_SECONDS: f64 = 1.5e-7;
/// Time to collect and compare a candidate.
const CANDIDATE_SECONDS: f64 = 3e-8;

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

/// Takes the neighbours of consecutive rows.
type NeighborSink<'s> = dyn FnMut(Range<usize>, &[Neighbor]) -> Result<ControlFlow<()>> + 's;

/// Found pairs of consecutive rows.
pub(super) struct FoundBlock<'b> {
    /// Positions, or numbers of distinct strings.
    pub(super) rows: Range<usize>,
    /// Place of each row in `found`.
    places: &'b [u32],
    pub(super) found: &'b [Found],
}

impl<'a, S: Symbol> Request<'a, S> {
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

    fn plan(&self, rows: Lengths, columns: Option<Lengths>) -> Plan {
        let is_same = columns.is_none();
        let columns = columns.unwrap_or_else(|| rows.clone());
        Plan::new(self.k(), rows, &columns, is_same, self.tuning)
    }

    /// Plan as if all strings were distinct.
    pub(super) fn plan_of_all(&self) -> Plan {
        let columns = self.columns.map(|columns| lengths(columns.iter()));
        self.plan(lengths(self.rows.iter()), columns)
    }

    /// Joins the rows and passes them to `each` block by block, in order. Returns the counts and
    /// the method.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and those of `each`.
    pub(super) fn join(
        &self,
        engine: &Engine,
        sides: &Sides<'a, S>,
        (rows_of, plan): (RowsOf, Option<Plan>),
        (control, phases): (&Control, &Phases),
        each: &mut dyn FnMut(FoundBlock<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<(Counts, &'static str)> {
        let plan = plan.unwrap_or_else(|| {
            self.plan(
                sides.rows.lengths(),
                sides.columns.as_ref().map(Side::lengths),
            )
        });
        let method = plan.method();
        let is_same = self.columns.is_none();
        let unique = &sides.columns().unique;
        let last = (0..unique.len() as u32).map(|number| match rows_of {
            RowsOf::Positions => unique.copies(number).last().copied().unwrap_or(0),
            RowsOf::Numbers => number,
        });
        let last = last.collect();
        let (rows, columns) = (&sides.rows, sides.columns());
        let room = self.room(engine);
        let mut join =
            engine.on_threads(|| Join::new((rows, columns), plan, last, room, self.tuning.clone()));
        let range = match rows_of {
            RowsOf::Positions => self.positions(),
            RowsOf::Numbers => 0..sides.rows.unique.len(),
        };
        phases.lap(Phase::Encode);
        control.set_phase(Phase::Search);
        control.add_total((columns.unique.len() + range.len()) as u64);
        let most = match join.is_whole() {
            true => BLOCK_ROWS,
            false => usize::MAX,
        };
        let most = most.min((room.found_bytes / ROW_BYTES).max(1) as usize);
        let mut next = range.start;
        while next < range.end {
            let end = next.saturating_add(most).min(range.end);
            let (mut places, rows) = block_rows(&sides.rows.unique, next..end, rows_of, is_same);
            let (found, done) = engine.on_threads(|| join.find(&rows, control))?;
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
            if each(block)?.is_break() {
                break;
            }
        }
        Ok((join.counts, method))
    }

    /// Passes all neighbours to `each` in order, with the rows of each block. `begin` takes the
    /// number of pairs of equal strings before any work.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and those of `begin` and `each`.
    pub(super) fn solve(
        &self,
        engine: &Engine,
        (control, plan): (&Control, Option<Plan>),
        begin: impl FnOnce(u128) -> Result<()>,
        each: &mut NeighborSink<'_>,
    ) -> Result<(u64, Counts, Run)> {
        let (started, phases) = (Instant::now(), Phases::start());
        control.check()?;
        self.check(engine)?;
        control.set_phase(Phase::Encode);
        let sides = self.sides(engine, control)?;
        if self.columns.is_none() && self.shard == (0, 1) {
            begin(sides.rows.unique.equal_pairs())?;
        }
        let mut pairs = 0;
        let mut expansion = Expansion {
            rows: &sides.rows.unique,
            columns: &sides.columns().unique,
            is_same: self.columns.is_none(),
            neighbors: Vec::new(),
        };
        let mut expand = |block: FoundBlock<'_>| {
            expansion.each(&block, &mut |rows, neighbors| {
                control.check()?;
                pairs += neighbors.len() as u64;
                each(rows, neighbors)
            })
        };
        let (counts, method) = self.join(
            engine,
            &sides,
            (RowsOf::Positions, plan),
            (control, &phases),
            &mut expand,
        )?;
        Ok((pairs, counts, self.run(method, counts, started, &phases)))
    }

    pub(super) fn run(
        &self,
        method: &'static str,
        counts: Counts,
        started: Instant,
        phases: &Phases,
    ) -> Run {
        Run {
            method,
            path_mode: PathMode::None,
            device: CPU.to_string(),
            cells: self.cells(),
            computed_cells: counts.cells,
            common_prefix: 0,
            common_suffix: 0,
            elapsed: started.elapsed(),
            phases: phases.totals(),
        }
    }

    /// Plan of a call with about these numbers of pairs.
    pub(super) fn summary(
        &self,
        engine: &Engine,
        Estimate { pairs, candidates }: Estimate,
    ) -> Result<PlanSummary> {
        let plan = self.plan_of_all();
        let strings = self.rows.len() + self.columns.map_or(0, Strings::len);
        let seconds = strings as f64 * UNIQUE_SECONDS
            + plan.seconds
            + (candidates + pairs) as f64 * CANDIDATE_SECONDS;
        Ok(PlanSummary {
            method: plan.method(),
            device: CPU.to_string(),
            path_mode: PathMode::None,
            cells: self.cells(),
            tile: (1, 1),
            strips: 1,
            passes: plan.levels as u64,
            device_bytes: 0,
            host_bytes: self.fixed_bytes(),
            expected: Duration::from_secs_f64(seconds / profile::speedup(engine.threads())),
        })
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
    let mut by_number = std::collections::HashMap::new();
    let (mut places, mut rows) = (Vec::with_capacity(range.len()), Vec::new());
    for position in range {
        let number = unique.number(position);
        let place = *by_number.entry(number).or_insert_with(|| {
            rows.push(row(rows.len(), number, position));
            rows.len() - 1
        });
        places.push(place as u32);
    }
    (places, rows)
}

/// Neighbours that are passed on at once, about.
const PASSED: usize = 1 << 20;

/// Expands pairs of distinct strings to those of all copies.
struct Expansion<'a> {
    rows: &'a Unique,
    columns: &'a Unique,
    is_same: bool,
    neighbors: Vec<Neighbor>,
}

impl Expansion<'_> {
    fn each(
        &mut self,
        block: &FoundBlock<'_>,
        pass: &mut NeighborSink<'_>,
    ) -> Result<ControlFlow<()>> {
        self.neighbors.clear();
        let mut first = block.rows.start;
        for (row, &place) in block.rows.clone().zip(block.places) {
            let start = block.found.partition_point(|found| found.place < place);
            let of_row = block.found[start..]
                .iter()
                .take_while(|found| found.place == place);
            let before = self.neighbors.len();
            let mut add = |column: u32, distance: u32| {
                let copies = self.columns.copies(column);
                let from = match self.is_same {
                    true => copies.partition_point(|&copy| copy as usize <= row),
                    false => 0,
                };
                let neighbor = |&copy: &u32| Neighbor {
                    row: row as u32,
                    column: copy,
                    distance,
                };
                self.neighbors.extend(copies[from..].iter().map(neighbor));
            };
            if self.is_same && self.columns.has_copies() {
                add(self.rows.number(row), 0);
            }
            of_row.for_each(|found| add(found.column, found.distance));
            if self.columns.has_copies() {
                self.neighbors[before..].sort_unstable();
            }
            if self.neighbors.len() >= PASSED {
                if pass(first..row + 1, &self.neighbors)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                self.neighbors.clear();
                first = row + 1;
            }
        }
        if first < block.rows.end {
            return pass(first..block.rows.end, &self.neighbors);
        }
        Ok(ControlFlow::Continue(()))
    }
}
