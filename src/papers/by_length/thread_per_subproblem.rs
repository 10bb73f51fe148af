//! One lane per range and one pass per length: the baseline.
//!
//! Source: Solomon and Thulasiraman 2010, "Performance study of mapping irregular computations on
//! GPUs", in Wu et al. 2011 (see [`by_length`](super)), section III.B. Departure: the table is
//! stored by length, their data structure of type 1 (section IV.C).

use crate::backend::Capabilities;
use crate::engine::profile::gpu::compute_units;
use crate::kernels::parenthesization::RANGE_LANES;
use crate::plan::{Bounds, PassSplit};

pub(super) const LANES: u64 = RANGE_LANES as u64;
/// Workgroups that one compute unit runs concurrently without slowing them down.
const GROUPS_PER_UNIT: u64 = 4;
/// Slices by workgroup; parameter 2 is the first range.
pub(super) const BY_GROUPS: PassSplit = PassSplit {
    step: RANGE_LANES,
    ..PassSplit::by_group(Bounds::First(2))
};

/// Ranges of one length that fill a device: a pass of fewer is not faster.
pub(super) fn ranges_at_once(caps: &Capabilities) -> u64 {
    compute_units(caps) as u64 * GROUPS_PER_UNIT * LANES
}
