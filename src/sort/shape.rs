//! The shape of the kernels: how many lanes a workgroup has, and how many keys each of them ranks.

use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::sort::RadixSort;

/// Lanes of the largest workgroup that ranks, by subgroups and without them.
const MOST_LANES: u32 = 256;
const PORTABLE_LANES: u32 = 128;
/// Lanes of the smallest: two keys each are a tile at the end of which a binding may begin.
const FEWEST_LANES: u32 = 32;
/// Groups of lanes that rank together, each with counts of its own.
const MOST_GROUPS: u32 = 8;
/// Keys of a tile, and most that a lane ranks: fewer make digits' runs short, more take registers. The first is for keys of a word;
/// the best tiles in nvidia-h200/2026-11-25-sort-vulkan.json.
const TILE_KEYS: u32 = 3072;
const MOST_STEPS: [u32; 2] = [20, 16];
/// Fewest of them for which a larger workgroup is worth its memory.
const FEWEST_STEPS: u32 = 8;

/// Forced shapes of the kernels, for tests and benchmarks; `None` and `false` leave the choice to the planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Ranks go through workgroup memory even where the device has subgroups, and no workgroup waits for another.
    pub portable: bool,
    /// Keys are read once more for each digit, to count it, even where workgroups may wait for each other.
    pub counts_each_digit: bool,
    /// Lanes of a workgroup that ranks: whole subgroups; a power of two where no workgroup waits for another.
    pub lanes: Option<u32>,
    /// Keys that a lane ranks: an even number.
    pub steps: Option<u32>,
    /// Workgroups that a compute unit is to hold at once, where they wait for each other.
    pub groups_of_unit: Option<u32>,
    /// Workgroups that share a chunk, at the most.
    pub workgroups: Option<u32>,
    /// Keys of a chunk, at the most; what it comes to is whole tiles.
    pub chunk_keys: Option<u64>,
    /// Keys that a pass moves, about.
    pub pass_keys: Option<u64>,
}

/// The kernels for a device: the largest workgroup that leaves room for tiles, and the largest tile that has room.
pub(super) fn shape(
    key_words: u32,
    payload: bool,
    caps: &Capabilities,
    tuning: &Tuning,
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
            && sort.lanes <= caps.workgroup_lanes.min(MOST_LANES)
    };
    let (most, fewest) = match subgroup {
        Some(subgroup) => (
            MOST_LANES.min(MOST_GROUPS * subgroup),
            FEWEST_LANES.max(subgroup),
        ),
        None => (PORTABLE_LANES, FEWEST_LANES),
    };
    let halves = std::iter::successors(Some(most), |&lanes| (lanes > fewest).then_some(lanes / 2));
    let lanes = tuning
        .lanes
        .or_else(|| {
            halves
                .clone()
                .find(|&lanes| fits(&with(lanes, FEWEST_STEPS)))
        })
        .unwrap_or(fewest);
    let usual = (TILE_KEYS / lanes.max(1)).min(MOST_STEPS[key_words.min(2) as usize - 1]);
    let steps = tuning.steps.or_else(|| {
        (2..=usual)
            .rev()
            .step_by(2)
            .find(|&steps| fits(&with(lanes, steps)))
    });
    let sort = with(lanes, steps.unwrap_or(2));
    let invalid = |knob, value: u32, allowed: String| {
        Err(Error::InvalidTuning {
            knob,
            value: value.into(),
            allowed,
        })
    };
    if !halves.clone().any(|known| known == lanes) {
        let known: Vec<_> = halves.map(|lanes| lanes.to_string()).collect();
        return invalid("lanes of the sort", lanes, known.join(", "));
    }
    if !sort.steps.is_multiple_of(2) || sort.steps == 0 || !fits(&sort) {
        let allowed = format!(
            "even numbers whose tiles fit into {} bytes",
            caps.workgroup_bytes
        );
        return invalid("keys a lane", sort.steps, allowed);
    }
    Ok(sort)
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
    fn every_device_has_a_shape_whose_tiles_are_large() {
        for subgroup in [None, Some(4), Some(8), Some(16), Some(32), Some(64)] {
            for workgroup_bytes in [16 << 10, 32 << 10, 48 << 10, 99 << 10] {
                for key_words in [1, 2] {
                    let caps = caps(subgroup, workgroup_bytes);
                    let sort =
                        shape(key_words, true, &caps, &Tuning::default()).expect("there is one");
                    assert!(
                        sort.workgroup_bytes() <= workgroup_bytes && sort.tile() >= 1024,
                        "{sort:?}"
                    );
                    // Chunks of whole tiles begin where a binding may.
                    assert_eq!(sort.tile() % 64, 0);
                }
            }
        }
    }

    #[test]
    fn a_shape_that_no_kernel_has_is_refused() {
        let caps = caps(Some(32), 16 << 10);
        for (lanes, steps) in [
            (Some(48), None),
            (Some(512), None),
            (None, Some(7)),
            (None, Some(4000)),
            (None, Some(0)),
        ] {
            let tuning = Tuning {
                lanes,
                steps,
                ..Tuning::default()
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
