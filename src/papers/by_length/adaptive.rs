//! Adaptive thread mapping: the lanes per range depend on how many ranges there are.
//!
//! Source: Wu et al. 2011 (see [`by_length`](super)), sections IV.A to IV.C. Departures: the table
//! is stored by start and by end, so that the loads of both parts of a split are coalesced; up to
//! eight workgroups per compute unit instead of one; at least eight lanes per range if it has as
//! many splits.

use crate::backend::Capabilities;
use crate::kernels::parenthesization::ADAPTIVE_LANES;
use crate::parenthesization::gpu::Tuning;
use crate::plan::{Bounds, PassSplit, Units};

const LANES: u64 = ADAPTIVE_LANES as u64;
/// Resident workgroups per compute unit.
const GROUPS_PER_UNIT: u64 = 8;
/// Compute units assumed if the driver does not report them.
const UNITS: u32 = 16;
/// Minimum lanes per range, if it has as many splits: adjacent loads fill a memory transaction.
const MIN_SUBTHREADS: u64 = 8;
/// Maximum ranges per workgroup at a time.
const MAX_RANGES_AT_ONCE: u32 = ADAPTIVE_LANES / MIN_SUBTHREADS as u32;
/// Slices by ranges; parameters 3 and 4 are the first range and the end.
pub(super) const BY_RANGES: PassSplit = PassSplit {
    units: Units::Persistent {
        groups: MAX_RANGES_AT_ONCE,
    },
    bounds: Bounds::End { first: 3, end: 4 },
    step: MAX_RANGES_AT_ONCE,
};

#[derive(Clone, Debug)]
pub(super) struct Adaptive {
    /// Resident workgroups of the device.
    groups: u64,
    /// Length from which ranges are divided among lanes.
    divided_from: u64,
}

/// Mapping of the ranges of one length to lanes.
pub(super) struct Mapping {
    /// Lanes per range.
    pub subthreads: u64,
    /// Workgroups; each processes `LANES / subthreads` ranges at a time, grid-stride.
    pub groups: u64,
}

impl Adaptive {
    pub(super) fn new(caps: &Capabilities, tuning: &Tuning) -> Self {
        let units = caps.compute_units.or(caps.host_threads).unwrap_or(UNITS);
        let groups = u64::from(units) * GROUPS_PER_UNIT;
        Self {
            groups: groups.min(u64::from(caps.groups_per_dimension)),
            divided_from: tuning.divided_from.unwrap_or(0),
        }
    }

    /// Two stages: while ranges are few, each is split over more lanes until the device is full;
    /// when ranges alone fill the device, workgroups process several in turn.
    pub(super) fn mapping(&self, ranges: u64, length: u64) -> Mapping {
        let splits = length.saturating_sub(1).max(1);
        let spare = self.groups * LANES / ranges;
        let subthreads = if length < self.divided_from {
            1
        } else {
            spare.clamp(MIN_SUBTHREADS, LANES).min(splits)
        };
        let groups = ranges.div_ceil(LANES / subthreads).min(self.groups);
        Mapping { subthreads, groups }
    }
}
