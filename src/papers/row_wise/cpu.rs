//! Row-wise method on threads: one task per tile.

use std::ops::Range;

use super::{Grid, ROWS};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::map_each;
use crate::papers::layers::LayeredTable;
use crate::papers::layers::midpoints::{self, Swept};
use crate::sequences::codes::Encoded;

/// Columns of a tile; two rows of values and a few of last occurrences fit in the L1 and L2 caches.
const TILE_COLS: u64 = 4096;

pub(crate) fn grid(codes: &Encoded) -> Grid {
    Grid::new(codes, TILE_COLS.min(codes.b.len().max(1) as u64))
}

/// Bytes of a call for the length alone.
pub(crate) fn size_bytes(grid: &Grid) -> u64 {
    grid.rolling_bytes() + grid.table_bytes()
}

/// The table as row layers.
pub(crate) fn layers(grid: &Grid) -> LayeredTable {
    grid.layers(grid.width())
}

/// Rolls one row on the caller's thread pool. With `every`, stores rows at that spacing and returns
/// the midpoints.
pub(crate) fn sweep(codes: &Encoded, every: Option<u64>, control: &Control) -> Result<Swept> {
    let grid = grid(codes);
    let mut last = vec![0; (grid.table_bytes() / 2) as usize];
    grid.last_occurrences(&codes.b, &mut last);
    let rows = Rows {
        a: &codes.a,
        grid,
        last,
        every,
        control,
    };
    let swept = |value: u32, places: Vec<u32>| Swept {
        length: grid.cols + u64::from(value),
        places,
    };
    let Some(every) = every else {
        return Ok(swept(rows.roll::<u32>()?.0, Vec::new()));
    };
    let (value, stored) = rows.roll::<Traced>()?;
    let tile_cols = grid.tile_cols as usize;
    let origin = |segment: usize, place: u32| match place.checked_sub(1) {
        None => 0,
        Some(column) => {
            stored[column as usize / tile_cols][segment * tile_cols + column as usize % tile_cols]
        }
    };
    let table = layers(&grid);
    let places = midpoints::on_host(&table, table.stored(every), origin);
    Ok(swept(value, places))
}

/// Contents of a table cell.
trait Entry: Copy + Default + Send + Sync {
    /// Cell of column 0.
    fn first_column(row: u32) -> Self;
    /// Combines two cells of the row above: before the last occurrence, and straight above.
    fn cell(across: Self, above: Self) -> Self;
    fn value(self) -> u32;
    /// Returns the origin and restarts it at `column`, in a stored row.
    fn renew(&mut self, column: u32) -> u32;
}

/// The value alone, for calls without a path.
impl Entry for u32 {
    fn first_column(row: u32) -> Self {
        row
    }

    fn cell(across: Self, above: Self) -> Self {
        across.min(above + 1)
    }

    fn value(self) -> u32 {
        self
    }

    fn renew(&mut self, column: u32) -> u32 {
        column
    }
}

/// A value and its origin: the column where the canonical path crosses the last stored row.
#[derive(Clone, Copy, Default)]
struct Traced {
    value: u32,
    origin: u32,
}

impl Entry for Traced {
    fn first_column(row: u32) -> Self {
        Self {
            value: row,
            origin: 0,
        }
    }

    fn cell(across: Self, above: Self) -> Self {
        if above.value < across.value {
            Self {
                value: above.value + 1,
                ..above
            }
        } else {
            across
        }
    }

    fn value(self) -> u32 {
        self.value
    }

    fn renew(&mut self, column: u32) -> u32 {
        std::mem::replace(&mut self.origin, column)
    }
}

/// Right boundary of a tile: its last column, preceded by the cell above.
type TileBoundary<E> = [E; ROWS as usize + 1];

struct Rows<'a> {
    a: &'a [u32],
    grid: Grid,
    last: Vec<u16>,
    every: Option<u64>,
    control: &'a Control,
}

impl Rows<'_> {
    /// Returns the last cell and, per tile, the origins `[segment - 1][column]` at the end of every
    /// segment but the first.
    fn roll<E: Entry>(&self) -> Result<(u32, Vec<Vec<u32>>)> {
        let grid = &self.grid;
        let (tiles, tile_cols) = (grid.tiles() as usize, grid.tile_cols as usize);
        let stored_rows = self.every.map_or(0, |every| layers(grid).stored(every)) as usize;
        let mut stored = vec![vec![0; stored_rows * tile_cols]; tiles];
        let mut row = vec![E::default(); grid.width() as usize];
        let mut edges: Vec<TileBoundary<E>> = vec![[E::default(); ROWS as usize + 1]; tiles + 1];
        let mut next_edges = edges.clone();
        for wavefront in 0..grid.passes() {
            self.control.check()?;
            let (first, count) = grid.wavefront(wavefront);
            let work = row
                .chunks_mut(tile_cols)
                .zip(&edges)
                .zip(&mut next_edges[1..])
                .zip(&mut stored)
                .enumerate();
            let work = work.skip(first as usize).take(count as usize);
            map_each(work.collect(), |(tile, (((row, left), right), stored))| {
                let begin = (wavefront as usize - tile) * ROWS as usize;
                let rows = begin..(begin + ROWS as usize).min(self.a.len());
                let first_column = TileBoundary::from(std::array::from_fn(|index| {
                    E::first_column((begin + index) as u32)
                }));
                let left = if tile == 0 { &first_column } else { left };
                *right = self.fill(tile, rows.clone(), row, left);
                self.store(tile, rows.end, row, stored);
            });
            std::mem::swap(&mut edges, &mut next_edges);
            self.control.add_done(count * ROWS * grid.tile_cols);
        }
        Ok((row[grid.cols as usize - 1].value(), stored))
    }

    /// Fills one block of rows of one tile; `row` becomes its last row. Returns the right boundary.
    fn fill<E: Entry>(
        &self,
        tile: usize,
        rows: Range<usize>,
        row: &mut [E],
        left: &TileBoundary<E>,
    ) -> TileBoundary<E> {
        let first = tile * row.len();
        let mut right = [row[row.len() - 1]; ROWS as usize + 1];
        // Indexed by last occurrence: 0 (none in the tile), then the row above from the column left
        // of the tile.
        let mut before = vec![E::default(); row.len() + 2];
        for (index, code) in self.a[rows].iter().enumerate() {
            before[..2].copy_from_slice(&[left[index + 1], left[index]]);
            before[2..].copy_from_slice(row);
            let last = &self.last[(*code as usize - 1) * self.grid.width() as usize + first..]
                [..row.len()];
            for (entry, &last) in row.iter_mut().zip(last) {
                *entry = E::cell(before[last as usize], *entry);
            }
            right[index + 1] = row[row.len() - 1];
        }
        right
    }

    /// Stores the origins of a tile if a segment ends after `rows` rows.
    fn store<E: Entry>(&self, tile: usize, rows: usize, row: &mut [E], stored: &mut [u32]) {
        let Some(every) = self.every.map(|every| every as usize) else {
            return;
        };
        if rows < self.a.len() && !rows.is_multiple_of(every) {
            return;
        }
        let width = row.len();
        let origins = row
            .iter_mut()
            .zip((tile * width) as u32 + 1..)
            .map(|(entry, column)| entry.renew(column));
        match ((rows - 1) / every).checked_sub(1) {
            Some(segment) => stored[segment * width..]
                .iter_mut()
                .zip(origins)
                .for_each(|(kept, origin)| *kept = origin),
            None => origins.for_each(drop),
        }
    }
}
