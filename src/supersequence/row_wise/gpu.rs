//! The row-wise method as a plan: a wave of tiles a dispatch.

use std::ops::Range;
use std::time::Duration;

use super::{Grid, ROWS, Rolling};
use crate::backend::{Capabilities, Span};
use crate::engine::{Device, Ran};
use crate::error::{Error, Result};
use crate::plan::{Access, BufferId, CHUNK_BYTES, Contents, Kernel, Pass, Plan, params};
use crate::supersequence::traceback::Bits;

/// Time of a cell in those of the strip sweep, about.
const CELL_COST: u64 = 64;
/// Columns of a tile and lanes of a workgroup.
const TILE_COLS: u64 = 256;
/// Time of one pass: its launch, and a step for each of its rows.
const PASS_SECONDS: f64 = 3e-6 + ROWS as f64 * 80e-9;
/// Cells a second of wide tables.
const CELLS_PER_SECOND: f64 = 1e12;
/// Words of the edge of one tile.
const EDGE: u64 = ROWS + 1;

/// The method's kernel; with `keep` it also keeps directions.
pub fn kernel(keep: bool) -> Kernel {
    let mut bindings = vec![(0, Access::Read), (1, Access::Read), (2, Access::ReadWrite), (3, Access::ReadWrite)];
    bindings.extend(keep.then_some((4, Access::ReadWrite)));
    Kernel {
        label: format!("supersequence/row_wise{}", if keep { " kept" } else { "" }),
        constants: vec![("ROWS", ROWS as u32), ("COLUMNS", TILE_COLS as u32)],
        aliases: Vec::new(),
        parts: vec![
            match keep {
                false => include_str!("../../../shaders/supersequence/keep_none.wgsl"),
                true => include_str!("../../../shaders/supersequence/keep_up.wgsl"),
            },
            include_str!("../../../shaders/supersequence/row_wise.wgsl"),
        ],
        bindings,
        subgroups: false,
    }
}

/// The rolling row on a device.
pub(crate) struct OnDevice<'a> {
    device: &'a Device<'a>,
    a: &'a [u32],
    /// Two columns a word.
    last: Vec<u32>,
    grid: Grid,
}

impl<'a> OnDevice<'a> {
    /// Sizes on a device.
    ///
    /// # Errors
    /// [`Error::TooManySymbols`] and [`Error::InputTooLong`] where a buffer would be too large.
    pub fn grid(device: &Device<'_>, rows: usize, cols: usize, shared: u32) -> Result<Grid> {
        let caps = device.backend.capabilities();
        let grid = Grid { rows: rows as u64, cols: cols as u64, shared, tile_cols: TILE_COLS };
        let limit = buffer_bytes(caps);
        let longest = (limit / 4).min(u64::from(caps.groups_per_dimension) * TILE_COLS);
        for (what, actual) in [("the longer input", grid.rows), ("the shorter input", grid.width())] {
            let most = if actual == grid.rows { limit / 4 } else { longest };
            if actual > most {
                return Err(Error::InputTooLong { what, actual, limit: most, remedy: "use the method 'bit-parallel'" });
            }
        }
        let symbols = (limit / (2 * grid.width())).saturating_sub(1);
        if u64::from(shared) > symbols {
            let actual = u64::from(shared);
            return Err(Error::TooManySymbols { method: "row-wise", actual, limit: symbols, remedy: "anti-diagonal" });
        }
        Ok(grid)
    }

    pub fn new(device: &'a Device<'a>, a: &'a [u32], b: &[u32], grid: Grid) -> Self {
        let last = grid.last_occurrences(b);
        let last = last.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16).collect();
        Self { device, a, last, grid }
    }

    fn plan(&self, state: &[u32], layers: Range<u64>, keep: bool) -> Plan {
        let grid = &self.grid;
        let rows = layers.end - layers.start;
        let mut plan = Plan { cell_cost: CELL_COST, ..Plan::default() };
        let codes = plan.upload("row codes", self.a.to_vec());
        let last = plan.upload("last occurrences", self.last.clone());
        let row = plan.upload("row", state.to_vec());
        let edges = plan.buffer("edges", 2 * (grid.tiles() + 1) * EDGE, Contents::Unspecified);
        let mut bound = vec![codes, last, row, edges];
        if keep {
            bound.push(plan.buffer("directions", rows.div_ceil(ROWS) * grid.width(), Contents::Unspecified));
        }
        debug_assert_eq!(bound[..3], [0, 1, ROW]);
        let kernel = plan.kernel(kernel(keep));
        let bindings = plan.bind(bound);
        for wave in 0..grid.passes(rows) {
            let (first, count) = grid.wave(wave, rows);
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [count as u32, 1, 1],
                params: params([wave, first, layers.start, layers.end, grid.tiles()].map(|word| word as u32)),
                cells: count * ROWS * TILE_COLS,
            });
        }
        plan
    }
}

/// The buffer of a plan that holds the row.
const ROW: BufferId = 2;
/// The buffer of a plan that holds the directions.
const UP: BufferId = 4;

fn buffer_bytes(caps: &Capabilities) -> u64 {
    caps.binding_bytes.min(CHUNK_BYTES)
}

/// Bytes of all buffers but the directions.
pub(crate) fn size_bytes(grid: &Grid) -> u64 {
    4 * (grid.rows + grid.width() + 2 * (grid.tiles() + 1) * EDGE) + grid.table_bytes()
}

/// A rough time.
pub(crate) fn expected(grid: &Grid) -> Duration {
    let cells = grid.rows as f64 * grid.cols as f64;
    Duration::from_secs_f64(grid.passes(grid.rows) as f64 * PASS_SECONDS + cells / CELLS_PER_SECOND)
}

impl Rolling for OnDevice<'_> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    async fn roll(&mut self, state: Vec<u32>, layers: Range<u64>, keep: bool) -> Result<(Vec<u32>, Option<Bits>)> {
        let make = || self.plan(&state, layers.clone(), keep);
        let row = Span { buffer: ROW, first: 0, words: self.grid.width() };
        let Ran { loaded, words, .. } = self.device.run(&make, &|_| vec![row]).await?;
        Ok((words, keep.then_some(Bits::Device { loaded, buffer: UP, width: self.grid.width() })))
    }
}
