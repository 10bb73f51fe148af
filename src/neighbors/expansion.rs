//! Expands pairs of distinct strings to those of their copies.

use std::ops::{ControlFlow, Range};

use super::blocks::{Block, Consumer, FoundBlock, Neighbor, NeighborsDone, RowsOf};
use super::join::{Counts, Found};
use super::request::{Request, Sides};
use super::shard::Shard;
use super::unique::Unique;
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::engine::Engine;
use crate::engine::placement::Call;
use crate::error::Result;
use crate::host::parallel;
use crate::substring::Strand;

/// Maximum neighbours that a parallel task expands; a row with more is a task of its own.
const TASK_NEIGHBORS: usize = 1 << 16;
const TASKS_PER_THREAD: usize = 4;
/// Rows whose neighbours a parallel task counts.
const COUNTED_ROWS: usize = 1 << 12;

/// Consumer that passes all neighbours to the caller.
pub(super) struct Expand<'b> {
    blocks: &'b HandOver<Block>,
    /// Checks the number of pairs of equal strings, before any work.
    check_equal: &'b dyn Fn(u128) -> Result<()>,
    pairs: u64,
}

impl<'b> Expand<'b> {
    pub(super) fn new(
        blocks: &'b HandOver<Block>,
        check_equal: &'b dyn Fn(u128) -> Result<()>,
    ) -> Self {
        Self {
            blocks,
            check_equal,
            pairs: 0,
        }
    }
}

impl Consumer for Expand<'_> {
    type Answer = NeighborsDone;

    const ROWS: RowsOf = RowsOf::Positions;

    fn begin(&mut self, request: &Request<'_>, sides: &Sides<'_>) -> Result<()> {
        if request.columns.is_none() {
            (self.check_equal)(sides.rows.unique.equal_pairs(request.shard))?;
        }
        Ok(())
    }

    async fn take(
        &mut self,
        call: &Call<'_>,
        request: &Request<'_>,
        sides: &Sides<'_>,
        block: FoundBlock<'_>,
    ) -> Result<ControlFlow<()>> {
        let Call {
            engine, control, ..
        } = call;
        let found_bytes = request.room(engine).found_bytes;
        let expansion = Expansion {
            rows: &sides.rows.unique,
            columns: &sides.columns().unique,
            is_same: request.columns.is_none(),
            shard: request.shard,
            max_neighbors: (found_bytes / size_of::<Neighbor>() as u64) as usize,
        };
        let passing = expansion.pass_on(engine, control, &block, self.blocks);
        let (pairs, flow) = passing.await?;
        self.pairs += pairs;
        Ok(flow)
    }

    fn finish(&mut self, _: &Sides<'_>, counts: Counts) -> NeighborsDone {
        NeighborsDone {
            pairs: self.pairs,
            work: counts.into(),
        }
    }
}

struct Expansion<'a> {
    rows: &'a Unique,
    columns: &'a Unique,
    is_same: bool,
    shard: Shard,
    /// Maximum neighbours in memory; a row with more is expanded alone.
    max_neighbors: usize,
}

impl Expansion<'_> {
    /// Passes the neighbours of a block's rows to `blocks`, some rows at a time. Returns their
    /// number.
    async fn pass_on(
        &self,
        engine: &Engine,
        control: &Control,
        found: &FoundBlock<'_>,
        blocks: &HandOver<Block>,
    ) -> Result<(u64, ControlFlow<()>)> {
        let mut starts = vec![0; found.places.len() + 1];
        found
            .found
            .iter()
            .for_each(|found| starts[found.index as usize + 1] += 1);
        for index in 0..found.places.len() {
            starts[index + 1] += starts[index];
        }
        let block = Starts { found, starts };
        let rows = found.places.len();
        let count = |row: usize| {
            self.columns(&block, row)
                .map(|(_, copies)| copies.len())
                .sum()
        };
        let counts: Vec<usize> =
            engine.on_threads(|| parallel::map_places(rows, COUNTED_ROWS, count));
        let max_step = (TASK_NEIGHBORS * TASKS_PER_THREAD * engine.threads())
            .min(self.max_neighbors)
            .max(1);
        let (mut next, mut passed) = (0, 0);
        while next < rows {
            let end = next_end(&counts, next, max_step);
            let mut tasks = Vec::new();
            let mut first = next;
            while first < end {
                let task = first..next_end(&counts[..end], first, TASK_NEIGHBORS);
                first = task.end;
                tasks.push(task);
            }
            let of_rows = |task: usize| self.neighbors(&block, tasks[task].clone());
            let parts = engine.on_threads(|| parallel::map(tasks.len(), of_rows));
            for (rows, neighbors) in tasks.into_iter().zip(parts) {
                control.check()?;
                passed += neighbors.len() as u64;
                control.add_done(rows.len() as u64);
                let first = found.rows.start;
                let rows = first + rows.start..first + rows.end;
                if blocks.pass(Block { rows, neighbors }).await.1.is_break() {
                    return Ok((passed, ControlFlow::Break(())));
                }
            }
            next = end;
        }
        Ok((passed, ControlFlow::Continue(())))
    }

    /// The neighbours of a row of a block, and the positions of their copies.
    fn columns<'b>(
        &'b self,
        block: &'b Starts<'_, '_>,
        index: usize,
    ) -> impl Iterator<Item = (Found, &'b [u32])> {
        let row = (block.found.rows.start + index) as u32;
        let row_index = block.found.places[index] as usize;
        let number = self.rows.number(row as usize);
        let has_equal = self.is_same && self.columns.has_copies() && self.shard.has(number);
        let equal = has_equal.then_some(Found {
            index: row_index as u32,
            column: number,
            distance: 0,
            strand: Strand::Forward,
        });
        let found = &block.found.found[block.starts[row_index]..block.starts[row_index + 1]];
        equal
            .into_iter()
            .chain(found.iter().copied())
            .map(move |found| {
                let copies = self.columns.copies(found.column);
                let from = if self.is_same {
                    copies.partition_point(|&copy| copy <= row)
                } else {
                    0
                };
                (found, &copies[from..])
            })
    }

    fn neighbors(&self, block: &Starts<'_, '_>, rows: Range<usize>) -> Vec<Neighbor> {
        let mut neighbors = Vec::new();
        for index in rows {
            let row = (block.found.rows.start + index) as u32;
            let before = neighbors.len();
            for (found, copies) in self.columns(block, index) {
                neighbors.extend(copies.iter().map(|&column| Neighbor {
                    row,
                    column,
                    distance: found.distance,
                    strand: found.strand,
                }));
            }
            if self.columns.has_copies() {
                neighbors[before..].sort_unstable();
            }
        }
        neighbors
    }
}

/// A block, and its first found pair by index.
struct Starts<'f, 'b> {
    found: &'f FoundBlock<'b>,
    starts: Vec<usize>,
}

/// End of the rows from `first` on, at least one, that have at most `max` neighbours.
fn next_end(counts: &[usize], first: usize, max: usize) -> usize {
    let mut sum = counts[first];
    let mut end = first + 1;
    while end < counts.len() && sum.saturating_add(counts[end]) <= max {
        sum += counts[end];
        end += 1;
    }
    end
}
