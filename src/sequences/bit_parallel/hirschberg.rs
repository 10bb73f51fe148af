//! Path in linear memory, on any device that can sweep.
//!
//! Splits the table at a middle line. The values on both sides of the line give a cell of an
//! optimal path, and both parts are solved recursively (Hirschberg 1975, doi:10.1145/360825.360861)
//! until the boundaries of a part fit into memory. Cost: at most twice the cells of the table.
//!
//! Takes the topmost cell where optimal paths cross the line, because the canonical path is the
//! topmost one; see [`MidpointSearch`].

use std::ops::Range;

use super::midpoint::{MidpointSearch, reversed};
use super::recurrence::{Column, Recurrence};
use super::tile::Tile;
use super::trace::Walker;
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Codes;

/// Parts up to this size are solved directly on the CPU, regardless of device memory.
const BASE_CELLS: usize = 1 << 14;
/// Parts up to this width are solved directly: a device may have no dividing line inside them.
const BASE_COLS: usize = 32;

/// A cell of an optimal path that divides the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) row: usize,
    pub(crate) col: usize,
    /// Maximum costs of the path before and behind the cell; `u64::MAX` if they are not known.
    pub(crate) max_costs: [u64; 2],
}

/// A table to solve, with an upper bound of the cost of optimal paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a> {
    pub(crate) codes: Codes<'a>,
    pub(crate) max_cost: u64,
}

/// A device that sweeps columns and recovers paths.
pub(crate) trait Sweep<R> {
    /// The topmost cell where an optimal path crosses a line through the table. Never the first or
    /// the last cell. Requires more than [`BASE_COLS`] columns.
    async fn midpoint(&mut self, table: Table<'_>) -> Result<Split>;
    /// [`midpoint`](Self::midpoint) of each of several tables, which a device may sweep at once.
    async fn midpoints(&mut self, tables: &[Table<'_>]) -> Result<Vec<Split>> {
        let mut splits = Vec::with_capacity(tables.len());
        for &table in tables {
            splits.push(self.midpoint(table).await?);
        }
        Ok(splits)
    }
    /// Canonical path by stored boundaries; `None` if they exceed the memory limit.
    async fn stored_path(&mut self, table: Table<'_>) -> Result<Option<Blocks>>;
}

struct Part {
    rows: Range<usize>,
    cols: Range<usize>,
    max_cost: u64,
}

impl Part {
    fn whole(codes: Codes<'_>) -> Self {
        Self {
            rows: 0..codes.a.len(),
            cols: 0..codes.b.len(),
            max_cost: u64::MAX,
        }
    }

    fn table<'a>(&self, codes: Codes<'a>) -> Table<'a> {
        Table {
            codes: Codes {
                a: &codes.a[self.rows.clone()],
                b: &codes.b[self.cols.clone()],
                ..codes
            },
            max_cost: self.max_cost,
        }
    }

    fn split(self, split: Split) -> [Self; 2] {
        let (row, col) = (self.rows.start + split.row, self.cols.start + split.col);
        let [before, behind] = split.max_costs;
        [
            Self {
                rows: self.rows.start..row,
                cols: self.cols.start..col,
                max_cost: before,
            },
            Self {
                rows: row..self.rows.end,
                cols: col..self.cols.end,
                max_cost: behind,
            },
        ]
    }
}

/// Canonical path, and how it was recovered.
pub(crate) async fn path<R: Recurrence, S: Sweep<R>>(
    sweep: &mut S,
    codes: Codes<'_>,
) -> Result<(Blocks, PathMode)> {
    let whole = Part::whole(codes);
    if let Some(found) = sweep.stored_path(whole.table(codes)).await? {
        return Ok((found, PathMode::StoredBoundaries));
    }
    let found = path_of_parts(sweep, codes, vec![whole]).await?;
    Ok((found, PathMode::Hirschberg))
}

/// Canonical path, if a cell of it is known.
pub(crate) async fn path_through<R: Recurrence, S: Sweep<R>>(
    sweep: &mut S,
    codes: Codes<'_>,
    split: Split,
) -> Result<(Blocks, PathMode)> {
    let parts = Part::whole(codes).split(split).into();
    let found = path_of_parts(sweep, codes, parts).await?;
    Ok((found, PathMode::Hirschberg))
}

/// Path through parts of a table. Each round divides all parts that are still too large.
async fn path_of_parts<R: Recurrence, S: Sweep<R>>(
    sweep: &mut S,
    codes: Codes<'_>,
    mut parts: Vec<Part>,
) -> Result<Blocks> {
    let mut solved = Vec::new();
    while !parts.is_empty() {
        let mut large = Vec::new();
        for part in parts {
            let table = part.table(codes);
            let (rows, cols) = (part.rows.len(), part.cols.len());
            if rows == 0 || cols == 0 {
                continue;
            }
            let path = if cols <= BASE_COLS || rows.saturating_mul(cols) <= BASE_CELLS {
                Some(in_one_tile::<R>(table.codes))
            } else {
                sweep.stored_path(table).await?
            };
            match path {
                Some(path) => solved.push((part, path)),
                None => large.push(part),
            }
        }
        let tables: Vec<_> = large.iter().map(|part| part.table(codes)).collect();
        let splits = sweep.midpoints(&tables).await?;
        parts = large
            .into_iter()
            .zip(splits)
            .flat_map(|(part, split)| part.split(split))
            .collect();
    }
    solved.sort_unstable_by_key(|(part, _)| part.rows.start);
    let mut found = Blocks::default();
    for (part, path) in &solved {
        found.append(path, part.rows.start, part.cols.start);
    }
    Ok(found)
}

/// Crossing of the topmost optimal path with the middle column. Takes the last column of the left
/// half, which includes the odd column, and the last column of the reversed right half.
pub(crate) fn column_midpoint<R: Recurrence>(
    before: &Column,
    behind: &Column,
    rows: usize,
    cols: usize,
) -> Split {
    let mut midpoint = MidpointSearch::default();
    for first in (0..rows).step_by(64) {
        let count = (rows - first).min(64);
        let lost = reversed(behind.gains::<R>(rows - first - count, count), count);
        midpoint.push(before.gains::<R>(first, count), lost, count);
    }
    Split {
        row: midpoint.best().steps,
        col: cols.div_ceil(2),
        max_costs: [u64::MAX; 2],
    }
}

fn in_one_tile<R: Recurrence>(codes: Codes<'_>) -> Blocks {
    let mut walker = Walker::<R>::new(codes, codes.a.len());
    if let (rows @ 1.., cols @ 1..) = walker.position() {
        walker.walk(&Tile::corner::<R>(rows, cols));
    }
    walker.finish().into_blocks()
}

#[cfg(test)]
mod tests {
    use super::super::differences::last_column;
    use super::super::inputs::{self, Random};
    use super::super::recurrence::{Edit, Lcs};
    use super::*;
    use crate::edit_distance;
    use crate::lcs::reference;
    use crate::sequences::codes::Encoded;

    /// Sweeps full tables by the reference. Stores boundaries up to this number of cells.
    struct Cells(usize);

    impl<R: Recurrence> Sweep<R> for Cells {
        async fn midpoint(&mut self, table: Table<'_>) -> Result<Split> {
            let Codes { a, b, .. } = table.codes;
            let (left, right) = b.split_at(b.len().div_ceil(2));
            let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
            let before = last_column::<R>(a, left);
            let behind = last_column::<R>(&reversed(a), &reversed(right));
            Ok(column_midpoint::<R>(&before, &behind, a.len(), b.len()))
        }

        async fn stored_path(&mut self, Table { codes, .. }: Table<'_>) -> Result<Option<Blocks>> {
            let cells = codes.a.len() * codes.b.len();
            Ok((cells <= self.0).then(|| in_one_tile::<R>(codes)))
        }
    }

    fn assert_gives<R: Recurrence>(
        cells: usize,
        a: &[u32],
        b: &[u32],
        expected: &Blocks,
    ) -> PathMode {
        let codes = Encoded::new(a, b);
        let mut sweep = Cells(cells);
        let found = path::<R, _>(&mut sweep, codes.codes());
        let (found, mode) = pollster::block_on(found).expect("solved");
        assert_eq!(
            &found, expected,
            "room for {cells} cells, a = {a:?}, b = {b:?}"
        );
        mode
    }

    fn assert_gives_the_reference_paths(cells: usize, a: &[u32], b: &[u32]) -> PathMode {
        let mode = assert_gives::<Lcs>(cells, a, b, &reference::subsequence(a, b).0);
        assert_eq!(
            assert_gives::<Edit>(cells, a, b, &edit_distance::reference::path(a, b)),
            mode
        );
        mode
    }

    #[test]
    fn hirschberg_gives_the_reference_paths_on_every_kind_of_input() {
        for (a, b) in inputs::pairs(330, 341) {
            let cells = a.len() * b.len();
            assert_eq!(
                assert_gives_the_reference_paths(cells, &a, &b),
                PathMode::StoredBoundaries
            );
            if cells > 0 {
                assert_gives_the_reference_paths(cells / 3, &a, &b);
                assert_eq!(
                    assert_gives_the_reference_paths(0, &a, &b),
                    PathMode::Hirschberg
                );
            }
        }
        let mut random = Random::new(6);
        let (a, b) = (random.codes(330, 4), random.codes(341, 4));
        assert_eq!(
            assert_gives_the_reference_paths(30_000, &a, &b),
            PathMode::Hirschberg
        );
    }

    #[test]
    fn hirschberg_terminates_on_one_column_and_many_rows() {
        let mut random = Random::new(7);
        let a = random.codes(20_000, 4);
        assert_eq!(
            assert_gives_the_reference_paths(0, &a, &[1]),
            PathMode::Hirschberg
        );
        assert_eq!(
            assert_gives_the_reference_paths(0, &a, &[1, 2, 9]),
            PathMode::Hirschberg
        );
        assert_eq!(
            assert_gives_the_reference_paths(0, &[1, 2, 9], &a),
            PathMode::Hirschberg
        );
    }
}
