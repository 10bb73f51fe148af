//! The adaptive thread mapping: as many lanes a range as the device has to spare.
//!
//! Source: Wu, Ke, Lin and Feng 2011, "Optimizing Dynamic Programming on Graphics Processing Units via Adaptive Thread-Level
//! Parallelism", sections IV.A to IV.C.

use super::kernels::Variant;
use super::layout::Layout;
use super::lengths::Triangle;
use super::split_tree;
use crate::backend::Capabilities;
use crate::error::Result;
use crate::kernels::parenthesization::{ADAPTIVE_LANES, Table};
use crate::plan::{Bounds, BufferId, PassSplit, Plan, Units};

const LANES: u64 = ADAPTIVE_LANES as u64;
/// Workgroups that one compute unit runs at a time.
const GROUPS_A_UNIT: u64 = 8;
/// Compute units where neither the driver says, nor threads of the host compute.
const UNITS: u32 = 16;
/// Fewest subthreads of a range that has as many splits: their loads lie side by side and fill a memory transaction.
const LEAST_SUBTHREADS: u64 = 8;
/// Ranges that a workgroup takes at a time at the most.
const MOST_AT_ONCE: u32 = ADAPTIVE_LANES / LEAST_SUBTHREADS as u32;
/// Ranges are taken in turn; the fourth parameter is the first one, and the fifth the end of the last.
const BY_RANGES: PassSplit = PassSplit {
    units: Units::Persistent {
        groups: MOST_AT_ONCE,
    },
    bounds: Bounds::End { first: 3, end: 4 },
    step: MOST_AT_ONCE,
};

/// Sizes of the method for one problem on one device.
#[derive(Clone, Debug)]
pub struct Grid {
    table: Triangle,
    /// Workgroups that the device runs at a time.
    groups: u64,
}

/// How the ranges of one length are mapped to lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Lanes of one range.
    pub subthreads: u64,
    /// Workgroups; each takes `LANES / subthreads` ranges at a time, until none is left.
    pub groups: u64,
}

impl Grid {
    /// # Errors
    /// [`Error::InputTooLong`](crate::Error::InputTooLong) where a table does not fit into one buffer.
    pub fn new(leaves: u64, variant: &Variant, caps: &Capabilities) -> Result<Self> {
        let units = caps.compute_units.or(caps.host_threads).unwrap_or(UNITS);
        let groups = u64::from(units) * GROUPS_A_UNIT;
        let groups = groups.min(u64::from(caps.groups_per_dimension));
        Ok(Self {
            table: Triangle::new(leaves, variant, caps)?,
            groups,
        })
    }

    /// The first stage splits every range over subthreads until the device is full; the second, where ranges alone fill it,
    /// has workgroups take several ranges in turn.
    pub fn mapping(&self, length: u64) -> Mapping {
        let (ranges, splits) = (self.table.ranges(length), length.saturating_sub(1).max(1));
        let spare = self.groups * LANES / ranges;
        let subthreads = spare.clamp(LEAST_SUBTHREADS, LANES).min(splits);
        let groups = ranges.div_ceil(LANES / subthreads).min(self.groups);
        Mapping { subthreads, groups }
    }

    pub(super) fn add_passes(
        &self,
        plan: &mut Plan,
        inputs: BufferId,
        variant: &Variant,
    ) -> (Layout, split_tree::Found) {
        let kernels = variant.kernels();
        let kernels = (
            (kernels.adaptive(), BY_RANGES),
            split_tree::kernel(&kernels, Table::ByEnds, split_tree::LANES),
        );
        let tables = ["table by start", "table by end"];
        let ([by_start, _], tree) =
            self.table
                .add_passes(plan, inputs, variant, tables, kernels, |length| {
                    let Mapping { subthreads, groups } = self.mapping(length);
                    (groups, [subthreads, 0, self.table.ranges(length)])
                });
        (
            Layout::ByStart {
                leaves: self.table.leaves,
                table: by_start,
            },
            tree,
        )
    }
}
