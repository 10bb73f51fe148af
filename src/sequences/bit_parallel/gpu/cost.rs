//! Cost model of the strip sweep.

use super::tiling::Tiling;
use crate::backend::Capabilities;
use crate::engine::profile::gpu::compute_units;
use crate::engine::profile::gpu::strip_sweep::*;
use crate::kernels::bit_parallel::{Matching, StripSweep};
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::shape::TableKind;

impl Tiling {
    /// Instructions of a lane per column: its limbs plus a constant.
    fn column_instructions(&self) -> f64 {
        self.of_column(match (self.shape.table, self.matching) {
            (TableKind::Lcs, Matching::Table) if self.vector() == 4 => instructions::LCS_BY_VECTORS,
            (TableKind::Lcs, Matching::Table) => instructions::LCS_BY_TABLE,
            (TableKind::Lcs, Matching::Planes) => instructions::LCS_BY_PLANES,
            (_, Matching::Table) => instructions::EDIT_BY_TABLE,
            (_, Matching::Planes) => instructions::EDIT_BY_PLANES,
        })
    }

    fn of_column(&self, column: Column) -> f64 {
        f64::from(self.limbs) * (column.limb + column.plane * f64::from(self.planes()))
            + column.once
    }

    /// Cycles per column of a subgroup alone on its scheduler, where each limb waits for the one
    /// above it.
    fn lone_column_cycles(&self, chained: bool) -> f64 {
        self.of_column(match (self.shape.table, self.matching) {
            (TableKind::Lcs, Matching::Table) if chained => lone_cycles::LCS_CHAINED,
            (TableKind::Lcs, Matching::Table) => lone_cycles::LCS_BY_TABLE,
            (TableKind::Lcs, Matching::Planes) if chained => lone_cycles::LCS_BY_PLANES_CHAINED,
            (TableKind::Lcs, Matching::Planes) => lone_cycles::LCS_BY_PLANES,
            (_, Matching::Table) => lone_cycles::EDIT_BY_TABLE,
            (_, Matching::Planes) if chained => lone_cycles::EDIT_BY_PLANES_CHAINED,
            (_, Matching::Planes) => lone_cycles::EDIT_BY_PLANES,
        })
    }

    /// [`lone_column_cycles`](Self::lone_column_cycles) plus the column's share of the step
    /// latency.
    fn alone_cycles(&self, chained: bool) -> f64 {
        let stall = if chained {
            CHAINED_STEP_STALL
        } else {
            STEP_STALL
        };
        self.lone_column_cycles(chained) + stall / f64::from(self.columns)
    }

    fn is_chained(&self, caps: &Capabilities) -> bool {
        caps.forward_progress && StripSweep::chains(self.carry_exchange, self.columns)
    }

    /// Cheap lower bound of [`seconds`](Self::seconds).
    pub(super) fn least_seconds(&self, caps: &Capabilities) -> f64 {
        let chained = self.is_chained(caps);
        let pass = if chained {
            CHAINED_PASS_SECONDS
        } else {
            PASS_SECONDS
        };
        // In a band the directions may meet between two strips.
        let between = if self.shape.band == Band::WHOLE {
            0
        } else {
            self.lag()
        };
        let (steps, columns) = (
            self.least_steps().saturating_sub(between) as f64,
            f64::from(self.columns),
        );
        steps * (columns * self.alone_cycles(chained) / CLOCK_HZ + pass / f64::from(self.steps))
    }

    fn active(&self) -> f64 {
        let moves = match self.shape.band {
            Band::WHOLE => 0.0,
            // From strip to strip a band moves by as many columns as a strip has rows, except in
            // the rows in excess of the columns, where it stays at the first column.
            _ => {
                let rows = self.shape.rows.max(1) as f64 / f64::from(self.directions);
                let still = self.shape.rows.saturating_sub(self.shape.cols) as f64 / rows;
                (self.strip_rows() / u64::from(self.columns)) as f64 * (1.0 - still).max(0.0)
            }
        };
        (self.strip_steps() as f64 / (self.lag() as f64 + moves)).clamp(1.0, self.strips() as f64)
    }

    fn table_instructions(&self) -> f64 {
        match self.matching {
            Matching::Table => {
                f64::from((self.shape.alphabet.shared + 1) * self.limbs * (self.planes() + 1))
            }
            Matching::Planes => 0.0,
        }
    }

    /// Expected seconds of the sweep, accurate enough to rank tilings.
    pub fn seconds(&self, caps: &Capabilities) -> f64 {
        let units = at_once(caps);
        let subgroups = f64::from(self.lanes.div_ceil(32) * self.directions);
        let passes = self.passes();
        let active = self.active();
        let sharing = (active * subgroups / units).ceil().max(1.0);
        // If workgroup memory limits the resident workgroups of a compute unit, they run in rounds.
        // Emulated devices have no such limit.
        let of_unit = caps
            .unit_workgroup_bytes
            .map_or(UNIT_WORKGROUP_BYTES, f64::from);
        let resident = (of_unit / f64::from(self.workgroup_bytes()).max(1.0))
            .floor()
            .max(1.0);
        let a_unit = (active * f64::from(self.directions) * SCHEDULERS / units).max(1.0);
        let rounds = if caps.host_threads.is_some() {
            1.0
        } else {
            (a_unit / resident).max(1.0)
        };
        let chained = self.is_chained(caps);
        let alone = self.alone_cycles(chained);
        let an_instruction = match (caps.forward_progress, chained) {
            (true, false) => CUDA_CYCLES_PER_INSTRUCTION,
            (true, true) if (sharing / rounds).min(resident / SCHEDULERS) > CHAINED_CROWD => {
                CYCLES_PER_INSTRUCTION * CROWDED
            }
            _ => CYCLES_PER_INSTRUCTION,
        };
        let together = (self.column_instructions() + STEP_INSTRUCTIONS / f64::from(self.columns))
            * an_instruction;
        let cycles = (alone * rounds.ceil()).max(together * sharing);
        let columns = (passes * u64::from(self.steps)) as f64 * f64::from(self.columns);
        let pass = if chained {
            CHAINED_PASS_SECONDS
        } else {
            PASS_SECONDS + self.table_instructions() * CYCLES_PER_INSTRUCTION * sharing / CLOCK_HZ
        };
        columns * cycles / CLOCK_HZ + passes as f64 * pass
    }
}

/// Subgroups of 32 lanes that the device advances at once; below one per thread for devices
/// emulated on the host.
fn at_once(caps: &Capabilities) -> f64 {
    match caps.host_threads {
        Some(threads) => f64::from(threads) * THREAD_SCHEDULERS,
        None => compute_units(caps) * SCHEDULERS,
    }
}
