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
mod grid;

pub use gpu::TILE_COLS;
#[cfg(all(test, feature = "gpu"))]
pub(crate) use gpu::seconds as seconds_on_gpu;
pub use grid::{Grid, ROWS};

use crate::engine::Device;
use crate::error::Result;
use crate::pairwise::codes::Encoded;

/// Length of the shortest common supersequence of these codes, symbols on both sides, on this device.
///
/// # Errors
/// [`Error::TooManySymbols`](crate::Error::TooManySymbols), [`Error::InputTooLong`](crate::Error::InputTooLong) and
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) before any work, else as [`Device::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    device.check_budget(gpu::size_bytes(&gpu::grid(
        device.backend.capabilities(),
        codes,
    )?))?;
    Ok(gpu::sweep(device, codes, None).await?.length)
}
