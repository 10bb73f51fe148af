//! Damage to plans and kernels of the radix sort.

use swath::Control;
use swath::unstable::backend::{Backend, Span};
use swath::unstable::call::phases::Phases;
use swath::unstable::plan::{Plan, Resident};
use swath::unstable::sort::{SortSizes, SortTuning, gpu, reference};

use super::{device, lock_gpu, reads_wgsl, replace_in};
use support::damage::{damage, edits};
use support::inputs::Random;

/// Keys and payloads from a damaged plan, and from the reference.
fn sorted_after(
    portable: bool,
    damage: impl Fn(&mut Plan) + Sync,
) -> Option<[(Vec<u32>, Vec<u32>); 2]> {
    let gpu = lock_gpu()?;
    let mut random = Random::new(3);
    // Some keys are equal, so that stability matters.
    let keys: Vec<u32> = (0..20_011)
        .map(|_| (random.below(5_000) * 0x0001_0101) as u32)
        .collect();
    let payload: Vec<u32> = (0..keys.len() as u32).collect();
    let mut tuning = SortTuning::default();
    (tuning.portable, tuning.workgroups, tuning.chunk_keys) = (portable, Some(3), Some(12_000));
    let sizes =
        SortSizes::new(1, true, keys.len() as u64, gpu.capabilities(), &tuning).expect("it fits");
    let make = |_: &Resident| {
        let mut planned = gpu::plan(&sizes, u64::from(u32::MAX));
        damage(&mut planned.plan);
        planned
    };
    let spans = |planned: &gpu::SortPlan| {
        let words = |buffers: &[usize]| {
            let span = |(chunk, &buffer): (usize, &usize)| Span {
                buffer,
                first: 0,
                words: sizes.chunk(chunk).1,
            };
            buffers.iter().enumerate().map(span).collect::<Vec<_>>()
        };
        [words(&planned.sorted.keys), words(&planned.sorted.payload)].concat()
    };
    let (control, phases) = (Control::default(), Phases::start());
    let device = device(&*gpu, &control, &phases);
    let arrays = gpu::HostArrays {
        keys: &keys,
        payload: Some(&payload),
    };
    let session = device
        .open_session()
        .expect("the device is there")
        .streamed_from(&arrays);
    let ran =
        pollster::block_on(session.run(&make, &spans)).expect("damage is no error to the device");
    let (found, found_payload) = ran.words.split_at(keys.len());
    Some([
        (found.to_vec(), found_payload.to_vec()),
        reference::sort(&keys, &payload, u64::MAX),
    ])
}

#[test]
fn an_undamaged_sort_matches_the_reference() {
    for portable in [false, true] {
        let Some([found, expected]) = sorted_after(portable, |_| ()) else {
            return;
        };
        assert!(found == expected);
    }
}

#[test]
fn damage_to_a_sort_is_noticed() {
    if !reads_wgsl() {
        return;
    }
    /// Edits all kernels that contain `right`.
    fn replace(plan: &mut Plan, right: &str, wrong: &str) {
        let replaced: usize = plan
            .kernels
            .iter_mut()
            .map(|kernel| replace_in(kernel, &[(right, wrong)]))
            .sum();
        assert!(replaced > 0, "no kernel has {right}");
    }
    type Damage = (&'static str, fn(&mut Plan));
    let damages: [Damage; 9] = [
        ("the last pass dropped", |plan| {
            plan.passes.truncate(plan.passes.len() - 1)
        }),
        ("the first upsweep dropped", |plan| {
            _ = plan.passes.remove(0)
        }),
        ("a scan dropped", |plan| _ = plan.passes.remove(2)),
        ("digits in another order", |plan| {
            plan.passes
                .iter_mut()
                .for_each(|pass| pass.params[6] = (pass.params[6] + 8) % 32)
        }),
        ("a bit of a digit left out", |plan| {
            plan.passes
                .iter_mut()
                .for_each(|pass| pass.params[7] &= 0x7f)
        }),
        ("keys that are no longer in order", |plan| {
            replace(
                plan,
                "return earlier + lower;",
                "return earlier + countOneBits(peers) - 1u - lower;",
            )
        }),
        ("counts of one workgroup", |plan| {
            replace(
                plan,
                "var before = carry + sum_before(lane, sum);",
                "var before = carry + sum;",
            )
        }),
        ("a payload that does not move", |plan| {
            replace(
                plan,
                "sorted_payload[at] = value;",
                "sorted_payload[at] = at;",
            )
        }),
        ("the last tile left out", |plan| {
            replace(
                plan,
                "min(end * TILE, keys)",
                "min(end * TILE, keys / TILE * TILE)",
            )
        }),
    ];
    for (what, damage) in damages {
        let Some([found, expected]) = sorted_after(true, damage) else {
            return;
        };
        assert!(found != expected, "{what} went unnoticed");
    }
    let Some([found, expected]) = sorted_after(false, |plan| {
        replace(
            plan,
            "subgroupShuffle(earlier, first) + lower",
            "subgroupShuffle(earlier, first)",
        )
    }) else {
        return;
    };
    assert!(
        found != expected,
        "ranks without lower lanes went unnoticed"
    );
}

/// CUDA of the portable sort, and of the one with subgroups.
const CUDA: [(bool, &str); 2] = [
    (
        true,
        "
sort/rank_workgroup: return earlier + lower; => return earlier + countOneBits(peers) - 1u - lower;
sort/payload_u32: sorted_payload[at] = value; => sorted_payload[at] = at;
sort/range: min(end * TILE, keys) => min(end * TILE, keys / TILE * TILE)
sort/key_u32: (key >> shift) & mask => (key >> shift) & (mask >> 1u)
sort/sum_workgroup: sum += wg_sums[half + lane - reach]; => sum += 0u;
",
    ),
    (false, "sort/downsweep: total += places[i]; => total += 0u;"),
];

#[test]
fn one_wrong_operator_in_cuda_of_a_sort_is_noticed() {
    if reads_wgsl() {
        return;
    }
    for (portable, table) in CUDA {
        for edit in edits(table) {
            let Some([found, expected]) = sorted_after(portable, |plan| damage(plan, &[edit]))
            else {
                return;
            };
            assert!(found != expected, "{edit:?} went unnoticed");
        }
    }
}
