//! Shapes of the onesweep kernels.

use super::shape::{SortTuning, invalid_lanes, invalid_steps};
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::sort::{Onesweep, RADIX};

/// Maximum count of a tile's sum: two bits of its word are flags.
pub(super) const MAX_KEYS: u64 = (1 << 30) - 1;
/// Lanes per workgroup, keys per lane and workgroups per compute unit. Keys stay in registers
/// without spills, and two workgroups hide each other's latency.
/// nvidia-h200/2026-11-25-sort-cuda.json compares other shapes.
const LANES: u32 = 384;
const STEPS: u32 = 16;
/// Keys per lane of precompiled kernels, whose compiler keeps fewer in registers; not measured.
const EMBEDDED_STEPS: u32 = 14;
const GROUPS_PER_UNIT: u32 = 2;
/// Maximum lanes of a forced shape.
const MAX_LANES: u32 = 1024;

/// The onesweep kernels; `None` if the device or the arrays do not support them.
pub(super) fn shape(
    key_words: u32,
    payload: bool,
    keys: u64,
    in_one_chunk: bool,
    caps: &Capabilities,
    tuning: &SortTuning,
) -> Result<Option<Onesweep>> {
    let allowed = !(tuning.portable || tuning.counts_each_digit);
    let supported = caps.forward_progress && caps.subgroup == Some(Onesweep::SUBGROUP);
    if !(allowed && supported && in_one_chunk && keys <= MAX_KEYS) {
        return Ok(None);
    }
    let (lanes, steps) = (
        tuning.lanes.unwrap_or(LANES),
        tuning
            .steps
            .unwrap_or(if caps.compiles { STEPS } else { EMBEDDED_STEPS }),
    );
    let groups_of_unit = tuning.groups_of_unit.unwrap_or(GROUPS_PER_UNIT);
    let most_lanes = caps.workgroup_lanes.min(MAX_LANES);
    if !(RADIX..=most_lanes).contains(&lanes) || !lanes.is_multiple_of(Onesweep::SUBGROUP) {
        let allowed = format!(
            "whole subgroups of {}, {RADIX} to {most_lanes}",
            Onesweep::SUBGROUP
        );
        return Err(invalid_lanes(lanes, allowed));
    }
    let kernels = Onesweep {
        key_words,
        payload,
        lanes,
        steps: steps.min(1 << 10),
        groups_of_unit,
    };
    if steps == 0 || !steps.is_multiple_of(2) || kernels.workgroup_bytes() > caps.workgroup_bytes {
        return Err(invalid_steps(steps, caps));
    }
    let max_groups = MAX_LANES * 2 / lanes;
    if !(1..=max_groups).contains(&groups_of_unit) {
        return Err(Error::InvalidTuning {
            knob: "workgroups of a compute unit",
            value: groups_of_unit.into(),
            allowed: format!("1 to {max_groups}"),
        });
    }
    Ok(Some(kernels))
}
