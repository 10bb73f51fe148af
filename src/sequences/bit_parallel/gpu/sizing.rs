//! Sizes of sweeps on a GPU from its capabilities; the GPU need not be open.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::checkpoints::CheckpointLayout;
use super::tiling::Tiling;
use crate::backend::Capabilities;
use crate::engine::placement::Cost;
use crate::engine::{Device, DeviceEstimate};
use crate::error::{Error, Result};
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::shape::Shape;
use crate::sequences::tuning::Tuning;

/// Above this share of the full table's expected time or cells, the full table is swept at once.
const MAX_BAND_SHARE: f64 = 0.8;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizing<'a> {
    pub capabilities: &'a Capabilities,
    pub budget_bytes: u64,
    pub tuning: Tuning,
}

/// Tilings that are kept, by thread: a call has few shapes.
const LATEST_TILINGS: usize = 4;

type TilingKey = (Shape, Capabilities, Tuning, u64);

thread_local! {
    static LATEST: RefCell<VecDeque<(TilingKey, Tiling)>> = const { RefCell::new(VecDeque::new()) };
}

impl DeviceEstimate {
    pub(crate) fn sizing(&self, tuning: Tuning) -> Sizing<'_> {
        let Self {
            capabilities,
            budget_bytes,
            ..
        } = self;
        Sizing {
            capabilities,
            budget_bytes: *budget_bytes,
            tuning,
        }
    }
}

impl Device<'_> {
    pub(crate) fn sizing(&self, tuning: Tuning) -> Sizing<'_> {
        Sizing {
            capabilities: self.backend.capabilities(),
            budget_bytes: self.budget_bytes,
            tuning,
        }
    }
}

impl Sizing<'_> {
    /// Tiling without a path. Choosing one takes longer than the sweep of a short table, and a call
    /// asks for its cost before it sweeps: the latest tilings are kept.
    pub(crate) fn length_tiling(&self, shape: Shape) -> Result<Tiling> {
        let key = (shape, *self.capabilities, self.tuning, self.budget_bytes);
        LATEST.with_borrow_mut(|latest| {
            if let Some((_, tiling)) = latest.iter().find(|(known, _)| *known == key) {
                return Ok(*tiling);
            }
            let tiling = Tiling::new(shape, self.capabilities, &self.tuning, self.budget_bytes)?;
            latest.truncate(LATEST_TILINGS - 1);
            latest.push_front((key, tiling));
            Ok(tiling)
        })
    }

    /// Tiling for the midpoint of two directions: the minimum that a path requires.
    pub(crate) fn midpoint_tiling(&self, shape: Shape) -> Result<Tiling> {
        let tuning = Tuning {
            directions: Some(2),
            ..self.tuning
        };
        Self { tuning, ..*self }.length_tiling(shape)
    }

    /// Tiling for a path by stored boundaries; `None` if they exceed the budget.
    pub(crate) fn path_tiling(&self, shape: Shape) -> Result<Option<(Tiling, CheckpointLayout)>> {
        Tiling::for_path(shape, self.capabilities, &self.tuning, self.budget_bytes)
    }

    /// Expected work of a path in cells of a sweep. `stored` is its [`path_tiling`](Self::path_tiling).
    pub(crate) fn path_work(
        &self,
        shape: Shape,
        stored: Option<&(Tiling, CheckpointLayout)>,
    ) -> u64 {
        let cells = match stored {
            Some((tiling, _)) => {
                let walked = tiling.walked_column_cells(self.capabilities) * shape.cols as f64;
                shape.cells() + walked as u128
            }
            // The parts of Hirschberg's method have half of the cells, their parts a quarter, and so
            // on.
            None => 2 * shape.cells(),
        };
        u64::try_from(cells).unwrap_or(u64::MAX)
    }

    /// Expected device memory of the largest part by Hirschberg's method, whose boundaries are
    /// stored: it may be all of the budget.
    fn part_bytes(&self, shape: Shape) -> Result<u64> {
        let mut part = shape.half();
        while part.rows.min(part.cols) > 0 {
            if let Some((tiling, layout)) = self.path_tiling(part)? {
                return Ok(tiling.size_bytes() + layout.size_bytes(&tiling));
            }
            part = part.half();
        }
        Ok(0)
    }

    /// Expected seconds without a path.
    pub(crate) fn seconds(&self, shape: Shape) -> Result<f64> {
        Ok(self.length_tiling(shape)?.seconds(self.capabilities))
    }

    /// The band of all paths with at most this cost; `None` if sweeping the full table is expected
    /// to be about as fast.
    pub(crate) fn band(&self, whole: Shape, cost: u64, forced: bool) -> Result<Option<Shape>> {
        let banded = whole.within(cost);
        if whole.alphabet.shared == 0 {
            return Ok(None);
        }
        let few = banded.cells() as f64 <= MAX_BAND_SHARE * whole.cells() as f64;
        Ok(
            (forced || few && self.seconds(banded)? <= MAX_BAND_SHARE * self.seconds(whole)?)
                .then_some(banded),
        )
    }

    pub(crate) fn check_budget(&self, needed: u64) -> Result<()> {
        if needed <= self.budget_bytes {
            return Ok(());
        }
        let what = "this plan".to_string();
        Err(Error::MemoryBudget {
            what,
            needed,
            limit: self.budget_bytes,
            smallest: needed,
        })
    }

    pub(crate) fn cost(&self, shape: Shape, path: bool) -> Result<Cost> {
        let stored = if path { self.path_tiling(shape)? } else { None };
        let (tiling, layout) = match stored {
            Some((tiling, layout)) => (tiling, Some(layout)),
            None if path => (self.midpoint_tiling(shape)?, None),
            None => (self.length_tiling(shape)?, None),
        };
        let device_bytes = match &layout {
            Some(layout) => tiling.size_bytes() + layout.size_bytes(&tiling),
            None if path => tiling.size_bytes().max(self.part_bytes(shape)?),
            None => tiling.size_bytes(),
        };
        let rounds = if path && layout.is_none() { 2.0 } else { 1.0 };
        let walk = if path { tiling.walk_seconds() } else { 0.0 };
        let seconds = tiling.seconds(self.capabilities) * rounds + walk;
        Ok(Cost {
            path_mode: match (&layout, path) {
                (Some(_), _) => PathMode::StoredBoundaries,
                (None, true) => PathMode::Hirschberg,
                (None, false) => PathMode::None,
            },
            tile: (
                tiling.strip_rows(),
                u64::from(tiling.steps * tiling.columns),
            ),
            strips: tiling.strips() * u64::from(tiling.directions),
            passes: tiling.passes(),
            device_bytes,
            host_bytes: tiling.size_bytes(),
            ..Cost::new(seconds)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::shape::TableKind;

    #[test]
    fn band_is_chosen_if_it_saves_work_and_keeps_the_device_busy() {
        let device = Capabilities {
            subgroup: Some(32),
            compute_units: Some(132),
            workgroup_bytes: 48 << 10,
            unit_workgroup_bytes: Some(228 << 10),
            workgroup_lanes: 1024,
            buffer_bytes: 16 << 30,
            binding_bytes: 16 << 30,
            chunk_bytes: 1 << 30,
            ..Capabilities::default()
        };
        let chaining = Capabilities {
            forward_progress: true,
            carry_flag: true,
            ..device
        };
        for capabilities in [&device, &chaining] {
            let sizing = Sizing {
                capabilities,
                budget_bytes: 96 << 30,
                tuning: Tuning::default(),
            };
            let band = |rows, cols, cost| {
                let band = sizing.band(Shape::new(TableKind::Lcs, rows, cols, 4), cost, false);
                band.expect("it has a size").is_some()
            };
            assert!(band(10_000_000, 10_000_000, 7_000_000));
            assert!(band(4_000_000, 4_000_000, 2_800_000));
            assert!(band(10_000_000, 9_000_000, 6_500_000));
            // Three quarters of the table are in the band, in strips that all begin in the first
            // column.
            assert!(!band(15_000_000, 4_000_000, 11_020_000));
        }
    }
}
