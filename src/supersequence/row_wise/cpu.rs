//! The row-wise method over threads: a tile a task.

use std::ops::Range;

use rayon::prelude::*;

use super::{Grid, ROWS, Rolling};
use crate::control::Control;
use crate::error::Result;
use crate::supersequence::traceback::Bits;

/// Columns of a tile: two rows of values and a few of last occurrences stay in the first two caches.
const TILE_COLS: u64 = 4096;

/// What a tile hands to the next one: the last column of its block of rows, with the row above it in front.
type Edge = [u32; ROWS as usize + 1];

/// The rolling row over threads.
pub(crate) struct OnThreads<'a> {
    a: &'a [u32],
    grid: Grid,
    last: Vec<u16>,
    control: &'a Control,
}

impl<'a> OnThreads<'a> {
    /// Sizes on the CPU.
    pub fn grid(rows: usize, cols: usize, shared: u32) -> Grid {
        let tile_cols = TILE_COLS.min(cols.max(1) as u64);
        Grid { rows: rows as u64, cols: cols as u64, shared, tile_cols }
    }

    pub fn new(a: &'a [u32], b: &[u32], grid: Grid, control: &'a Control) -> Self {
        Self { a, grid, last: grid.last_occurrences(b), control }
    }

    /// One block of rows of one tile: `row` becomes its last row.
    fn fill(&self, tile: usize, rows: Range<usize>, row: &mut [u32], left: &Edge, mut up: Option<&mut [u32]>) -> Edge {
        let first = tile * row.len();
        let mut right = [row[row.len() - 1]; ROWS as usize + 1];
        // By the place of the last occurrence: for none in the tile, then the row before from the column left of the tile on.
        let mut before = vec![0; row.len() + 2];
        for (place, code) in self.a[rows].iter().enumerate() {
            before[..2].copy_from_slice(&[left[place + 1], left[place]]);
            before[2..].copy_from_slice(row);
            let last = &self.last[(*code as usize - 1) * self.grid.width() as usize + first..][..row.len()];
            for (value, &last) in row.iter_mut().zip(last) {
                *value = before[last as usize].min(*value + 1);
            }
            if let Some(up) = &mut up {
                for ((word, value), above) in up.iter_mut().zip(&*row).zip(&before[2..]) {
                    *word |= u32::from(*value == above + 1) << place;
                }
            }
            right[place + 1] = row[row.len() - 1];
        }
        right
    }
}

impl Rolling for OnThreads<'_> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    async fn roll(&mut self, mut state: Vec<u32>, layers: Range<u64>, keep: bool) -> Result<(Vec<u32>, Option<Bits>)> {
        let (tiles, tile_cols) = (self.grid.tiles() as usize, self.grid.tile_cols as usize);
        let rows = layers.end - layers.start;
        let words = if keep { rows.div_ceil(ROWS) as usize * tile_cols } else { 0 };
        let mut bands = vec![vec![0; words]; tiles];
        let mut edges: Vec<Edge> = vec![[0; ROWS as usize + 1]; tiles + 1];
        let mut next_edges = edges.clone();
        for wave in 0..self.grid.passes(rows) {
            self.control.check()?;
            let (first, count) = self.grid.wave(wave, rows);
            let work =
                state.par_chunks_mut(tile_cols).zip(&edges).zip(&mut next_edges[1..]).zip(&mut bands).enumerate();
            work.skip(first as usize).take(count as usize).for_each(|(tile, (((row, left), right), band))| {
                let block = wave as usize - tile;
                let begin = (layers.start + block as u64 * ROWS) as usize;
                let rows = begin..(begin + ROWS as usize).min(layers.end as usize);
                let border = Edge::from(std::array::from_fn(|place| (begin + place) as u32));
                let left = if tile == 0 { &border } else { left };
                let up = keep.then(|| &mut band[block * tile_cols..][..tile_cols]);
                *right = self.fill(tile, rows, row, left, up);
            });
            std::mem::swap(&mut edges, &mut next_edges);
            self.control.advance(count * ROWS * self.grid.tile_cols);
        }
        Ok((state, keep.then_some(Bits::Host { bands, band: self.grid.tile_cols })))
    }
}
