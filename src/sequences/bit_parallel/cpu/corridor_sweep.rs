//! Sweep of a corridor: the tiles that paths within a limit can cross.
//!
//! A column of tiles is computed downwards, behind the column to its left. It begins at the first
//! strip whose left edge has a value of interest. It ends at the first strip below those of the
//! column to its left whose upper edge has none.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::floor::{Cell, Floor};
use super::kernels::Kernel;
use super::lanes::Lanes;
use super::schedule::{Order, Schedule};
use super::table::{ColumnBlock, Strip, StripTable, growth_of_limb, run_tile};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::lock;

/// Width of the beam that finds an upper bound, in unit costs.
pub(super) const BEAM: i64 = 256;

#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// A cell belongs to it if its cost and the lower bound of the remaining cost add up to at most
    /// this.
    Cost(i64),
    /// A cell belongs to it if this sum exceeds the least one of its column by at most [`BEAM`].
    Beam,
}

pub(super) struct Swept<T> {
    pub table: T,
    pub cost: Option<u64>,
    /// Least sum of a cost and the lower bound of the remaining cost, at the left edge of each column
    /// of tiles of a beam.
    pub least_sums: Vec<i64>,
}

/// A strip that may be the next one of a column of tiles.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    strip: usize,
    block: usize,
    /// True until a strip of the column has been swept.
    begins: bool,
    /// End of the strips that were swept in the column to the left. They may have values of
    /// interest at the left edge.
    entered: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The paths of interest are below.
    Left,
    Swept,
    /// No path of interest goes down to this strip.
    Over,
}

struct Columns {
    strips: usize,
    columns: Vec<Column>,
    /// Strips of interest at the first column.
    entered: usize,
    /// True if a column starts only after the column to its left has ended.
    one_by_one: bool,
}

#[derive(Clone, Default)]
struct Column {
    first: Option<usize>,
    /// Strip that follows; known once the column to the left has begun.
    next: Option<usize>,
    is_running: bool,
    is_over: bool,
}

impl Columns {
    fn new(strips: usize, columns: usize, entered: usize, one_by_one: bool) -> Self {
        Self {
            strips,
            columns: vec![Column::default(); columns],
            entered,
            one_by_one,
        }
    }

    fn offer(&mut self, block: usize, ready: &mut VecDeque<Candidate>) {
        let Some(&Column {
            first,
            next: Some(strip),
            is_running: false,
            is_over: false,
        }) = self.columns.get(block)
        else {
            return;
        };
        let entered = match block.checked_sub(1).map(|left| &self.columns[left]) {
            None => self.entered,
            Some(left) => {
                let passed = left.next.unwrap_or(0);
                if !left.is_over && (self.one_by_one || passed <= strip) {
                    return;
                }
                passed
            }
        };
        self.columns[block].is_running = true;
        ready.push_back(Candidate {
            strip,
            block,
            begins: first.is_none(),
            entered,
        });
    }
}

impl Order for Columns {
    type Tile = Candidate;
    type Outcome = Outcome;

    fn first(&mut self) -> VecDeque<Candidate> {
        let mut ready = VecDeque::new();
        if let Some(column) = self.columns.first_mut() {
            column.next = Some(0);
            self.offer(0, &mut ready);
        }
        ready
    }

    fn finish(
        &mut self,
        Candidate { strip, block, .. }: Candidate,
        outcome: Outcome,
        ready: &mut VecDeque<Candidate>,
    ) {
        let column = &mut self.columns[block];
        column.is_running = false;
        if outcome != Outcome::Over {
            column.next = Some(strip + 1);
        }
        column.is_over = outcome == Outcome::Over || strip + 1 == self.strips;
        if outcome == Outcome::Swept && column.first.is_none() {
            column.first = Some(strip);
            if let Some(right) = self.columns.get_mut(block + 1) {
                right.next = Some(strip);
            }
        }
        self.offer(block, ready);
        self.offer(block + 1, ready);
    }
}

impl<R: Lanes> StripTable<'_, R> {
    /// Computes the tiles that paths within the limit can cross, and the cost of the path that they
    /// hold; `None` if they do not reach the last cell. `is_serial`: on the calling thread.
    /// The progress advances by `expected`, the cells of each column of tiles.
    pub(super) fn run_in_corridor(
        mut self,
        limit: Limit,
        floor: &Floor,
        is_serial: bool,
        expected: &[u64],
        control: &Control,
    ) -> Result<Swept<Self>> {
        let (count, blocks) = (self.strips.len(), self.blocks.len());
        let (kernel, coding, keep) = (self.kernel, self.coding, self.keep);
        let block_cols = self.block_cols;
        let rows: Vec<_> = (0..count).map(|strip| self.rows_of(strip)).collect();
        let lowest = floor.at_start();
        let is_beam = matches!(limit, Limit::Beam);
        let (limit, height) = match limit {
            Limit::Cost(cost) => (cost, (cost - lowest).max(0) as usize),
            Limit::Beam => (lowest + BEAM, BEAM as usize),
        };
        let tiles_of_strip = (kernel.strip_rows() + 2 * height) / block_cols + 1;
        let least_left = |strip: usize, state: &Strip, block: usize| {
            least_left::<R>(
                &kernel,
                state,
                rows[strip].clone(),
                block * block_cols,
                floor,
            )
        };
        let entered = (0..count)
            .take_while(|&strip| least_left(strip, &self.strips[strip], 0) <= limit)
            .count();
        let strips = self
            .strips
            .iter_mut()
            .map(|strip| Mutex::new((strip, 0..0)));
        let strips: Vec<_> = strips.collect();
        let columns: Vec<_> = self.blocks.iter_mut().map(Mutex::new).collect();
        let (computed, limit) = (AtomicU64::new(0), AtomicI64::new(limit));
        let (begun, least_sums) = (AtomicUsize::new(0), Mutex::new(vec![lowest; blocks]));
        let order = Columns::new(count, blocks, entered, is_beam);
        Schedule::new(order).run(is_serial, |candidate| {
            control.check()?;
            let Candidate { strip, block, .. } = candidate;
            if candidate.begins {
                if strip >= candidate.entered {
                    return Ok(Outcome::Over);
                }
                if is_beam {
                    let entered = strip..candidate.entered;
                    let sums =
                        entered.map(|strip| least_left(strip, lock(&strips[strip]).0, block));
                    let least = sums.min().unwrap_or(0);
                    lock(&least_sums)[block] = least;
                    limit.store(least + BEAM, Ordering::Relaxed);
                }
            }
            let limit = limit.load(Ordering::Relaxed);
            let (mut state, mut column) = (lock(&strips[strip]), lock(&columns[block]));
            let (state, swept) = &mut *state;
            if candidate.begins {
                if least_left(strip, state, block) > limit {
                    return Ok(Outcome::Left);
                }
            } else if strip >= candidate.entered {
                let (row, col) = (rows[strip].start, block * block_cols);
                if least_above::<R>(&column, row, col, floor) > limit {
                    return Ok(Outcome::Over);
                }
            }
            if state.first_block.is_none() {
                let tiles = tiles_of_strip.min(blocks - block);
                state.reserve::<R>(&kernel, keep, block_cols, tiles);
            }
            run_tile::<R>(&kernel, &coding, state, &mut column, keep);
            *swept = *state.first_block.get_or_insert(block)..block + 1;
            let cells = rows[strip].len() as u64 * column.codes.len() as u64;
            computed.fetch_add(cells, Ordering::Relaxed);
            let before = begun.fetch_max(block + 1, Ordering::Relaxed);
            if let Some(begun) = expected.get(before..=block) {
                control.add_done(begun.iter().sum());
            }
            Ok(Outcome::Swept)
        })?;
        let swept = strips.into_iter().map(|strip| {
            let strip = strip.into_inner();
            strip.unwrap_or_else(PoisonError::into_inner).1
        });
        let swept: Vec<_> = swept.collect();
        drop(columns);
        let is_complete = swept.last().is_some_and(|last| last.end == blocks);
        self.cells = computed.into_inner();
        self.corridor = Some(swept);
        let cost = is_complete.then(|| R::cost(self.last_value(), self.rows, self.cols));
        let least_sums = least_sums.into_inner();
        Ok(Swept {
            table: self,
            cost,
            least_sums: least_sums.unwrap_or_else(PoisonError::into_inner),
        })
    }
}

/// Least cost of a path through these rows of a strip, left of a block.
fn least_left<R: Lanes>(
    kernel: &Kernel,
    state: &Strip,
    rows: Range<usize>,
    col: usize,
    floor: &Floor,
) -> i64 {
    let cost = |value, row| R::cost(value, row, col) as i64;
    let (mut row, mut value) = (rows.start, state.value);
    let (mut limb, mut least) = (0, i64::MAX);
    while row < rows.end {
        let (len, growth) = growth_of_limb::<R>(kernel, &state.v, limb, rows.end - row);
        let (end, after) = (row + len, value + growth);
        let costs = [cost(value, row), cost(after, end)];
        let [above, below] = [row, end].map(|row| Cell { row, col });
        least = least.min(floor.through(above, below, costs));
        (row, value, limb) = (end, after, limb + 1);
    }
    least
}

/// Least cost of a path through a column of a block, whose first cell is given, above a strip,
/// after the strip above has been swept.
fn least_above<R: Lanes>(column: &ColumnBlock<'_>, row: usize, start: usize, floor: &Floor) -> i64 {
    let cost = |value, col| R::cost(value, row, col) as i64;
    let words = column.codes.len().div_ceil(64);
    let (plus, minus) = column.carries.split_at(words);
    let (mut col, mut value) = (start, column.value);
    let mut least = i64::MAX;
    for (word, plus) in plus.iter().enumerate() {
        let end = start + column.codes.len().min((word + 1) * 64);
        let inside = !0 >> (64 - (end - col));
        let minus = minus.get(word).copied().unwrap_or_default();
        let after = value + i64::from((plus & inside).count_ones())
            - i64::from((minus & inside).count_ones());
        let costs = [cost(value, col), cost(after, end)];
        let [left, right] = [col, end].map(|col| Cell { row, col });
        least = least.min(floor.through(left, right, costs));
        (col, value) = (end, after);
    }
    least
}
