//! The tiled table: sizes, and a pass for each anti-diagonal of tiles.
//!
//! A pass finishes one anti-diagonal and, in the same dispatch, pushes the products of the one before it into every later
//! tile, so that the last anti-diagonals have little left to do and the chain of closures runs beside the products.

use super::kernels::Variant;
use super::layout::Layout;
use super::split_tree;
use super::tiling::Tiling;
use crate::parenthesization::found::cells;
use crate::plan::{BufferId, Contents, Pass, Plan, params};

/// Adds the table and all passes.
pub(super) fn add_passes(
    plan: &mut Plan,
    inputs: BufferId,
    variant: &Variant,
    tiling: &Tiling,
) -> (Layout, split_tree::Found) {
    let value_words = variant.arithmetic.words() as u64;
    let tile_words = u64::from(tiling.tile).pow(2) * value_words;
    let kernels = variant.kernels();
    let tables: Vec<_> = (0..u64::from(tiling.table().buffers()))
        .map(|chunk| {
            let tiles = tiling.tile_count().saturating_sub(chunk * tiling.chunk_tiles).min(tiling.chunk_tiles);
            let words = (tiles * tile_words).max(value_words);
            plan.buffer(format!("tiles {chunk}"), words, Contents::Unspecified)
        })
        .collect();
    let bound: Vec<_> = [inputs].into_iter().chain(tables.iter().copied()).collect();
    let points = tiling.leaves as u32 + 1;
    let (tiles, tile_splits) = (tiling.tiles(), u64::from(tiling.tile).pow(3));

    let diagonal = plan.kernel(kernels.tiled_diagonal(tiling.tile, tiling.chunk()));
    let bindings = plan.bind(bound.clone());
    plan.passes.push(Pass {
        kernel: diagonal,
        bindings,
        groups: [tiles as u32, 1, 1],
        params: params([points]),
        cells: cells(tiles * tile_splits / 6),
    });
    let wavefront = plan.kernel(kernels.tiled_wavefront(tiling.tile, tiling.chunk()));
    let bindings = plan.bind(bound.clone());
    for distance in 1..tiles {
        // The furthest tiles that two products as short as the last finished anti-diagonal can reach.
        let furthest = (2 * (distance - 1)).clamp(distance, tiles - 1);
        let products: u64 = (distance..=furthest).map(|out| 2 * (tiles - out)).sum();
        plan.passes.push(Pass {
            kernel: wavefront,
            bindings,
            groups: [(tiles - distance) as u32, (furthest - distance + 1) as u32, 1],
            params: params([points, tiles as u32, distance as u32, 0]),
            cells: cells((products + tiles - distance) * tile_splits),
        });
    }
    plan.divide = Some(divide);
    let tree = split_tree::add_passes(plan, split_tree::kernel(&kernels, tiling.table()), tiling.leaves, &bound);
    (Layout::Tiles(*tiling, tables), tree)
}

/// The first anti-diagonals of tiles of a pass, and those further out: a pass reads nothing that it writes for another tile. Passes of
/// other kernels have but one.
fn divide(pass: &Pass, cells: u64) -> Option<(Pass, Pass)> {
    let [rows, diagonals, _] = pass.groups;
    let cells_of_one = pass.cells / u64::from(diagonals.max(1));
    let taken = u32::try_from(cells / cells_of_one.max(1)).unwrap_or(diagonals).max(1);
    let part = |first: u32, diagonals: u32, cells: u64| {
        let mut part = Pass { groups: [rows, diagonals, 1], cells, ..pass.clone() };
        part.params[FIRST] += first;
        part
    };
    let near = u64::from(taken) * cells_of_one;
    (taken < diagonals).then(|| (part(0, taken, near), part(taken, diagonals - taken, pass.cells - near)))
}

/// The parameter that says how far out the first tiles are.
const FIRST: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_pass_are_its_anti_diagonals_in_order() {
        let pass = Pass { kernel: 1, bindings: 0, groups: [9, 5, 1], params: params([70, 20, 6, 0]), cells: 503 };
        for (cells, expected) in [(0, 1), (100, 1), (200, 2), (499, 4)] {
            let (part, rest) = divide(&pass, cells).expect("there are five");
            assert_eq!((part.groups, &part.params[..4]), ([9, expected, 1], &[70, 20, 6, 0][..]));
            assert_eq!((rest.groups, &rest.params[..4]), ([9, 5 - expected, 1], &[70, 20, 6, expected][..]));
            assert_eq!((part.cells, part.cells + rest.cells), (u64::from(expected) * 100, pass.cells));
            let further = divide(&rest, 0).map(|(_, further)| further.params[FIRST]);
            assert_eq!(further, (expected < 4).then_some(expected + 1));
        }
        assert!(divide(&pass, 500).is_none());
        assert!(divide(&Pass { groups: [9, 1, 1], ..pass }, 0).is_none());
    }
}
