//! Row-wise method as a plan: one pass per wavefront of tiles.

use super::{Grid, ROWS};
use crate::backend::{Capabilities, Span};
use crate::engine::Device;
use crate::engine::profile::gpu::{compute_units, row_wise as figures};
use crate::error::{Error, Result};
use crate::host::parallel::filled;
use crate::kernels;
use crate::papers::layers::LayeredTable;
use crate::papers::layers::midpoints::{self, SweepPlan, Swept};
use crate::plan::{Bounds, Contents, Pass, PassSplit, Plan, params};
use crate::sequences::codes::Encoded;

/// Columns of a tile; lanes of a workgroup.
pub const TILE_COLS: u64 = 256;
/// A wavefront is split between tiles; parameter 1 holds the first tile.
const BY_TILES: PassSplit = PassSplit::by_group(Bounds::First(1));

/// Tile grid on a device.
pub(crate) fn grid(caps: &Capabilities, codes: &Encoded) -> Result<Grid> {
    let grid = Grid::new(codes, TILE_COLS);
    let limit = caps.chunk_bytes;
    let longest = (limit / 4).min(u64::from(caps.groups_per_dimension) * TILE_COLS);
    for (what, actual) in [
        ("the longer input", grid.rows),
        ("the shorter input", grid.width()),
    ] {
        let max = if actual == grid.rows {
            limit / 4
        } else {
            longest
        };
        if actual > max {
            return Err(Error::InputTooLong {
                what,
                actual,
                limit: max,
                remedy: "use the method 'bit-parallel'",
            });
        }
    }
    let symbols = (limit / (2 * grid.width())).saturating_sub(1);
    let actual = u64::from(grid.shared);
    if actual > symbols {
        return Err(Error::TooManySymbols {
            method: "row-wise",
            actual,
            limit: symbols,
            remedy: "anti-diagonal",
        });
    }
    Ok(grid)
}

/// Bytes of all buffers of a call for the length alone.
pub(crate) fn size_bytes(grid: &Grid) -> u64 {
    4 * grid.rows + grid.rolling_bytes() + grid.table_bytes()
}

/// The table as row layers.
pub(crate) fn layers(grid: &Grid) -> LayeredTable {
    // Column 0 is stored too, so that a position is an index.
    grid.layers(1 + grid.width())
}

/// Rolls one row on a device. With `every`, stores rows at that spacing and returns the midpoints.
pub(crate) async fn sweep(
    device: &Device<'_>,
    codes: &Encoded,
    every: Option<u64>,
) -> Result<Swept> {
    let grid = grid(device.backend.capabilities(), codes)?;
    let (value, places) = midpoints::on_device(device, &|| plan(codes, &grid, every)).await?;
    Ok(Swept {
        length: grid.cols + u64::from(value),
        places,
    })
}

fn plan(codes: &Encoded, grid: &Grid, every: Option<u64>) -> SweepPlan {
    // Two 16-bit columns per word.
    let mut last = filled((grid.table_bytes() / 4) as usize, 0);
    grid.last_occurrences(&codes.b, bytemuck::cast_slice_mut(&mut last));
    let mut plan = Plan {
        cell_cost: figures::CELL_COST,
        ..Plan::default()
    };
    let words = if every.is_some() { 2 } else { 1 };
    let codes = plan.upload("row codes", codes.a.to_vec());
    let last = plan.upload("last occurrences", last);
    let row = plan.buffer("row", words * grid.width(), Contents::Zeros);
    let edges = plan.buffer(
        "edges",
        words * 2 * (grid.tiles() + 1) * (ROWS + 1),
        Contents::Unspecified,
    );
    let mut bound = vec![codes, last, row, edges];
    let table = layers(grid);
    let stored = every.map_or(0, |every| table.stored(every));
    let origins =
        every.map(|_| plan.buffer("stored rows", stored * table.stored_words, Contents::Zeros));
    bound.extend(origins);
    let kernel = plan.kernel(kernels::supersequence::row_wise(
        ROWS as u32,
        TILE_COLS as u32,
        every.is_some(),
    ));
    plan.splits.push((kernel, BY_TILES));
    let bindings = plan.bind(bound);
    for wavefront in 0..grid.passes() {
        let (first, count) = grid.wavefront(wavefront);
        let segment_blocks = every.unwrap_or_default() / ROWS;
        plan.passes.push(Pass {
            kernel,
            bindings,
            groups: [count as u32, 1, 1],
            params: params(
                [wavefront, first, grid.rows, grid.tiles(), segment_blocks].map(|word| word as u32),
            ),
            cells: count * ROWS * TILE_COLS,
        });
    }
    let mut planned = SweepPlan::new(
        plan,
        Span {
            buffer: row,
            first: words * (grid.cols - 1),
            words: 1,
        },
    );
    if let Some(origins) = origins {
        planned.follow(&table, origins, stored);
    }
    planned
}

/// Rough estimate of the time of the passes.
pub(crate) fn seconds(codes: &Encoded, caps: &Capabilities) -> f64 {
    let grid = Grid::new(codes, TILE_COLS);
    let cells = grid.rows as f64 * grid.cols as f64;
    let pass = figures::PASS_SECONDS + ROWS as f64 * figures::ROW_SECONDS;
    grid.passes() as f64 * pass + cells / (compute_units(caps) * figures::CELLS_PER_SECOND)
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn splitting_a_wavefront_by_tile_keeps_the_result() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(1);
        let (a, b) = (random.codes(700, 4), random.codes(1500, 4));
        let codes = Encoded::new(&a, &b);
        for every in [None, Some(4 * ROWS)] {
            let [whole, cut] =
                backend.whole_and_split(async |device| sweep(device, &codes, every).await);
            assert_eq!(whole, cut);
            assert_eq!(whole.places.is_empty(), every.is_none());
        }
    }
}
