//! Shapes of the kernels that read keys once for each digit.

use super::shape::Tuning;
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::sort::{Onesweep, RADIX};

/// Keys that a sum of a tile can count: two bits of its word are flags.
pub(super) const MOST_KEYS: u64 = (1 << 30) - 1;
/// Lanes of a workgroup, keys of a lane and workgroups of a compute unit: with so many, kernels keep all keys in registers and spill
/// none, and two workgroups hide what the other one waits for. nvidia-h200/2026-11-25-sort-cuda.json has others.
const LANES: u32 = 384;
const STEPS: u32 = 16;
/// Keys of a lane where kernels are embedded, whose compiler keeps fewer in registers; no record has measured them.
const EMBEDDED_STEPS: u32 = 14;
const GROUPS_OF_UNIT: u32 = 2;
/// Most lanes of a workgroup whose kernels are to be tried.
const MOST_LANES: u32 = 1024;

/// The kernels, where the device and the arrays, which may be in one chunk or not, have what they need.
///
/// # Errors
/// [`Error::InvalidTuning`] where a forced shape does not fit into a workgroup.
pub(super) fn shape(
    (key_words, payload): (u32, bool),
    (keys, in_one_chunk): (u64, bool),
    caps: &Capabilities,
    tuning: &Tuning,
) -> Result<Option<Onesweep>> {
    let asked = !(tuning.portable || tuning.counts_each_digit);
    let there = caps.forward_progress && caps.subgroup == Some(Onesweep::SUBGROUP);
    if !(asked && there && in_one_chunk && keys <= MOST_KEYS) {
        return Ok(None);
    }
    let (lanes, steps) = (
        tuning.lanes.unwrap_or(LANES),
        tuning
            .steps
            .unwrap_or(if caps.compiles { STEPS } else { EMBEDDED_STEPS }),
    );
    let groups_of_unit = tuning.groups_of_unit.unwrap_or(GROUPS_OF_UNIT);
    let invalid = |knob, value: u32, allowed: String| {
        Err(Error::InvalidTuning {
            knob,
            value: value.into(),
            allowed,
        })
    };
    let most_lanes = caps.workgroup_lanes.min(MOST_LANES);
    if !(RADIX..=most_lanes).contains(&lanes) || !lanes.is_multiple_of(Onesweep::SUBGROUP) {
        let allowed = format!(
            "whole subgroups of {}, {RADIX} to {most_lanes}",
            Onesweep::SUBGROUP
        );
        return invalid("lanes of the sort", lanes, allowed);
    }
    let kernels = Onesweep {
        key_words,
        payload,
        lanes,
        steps: steps.min(1 << 10),
        groups_of_unit,
    };
    if steps == 0 || !steps.is_multiple_of(2) || kernels.workgroup_bytes() > caps.workgroup_bytes {
        return invalid(
            "keys a lane",
            steps,
            format!(
                "even numbers whose tiles fit into {} bytes",
                caps.workgroup_bytes
            ),
        );
    }
    if !(1..=u64::from(MOST_LANES * 2 / lanes)).contains(&groups_of_unit.into()) {
        return invalid(
            "workgroups of a compute unit",
            groups_of_unit,
            format!("1 to {}", MOST_LANES * 2 / lanes),
        );
    }
    Ok(Some(kernels))
}
