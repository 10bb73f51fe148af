//! Onesweep: one pass over the keys per digit, on devices with forward progress between workgroups.
//!
//! One pass counts all digits of all keys, a second one scans the counts, then one pass per digit
//! follows, with decoupled look-back: a tile learns the counts of the tiles before it while it
//! runs.
//!
//! Source: Adinets and Merrill 2022, "Onesweep: A Faster Least Significant Digit Radix Sort for
//! GPUs", arXiv:2206.01784.

use super::key::Digit;
use super::passes::by_groups;
use super::sizes::{KeyArrays, SortSizes, move_bindings};
use crate::engine::profile::gpu::radix_sort::COUNT_CELLS;
use crate::kernels::sort::{Onesweep, RADIX};
use crate::plan::{Bounds, BufferId, Contents, Pass, PassSplit, Plan, params};

/// Maximum workgroups of the histogram: each adds its counts to the global ones.
const HISTOGRAM_GROUPS: u32 = 2048;
/// Parameter of the first workgroup, see onesweep_histogram.cu.
const FIRST_GROUP: usize = 3;

/// As [`SortSizes::add_passes`].
pub(super) fn add_passes(
    sizes: &SortSizes,
    kernels: &Onesweep,
    plan: &mut Plan,
    arrays: [&KeyArrays; 2],
    length: BufferId,
    length_at: u32,
    digits: &[Digit],
) -> usize {
    let (keys, radix) = (sizes.keys, u64::from(RADIX));
    let tiles = keys.div_ceil(kernels.tile().into()).max(1);
    let histogram_words = u64::from(kernels.digits()) * radix;
    let histogram = plan.buffer("counts", histogram_words, Contents::Zeros);
    // Two arrays of sums, and one ticket per digit.
    let tickets_at = 2 * tiles * radix;
    let sums = plan.buffer(
        "sums of tiles",
        tickets_at + digits.len() as u64,
        Contents::Zeros,
    );
    let kernel =
        [kernels.histogram(), Onesweep::scan(), kernels.pass()].map(|kernel| plan.kernel(kernel));
    // Tiles are assigned by ticket, across the passes of a digit.
    plan.splits
        .push((kernel[0], PassSplit::by_group(Bounds::First(FIRST_GROUP))));
    plan.splits
        .push((kernel[2], PassSplit::by_group(Bounds::Ticket)));

    let counted = plan.bind(vec![length, arrays[0].keys[0], histogram]);
    plan.passes
        .extend(count(sizes, digits, kernel[0], counted, length_at));
    let summed = plan.bind(vec![histogram]);
    plan.passes.push(Pass {
        kernel: kernel[1],
        bindings: summed,
        groups: [kernels.digits(), 1, 1],
        params: params([]),
        cells: histogram_words,
    });
    let directions = [[arrays[0], arrays[1]], [arrays[1], arrays[0]]].map(|direction| {
        let mut bindings = move_bindings(length, direction, 0, 0, Some(histogram));
        bindings.push(sums);
        plan.bind(bindings)
    });
    let pass_tiles = (sizes.pass_keys / u64::from(kernels.tile())).clamp(1, tiles) as u32;
    for (round, digit) in digits.iter().enumerate() {
        let sums_at = |array: usize| (array % 2) as u64 * tiles * radix;
        let begins_at = u64::from(digit.shift / RADIX.ilog2()) * radix;
        let [keys, begins_at, ticket_at, sums_at, cleared_at] = [
            keys,
            begins_at,
            tickets_at + round as u64,
            sums_at(round),
            sums_at(round + 1),
        ]
        .map(|number| number as u32);
        let params = params([
            keys,
            length_at,
            digit.shift,
            digit.mask,
            begins_at,
            ticket_at,
            sums_at,
            cleared_at,
        ]);
        // A pass continues with the tiles after those of the previous one.
        let whole = Pass {
            kernel: kernel[2],
            bindings: directions[round % 2],
            groups: [tiles as u32, 1, 1],
            params,
            cells: u64::from(kernels.tile()) * 3 * COUNT_CELLS,
        };
        plan.passes.extend(by_groups(whole, pass_tiles, None));
    }
    digits.len() % 2
}

/// Passes of the histogram; a cell is a key with all of its digits.
fn count(
    sizes: &SortSizes,
    digits: &[Digit],
    kernel: usize,
    bindings: usize,
    length_at: u32,
) -> impl Iterator<Item = Pass> {
    let groups = sizes
        .keys
        .div_ceil(u64::from(RADIX))
        .clamp(1, HISTOGRAM_GROUPS.into()) as u32;
    let of_group = sizes.keys.div_ceil(groups.into()).max(1);
    let pass_groups = (sizes.pass_keys / of_group).clamp(1, groups.into()) as u32;
    let masks = digits.iter().fold(0u64, |masks, digit| {
        masks | u64::from(digit.mask) << digit.shift
    });
    let params = params([
        sizes.keys as u32,
        length_at,
        groups,
        0,
        masks as u32,
        (masks >> u32::BITS) as u32,
    ]);
    let whole = Pass {
        kernel,
        bindings,
        groups: [groups, 1, 1],
        params,
        cells: of_group * COUNT_CELLS,
    };
    by_groups(whole, pass_groups, Some(FIRST_GROUP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;
    use crate::sort::key::digits;
    use crate::sort::onesweep_shape::MAX_KEYS;
    use crate::sort::shape::SortTuning;

    fn caps() -> Capabilities {
        Capabilities {
            forward_progress: true,
            subgroup: Some(32),
            workgroup_bytes: 48 << 10,
            workgroup_lanes: 1024,
            binding_bytes: 16 << 30,
            buffer_bytes: 16 << 30,
            ..Capabilities::default()
        }
    }

    fn sizes(keys: u64, caps: &Capabilities, tuning: SortTuning) -> SortSizes {
        SortSizes::new(2, true, keys, caps, &tuning).expect("it fits")
    }

    /// The plan of a sort by these bits, and the index of its result.
    fn planned(sizes: &SortSizes, bits: u64) -> (Plan, usize) {
        let mut plan = Plan::default();
        let length = plan.upload("length", vec![sizes.keys as u32]);
        let [keys, other] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
        let result = sizes.add_passes(&mut plan, [&keys, &other], (length, 0), &digits(bits));
        (plan, result)
    }

    #[test]
    fn onesweep_needs_forward_progress_and_short_arrays() {
        let (here, tuning) = (caps(), SortTuning::default());
        assert!(sizes(MAX_KEYS, &here, tuning).onesweep.is_some());
        assert!(sizes(MAX_KEYS + 1, &here, tuning).onesweep.is_none());
        for caps in [
            Capabilities {
                forward_progress: false,
                ..here
            },
            Capabilities {
                subgroup: None,
                ..here
            },
            Capabilities {
                subgroup: Some(64),
                ..here
            },
            Capabilities {
                binding_bytes: 1 << 20,
                ..here
            },
        ] {
            assert!(sizes(1 << 20, &caps, tuning).onesweep.is_none(), "{caps:?}");
        }
        for tuning in [
            SortTuning {
                portable: true,
                ..tuning
            },
            SortTuning {
                counts_each_digit: true,
                ..tuning
            },
            SortTuning {
                chunk_keys: Some(1 << 16),
                ..tuning
            },
        ] {
            assert!(
                sizes(1 << 20, &here, tuning).onesweep.is_none(),
                "{tuning:?}"
            );
        }
    }

    #[test]
    fn onesweep_is_a_histogram_a_scan_and_one_dispatch_per_digit() {
        let sizes = sizes(1_000_000, &caps(), SortTuning::default());
        let (plan, result) = planned(&sizes, 0xff_ffff);
        assert_eq!((result, plan.passes.len()), (1, 5));
        assert!(plan.bindings.iter().all(|bindings| bindings.len() <= 8));
        let (tile, tiles) = sizes.tiles();
        assert_eq!(tiles, 1_000_000u64.div_ceil(tile.into()));
        assert!(
            plan.passes[2..]
                .iter()
                .all(|pass| u64::from(pass.groups[0]) == tiles)
        );
        // The look-back must not read sums of the previous pass.
        let places = |pass: &Pass| (pass.params[6], pass.params[7]);
        let [(sums, cleared), (next_sums, next_cleared)] =
            [places(&plan.passes[2]), places(&plan.passes[3])];
        assert!(sums == next_cleared && cleared == next_sums && sums != cleared);
        let tickets: Vec<_> = plan.passes[2..].iter().map(|pass| pass.params[5]).collect();
        assert!(tickets.is_sorted_by(|one, other| one < other));
        assert!(
            plan.buffers
                .iter()
                .any(|buffer| buffer.words == u64::from(tickets[2]) + 1)
        );
    }

    #[test]
    fn onesweep_passes_of_many_keys_split_at_tiles() {
        let tuning = SortTuning {
            pass_keys: Some(1 << 22),
            ..SortTuning::default()
        };
        let sizes = sizes(1 << 25, &caps(), tuning);
        let (plan, _) = planned(&sizes, 0xff);
        let groups = |kernel: usize| -> Vec<u32> {
            plan.passes
                .iter()
                .filter(|pass| pass.kernel == kernel)
                .map(|pass| pass.groups[0])
                .collect()
        };
        assert_eq!(
            (groups(0).len(), groups(0).iter().sum()),
            (8, HISTOGRAM_GROUPS)
        );
        assert_eq!(
            (groups(2).len(), u64::from(groups(2).iter().sum::<u32>())),
            (9, sizes.tiles().1)
        );
    }

    #[test]
    fn onesweep_passes_slice_at_any_workgroup() {
        let [whole, short] = [u64::MAX, 1].map(|pass_keys| {
            let tuning = SortTuning {
                pass_keys: Some(pass_keys),
                ..SortTuning::default()
            };
            planned(&sizes(1 << 20, &caps(), tuning), 0xffff).0
        });
        let kernels: Vec<_> = whole.splits.iter().map(|(kernel, _)| *kernel).collect();
        assert_eq!(kernels, [0, 2], "a scan is never cut");
        assert!(whole.passes.len() == 4 && whole.cut_down() == short.passes);
    }
}
