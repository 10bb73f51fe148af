//! Kernel shapes: lanes per workgroup and keys per lane.

use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::sort::RadixSort;

/// Maximum lanes of a ranking workgroup, with and without subgroups.
const MAX_LANES: u32 = 256;
const PORTABLE_LANES: u32 = 128;
/// Minimum lanes: a tile of two keys per lane ends at a valid binding offset.
const MIN_LANES: u32 = 32;
/// Maximum number of lane groups with counts of their own.
const MAX_GROUPS: u32 = 8;
/// Keys per tile, and maximum keys per lane: fewer shorten the runs per digit, more need registers.
/// The first maximum is for one-word keys; the best tiles in
/// nvidia-h200/2026-11-25-sort-vulkan.json.
const TILE_KEYS: u32 = 3072;
const MAX_STEPS: [u32; 2] = [20, 16];
/// Minimum keys per lane at which a larger workgroup is worth its memory.
const MIN_STEPS: u32 = 8;

/// Kernel overrides for tests and benchmarks; `None` and `false` leave the choice to the planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SortTuning {
    /// Rank through workgroup memory even with subgroups; no onesweep.
    pub portable: bool,
    /// Count each digit separately even if onesweep is available.
    pub counts_each_digit: bool,
    /// Lanes of a ranking workgroup: whole subgroups; without onesweep a power of two.
    pub lanes: Option<u32>,
    /// Keys per lane: an even number.
    pub steps: Option<u32>,
    /// Resident workgroups per compute unit for onesweep.
    pub groups_of_unit: Option<u32>,
    pub workgroups: Option<u32>,
    /// Maximum keys per chunk; rounded to whole tiles.
    pub chunk_keys: Option<u64>,
    pub pass_keys: Option<u64>,
}

/// The kernels for a device: the largest workgroup that leaves memory for tiles, then the largest
/// tile that fits.
pub(super) fn shape(
    key_words: u32,
    payload: bool,
    caps: &Capabilities,
    tuning: &SortTuning,
) -> Result<RadixSort> {
    let subgroup = caps
        .subgroup
        .filter(|lanes| [8, 16, 32, 64].contains(lanes) && !tuning.portable);
    let with = |lanes: u32, steps: u32| RadixSort {
        key_words,
        payload,
        subgroup,
        lanes,
        steps,
    };
    let fits = |sort: &RadixSort| {
        sort.workgroup_bytes() <= caps.workgroup_bytes
            && sort.lanes <= caps.workgroup_lanes.min(MAX_LANES)
    };
    let (max, min) = match subgroup {
        Some(subgroup) => (
            MAX_LANES.min(MAX_GROUPS * subgroup),
            MIN_LANES.max(subgroup),
        ),
        None => (PORTABLE_LANES, MIN_LANES),
    };
    let halves = std::iter::successors(Some(max), |&lanes| (lanes > min).then_some(lanes / 2));
    let lanes = tuning
        .lanes
        .or_else(|| halves.clone().find(|&lanes| fits(&with(lanes, MIN_STEPS))))
        .unwrap_or(min);
    let usual = (TILE_KEYS / lanes.max(1)).min(MAX_STEPS[key_words.min(2) as usize - 1]);
    let steps = tuning.steps.or_else(|| {
        (2..=usual)
            .rev()
            .step_by(2)
            .find(|&steps| fits(&with(lanes, steps)))
    });
    let sort = with(lanes, steps.unwrap_or(2));
    if !halves.clone().any(|known| known == lanes) {
        let known: Vec<_> = halves.map(|lanes| lanes.to_string()).collect();
        return Err(invalid_lanes(lanes, known.join(", ")));
    }
    if !sort.steps.is_multiple_of(2) || sort.steps == 0 || !fits(&sort) {
        return Err(invalid_steps(sort.steps, caps));
    }
    Ok(sort)
}

pub(super) fn invalid_lanes(lanes: u32, allowed: String) -> Error {
    Error::InvalidTuning {
        knob: "lanes of the sort",
        value: lanes.into(),
        allowed,
    }
}

pub(super) fn invalid_steps(steps: u32, caps: &Capabilities) -> Error {
    let bytes = caps.workgroup_bytes;
    Error::InvalidTuning {
        knob: "keys a lane",
        value: steps.into(),
        allowed: format!("even numbers whose tiles fit into {bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(subgroup: Option<u32>, workgroup_bytes: u32) -> Capabilities {
        Capabilities {
            subgroup,
            workgroup_bytes,
            ..Capabilities::default()
        }
    }

    #[test]
    fn every_device_has_a_sort_shape_with_large_tiles() {
        for subgroup in [None, Some(4), Some(8), Some(16), Some(32), Some(64)] {
            for workgroup_bytes in [16 << 10, 32 << 10, 48 << 10, 99 << 10] {
                for key_words in [1, 2] {
                    let caps = caps(subgroup, workgroup_bytes);
                    let sort = shape(key_words, true, &caps, &SortTuning::default())
                        .expect("there is one");
                    assert!(
                        sort.workgroup_bytes() <= workgroup_bytes && sort.tile() >= 1024,
                        "{sort:?}"
                    );
                    // Chunks of whole tiles start at valid binding offsets.
                    assert_eq!(sort.tile() % 64, 0);
                }
            }
        }
    }

    #[test]
    fn invalid_sort_shape_is_refused() {
        let caps = caps(Some(32), 16 << 10);
        for (lanes, steps) in [
            (Some(48), None),
            (Some(512), None),
            (None, Some(7)),
            (None, Some(4000)),
            (None, Some(0)),
        ] {
            let tuning = SortTuning {
                lanes,
                steps,
                ..SortTuning::default()
            };
            assert!(
                matches!(
                    shape(1, false, &caps, &tuning),
                    Err(Error::InvalidTuning { .. })
                ),
                "{tuning:?}"
            );
        }
    }
}
