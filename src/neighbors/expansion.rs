//! Expands pairs of distinct strings to those of their copies.

use std::ops::{ControlFlow, Range};

use super::solve::{FoundBlock, NeighborSink};
use super::task::Neighbor;
use super::unique::Unique;
use crate::engine::Engine;
use crate::error::Result;
use crate::host::parallel;

/// Neighbours that a parallel task should find.
const TASK_NEIGHBORS: usize = 1 << 16;
/// Rows of the first tasks, before the number of neighbours per row is known.
const FIRST_TASK_ROWS: usize = 1 << 8;
const MAX_TASK_ROWS: usize = 1 << 14;
const TASKS_PER_THREAD: usize = 4;

/// Expands pairs of distinct strings to those of all copies.
pub(super) struct Expansion<'a> {
    pub(super) rows: &'a Unique,
    pub(super) columns: &'a Unique,
    pub(super) is_same: bool,
}

impl Expansion<'_> {
    /// Passes the neighbours of a block's rows to `pass`, some rows at a time.
    pub(super) fn each(
        &self,
        engine: &Engine,
        block: &FoundBlock<'_>,
        pass: &mut NeighborSink<'_>,
    ) -> Result<ControlFlow<()>> {
        let mut starts = vec![0; block.places.len() + 1];
        block
            .found
            .iter()
            .for_each(|found| starts[found.place as usize + 1] += 1);
        for place in 0..block.places.len() {
            starts[place + 1] += starts[place];
        }
        let (mut next, mut of_task) = (0, FIRST_TASK_ROWS);
        while next < block.places.len() {
            let rows = of_task * TASKS_PER_THREAD * engine.threads();
            let end = (next + rows).min(block.places.len());
            let of_rows = |task: usize| {
                let first = next + task * of_task;
                let rows = first..(first + of_task).min(end);
                let neighbors = self.of_rows(block, &starts, rows.clone());
                (rows, neighbors)
            };
            let tasks = (end - next).div_ceil(of_task);
            let parts = engine.on_threads(|| parallel::map(tasks, of_rows));
            let count: usize = parts.iter().map(|(_, neighbors)| neighbors.len()).sum();
            for (rows, neighbors) in parts {
                let first = block.rows.start;
                if pass(first + rows.start..first + rows.end, &neighbors)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            let fitting = TASK_NEIGHBORS * (end - next) / count.max(1);
            of_task = fitting.clamp(1, 8 * of_task).min(MAX_TASK_ROWS);
            next = end;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Neighbours of some rows of a block. `starts` is the first pair in `block.found` by place.
    fn of_rows(
        &self,
        block: &FoundBlock<'_>,
        starts: &[usize],
        rows: Range<usize>,
    ) -> Vec<Neighbor> {
        let mut neighbors = Vec::new();
        for (row, &place) in rows.clone().zip(&block.places[rows]) {
            let row = (block.rows.start + row) as u32;
            let before = neighbors.len();
            let mut add = |column: u32, distance: u32| {
                let copies = self.columns.copies(column);
                let from = match self.is_same {
                    true => copies.partition_point(|&copy| copy <= row),
                    false => 0,
                };
                let neighbor = |&copy: &u32| Neighbor {
                    row,
                    column: copy,
                    distance,
                };
                neighbors.extend(copies[from..].iter().map(neighbor));
            };
            if self.is_same && self.columns.has_copies() {
                add(self.rows.number(row as usize), 0);
            }
            let place = place as usize;
            let found = &block.found[starts[place]..starts[place + 1]];
            found
                .iter()
                .for_each(|found| add(found.column, found.distance));
            if self.columns.has_copies() {
                neighbors[before..].sort_unstable();
            }
        }
        neighbors
    }
}
