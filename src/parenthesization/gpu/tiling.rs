//! Sizes of the tiled table.

use super::kernels::KernelVariant;
use super::split_tree;
use super::tuning::Tuning;
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::parenthesization::{CHUNKS, Table};
use crate::parenthesization::value::Arithmetic;

/// Default rows and columns of a tile; small tiles shorten the chain of closures.
const TILE: u32 = 32;
/// Tile for tables beyond the caches; large tiles halve the memory traffic.
const LARGE_TILE: u32 = 64;
const MIN_LEAVES_OF_LARGE_TILE: u64 = 10_000;

/// Maximum size of a table that keeps a transposed copy of its finished tiles. With the CUDA kernel
/// the tree of 4,096 leaves takes 10 to 25 % less time; with the WGSL kernel the tiles lose more
/// than the tree gains (benches/record/nvidia-h200/2026-11-26-parenthesization-cuda.json).
const MAX_TRANSPOSED_BYTES: u64 = 1 << 30;
/// Above this, a traceback pass has work for more than [`split_tree::LANES`] lanes.
const MAX_LEAVES_OF_TREE_LANES: u64 = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    pub leaves: u64,
    /// Rows and columns of a tile.
    pub tile: u32,
    /// Tiles per buffer.
    pub chunk_tiles: u64,
    /// Whether a transposed copy of the finished tiles follows the tiles.
    pub transposed: bool,
    /// Whether the kernel has a first-row parameter. The CUDA kernel has none: with enclosures it
    /// took 10 % longer (H100 and H200), and no anti-diagonal of a table that fits a card exceeds a
    /// few milliseconds.
    pub has_row_parameter: bool,
    /// Lanes of a workgroup that processes a tile.
    pub lanes: u32,
    /// Lanes of a traceback workgroup.
    pub tree_lanes: u32,
    /// Size of the traceback passes.
    pub tree_limits: split_tree::PassLimits,
}

impl Tiling {
    /// The tiling for a problem on a device.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] if the table exceeds six buffers, or one buffer on a device with few
    /// bindings; [`Error::MethodUnavailable`] if a forced tile exceeds the workgroup memory.
    pub fn new(
        leaves: u64,
        variant: &KernelVariant,
        caps: &Capabilities,
        tuning: &Tuning,
    ) -> Result<Self> {
        let size = |tile: u32| (tile * tile / 16, workgroup_bytes(tile, variant.arithmetic));
        let fits = |(lanes, bytes): (u32, u64)| {
            lanes <= caps.workgroup_lanes && bytes <= u64::from(caps.workgroup_bytes)
        };
        // Precompiled kernels have one tile size.
        let large = caps.compiles && leaves >= MIN_LEAVES_OF_LARGE_TILE && fits(size(LARGE_TILE));
        let tile = tuning.tile.unwrap_or(if large { LARGE_TILE } else { TILE });
        let known = [8, 16, 32, 64].contains(&tile);
        if !known || !fits(size(tile)) {
            return Err(Error::MethodUnavailable {
                method: "tiled",
                device: "this device".to_string(),
                reason: format!(
                    "tiles of {tile} rows do not fit into its workgroups; leave the choice to the \
                     planner"
                ),
            });
        }
        let tile_bytes = u64::from(tile) * u64::from(tile) * 4 * variant.arithmetic.words() as u64;
        let binding_bytes = caps.binding_bytes.min(caps.buffer_bytes);
        let chunk_bytes = tuning
            .chunk_bytes
            .unwrap_or(caps.chunk_bytes)
            .min(caps.chunk_bytes);
        // Checked kernels are of the WGSL on every device.
        let is_cuda = caps.carry_flag && variant.allows_unchecked(caps.compiles);
        // The CUDA kernel closes blocks of eight rows with one warp each, up to four blocks per
        // tile of 32. Real weights would exceed the registers of that many lanes.
        let blocks = is_cuda && tile == TILE && variant.whole;
        let lanes = if blocks {
            tile * tile / 8
        } else {
            size(tile).0
        };
        let many = is_cuda && caps.compiles && leaves > MAX_LEAVES_OF_TREE_LANES;
        let tree_lanes = if many {
            2 * split_tree::LANES
        } else {
            split_tree::LANES
        };
        let tree_limits = split_tree::PassLimits::of(caps);
        let chunk_tiles = (chunk_bytes / tile_bytes).max(1);
        let mut tiling = Self {
            leaves,
            tile,
            chunk_tiles,
            transposed: false,
            has_row_parameter: !is_cuda,
            lanes,
            tree_lanes,
            tree_limits,
        };
        // One buffer is faster than several: use it if a binding holds the table.
        let table_bytes = tiling.tile_count() * tile_bytes;
        if tuning.chunk_bytes.is_none() && table_bytes <= binding_bytes {
            let has_room = table_bytes <= MAX_TRANSPOSED_BYTES.min(binding_bytes / 2);
            tiling.transposed = has_room && is_cuda;
            tiling.chunk_tiles = tiling
                .chunk_tiles
                .max(tiling.tile_count() + tiling.transposed_offset());
        }
        // Kernels also bind the inputs and the tree.
        let chunks = if caps.bindings >= CHUNKS + 2 {
            u64::from(CHUNKS)
        } else {
            1
        };
        if tiling.tile_count() > chunks * tiling.chunk_tiles {
            let rows = (((8 * chunks * tiling.chunk_tiles + 1) as f64).sqrt() as u64 - 1) / 2;
            let limit = rows * u64::from(tile) - 1;
            let remedy = "cut it, or take a device with larger buffers";
            return Err(Error::InputTooLong {
                what: "the sequence",
                actual: leaves,
                limit,
                remedy,
            });
        }
        Ok(tiling)
    }

    /// Tiles per row of the table.
    pub fn tiles(&self) -> u64 {
        (self.leaves + 1).div_ceil(u64::from(self.tile))
    }

    /// Number of tiles on and above the diagonal.
    pub(super) fn tile_count(&self) -> u64 {
        self.tiles() * (self.tiles() + 1) / 2
    }

    /// Distance from a tile to its transposed copy, in tiles; 0 if there are none.
    pub(super) fn transposed_offset(&self) -> u64 {
        if self.transposed {
            self.tile_count()
        } else {
            0
        }
    }

    fn chunks(&self) -> u64 {
        self.tile_count().div_ceil(self.chunk_tiles)
    }

    /// Buffer and value index of the range `i..j`.
    pub(super) fn place(&self, i: u64, j: u64) -> (usize, u64) {
        let tile = u64::from(self.tile);
        let number = (j / tile) * (j / tile + 1) / 2 + i / tile;
        let cell = i % tile * tile + j % tile;
        (
            (number / self.chunk_tiles) as usize,
            number % self.chunk_tiles * tile * tile + cell,
        )
    }

    /// Tiles per buffer; `None` if there is one buffer.
    pub(super) fn chunk(&self) -> Option<u32> {
        (self.chunks() > 1).then_some(self.chunk_tiles as u32)
    }

    pub(super) fn table(&self) -> Table {
        Table::Tiles {
            tile: self.tile,
            chunk_tiles: self.chunk(),
        }
    }
}

/// Workgroup memory of tiled_wavefront.wgsl: two half tiles, four lines, and at most two values per
/// split for the weights.
fn workgroup_bytes(tile: u32, arithmetic: Arithmetic) -> u64 {
    let tile = u64::from(tile);
    (tile * (tile + 1) + 4 * tile + 4 * tile) * 4 * arithmetic.words() as u64
}
