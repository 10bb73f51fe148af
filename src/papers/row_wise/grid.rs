//! Tile grid of the row-wise method and the table of last occurrences.

use crate::host::parallel::for_each_chunk_mut;
use crate::papers::layers::{Layer, LayeredTable};
use crate::sequences::codes::Encoded;

pub const ROWS: u64 = 64;

/// Tile grid of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub rows: u64,
    pub cols: u64,
    /// Distinct symbols that occur in both inputs.
    pub shared: u32,
    /// At most 2^16 - 1.
    pub tile_cols: u64,
}

impl Grid {
    pub(super) fn new(codes: &Encoded, tile_cols: u64) -> Self {
        Self {
            rows: codes.a.len() as u64,
            cols: codes.b.len() as u64,
            shared: codes.alphabet.shared,
            tile_cols,
        }
    }

    /// Tiles per row of tiles, at least 1.
    pub fn tiles(&self) -> u64 {
        self.cols.div_ceil(self.tile_cols).max(1)
    }

    /// Columns, including the padding of the last tile.
    pub fn width(&self) -> u64 {
        self.tiles() * self.tile_cols
    }

    /// Number of wavefronts of tiles.
    pub fn passes(&self) -> u64 {
        (self.rows.div_ceil(ROWS) + self.tiles()).saturating_sub(1)
    }

    /// The table as row layers; a stored row has `stored_words` words.
    pub(super) fn layers(&self, stored_words: u64) -> LayeredTable {
        LayeredTable {
            layer: Layer::Row,
            rows: self.rows,
            cols: self.cols,
            stored_words,
            origins_bytes: self.rolling_bytes(),
            largest_bytes: 8 * self.width(),
        }
    }

    /// Bytes of rolling values: one row, and the tile boundaries of two wavefronts.
    pub(super) fn rolling_bytes(&self) -> u64 {
        4 * (self.width() + 2 * (self.tiles() + 1) * (ROWS + 1))
    }

    pub fn table_bytes(&self) -> u64 {
        2 * (u64::from(self.shared) + 1) * self.width()
    }

    /// First tile and number of tiles of a wavefront.
    pub(super) fn wavefront(&self, wavefront: u64) -> (u64, u64) {
        let first = (wavefront + 1).saturating_sub(self.rows.div_ceil(ROWS));
        (first, wavefront.min(self.tiles() - 1) + 1 - first)
    }

    /// Fills the zeroed `[code - 1][column]` with the 1-based position of the code's last
    /// occurrence in its tile, or 0 for none. The code of symbols that only `a` has never occurs.
    pub(super) fn last_occurrences(&self, b: &[u32], table: &mut [u16]) {
        let (tiles, tile_cols) = (self.tiles() as usize, self.tile_cols as usize);
        let of_shared = &mut table[..self.shared as usize * tiles * tile_cols];
        let of_task = ENTRIES_PER_TASK.div_ceil(tile_cols);
        for_each_chunk_mut(of_shared, of_task * tile_cols, |task, places| {
            for (index, places) in (task * of_task..).zip(places.chunks_mut(tile_cols)) {
                let code = (index / tiles) as u32 + 1;
                let mut last = 0;
                for ((slot, &y), column) in places
                    .iter_mut()
                    .zip(&b[index % tiles * tile_cols..])
                    .zip(1..)
                {
                    last = if y == code { column } else { last };
                    *slot = last;
                }
            }
        });
    }
}

/// Table entries per task, rounded up to whole tiles.
const ENTRIES_PER_TASK: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn last_occurrences_are_nearest_within_the_tile() {
        let mut random = Random::new(41);
        for cols in [1, 255, 256, 257, 700, 5000] {
            for (shared, tile_cols) in [(1, 256), (4, 256), (26, 256), (90, 100), (3, 4096)] {
                let b: Vec<u32> = (0..cols).map(|_| random.below(shared + 1) as u32).collect();
                let grid = Grid {
                    rows: 1,
                    cols: cols as u64,
                    shared: shared as u32,
                    tile_cols: tile_cols as u64,
                };
                let mut table = vec![0; (grid.table_bytes() / 2) as usize];
                grid.last_occurrences(&b, &mut table);
                for (code, places) in (1..).zip(table.chunks(grid.width() as usize)) {
                    for (column, &place) in places.iter().take(cols).enumerate() {
                        let first = column / tile_cols * tile_cols;
                        let last = (first..=column).rev().find(|&column| b[column] == code);
                        let expected = last.map_or(0, |last| last - first + 1);
                        assert_eq!(
                            usize::from(place),
                            expected,
                            "code {code}, column {column} of {grid:?}"
                        );
                    }
                }
            }
        }
    }
}
