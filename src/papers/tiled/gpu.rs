//! Tiled edit distance on a GPU: square tiles in workgroup memory, one pass per anti-diagonal of
//! tiles. Cost: `a.len() * b.len()` cells in `(a.len() + b.len()) / TILE` dependent passes.

use crate::backend::{Capabilities, Span};
use crate::engine::Device;
use crate::engine::profile::gpu::{compute_units, tiled as figures};
use crate::error::{Error, Result};
use crate::kernels;
use crate::plan::{Bounds, BufferId, Pass, PassSplit, Plan, Units, folded, params};

/// Rows and columns of a tile; lanes of a workgroup.
pub const TILE: u64 = 64;
/// The buffer of left tile boundaries; it finally holds the distance.
const LEFT: BufferId = 3;

/// Sizes for two non-empty inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    rows: u64,
    cols: u64,
}

impl Grid {
    /// # Errors
    /// [`Error::InputTooLong`] if a side exceeds one buffer.
    pub fn new(rows: u64, cols: u64, caps: &Capabilities) -> Result<Self> {
        // A row of tiles stores TILE + 1 words for its TILE rows.
        let limit = caps.chunk_bytes / 4 / (TILE + 1) * TILE;
        for (what, actual) in [("the first input", rows), ("the second input", cols)] {
            if actual > limit {
                return Err(Error::InputTooLong {
                    what,
                    actual,
                    limit,
                    remedy: "use the method 'bit-parallel'",
                });
            }
        }
        Ok(Self { rows, cols })
    }

    fn tile_rows(&self) -> u64 {
        self.rows.div_ceil(TILE)
    }

    fn tile_cols(&self) -> u64 {
        self.cols.div_ceil(TILE)
    }

    /// Number of anti-diagonals of tiles.
    pub fn passes(&self) -> u64 {
        (self.tile_rows() + self.tile_cols()).saturating_sub(1)
    }

    /// Bytes of all buffers.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.rows + 2 * self.cols + self.left_words())
    }

    fn left_words(&self) -> u64 {
        self.tile_rows() * (TILE + 1)
    }

    /// Rough estimate of the time.
    pub fn seconds(&self, caps: &Capabilities) -> f64 {
        let rate = compute_units(caps) * figures::CELLS_PER_SECOND;
        let cells = self.rows as f64 * self.cols as f64;
        let pass = figures::PASS_SECONDS + 2.0 * TILE as f64 * figures::ANTI_DIAGONAL_SECONDS;
        self.passes() as f64 * pass + cells / rate
    }

    /// Both inputs must be non-empty.
    pub fn plan(&self, a: &[u32], b: &[u32], caps: &Capabilities) -> Plan {
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        let rows = plan.upload("row codes", a.to_vec());
        let columns = plan.upload("column codes", b.to_vec());
        let above = plan.upload("rows over tiles", Vec::from_iter(1..=self.cols as u32));
        let values = |tile: u64| (tile * TILE..=(tile + 1) * TILE).map(|row| row as u32);
        let left = plan.upload(
            "columns before tiles",
            Vec::from_iter((0..self.tile_rows()).flat_map(values)),
        );
        debug_assert_eq!(left, LEFT);
        let kernel = plan.kernel(kernels::edit_distance::tiled(TILE as u32));
        let bindings = plan.bind(vec![rows, columns, above, left]);
        // Passes are split between tiles; parameters 1 and 2 hold the first tile and the count.
        let (units, bounds) = (
            Units::Grid2d {
                across: caps.groups_per_dimension,
            },
            Bounds::Count { first: 1, count: 2 },
        );
        plan.splits.push((
            kernel,
            PassSplit {
                units,
                bounds,
                step: 1,
            },
        ));
        for wavefront in 0..self.passes() {
            let first = (wavefront + 1).saturating_sub(self.tile_cols());
            let tiles = wavefront.min(self.tile_rows() - 1) - first + 1;
            let [x, y] = folded(tiles, caps.groups_per_dimension);
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [x, y, 1],
                params: params(
                    [wavefront, first, tiles, self.rows, self.cols].map(|word| word as u32),
                ),
                cells: tiles * TILE * TILE,
            });
        }
        plan
    }

    /// Position of the distance after the last pass.
    pub fn answer(&self) -> Span {
        let last_rows = self.rows - (self.tile_rows() - 1) * TILE;
        Span {
            buffer: LEFT,
            first: (self.tile_rows() - 1) * (TILE + 1) + last_rows,
            words: 1,
        }
    }
}

/// Edit distance. If one side is empty, the length of the other.
///
/// # Errors
/// As [`Grid::new`], [`Error::MemoryBudget`], and as [`Device::run`].
pub async fn distance(device: &Device<'_>, a: &[u32], b: &[u32]) -> Result<u64> {
    let caps = device.backend.capabilities();
    let grid = Grid::new(a.len() as u64, b.len() as u64, caps)?;
    if a.is_empty() || b.is_empty() {
        return Ok((a.len() + b.len()) as u64);
    }
    device.check_budget(grid.size_bytes())?;
    let ran = device
        .run(&|| grid.plan(a, b, caps), &|_| vec![grid.answer()])
        .await?;
    Ok(u64::from(ran.words[0]))
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::edit_distance::{Mode, reference};
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn splitting_a_wavefront_by_tile_keeps_the_distance() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(5);
        let (a, b) = (
            random.codes(10 * TILE as usize + 1, 4),
            random.codes(7 * TILE as usize - 1, 4),
        );
        let expected = reference::distance(&a, &b, Mode::Global);
        let found = backend.whole_and_split(async |device| distance(device, &a, &b).await);
        assert_eq!(found, [expected; 2]);
    }
}
