//! Path from boundaries stored by the sweep: snapshots of the vertical differences in every block,
//! and the horizontal ones below every lane.

use std::ops::Range;

use crate::call::control::Control;
use crate::error::Result;
use crate::host::threads::join;
use crate::pairwise::pair::Pair;

use super::super::band::Band;
use super::super::hirschberg::{Split, Sweep, Table, column_midpoint};
use super::super::recurrence::Recurrence;
use super::super::tile::Tile;
use super::super::trace::pack_rows;
use super::kernel::{LAG, LIMB_ROWS, SNAPSHOT_STEPS, padding, snapshots};
use super::kernels::{Kernel, Kernels};
use super::lanes::Lanes;
use super::schedule::BLOCK_COLS;
use super::table::{StripTable, vector_of};
use super::values::{Computed, last_column};
use crate::pairwise::blocks::Blocks;

/// Canonical path by stored boundaries, and the last value, if the band contains every optimal
/// path. Otherwise the path may cost more than an optimal one.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn path<R: Kernels>(
    Pair { a, b }: Pair<'_, u32>,
    shared: u32,
    band: Band,
    control: &Control,
) -> Result<Computed<(Blocks, i64)>> {
    let table = StripTable::<R>::new(Pair { a, b }, shared, true, R::FIRST_COLUMN, band)
        .run(true, control)?;
    Ok(Computed {
        found: (table.walk(a, b, control)?, table.last_value()),
        cells: table.cells,
    })
}

/// Maximum bytes of the boundaries of a band.
pub(crate) fn boundary_bytes<R: Kernels>(rows: usize, cols: usize, band: Band) -> u64 {
    // The symbols, unknown here, select the kernel: take the maximum over all kernels.
    let height = band.width(rows, cols).min(rows);
    let stored = |planes| R::pick(height, planes, true).stored_bytes::<R>(rows, cols, band);
    (1..=MAX_PLANES).map(stored).max().unwrap_or(0)
}

/// The CPU as a device that sweeps full tables.
pub(crate) struct CpuSweep<'a> {
    /// Maximum bytes of stored boundaries.
    pub limit_bytes: u64,
    pub control: &'a Control,
}

impl CpuSweep<'_> {
    /// Whether the boundaries of a table fit into the limit.
    pub(super) fn fits<R: Kernels>(&self, rows: usize, cols: usize) -> bool {
        boundary_bytes::<R>(rows, cols, Band::WHOLE) <= self.limit_bytes
    }
}

impl<R: Kernels> Sweep<R> for CpuSweep<'_> {
    async fn midpoint(&mut self, table: Table<'_>) -> Result<Split> {
        let Table { a, b, alphabet, .. } = table;
        let found = midpoint::<R>(Pair { a, b }, alphabet.shared, Band::WHOLE, self.control)?.found;
        Ok(Split::at(found))
    }

    async fn stored_path(&mut self, table: Table<'_>) -> Result<Option<Blocks>> {
        let Table { a, b, alphabet, .. } = table;
        let fits = self.fits::<R>(a.len(), b.len());
        fits.then(|| {
            path::<R>(Pair { a, b }, alphabet.shared, Band::WHOLE, self.control)
                .map(|path| path.found.0)
        })
        .transpose()
    }
}

/// Crossing of the topmost optimal path with the middle column, as [`Sweep::midpoint`]. The band
/// must be symmetric under reversal, up to the difference of the lengths.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn midpoint<R: Kernels>(
    Pair { a, b }: Pair<'_, u32>,
    shared: u32,
    band: Band,
    control: &Control,
) -> Result<Computed<(usize, usize)>> {
    let (left, right) = b.split_at(b.len().div_ceil(2));
    let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
    let column = |a: &[u32], b: &[u32]| {
        last_column::<R>(Pair { a, b }, shared, R::FIRST_COLUMN, band, control)
    };
    let (before, behind) = join(
        || column(a, left),
        || column(&reversed(a), &reversed(right)),
    );
    let (before, behind) = (before?, behind?);
    let columns = (&before.found.0, &behind.found.0);
    let found = column_midpoint::<R>(columns, (a.len(), b.len()));
    Ok(Computed {
        found,
        cells: before.cells + behind.cells,
    })
}

/// Planes for arbitrary 32-bit codes.
const MAX_PLANES: usize = 32;

impl Kernel {
    /// Bytes of the boundaries of a band: per tile, one byte per step, chain and vector, plus the
    /// snapshots of the vertical differences.
    fn stored_bytes<R: Recurrence>(&self, rows: usize, cols: usize, band: Band) -> u64 {
        let steps = BLOCK_COLS + padding(self.chains, self.lanes);
        let v_bytes = self.strip_rows() / LIMB_ROWS * size_of::<u64>() * R::VERTICAL;
        let tile_bytes = self.chains * steps * R::HORIZONTAL + snapshots(BLOCK_COLS) * v_bytes;
        band.tiles((rows, cols), (self.strip_rows(), BLOCK_COLS))
            .saturating_mul(tile_bytes as u64)
    }
}

impl<R: Lanes> StripTable<'_, R> {
    /// Tile of one lane's rows, from its last snapshot before the cell up to the cell.
    pub(super) fn tile(&self, row: usize, col: usize) -> Tile {
        let lane_rows = self.kernel.lane_rows();
        let lane = row / lane_rows;
        let block = col / self.block_cols;
        let (first, cols) = (block * self.block_cols, self.blocks[block].codes.len());
        let snapshot = ((col - first + self.lag(lane)) / SNAPSHOT_STEPS).min(snapshots(cols) - 1);
        // Before the first step of a block no lane lags.
        let behind = if snapshot == 0 { 0 } else { self.lag(lane) };
        let cols = first + snapshot * SNAPSHOT_STEPS - behind..col + 1;
        Tile {
            rows: lane * lane_rows..((lane + 1) * lane_rows).min(self.rows),
            v: self.stored_v(lane, block, snapshot),
            h: lane
                .checked_sub(1)
                .and_then(|above| self.stored_carries(above, block, cols.clone()))
                .unwrap_or_else(|| {
                    // Nothing was computed above: the first row, or the upper edge of the band.
                    R::FIRST_ROW.map(|word| vec![word; cols.len().div_ceil(64)])
                }),
            cols,
        }
    }

    /// Steps by which a lane lags behind the first lane of its strip. Lanes are counted through the
    /// full table.
    fn lag(&self, lane: usize) -> usize {
        let Kernel { lanes, chains, .. } = self.kernel;
        lane / lanes % chains * LAG + lane % lanes
    }

    /// Snapshot of the vertical differences of a lane (counted through the full table) in a
    /// completed block.
    fn stored_v(&self, lane: usize, block: usize, snapshot: usize) -> [Vec<u64>; 2] {
        let strip_lanes = self.kernel.chains * self.kernel.lanes;
        let strip = &self.strips[lane / strip_lanes];
        let place =
            (block - strip.first_block.unwrap_or(block)) * snapshots(self.block_cols) + snapshot;
        let v = &strip.stored_v[place * strip.v.len()..][..strip.v.len()];
        let first = lane % strip_lanes * self.kernel.limbs;
        [0, 1].map(|vector| match vector_of::<R>(v, vector) {
            [] => Vec::new(),
            v => pack_rows(
                (first..first + self.kernel.limbs).map(|limb| v[self.kernel.place(limb)]),
                LIMB_ROWS as u32,
            ),
        })
    }

    /// Horizontal differences below a lane (counted through the full table) in some columns of a
    /// block; `None` if the block was not computed.
    fn stored_carries(
        &self,
        lane: usize,
        block: usize,
        cols: Range<usize>,
    ) -> Option<[Vec<u64>; 2]> {
        let Kernel { lanes, chains, .. } = self.kernel;
        let strip = &self.strips[lane / (chains * lanes)];
        let (chain, register_lane) = (lane / lanes % chains, self.kernel.register_lane(lane));
        let step_bytes = chains * R::HORIZONTAL;
        let start = block.checked_sub(strip.first_block?)?
            * (self.block_cols + padding(chains, lanes))
            * step_bytes;
        // Step at which the lane works on the first of the columns.
        let first = cols.start - block * self.block_cols + self.lag(lane);
        let steps = strip
            .stored_carries
            .get(start..)?
            .chunks_exact(step_bytes)
            .skip(first)
            .take(cols.len());
        if steps.len() == 0 {
            return None;
        }
        let mut words = [const { Vec::new() }; 2];
        words[..R::HORIZONTAL].fill(vec![0; cols.len().div_ceil(64)]);
        for (column, carries) in steps.enumerate() {
            for (vector, words) in words[..R::HORIZONTAL].iter_mut().enumerate() {
                let carry = carries[chain * R::HORIZONTAL + vector] >> register_lane & 1;
                words[column / 64] |= u64::from(carry) << (column % 64);
            }
        }
        Some(words)
    }
}
