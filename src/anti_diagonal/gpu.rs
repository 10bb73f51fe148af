//! Anti-diagonals as a plan: one dispatch each, all with the same bind group.

use std::ops::Range;
use std::time::Duration;

use super::Recurrence;
use crate::backend::{Capabilities, Loaded, Span};
use crate::engine::Device;
use crate::error::{Error, Result};
use crate::plan::{Access, BufferId, CHUNK_BYTES, Contents, Kernel, Pass, Plan, params};

/// Time of a cell in those of the strip sweep, about.
const CELL_COST: u64 = 1024;
/// Lanes of a workgroup, a cell each.
pub const LANES: u32 = 256;
/// Passes that share a word of directions.
pub const WORD: u64 = 32;
/// Time of one pass that is all latency.
const PASS_SECONDS: f64 = 2.5e-6;
/// Cells a second of long anti-diagonals.
const CELLS_PER_SECOND: f64 = 5e10;

/// The kernel for one recurrence; with `keep` it also keeps directions.
pub fn kernel(recurrence: Recurrence, keep: bool) -> Kernel {
    let mut bindings = vec![(0, Access::Read), (1, Access::Read), (2, Access::ReadWrite)];
    bindings.extend(keep.then_some((3, Access::ReadWrite)));
    Kernel {
        label: format!("anti_diagonal/sweep {}{}", recurrence.name(), if keep { " kept" } else { "" }),
        constants: vec![("LANES", LANES)],
        aliases: Vec::new(),
        parts: vec![
            match recurrence {
                Recurrence::EditDistance => include_str!("../../shaders/anti_diagonal/edit_distance.wgsl"),
                Recurrence::Supersequence => include_str!("../../shaders/anti_diagonal/supersequence.wgsl"),
            },
            match keep {
                false => include_str!("../../shaders/anti_diagonal/keep_none.wgsl"),
                true => include_str!("../../shaders/anti_diagonal/keep_up.wgsl"),
            },
            include_str!("../../shaders/anti_diagonal/sweep.wgsl"),
        ],
        bindings,
        subgroups: false,
    }
}

/// Sizes of the method for one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Symbols of `a`.
    pub rows: u64,
    /// Symbols of `b`.
    pub cols: u64,
}

impl Grid {
    /// # Errors
    /// [`Error::InputTooLong`] where three anti-diagonals or the symbols would not fit into one buffer.
    pub fn new(rows: u64, cols: u64, caps: &Capabilities) -> Result<Self> {
        let words = caps.binding_bytes.min(CHUNK_BYTES) / 4;
        let remedy = "use the method 'bit-parallel'";
        for (what, actual, limit) in
            [("the input of the rows", rows, words / 3 - 1), ("the input of the columns", cols, words)]
        {
            if actual > limit {
                return Err(Error::InputTooLong { what, actual, limit, remedy });
            }
        }
        Ok(Self { rows, cols })
    }

    /// Passes: all anti-diagonals of the table.
    pub fn passes(&self) -> u64 {
        self.rows + self.cols + 1
    }

    /// Bytes of all buffers but the directions.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.rows.max(1) + self.cols.max(1) + 3 * self.stride())
    }

    /// Bytes of the passes themselves, on the host.
    pub fn host_bytes(&self) -> u64 {
        self.passes() * size_of::<Pass>() as u64
    }

    /// A rough time.
    pub fn expected(&self) -> Duration {
        let cells = self.rows as f64 * self.cols as f64;
        Duration::from_secs_f64(self.passes() as f64 * PASS_SECONDS + cells / CELLS_PER_SECOND)
    }

    /// Words of one anti-diagonal.
    pub fn stride(&self) -> u64 {
        self.rows + 1
    }

    /// Rows of the cells of one anti-diagonal.
    pub(super) fn cells(&self, diagonal: u64) -> std::ops::RangeInclusive<u64> {
        diagonal.saturating_sub(self.cols)..=diagonal.min(self.rows)
    }

    /// Where an anti-diagonal lies in the buffer of three.
    fn place(&self, diagonal: u64) -> u64 {
        diagonal % 3 * self.stride()
    }
}

/// One problem on one device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep<'a> {
    device: &'a Device<'a>,
    recurrence: Recurrence,
    a: &'a [u32],
    b: &'a [u32],
    pub grid: Grid,
}

/// The buffers of a plan that are read back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    diagonals: BufferId,
    /// Directions, where they were asked for.
    pub up: BufferId,
}

/// A plan and the buffers of it that are read back.
struct Planned {
    plan: Plan,
    kept: Kept,
}

impl AsMut<Plan> for Planned {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl<'a> Sweep<'a> {
    /// # Errors
    /// As [`Grid::new`], and [`Error::MemoryBudget`].
    pub fn new(device: &'a Device<'a>, recurrence: Recurrence, a: &'a [u32], b: &'a [u32]) -> Result<Self> {
        let grid = Grid::new(a.len() as u64, b.len() as u64, device.backend.capabilities())?;
        device.check_budget(grid.size_bytes())?;
        Ok(Self { device, recurrence, a, b, grid })
    }

    /// Runs a range of anti-diagonals. `state` has the two before the range, one after the other, and is empty at the start
    /// of the table; with `keep`, directions stay on the device too, words of [`WORD`] passes from the start of the range.
    ///
    /// # Errors
    /// As [`Device::run`].
    pub async fn run(&self, state: &[u32], range: Range<u64>, keep: bool) -> Result<(Box<dyn Loaded>, Kept)> {
        let ran = self.device.run(&|| self.plan(state, range.clone(), keep), &|_| Vec::new()).await?;
        Ok((ran.loaded, ran.made.kept))
    }

    /// Where the last cell is.
    pub fn last_cell(&self, kept: Kept) -> Span {
        let first = self.grid.place(self.grid.rows + self.grid.cols) + self.grid.rows;
        Span { buffer: kept.diagonals, first, words: 1 }
    }

    /// Where the two anti-diagonals before `diagonal` are, in the order of [`run`](Self::run)'s state.
    pub fn state(&self, kept: Kept, diagonal: u64) -> [Span; 2] {
        [2, 1].map(|back| Span {
            buffer: kept.diagonals,
            first: self.grid.place(diagonal - back),
            words: self.grid.stride(),
        })
    }

    fn plan(&self, state: &[u32], range: Range<u64>, keep: bool) -> Planned {
        let Grid { rows, cols } = self.grid;
        let stride = self.grid.stride();
        let mut plan = Plan { cell_cost: CELL_COST, ..Plan::default() };
        let a = plan.upload("row codes", if rows == 0 { vec![0] } else { self.a.to_vec() });
        let b = plan.upload("column codes", if cols == 0 { vec![0] } else { self.b.to_vec() });
        let diagonals = if state.is_empty() {
            plan.buffer("diagonals", 3 * stride, Contents::Zeros)
        } else {
            let mut words = vec![0; 3 * stride as usize];
            for (back, diagonal) in [2, 1].into_iter().zip(state.chunks(stride as usize)) {
                let place = self.grid.place(range.start - back) as usize;
                words[place..place + stride as usize].copy_from_slice(diagonal);
            }
            plan.upload("diagonals", words)
        };
        let mut bound = vec![a, b, diagonals];
        let first_word = range.start / WORD;
        let up = if keep {
            let words = (range.end.div_ceil(WORD) - first_word) * stride;
            bound.push(plan.buffer("directions", words, Contents::Zeros));
            bound[3]
        } else {
            diagonals
        };
        let kernel = plan.kernel(kernel(self.recurrence, keep));
        let bindings = plan.bind(bound);
        let most = u64::from(self.device.backend.capabilities().groups_per_dimension);
        plan.passes.reserve_exact((range.end - range.start) as usize);
        for diagonal in range {
            let cells = self.grid.cells(diagonal);
            let count = cells.end() - cells.start() + 1;
            let groups = count.div_ceil(u64::from(LANES));
            let kept = if keep { (diagonal / WORD - first_word) * stride } else { 0 };
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [groups.min(most) as u32, groups.div_ceil(most) as u32, 1],
                params: params(
                    [
                        diagonal,
                        *cells.start(),
                        *cells.end(),
                        self.grid.place(diagonal),
                        self.grid.place(diagonal + 2),
                        self.grid.place(diagonal + 1),
                        kept,
                    ]
                    .map(|word| word as u32),
                ),
                cells: count,
            });
        }
        Planned { plan, kept: Kept { diagonals, up } }
    }
}
