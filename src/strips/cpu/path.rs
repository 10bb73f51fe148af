//! The path from the boundaries that the sweep stores: V at the start of every block, and the carries out of every lane.

use std::ops::Range;

use crate::control::Control;
use crate::error::Result;

use super::super::hirschberg::Sweep;
use super::super::recurrence::{Column, Lcs, Recurrence};
use super::super::trace::{Tile, Walker, pack_rows};
use super::kernel::{LAG, LIMB_ROWS, padding};
use super::{Coding, Kernel, Table, lane_limbs, middle_columns};
use crate::blocks::Blocks;

/// Columns of a block where boundaries are stored: the narrower, the less is recomputed and the more is stored.
pub(super) const BLOCK_COLS: usize = 1024;

/// The path by stored boundaries.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn subsequence(a: &[u32], b: &[u32], shared: u32, control: &Control) -> Result<Blocks> {
    let coding = Coding::new(a, b, shared);
    let kernel = Kernel::pick(a.len(), coding.planes, true);
    Table::new(kernel, coding, a, b, BLOCK_COLS).path(a, b, control)
}

/// The CPU as a device that sweeps.
pub(crate) struct CpuSweep<'a> {
    /// The most bytes of stored boundaries.
    pub limit_bytes: u64,
    pub control: &'a Control,
}

impl CpuSweep<'_> {
    /// Whether the boundaries of a table fit into the limit.
    pub(super) fn fits(&self, rows: usize, cols: usize) -> bool {
        self.boundary_bytes(rows, cols) <= self.limit_bytes
    }

    /// Bytes of the boundaries of a table.
    pub(super) fn boundary_bytes(&self, rows: usize, cols: usize) -> u64 {
        // The symbols decide the kernel, and they are not known here: the most that any kernel stores.
        let stored = |planes| Kernel::pick(rows, planes, true).stored_bytes(rows, cols);
        (1..=MOST_PLANES).map(stored).max().unwrap_or(0)
    }
}

impl Sweep<Lcs> for CpuSweep<'_> {
    async fn middle_columns(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(Column, Column)> {
        let (before, behind) = middle_columns(a, b, shared, self.control)?;
        Ok((Column([before, Vec::new()]), Column([behind, Vec::new()])))
    }

    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>> {
        self.fits(a.len(), b.len()).then(|| subsequence(a, b, shared, self.control)).transpose()
    }
}

/// Planes that tell any 32-bit codes apart.
const MOST_PLANES: usize = 32;

impl Kernel {
    /// Bytes of the boundaries of a table: a byte a step and chain, and V, for every tile.
    fn stored_bytes(&self, rows: usize, cols: usize) -> u64 {
        let steps = BLOCK_COLS + padding(self.chains, self.lanes);
        let tile_bytes = self.chains * steps + self.strip_rows() / LIMB_ROWS * size_of::<u64>();
        let tiles = rows.div_ceil(self.strip_rows()) as u64 * cols.div_ceil(BLOCK_COLS) as u64;
        tiles.saturating_mul(tile_bytes as u64)
    }
}

impl Table<'_> {
    pub(super) fn path(self, a: &[u32], b: &[u32], control: &Control) -> Result<Blocks> {
        self.run(true, control)?.walk(a, b, control)
    }

    /// The path through tiles that have [`run`](Self::run).
    fn walk(&self, a: &[u32], b: &[u32], control: &Control) -> Result<Blocks> {
        let mut walker = Walker::<Lcs>::new(a, b, self.coding.shared);
        loop {
            let (i, j) = walker.position();
            if i == 0 || j == 0 {
                return Ok(walker.finish());
            }
            control.check()?;
            walker.walk(&self.tile(i - 1, j - 1));
        }
    }

    /// The rows of one lane by one block, around a cell.
    fn tile(&self, row: usize, col: usize) -> Tile {
        let lane_rows = self.kernel.lane_rows();
        let lane = row / lane_rows;
        let block = col / self.block_cols;
        let cols = block * self.block_cols..block * self.block_cols + self.blocks[block].codes.len();
        Tile {
            rows: lane * lane_rows..((lane + 1) * lane_rows).min(self.rows),
            v: [self.stored_v(lane, block), Vec::new()],
            h: [
                match lane.checked_sub(1) {
                    None => vec![Lcs::FIRST_ROW[0]; cols.len().div_ceil(64)],
                    Some(above) => self.stored_carries(above, block, cols.clone()),
                },
                Vec::new(),
            ],
            cols,
        }
    }

    /// V of a lane, counted through the whole table, at the start of a block.
    fn stored_v(&self, lane: usize, block: usize) -> Vec<u64> {
        let strip_lanes = self.kernel.chains * self.kernel.lanes;
        let strip = &self.strips[lane / strip_lanes];
        let v = &strip.stored_v[block * strip.v.len()..][..strip.v.len()];
        pack_rows(lane_limbs(&self.kernel, v, lane % strip_lanes), LIMB_ROWS as u32)
    }

    /// Carries out of a lane, counted through the whole table, in the columns of a block.
    fn stored_carries(&self, lane: usize, block: usize, cols: Range<usize>) -> Vec<u64> {
        let Kernel { lanes, chains, .. } = self.kernel;
        let strip = &self.strips[lane / (chains * lanes)];
        let (chain, lane) = (lane / lanes % chains, lane % lanes);
        // The lane works on its first column at this step.
        let first = chain * LAG + lane;
        let (_, place) = self.kernel.register_index(chain, lane, 0);
        let start = block * (self.block_cols + padding(chains, lanes)) * chains;
        let steps = strip.stored_carries[start..].chunks_exact(chains).skip(first).take(cols.len());
        let mut words = vec![0; cols.len().div_ceil(64)];
        for (column, carries) in steps.enumerate() {
            words[column / 64] |= u64::from(carries[chain] >> place & 1) << (column % 64);
        }
        words
    }
}
