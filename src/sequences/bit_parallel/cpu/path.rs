//! Path from what the sweep keeps.
//!
//! A traceback needs the boundaries inside the tiles that it crosses: snapshots of the vertical
//! differences, and the horizontal ones below every lane. The sweep stores them for all tiles, or
//! only the differences that enter each tile, from which the traceback computes its tiles again. Of
//! large tables a path crosses few tiles, and storing all boundaries would take longer.

use std::ops::Range;

use super::super::band::Band;
use super::super::hirschberg::{Split, Sweep, Table, column_midpoint};
use super::super::tile::Tile;
use super::super::trace::pack_rows;
use super::kept::{Boundaries, Keep};
use super::kernel::{LAG, LIMB_ROWS, SNAPSHOT_STEPS, StoredBoundaries, snapshots};
use super::kernels::{Kernel, Kernels};
use super::lanes::Lanes;
use super::schedule::ScheduledTile;
use super::seconds::{SweepWork, walk_work};
use super::table::{StripTable, sweep_tile, vector_of};
use super::values::{Computed, last_column};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::threads::{join, threads};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Codes;

/// Canonical path by what a sweep keeps, and the last value, if the band contains every optimal
/// path. Otherwise the path may cost more than an optimal one.
pub(crate) fn path<R: Kernels>(
    codes: Codes<'_>,
    band: Band,
    control: &Control,
) -> Result<Computed<(Blocks, i64)>> {
    control.add_total(walk_work(codes.b.len()));
    let table = StripTable::<R>::new(codes, true, R::FIRST_COLUMN, band).run(control)?;
    Ok(Computed {
        found: (table.walk(codes, control)?, table.last_value()),
        cells: table.cells,
    })
}

/// The CPU as a device that sweeps full tables.
pub(crate) struct CpuSweep<'a> {
    pub limit_bytes: u64,
    pub control: &'a Control,
}

impl<R: Kernels> Sweep<R> for CpuSweep<'_> {
    async fn midpoint(&mut self, Table { codes, .. }: Table<'_>) -> Result<Split> {
        Ok(midpoint::<R>(codes, Band::WHOLE, self.control)?.found)
    }

    async fn stored_path(&mut self, Table { codes, .. }: Table<'_>) -> Result<Option<Blocks>> {
        let work = SweepWork::of(codes, Band::WHOLE, threads(None));
        let fits = work.path_bytes::<R>() <= self.limit_bytes;
        let path = || path::<R>(codes, Band::WHOLE, self.control).map(|path| path.found.0);
        fits.then(path).transpose()
    }
}

/// Crossing of the topmost optimal path with the middle column, as [`Sweep::midpoint`]. The band
/// must be symmetric under reversal, up to the difference of the lengths.
pub(crate) fn midpoint<R: Kernels>(
    Codes { a, b, alphabet }: Codes<'_>,
    band: Band,
    control: &Control,
) -> Result<Computed<Split>> {
    let (left, right) = b.split_at(b.len().div_ceil(2));
    let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
    let column = |a: &[u32], b: &[u32]| {
        last_column::<R>(Codes { a, b, alphabet }, R::FIRST_COLUMN, band, control)
    };
    let (before, behind) = join(
        || column(a, left),
        || column(&reversed(a), &reversed(right)),
    );
    let (before, behind) = (before?, behind?);
    let columns = [&before, &behind].map(|swept| &swept.found.column);
    Ok(Computed {
        found: column_midpoint::<R>(columns[0], columns[1], a.len(), b.len()),
        cells: before.cells + behind.cells,
    })
}

#[derive(Default)]
pub(super) struct RecomputedTile {
    tile: Option<ScheduledTile>,
    /// Computed columns, from the first one of the block.
    cols: usize,
    boundaries: Boundaries,
    v: Vec<u64>,
    carries: Vec<u64>,
}

struct TileBoundaries<'a> {
    kernel: Kernel,
    /// `[snapshot][word]`.
    v: &'a [u64],
    /// `[step][byte]`.
    carries: &'a [u8],
}

impl<R: Lanes> StripTable<'_, R> {
    /// Tile of one lane's rows, from its last snapshot before the cell up to the cell.
    pub(super) fn tile(&self, row: usize, col: usize, recomputed: &mut RecomputedTile) -> Tile {
        let lane_rows = self.kernel.lane_rows();
        let lane = row / lane_rows;
        let (strip, lane_of_strip) = (lane / self.strip_lanes(), lane % self.strip_lanes());
        let block = col / self.block_cols;
        let first = block * self.block_cols;
        let (boundaries, width) = match self.keep {
            Keep::Boundaries => {
                let first_block = self.strips[strip].first_block.unwrap_or(block);
                let boundaries = self.stored_tile(strip, block - first_block);
                (boundaries, self.blocks[block].codes.len())
            }
            Keep::Nothing | Keep::Entries => {
                self.compute_again(ScheduledTile { strip, block }, col + 1 - first, recomputed);
                let Boundaries { v, carries } = &recomputed.boundaries;
                let kernel = self.kernel;
                (TileBoundaries { kernel, v, carries }, recomputed.cols)
            }
        };
        let lag = boundaries.lag(lane_of_strip);
        let snapshot = ((col - first + lag) / SNAPSHOT_STEPS).min(snapshots(width) - 1);
        // Before the first step of a block no lane lags.
        let behind = if snapshot == 0 { 0 } else { lag };
        let cols = snapshot * SNAPSHOT_STEPS - behind..col + 1 - first;
        let h = match lane_of_strip.checked_sub(1) {
            Some(above) => Some(boundaries.below::<R>(above, cols.clone())),
            None => self.above(strip, block, cols.clone()),
        };
        Tile {
            rows: lane * lane_rows..((lane + 1) * lane_rows).min(self.rows),
            v: boundaries.before::<R>(lane_of_strip, snapshot),
            h: h.unwrap_or_else(|| {
                // Nothing was computed above: the first row, or the upper edge of the band.
                R::FIRST_ROW.map(|word| vec![word; cols.len().div_ceil(64)])
            }),
            cols: first + cols.start..col + 1,
        }
    }

    fn strip_lanes(&self) -> usize {
        self.kernel.chains * self.kernel.lanes
    }

    /// Stored boundaries of a tile, counted from the first computed one of its strip.
    fn stored_tile(&self, strip: usize, index: usize) -> TileBoundaries<'_> {
        let Boundaries { v, carries } = &self.strips[strip].boundaries;
        let [words, bytes] = Boundaries::of_a_tile::<R>(&self.kernel, self.block_cols);
        // The last block may be narrower.
        TileBoundaries {
            kernel: self.kernel,
            v: &v[index * words..],
            carries: &carries[index * bytes..],
        }
    }

    /// Horizontal differences above a strip in some columns of a block; `None` if nothing was
    /// computed there.
    fn above(&self, strip: usize, block: usize, cols: Range<usize>) -> Option<[Vec<u64>; 2]> {
        if self.keep != Keep::Boundaries {
            let words = self.blocks[block].codes.len().div_ceil(64);
            let carries = self.entry(ScheduledTile { strip, block }).1;
            let mut above = [const { Vec::new() }; 2];
            for (above, carries) in above.iter_mut().zip(carries.chunks_exact(words)) {
                *above = bits(carries, cols.clone());
            }
            return Some(above);
        }
        let above = strip.checked_sub(1)?;
        let index = block.checked_sub(self.strips[above].first_block?)?;
        let is_computed = self.blocks_of(above).contains(&block);
        is_computed.then(|| {
            let boundaries = self.stored_tile(above, index);
            boundaries.below::<R>(self.strip_lanes() - 1, cols)
        })
    }

    /// Vertical and horizontal differences that enter a tile, with [`Keep::Entries`].
    fn entry(&self, ScheduledTile { strip, block }: ScheduledTile) -> (&[u64], &[u64]) {
        let strip = &self.strips[strip];
        let index = block - strip.first_block.unwrap_or(block);
        let words = self.block_cols.div_ceil(64) * R::HORIZONTAL;
        let width = self.blocks[block].codes.len().div_ceil(64) * R::HORIZONTAL;
        (
            &strip.entry_v[index * strip.v.len()..][..strip.v.len()],
            &strip.entry_carries[index * words..][..width],
        )
    }

    fn compute_again(&self, tile: ScheduledTile, cols: usize, recomputed: &mut RecomputedTile) {
        if recomputed.tile == Some(tile) && cols <= recomputed.cols {
            return;
        }
        (recomputed.tile, recomputed.cols) = (Some(tile), cols);
        let RecomputedTile {
            boundaries,
            v,
            carries,
            ..
        } = recomputed;
        let (entry_v, entry_carries) = self.entry(tile);
        let codes = self.blocks[tile.block].codes;
        v.clear();
        v.extend_from_slice(entry_v);
        carries.clear();
        for words in entry_carries.chunks_exact(codes.len().div_ceil(64)) {
            carries.extend_from_slice(&words[..cols.div_ceil(64)]);
        }
        boundaries.v.clear();
        boundaries.carries.clear();
        let rows = &self.strips[tile.strip].rows;
        sweep_tile(
            &self.kernel,
            &self.coding,
            rows,
            &codes[..cols],
            v,
            carries,
            Some(StoredBoundaries {
                v: &mut boundaries.v,
                carries: &mut boundaries.carries,
            }),
        );
    }
}

impl TileBoundaries<'_> {
    fn lag(&self, lane: usize) -> usize {
        let Kernel { lanes, .. } = self.kernel;
        lane / lanes * LAG + lane % lanes
    }

    fn before<R: Lanes>(&self, lane: usize, snapshot: usize) -> [Vec<u64>; 2] {
        let words = self.kernel.words_of_v::<R>();
        let v = &self.v[snapshot * words..][..words];
        let first = lane * self.kernel.limbs;
        [0, 1].map(|vector| match vector_of::<R>(v, vector) {
            [] => Vec::new(),
            v => pack_rows(
                (first..first + self.kernel.limbs).map(|limb| v[self.kernel.place(limb)]),
                LIMB_ROWS as u32,
            ),
        })
    }

    fn below<R: Lanes>(&self, lane: usize, cols: Range<usize>) -> [Vec<u64>; 2] {
        let Kernel { lanes, chains, .. } = self.kernel;
        let (chain, register_lane) = (lane / lanes, self.kernel.register_lane(lane));
        let step_bytes = chains * R::HORIZONTAL;
        // Step at which the lane works on the first of the columns.
        let first = cols.start + self.lag(lane);
        let steps = self.carries.chunks_exact(step_bytes).skip(first);
        let mut words = [const { Vec::new() }; 2];
        words[..R::HORIZONTAL].fill(vec![0; cols.len().div_ceil(64)]);
        for (column, carries) in steps.take(cols.len()).enumerate() {
            for (vector, words) in words[..R::HORIZONTAL].iter_mut().enumerate() {
                let carry = carries[chain * R::HORIZONTAL + vector] >> register_lane & 1;
                words[column / 64] |= u64::from(carry) << (column % 64);
            }
        }
        words
    }
}

/// Some bits of a vector, moved to the start.
fn bits(words: &[u64], range: Range<usize>) -> Vec<u64> {
    let shift = range.start % 64;
    let word = |place: usize| {
        let high = words.get(place + 1).copied().unwrap_or_default();
        words[place] >> shift | if shift == 0 { 0 } else { high << (64 - shift) }
    };
    (0..range.len().div_ceil(64))
        .map(|place| word(range.start / 64 + place))
        .collect()
}
