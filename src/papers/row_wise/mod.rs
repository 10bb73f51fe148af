//! Row-wise method: each row depends on the row above alone.
//!
//! `A[c][j]` is the last column up to `j` with the symbol `c`, or 0 for none:
//!
//! ```text
//! M[i][j] = min(M[i-1][A[x_i][j] - 1] + j - A[x_i][j], M[i-1][j]) + 1
//!           with A[x_i][j] = 0:  min(i + j - 1, M[i-1][j]) + 1
//! ```
//!
//! No cell needs another of its row. Source: Zhao, "Parallel Computing the Shortest Common
//! Supersequence Problem", section III.E, equation 9 and algorithm 3. Departures: tiles of rows and
//! columns instead of one row per pass, `A` within a tile, and the string from stored origins (see
//! `papers::layers`). The code computes `W[i][j] = M[i][j] - j`, the number of symbols
//! that `a[..i]` adds to `b[..j]`:
//!
//! ```text
//! W[i][j] = min(W[i-1][A[x_i][j] - 1], W[i-1][j] + 1)
//!           with A[x_i][j] = 0:  min(i, W[i-1][j] + 1)
//! ```
//!
//! Rows roll. A pass computes [`ROWS`] of them for a tile of columns. If the last occurrence lies
//! before the tile, `W[i][first - 1]` replaces the first operand; this is the same recurrence for
//! the last column before the tile. The tiles of a wavefront run in parallel, each one block of
//! rows behind the tile on its left. `A` holds positions within a tile in 16 bits: `2 * (shared +
//! 1) * cols` bytes.
//!
//! The canonical path goes up from a cell if the second operand is minimal; otherwise it goes left
//! to the last occurrence and from there diagonally. `W` does not increase along a row, so no cell
//! in between goes up. For a path every cell carries its origin, the column where the path crosses
//! the last stored row, taken from the operand that gave its value.

mod cpu;
mod gpu;
mod grid;

pub use gpu::TILE_COLS;
#[cfg(all(test, feature = "gpu"))]
pub(crate) use gpu::seconds as seconds_on_gpu;
pub use grid::{Grid, ROWS};

use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::engine::placement::Cost;
use crate::engine::{Device, profile};
use crate::error::Result;
use crate::papers::layers::midpoints::Swept;
use crate::papers::layers::way::{LayeredMethod, SizedTable};
use crate::sequences::codes::Encoded;

/// Length of the SCS of two non-empty inputs on this device.
///
/// # Errors
/// [`Error::TooManySymbols`](crate::Error::TooManySymbols),
/// [`Error::InputTooLong`](crate::Error::InputTooLong) and
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) before any work; otherwise as
/// [`Device::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    device.check_budget(gpu::size_bytes(&gpu::grid(
        device.backend.capabilities(),
        codes,
    )?))?;
    Ok(gpu::sweep(device, codes, None).await?.length)
}

pub(crate) struct RowWise;

impl LayeredMethod for RowWise {
    const NAME: &'static str = "row-wise";
    const MEMORY: &'static str = "the method 'row-wise' with its table of last occurrences";

    fn cpu_table(codes: &Encoded, threads: usize) -> SizedTable {
        let grid = cpu::grid(codes);
        let seconds = grid.rows as f64 * grid.cols as f64 / profile::cpu::TABLE_CELLS_PER_SECOND;
        SizedTable {
            table: cpu::layers(&grid),
            bytes: cpu::size_bytes(&grid),
            cost: grid.cost(seconds / profile::speedup_of_parts(threads, grid.tiles())),
        }
    }

    fn gpu_table(codes: &Encoded, caps: &Capabilities) -> Result<SizedTable> {
        let grid = gpu::grid(caps, codes)?;
        Ok(SizedTable {
            table: gpu::layers(&grid),
            bytes: gpu::size_bytes(&grid),
            cost: grid.cost(gpu::seconds(codes, caps)),
        })
    }

    fn sweep_on_cpu(codes: &Encoded, every: Option<u64>, control: &Control) -> Result<Swept> {
        cpu::sweep(codes, every, control)
    }

    async fn sweep_on_gpu(
        device: &Device<'_>,
        codes: &Encoded,
        every: Option<u64>,
    ) -> Result<Swept> {
        gpu::sweep(device, codes, every).await
    }
}

impl Grid {
    fn cost(&self, seconds: f64) -> Cost {
        Cost {
            tile: (ROWS, self.tile_cols),
            strips: self.tiles(),
            passes: self.passes(),
            ..Cost::new(seconds)
        }
    }
}
