//! Tiled edit distance on threads: a wavefront of tiles, each filled row by row.

use crate::call::control::Control;
use crate::engine::profile;
use crate::error::Result;
use crate::host::parallel::for_each_mut;
use crate::papers::anti_diagonal::check_lengths;

/// Rows and columns of a tile; its row of values and its symbols fit in the L1 cache.
pub const TILE: usize = 1024;

/// Edit distance, on the caller's thread pool. If one side is empty, the length of the other.
///
/// # Errors
/// [`Error::InputTooLong`](crate::Error::InputTooLong) if values could exceed 32 bits,
/// [`Error::Cancelled`](crate::Error::Cancelled) after cancellation.
pub fn distance(a: &[u32], b: &[u32], control: &Control) -> Result<u64> {
    check_lengths(a.len(), b.len())?;
    if a.is_empty() || b.is_empty() {
        return Ok((a.len() + b.len()) as u64);
    }
    let (tile_rows, tile_cols) = (a.len().div_ceil(TILE), b.len().div_ceil(TILE));
    let mut above: Vec<u32> = (1..=b.len() as u32).collect();
    // Each starts with its corner.
    let mut left: Vec<Vec<u32>> = a
        .chunks(TILE)
        .zip(0..)
        .map(|(rows, tile)| (tile * TILE as u32..).take(rows.len() + 1).collect())
        .collect();
    for wavefront in 0..tile_rows + tile_cols - 1 {
        control.check()?;
        let first = (wavefront + 1).saturating_sub(tile_cols);
        let count = wavefront.min(tile_rows - 1) - first + 1;
        let rows = a.chunks(TILE).zip(&mut left).skip(first).take(count);
        // Tiles are visited bottom up, so columns increase.
        let first_col = wavefront + 1 - first - count;
        let cols = b
            .chunks(TILE)
            .zip(above.chunks_mut(TILE))
            .skip(first_col)
            .take(count);
        let mut tiles: Vec<_> = rows
            .zip(cols.collect::<Vec<_>>().into_iter().rev())
            .collect();
        let cells: usize = tiles.iter().map(|((a, _), (b, _))| a.len() * b.len()).sum();
        for_each_mut(&mut tiles, |_, ((a, left), (b, above))| {
            fill(a, b, above, left)
        });
        control.add_done(cells as u64);
    }
    Ok(u64::from(above[b.len() - 1]))
}

/// Number of anti-diagonals of tiles.
pub fn passes(rows: u64, cols: u64) -> u64 {
    (rows.div_ceil(TILE as u64) + cols.div_ceil(TILE as u64)).saturating_sub(1)
}

/// Bytes of the boundaries between tiles.
pub fn size_bytes(rows: u64, cols: u64) -> u64 {
    4 * (rows + cols + rows.div_ceil(TILE as u64))
}

pub fn seconds(rows: u64, cols: u64, threads: usize) -> f64 {
    let seconds = rows as f64 * cols as f64 / profile::cpu::TABLE_CELLS_PER_SECOND;
    // Tiles of the longest anti-diagonal.
    let tiles = rows.min(cols).div_ceil(TILE as u64);
    seconds / profile::speedup_of_parts(threads, tiles)
}

/// Fills one tile. `above` becomes its last row; `left` becomes its last column, preceded by the
/// corner of the next tile.
fn fill(a: &[u32], b: &[u32], above: &mut [u32], left: &mut [u32]) {
    let mut corner = left[0];
    left[0] = above[above.len() - 1];
    for (x, before) in a.iter().zip(&mut left[1..]) {
        let (mut diagonal, mut value) = (corner, *before);
        corner = value;
        for (y, over) in b.iter().zip(above.iter_mut()) {
            value = if x == y {
                diagonal
            } else {
                (*over).min(value).min(diagonal) + 1
            };
            diagonal = *over;
            *over = value;
        }
        *before = value;
    }
}
