//! Tiled table on CPU threads.
//!
//! Ranges are cells (i, j) above the diagonal, with points 0..=leaves. In a tile of rows I and
//! columns J, all splits in tiles strictly between I and J are a min-plus product of finished
//! tiles, computed row by row in SIMD registers. Only the splits in I and J depend on cells of the
//! tile itself; they are closed from the last row up and from left to right.

mod product;

use super::problem::{Problem, Split, best_of, may_overflow, worst};
use super::value::Value;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::{for_each_mut, try_map_mut};
use crate::host::simd::{self, Work};
use product::Product;
pub(super) use product::TILE;

const CELLS: usize = TILE * TILE;
/// Rows of a tile per task.
const STRIPE: usize = 16;

/// Aligned so that rows start at cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Tile<V>([V; CELLS]);

#[derive(Debug)]
pub(crate) struct CostTable<V> {
    /// Indexed by tile anti-diagonal, then tile row.
    diagonals: Vec<Vec<Tile<V>>>,
}

impl<V: Value> CostTable<V> {
    pub(crate) fn cost(&self, i: usize, j: usize) -> V {
        let (row, column) = (i / TILE, j / TILE);
        self.tile(row, column)[i % TILE * TILE + j % TILE]
    }

    fn tile(&self, row: usize, column: usize) -> &[V] {
        &self.diagonals[column - row][row].0
    }
}

pub(crate) fn table_bytes(leaves: usize, value_bytes: usize) -> u64 {
    let tiles = (leaves as u64 + 1).div_ceil(TILE as u64);
    (tiles * (tiles + 1) / 2).saturating_mul((CELLS * value_bytes) as u64)
}

/// Fills the table. Cost: `leaves^3 / 6` splits.
pub(crate) fn fill<P: Problem>(problem: &P, control: &Control) -> Result<CostTable<P::Value>> {
    let checked = may_overflow(problem);
    let points = problem.leaves() + 1;
    let tiles = points.div_ceil(TILE);
    let mut table = CostTable {
        diagonals: Vec::with_capacity(tiles),
    };
    for distance in 0..tiles {
        let mut diagonal = vec![Tile([worst::<P>(); CELLS]); tiles - distance];
        // Stripes give every thread work on the last anti-diagonals, which have few tiles.
        if distance >= 2 {
            let stripes = diagonal.iter_mut().enumerate().flat_map(|(row, tile)| {
                tile.0
                    .chunks_mut(STRIPE * TILE)
                    .enumerate()
                    .map(move |(stripe, rows)| (row, stripe * STRIPE, rows))
            });
            let mut stripes: Vec<_> = stripes.collect();
            try_map_mut(&mut stripes, |_, (row, first, rows)| {
                let (row, first) = (*row, *first);
                control.check()?;
                for middle in row + 1..row + distance {
                    let left = &table.tile(row, middle)[first * TILE..][..STRIPE * TILE];
                    let right = table.tile(middle, row + distance);
                    let first = Split {
                        i: row * TILE + first,
                        k: middle * TILE,
                        j: (row + distance) * TILE,
                    };
                    let columns = TILE.min(points - first.j);
                    simd::with_simd(Product {
                        problem,
                        first,
                        columns,
                        left,
                        right,
                        rows,
                        checked,
                    });
                }
                Ok(())
            })?;
        }
        for_each_mut(&mut diagonal, |row, tile| {
            let (table, cells) = (&table, &mut tile.0[..]);
            simd::with_simd(Closure {
                problem,
                table,
                row,
                column: row + distance,
                points,
                checked,
                cells,
            });
        });
        table.diagonals.push(diagonal);
        control.add_done(super::splits_of_tiles(tiles, distance, TILE));
    }
    Ok(table)
}

/// Last step of a tile whose products are done: the leaves, the enclosures, and the splits in the
/// tile's own rows and columns.
struct Closure<'a, P: Problem> {
    problem: &'a P,
    table: &'a CostTable<P::Value>,
    row: usize,
    column: usize,
    points: usize,
    checked: bool,
    cells: &'a mut [P::Value],
}

impl<P: Problem> Work for Closure<'_, P> {
    #[inline(always)]
    fn run(self) {
        let (first_row, first_column) = (self.row * TILE, self.column * TILE);
        let rows = TILE.min(self.points - first_row);
        let columns = TILE.min(self.points - first_column);
        let on_diagonal = self.row == self.column;
        for row in (0..rows).rev() {
            let i = first_row + row;
            let (upper, lower) = self.cells.split_at_mut((row + 1) * TILE);
            let best = &mut upper[row * TILE..][..columns];
            // The leaf, and enclosures of finished ranges.
            for (column, best) in best.iter_mut().enumerate() {
                let j = first_column + column;
                if j == i + 1 {
                    *best = self.problem.leaf(i);
                } else if P::ENCLOSES && j > i + 1 {
                    // The enclosed range is empty, in a later row of this tile, or in a tile that
                    // was finished before.
                    let inside = match (i + 1, j - 1) {
                        (a, b) if a == b => P::Value::ZERO,
                        (a, b) if row + 1 < rows && column > 0 && a < first_row + TILE => {
                            lower[(a - first_row - row - 1) * TILE + b - first_column]
                        }
                        (a, b) => self.table.cost(a, b),
                    };
                    if let Some(weight) = self.problem.enclosure(i, j) {
                        *best = best_of::<P>(*best, inside.plus(weight));
                    }
                }
            }
            if on_diagonal {
                // From left to right: the range i..k is final before it is used.
                for k in row + 1..columns {
                    let right = &lower[(k - row - 1) * TILE..][..columns];
                    let left = best[k];
                    let split = Split {
                        i,
                        k: first_row + k,
                        j: first_column + k + 1,
                    };
                    relax(
                        self.problem,
                        self.checked,
                        split,
                        left,
                        &right[k + 1..],
                        &mut best[k + 1..],
                    );
                }
                continue;
            }
            // Splits in the tile's rows: the left range is on the diagonal, the right one below.
            let lefts = self.table.tile(self.row, self.row);
            for k in row + 1..rows {
                let right = &lower[(k - row - 1) * TILE..][..columns];
                let split = Split {
                    i,
                    k: first_row + k,
                    j: first_column,
                };
                relax(
                    self.problem,
                    self.checked,
                    split,
                    lefts[row * TILE + k],
                    right,
                    best,
                );
            }
            // Splits in the tile's columns, from left to right: the left range is in this row, the
            // right one on the diagonal.
            let rights = self.table.tile(self.column, self.column);
            for k in 0..columns {
                let (left, right) = (best[k], &rights[k * TILE..][..columns]);
                let split = Split {
                    i,
                    k: first_column + k,
                    j: first_column + k + 1,
                };
                relax(
                    self.problem,
                    self.checked,
                    split,
                    left,
                    &right[k + 1..],
                    &mut best[k + 1..],
                );
            }
        }
    }
}

/// Relaxes `best` by one split.
#[inline(always)]
fn relax<P: Problem>(
    problem: &P,
    checked: bool,
    split: Split,
    left: P::Value,
    right: &[P::Value],
    best: &mut [P::Value],
) {
    if best.is_empty() {
        return;
    }
    if checked {
        product::relax_checked(problem, split, left, right, best)
    } else {
        problem.relax(split, [left], [right], best)
    }
}
