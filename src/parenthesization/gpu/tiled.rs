//! Tiled table: one pass per anti-diagonal of tiles.
//!
//! A pass closes one anti-diagonal and, in the same dispatch, pushes the products of the previous
//! one into every later tile. The last anti-diagonals then have little work left, and the chain of
//! closures overlaps the products.

use super::kernels::KernelVariant;
use super::layout::Layout;
use super::split_tree;
use super::tiling::Tiling;
use crate::kernels::parenthesization::BUFFER_WORDS;
use crate::parenthesization::result::cells;
use crate::plan::{Bounds, BufferId, Contents, Pass, PassSplit, Plan, Units, params};

/// Adds the table and all passes.
pub(super) fn add_passes(
    plan: &mut Plan,
    inputs: BufferId,
    variant: &KernelVariant,
    tiling: &Tiling,
) -> (Layout, split_tree::TreeBuffer) {
    let value_words = variant.arithmetic.words() as u64;
    let tile_words = u64::from(tiling.tile).pow(2) * value_words;
    let kernels = &variant.kernels;
    let tables: Vec<_> = (0..u64::from(tiling.table().buffers()))
        .map(|chunk| {
            let tiles = tiling
                .tile_count()
                .saturating_sub(chunk * tiling.chunk_tiles)
                .min(tiling.chunk_tiles);
            let words = ((tiles + tiling.transposed_offset()) * tile_words).max(BUFFER_WORDS);
            plan.buffer(format!("tiles {chunk}"), words, Contents::Unspecified)
        })
        .collect();
    let bound: Vec<_> = [inputs].into_iter().chain(tables.iter().copied()).collect();
    let points = tiling.leaves as u32 + 1;
    let transposed = tiling.transposed_offset() as u32;
    let (tiles, tile_splits) = (tiling.tiles(), u64::from(tiling.tile).pow(3));

    let diagonal = plan.kernel(kernels.tiled_diagonal(tiling.tile, tiling.chunk()));
    plan.splits.push((diagonal, BY_TILES));
    let bindings = plan.bind(bound.clone());
    plan.passes.push(Pass {
        kernel: diagonal,
        bindings,
        groups: [tiles as u32, 1, 1],
        params: params([points, transposed, 0]),
        cells: cells(tiles * tile_splits / 6),
    });
    let wavefront = plan.kernel(kernels.tiled_wavefront(tiling.tile, tiling.lanes, tiling.chunk()));
    plan.splits.push((wavefront, BY_DIAGONALS));
    plan.splits
        .extend(tiling.has_row_parameter.then_some((wavefront, BY_ROWS)));
    let bindings = plan.bind(bound.clone());
    for distance in 1..tiles {
        // Anti-diagonal of the furthest tiles reached by products of the last closed anti-diagonal.
        let furthest = (2 * (distance - 1)).clamp(distance, tiles - 1);
        let pairs: u64 = (distance..=furthest).map(|out| tiles - out).sum();
        let closures = (tiles - distance) * u64::from(CLOSURE_PAIRS);
        plan.passes.push(Pass {
            kernel: wavefront,
            bindings,
            groups: [
                (tiles - distance) as u32,
                (furthest - distance + 1) as u32,
                1,
            ],
            params: params([points, tiles as u32, distance as u32, 0, transposed, 0]),
            cells: cells((pairs + closures) * 2 * tile_splits),
        });
    }
    let kernel = split_tree::kernel(kernels, tiling.table(), tiling.tree_lanes);
    let tree = split_tree::add_passes(
        plan,
        kernel,
        tiling.leaves,
        transposed,
        tiling.tree_limits,
        &bound,
    );
    (Layout::Tiles(*tiling, tables), tree)
}

/// Slices by tile; parameter 2 is the first tile.
const BY_TILES: PassSplit = PassSplit::by_group(Bounds::First(2));
/// Work of a closure in pairs of products, rounded down: five products on llvmpipe, four on an
/// H100.
const CLOSURE_PAIRS: u32 = 3;
/// Slices by anti-diagonal of tiles; parameter 3 is the distance of the first.
const BY_DIAGONALS: PassSplit = PassSplit {
    units: Units::Triangular {
        first: 1 + CLOSURE_PAIRS,
    },
    ..PassSplit::by_group(Bounds::First(3))
};
/// Slices of one anti-diagonal by tile; parameter 5 is the first row.
const BY_ROWS: PassSplit = PassSplit::by_group(Bounds::First(5));
