//! Anti-diagonal method as a plan: one dispatch per anti-diagonal, all with the same bind group.

use super::Recurrence;
use super::stored::StoredDiagonals;
use crate::backend::{Capabilities, Span};
use crate::engine::Device;
use crate::engine::profile::gpu::{anti_diagonal as figures, compute_units};
use crate::error::{Error, Result};
use crate::kernels::anti_diagonal::{self, LANES};
use crate::plan::{Bounds, BufferId, Contents, Pass, PassSplit, Plan, Units, folded, params};

/// Parameter value of a pass whose origins are not stored.
const NOT_STORED: u64 = u32::MAX as u64;

/// Table dimensions and derived sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub rows: u64,
    pub cols: u64,
}

impl Grid {
    /// # Errors
    /// [`Error::InputTooLong`] if three anti-diagonals or the symbols exceed one buffer.
    pub fn new(rows: u64, cols: u64, caps: &Capabilities) -> Result<Self> {
        let words = caps.chunk_bytes / 4;
        let remedy = "use the method 'bit-parallel'";
        for (what, actual, limit) in [
            ("the input of the rows", rows, words / 3 - 1),
            ("the input of the columns", cols, words),
        ] {
            if actual > limit {
                return Err(Error::InputTooLong {
                    what,
                    actual,
                    limit,
                    remedy,
                });
            }
        }
        Ok(Self { rows, cols })
    }

    pub fn passes(&self) -> u64 {
        self.rows + self.cols + 1
    }

    /// Bytes of all buffers except the origins.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.rows.max(1) + self.cols.max(1) + 3 * self.stride())
    }

    /// Host bytes of the pass list.
    pub fn host_bytes(&self) -> u64 {
        self.passes() * size_of::<Pass>() as u64
    }

    /// Rough time on a device.
    pub fn seconds(&self, caps: &Capabilities) -> f64 {
        let rate = compute_units(caps) * figures::CELLS_PER_SECOND;
        let cells = self.rows as f64 * self.cols as f64;
        self.passes() as f64 * figures::PASS_SECONDS + cells / rate
    }

    /// Words per anti-diagonal.
    pub fn stride(&self) -> u64 {
        self.rows + 1
    }

    /// Rows of an anti-diagonal.
    fn cells(&self, diagonal: u64) -> std::ops::RangeInclusive<u64> {
        diagonal.saturating_sub(self.cols)..=diagonal.min(self.rows)
    }

    /// Word offset of an anti-diagonal in the buffer of three.
    fn place(&self, diagonal: u64) -> u64 {
        diagonal % 3 * self.stride()
    }
}

/// A table on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AntiDiagonalSweep<'a> {
    device: &'a Device<'a>,
    recurrence: Recurrence,
    a: &'a [u32],
    b: &'a [u32],
    lanes: u32,
    pub grid: Grid,
}

/// A plan and the locations of its results.
pub(crate) struct PlannedSweep {
    pub plan: Plan,
    pub last: Span,
    /// Stored origins, if requested.
    pub origins: Option<BufferId>,
}

impl AsMut<Plan> for PlannedSweep {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl<'a> AntiDiagonalSweep<'a> {
    pub(crate) fn new(
        device: &'a Device<'a>,
        recurrence: Recurrence,
        a: &'a [u32],
        b: &'a [u32],
    ) -> Result<Self> {
        let grid = Grid::new(
            a.len() as u64,
            b.len() as u64,
            device.backend.capabilities(),
        )?;
        device.check_budget(grid.size_bytes())?;
        Ok(Self {
            device,
            recurrence,
            a,
            b,
            lanes: LANES,
            grid,
        })
    }

    /// Sets the lanes of a workgroup; `None` keeps [`LANES`].
    pub(crate) fn with_lanes(self, lanes: Option<u32>) -> Self {
        Self {
            lanes: lanes.unwrap_or(self.lanes),
            ..self
        }
    }

    /// Plan of all anti-diagonals; stores origins as laid out in `stored`.
    pub(crate) fn plan(&self, stored: Option<StoredDiagonals>) -> PlannedSweep {
        let Grid { rows, cols } = self.grid;
        let words = 3 * self.grid.stride();
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        let a = plan.upload(
            "row codes",
            if rows == 0 { vec![0] } else { self.a.to_vec() },
        );
        let b = plan.upload(
            "column codes",
            if cols == 0 { vec![0] } else { self.b.to_vec() },
        );
        let diagonals = plan.buffer("diagonals", words, Contents::Zeros);
        let mut bound = vec![a, b, diagonals];
        let origins = stored.map(|stored| {
            bound.push(plan.buffer("origins", words, Contents::Zeros));
            plan.buffer(
                "stored anti-diagonals",
                stored.words(),
                Contents::Unspecified,
            )
        });
        bound.extend(origins);
        let kernel = plan.kernel(anti_diagonal::sweep(
            self.recurrence,
            origins.is_some(),
            self.lanes,
        ));
        let bindings = plan.bind(bound);
        let across = self.device.backend.capabilities().groups_per_dimension;
        // Splits at workgroups; parameters 1 and 2 are the first and last row.
        let (units, bounds) = (Units::Grid2d { across }, Bounds::Last { first: 1, last: 2 });
        plan.splits.push((
            kernel,
            PassSplit {
                units,
                bounds,
                step: self.lanes,
            },
        ));
        plan.passes.reserve_exact(self.grid.passes() as usize);
        for diagonal in 0..self.grid.passes() {
            let cells = self.grid.cells(diagonal);
            let count = cells.end() - cells.start() + 1;
            let [x, y] = folded(count.div_ceil(self.lanes.into()), across);
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [x, y, 1],
                params: params(
                    [
                        diagonal,
                        *cells.start(),
                        *cells.end(),
                        self.grid.place(diagonal),
                        self.grid.place(diagonal + 2),
                        self.grid.place(diagonal + 1),
                        stored.map_or(0, |stored| stored.behind(diagonal)),
                        stored
                            .and_then(|stored| stored.place(diagonal))
                            .unwrap_or(NOT_STORED),
                    ]
                    .map(|word| word as u32),
                ),
                cells: count,
            });
        }
        let first = self.grid.place(rows + cols) + rows;
        PlannedSweep {
            plan,
            last: Span {
                buffer: diagonals,
                first,
                words: 1,
            },
            origins,
        }
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::call::control::Control;
    use crate::papers::anti_diagonal::{cpu, last_cell};
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn split_anti_diagonal_passes_match_whole_ones() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let mut random = Random::new(7);
        let (a, b) = (
            random.codes(3 * LANES as usize + 1, 4),
            random.codes(4 * LANES as usize, 4),
        );
        for (recurrence, lanes) in [
            (Recurrence::EditDistance, None),
            (Recurrence::EditDistance, Some(64)),
            (Recurrence::Supersequence, None),
        ] {
            let expected =
                cpu::last_cell(recurrence, &a, &b, &Control::default()).expect("nobody cancels it");
            let found = backend
                .whole_and_split(async |device| last_cell(device, recurrence, &a, &b, lanes).await);
            assert_eq!(found, [expected; 2]);
        }
    }
}
