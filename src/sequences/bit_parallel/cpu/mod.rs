//! Strip sweep in SIMD registers, multi-threaded.
//!
//! The table is divided into strips of rows and blocks of columns. A tile, one strip by one block,
//! needs the vertical differences of the tile to its left and the horizontal ones of the tile
//! above, so the tiles of an anti-diagonal run in parallel. Matches come from bits of the symbol
//! codes: `V & !(A0 ^ b0) & !(A1 ^ b1) ...`, one three-input instruction per plane.
//!
//! Cost: `a.len() * b.len() * (planes + 4) / 504` instructions with AVX-512 for the longest common
//! subsequence, `planes + 10` for the edit distance. AVX2 and NEON have no three-input logic and
//! fewer lanes: two instructions per plane, and 252 and 126 rows per instruction. [`small`] handles
//! tables too small for strips and threads.

pub(crate) mod banded;
pub(crate) mod batch;
mod coding;
pub(crate) mod corridor;
mod corridor_sweep;
mod floor;
pub(crate) mod jaro;
mod kept;
mod kernel;
mod kernels;
pub(crate) mod lane_patterns;
mod lanes;
mod path;
mod schedule;
mod seconds;
pub(crate) mod shared_text;
pub(crate) mod small;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod text;
mod values;
pub(crate) mod vector;
mod walk;
pub(crate) mod windows;

use super::recurrence::Lcs;
use crate::engine::placement::Cost;
use crate::path_mode::PathMode;

pub(crate) use kernels::Kernels;
pub(crate) use path::{CpuSweep, midpoint, path};
pub(crate) use schedule::is_serial;
pub(crate) use seconds::{SweepWork, walk_work};
pub(crate) use values::{Computed, last_column, value};

/// Cost of a sweep. `path` is the byte budget of its boundaries.
pub(crate) fn cost<R: Kernels>(work: &SweepWork, path: Option<u64>) -> Cost {
    let (rows, cols) = (work.rows as u64, work.cols as u64);
    let keep = work.keep::<R>(path.is_some());
    let (path_mode, seconds, boundaries) = match path {
        Some(budget_bytes) => work.path::<R>(budget_bytes),
        None => (PathMode::None, work.seconds::<R>(), 0),
    };
    let (strip_rows, block_cols) = work.tile(&work.kernel::<R>(keep), keep);
    let (strips, blocks) = (
        rows.div_ceil(strip_rows as u64),
        cols.div_ceil(block_cols as u64),
    );
    Cost {
        path_mode,
        tile: (strip_rows as u64, block_cols as u64),
        strips,
        passes: (strips + blocks).saturating_sub(1),
        host_bytes: boundaries + rows / 2 + cols,
        ..Cost::new(seconds)
    }
}

pub(crate) fn kernel_name() -> &'static str {
    Lcs::pick(usize::MAX, 2, false).instructions.name()
}
