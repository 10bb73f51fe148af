//! The row-wise method: every row from the row before alone.
//!
//! With `A[c][j]` the last column up to `j` that has the symbol `c`, and 0 where there is none,
//!
//! ```text
//! M[i][j] = min(M[i-1][A[x_i][j] - 1] + j - A[x_i][j], M[i-1][j]) + 1,    with A[x_i][j] = 0:  min(i + j - 1, M[i-1][j]) + 1
//! ```
//!
//! so that no cell needs another one of its row (Zhao, equation 9 and algorithm 3). What is computed is `W[i][j] = M[i][j] - j`, the
//! symbols that `a[..i]` adds to `b[..j]`:
//!
//! ```text
//! W[i][j] = min(W[i-1][A[x_i][j] - 1], W[i-1][j] + 1),    with A[x_i][j] = 0:  min(i, W[i-1][j] + 1)
//! ```
//!
//! Rows roll, and [`ROWS`] of them are computed for a tile of columns at a time: where the last occurrence lies before the tile,
//! `W[i][first - 1]` takes the place of the first operand, which is the same recurrence for the last column before it. Tiles of
//! one wavefront work side by side, each one block of rows behind the tile on its left. `A` holds the place inside a tile in 16
//! bits: `2 * (shared + 1) * cols` bytes.
//!
//! The canonical path goes up from a cell where the second operand is least, else left to the last occurrence and diagonally from
//! it: `W` does not increase in a row, so that no cell on the way goes up. For the string every cell takes its origin, the
//! column where the path comes to the last stored row, from the operand that it takes its value from.

pub(super) mod cpu;
pub(super) mod gpu;

use rayon::prelude::*;

pub use gpu::TILE_COLS;

use super::stored::{Layer, Table};
use crate::engine::Device;
use crate::error::Result;
use crate::pairwise::codes::Encoded;

/// Length of the shortest common supersequence of these codes, symbols on both sides, on this device.
///
/// # Errors
/// [`Error::TooManySymbols`](crate::Error::TooManySymbols), [`Error::InputTooLong`](crate::Error::InputTooLong) and
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) before any work, else as [`Device::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    device.check_budget(gpu::size_bytes(&gpu::grid(device, codes)?))?;
    Ok(gpu::sweep(device, codes, None).await?.length)
}

/// Rows of a tile.
pub const ROWS: u64 = 64;

/// Sizes of the method for one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Symbols of `a`.
    pub rows: u64,
    /// Symbols of `b`.
    pub cols: u64,
    /// Distinct symbols that both have.
    pub shared: u32,
    /// Columns of a tile, at most 2^16 - 1.
    pub tile_cols: u64,
}

impl Grid {
    /// Tiles side by side, at least 1.
    pub fn tiles(&self) -> u64 {
        self.cols.div_ceil(self.tile_cols).max(1)
    }

    /// Columns with the padding of the last tile.
    pub fn width(&self) -> u64 {
        self.tiles() * self.tile_cols
    }

    /// Passes: wavefronts of tiles.
    pub fn passes(&self) -> u64 {
        (self.rows.div_ceil(ROWS) + self.tiles()).saturating_sub(1)
    }

    /// The table with its rows as layers, whose stored ones have so many words.
    fn layers(&self, stored_words: u64) -> Table {
        Table {
            layer: Layer::Row,
            rows: self.rows,
            cols: self.cols,
            stored_words,
            origins_bytes: self.rolling_bytes(),
            largest_bytes: 8 * self.width(),
        }
    }

    /// Bytes of the values that roll: a row, and the edges of its tiles in two wavefronts.
    fn rolling_bytes(&self) -> u64 {
        4 * (self.width() + 2 * (self.tiles() + 1) * (ROWS + 1))
    }

    /// Bytes of the table of last occurrences.
    pub fn table_bytes(&self) -> u64 {
        2 * (u64::from(self.shared) + 1) * self.width()
    }

    /// The tiles of one wavefront, and how many they are.
    fn wavefront(&self, wavefront: u64) -> (u64, u64) {
        let first = (wavefront + 1).saturating_sub(self.rows.div_ceil(ROWS));
        (first, wavefront.min(self.tiles() - 1) + 1 - first)
    }

    /// Writes `[code - 1][column]` over zeros: where in its tile the last occurrence of the code lies, from 1, or 0. The code of
    /// symbols that only `a` has occurs nowhere.
    fn last_occurrences(&self, b: &[u32], table: &mut [u16]) {
        let (tiles, tile_cols) = (self.tiles() as usize, self.tile_cols as usize);
        let of_tiles = table.par_chunks_mut(tile_cols).take(self.shared as usize * tiles).enumerate();
        of_tiles.with_min_len(LEAST.div_ceil(tile_cols)).for_each(|(place, places)| {
            let code = (place / tiles) as u32 + 1;
            let mut last = 0;
            for ((place, &y), column) in places.iter_mut().zip(&b[place % tiles * tile_cols..]).zip(1..) {
                last = if y == code { column } else { last };
                *place = last;
            }
        });
    }
}

/// Last occurrences that are worth a task of their own.
const LEAST: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairwise::bit_parallel::inputs::Random;

    #[test]
    fn last_occurrences_are_the_nearest_of_each_code_in_its_tile() {
        let mut random = Random::new(41);
        for cols in [1, 255, 256, 257, 700, 5000] {
            for (shared, tile_cols) in [(1, 256), (4, 256), (26, 256), (90, 100), (3, 4096)] {
                let b: Vec<u32> = (0..cols).map(|_| random.below(shared + 1) as u32).collect();
                let grid = Grid { rows: 1, cols: cols as u64, shared: shared as u32, tile_cols: tile_cols as u64 };
                let mut table = vec![0; (grid.table_bytes() / 2) as usize];
                grid.last_occurrences(&b, &mut table);
                for (code, places) in (1..).zip(table.chunks(grid.width() as usize)) {
                    for (column, &place) in places.iter().take(cols).enumerate() {
                        let first = column / tile_cols * tile_cols;
                        let last = (first..=column).rev().find(|&column| b[column] == code);
                        let expected = last.map_or(0, |last| last - first + 1);
                        assert_eq!(usize::from(place), expected, "code {code}, column {column} of {grid:?}");
                    }
                }
            }
        }
    }
}
