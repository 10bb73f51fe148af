//! Onesweep against the standard library's stable sort, on the CUDA device named by
//! SWATH_TEST_DEVICE, which may be emulated.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use support::damage::damage;
use support::sorts::{KINDS, assert_cancels_and_progresses, assert_sorts, narrow_keys, wide_keys};
use swath::sort::RadixSort;
use swath::unstable::backend::{Backend, Device, Span};
use swath::unstable::call::phases::Phases;
use swath::unstable::plan::Plan;
use swath::unstable::sort::{SortSizes, SortTuning, gpu, reference};
use swath::{Control, Engine, Error};

/// The engine of the test device, if it guarantees forward progress.
fn engine() -> Option<&'static Engine> {
    let gpu = support::backend()?
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let waits = gpu.capabilities().forward_progress;
    let is_meant =
        std::env::var("SWATH_TEST_DEVICE").is_ok_and(|device| device.starts_with("cuda:"));
    assert!(
        waits || !is_meant,
        "no workgroup waits for another on a CUDA device"
    );
    if waits { support::gpu() } else { None }
}

/// Tiles of few keys.
fn small_tiles() -> SortTuning {
    let mut tuning = SortTuning::default();
    (tuning.lanes, tuning.steps) = (Some(256), Some(2));
    tuning
}

#[test]
fn keys_of_every_kind_are_in_the_order_of_the_reference() {
    let Some(engine) = engine() else { return };
    for tuning in [SortTuning::default(), small_tiles()] {
        for kind in KINDS {
            assert_sorts(engine, &narrow_keys(kind, 10_007), 32, tuning, kind);
            assert_sorts(engine, &wide_keys(kind, 9_001), 64, tuning, kind);
        }
    }
}

#[test]
fn arrays_end_at_and_around_every_tile() {
    let Some(engine) = engine() else { return };
    let edges = [1, 2, 5, 17]
        .into_iter()
        .flat_map(|tiles| [tiles * 512 - 1, tiles * 512, tiles * 512 + 1]);
    for count in [0, 1, 2, 3, 31, 32, 33, 255, 256, 257]
        .into_iter()
        .chain(edges)
    {
        assert_sorts(
            engine,
            &narrow_keys("random", count),
            32,
            small_tiles(),
            "edges",
        );
        assert_sorts(
            engine,
            &wide_keys("few distinct", count),
            64,
            small_tiles(),
            "edges",
        );
    }
    for count in [6911, 6912, 6913, 20_735, 20_737] {
        assert_sorts(
            engine,
            &wide_keys("random", count),
            64,
            SortTuning::default(),
            "edges",
        );
    }
}

#[test]
fn shapes_of_every_size_sort_and_others_are_refused() {
    let Some(engine) = engine() else { return };
    for (lanes, steps, groups_of_unit) in [(256, 20, 3), (288, 4, 1), (512, 12, 2), (1024, 2, 1)] {
        let mut tuning = SortTuning::default();
        (tuning.lanes, tuning.steps, tuning.groups_of_unit) =
            (Some(lanes), Some(steps), Some(groups_of_unit));
        assert_sorts(engine, &wide_keys("random", 16_007), 24, tuning, "shapes");
        assert_sorts(
            engine,
            &narrow_keys("few distinct", 16_007),
            32,
            tuning,
            "shapes",
        );
    }
    for (lanes, steps, groups_of_unit) in [
        (128, 8, 1),
        (400, 8, 1),
        (2048, 2, 1),
        (256, 7, 1),
        (256, 0, 1),
        (512, 40, 1),
        (1024, 2, 3),
    ] {
        let mut tuning = SortTuning::default();
        (tuning.lanes, tuning.steps, tuning.groups_of_unit) =
            (Some(lanes), Some(steps), Some(groups_of_unit));
        let refused = engine.run(&RadixSort::of(narrow_keys("random", 10_000)).with_tuning(tuning));
        assert!(
            matches!(refused, Err(Error::InvalidTuning { .. })),
            "{lanes} {steps} {groups_of_unit}"
        );
    }
}

#[test]
fn several_passes_scatter_one_digit() {
    let Some(engine) = engine() else { return };
    for pass_keys in [1, 512, 1300, 5000] {
        let mut tuning = small_tiles();
        tuning.pass_keys = Some(pass_keys);
        assert_sorts(
            engine,
            &narrow_keys("random", 6_011),
            32,
            tuning,
            "passes of some tiles",
        );
        assert_sorts(
            engine,
            &wide_keys("few distinct", 3_011),
            64,
            tuning,
            "passes of some tiles",
        );
    }
}

#[test]
fn bits_above_the_sorted_ones_are_ignored() {
    let Some(engine) = engine() else { return };
    for bits in [0, 1, 7, 8, 9, 16, 31, 32, 40] {
        assert_sorts(
            engine,
            &narrow_keys("random", 3_001),
            bits,
            small_tiles(),
            "bits",
        );
        assert_sorts(
            engine,
            &wide_keys("random", 3_001),
            bits,
            small_tiles(),
            "bits",
        );
    }
}

#[test]
fn chunks_and_variants_without_waiting_sort_correctly() {
    let Some(engine) = engine() else { return };
    let ways: [fn(&mut SortTuning); 3] = [
        |tuning| tuning.chunk_keys = Some(4000),
        |tuning| tuning.counts_each_digit = true,
        |tuning| tuning.portable = true,
    ];
    for way in ways {
        let mut tuning = SortTuning::default();
        way(&mut tuning);
        assert_sorts(
            engine,
            &narrow_keys("random", 10_007),
            32,
            tuning,
            "another way",
        );
        let gpu = support::backend()
            .expect("it is there")
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let sizes = SortSizes::new(1, true, 10_007, gpu.capabilities(), &tuning).expect("it fits");
        assert!(sizes.onesweep.is_none(), "{tuning:?}");
    }
}

#[test]
fn a_cancelled_sort_ends_and_progress_reaches_its_total() {
    let Some(engine) = engine() else { return };
    assert_cancels_and_progresses(engine);
}

/// Keys from a damaged plan, and from the reference.
fn sorted_after(damage: fn(&mut Plan)) -> Option<[Vec<u32>; 2]> {
    sorted_in(Duration::from_millis(100), damage).map(|(sorted, _)| sorted)
}

/// As [`sorted_after`] with slices of this length; also returns the numbers of passes and of
/// slices.
fn sorted_in(slice: Duration, damage: fn(&mut Plan)) -> Option<([Vec<u32>; 2], [usize; 2])> {
    let gpu = support::backend()?
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let keys = narrow_keys("random", 5_011);
    let mut tuning = small_tiles();
    tuning.pass_keys = Some(2_000);
    let sizes = SortSizes::new(1, false, keys.len() as u64, gpu.capabilities(), &tuning).ok()?;
    sizes.onesweep?;
    let passes = gpu::plan(&sizes, u64::from(u32::MAX)).plan.passes.len();
    let make = || {
        let mut planned = gpu::plan(&sizes, u64::from(u32::MAX));
        damage(&mut planned.plan);
        planned
    };
    let spans = |planned: &gpu::SortPlan| {
        vec![Span {
            buffer: planned.sorted.keys[0],
            first: 0,
            words: sizes.keys,
        }]
    };
    let slices = Arc::new(AtomicUsize::new(0));
    let reported = slices.clone();
    let control =
        Control::default().on_progress(move |_| _ = reported.fetch_add(1, Ordering::Relaxed));
    let phases = Phases::start();
    let device = Device {
        backend: &*gpu,
        budget_bytes: 1 << 30,
        slice,
        threads: None,
        control: &control,
        phases: &phases,
    };
    let arrays = gpu::HostArrays {
        keys: &keys,
        payload: None,
    };
    let session = device
        .open_session()
        .expect("it is there")
        .streamed_from(&arrays);
    let found = pollster::block_on(session.run(&|_| make(), &spans))
        .expect("damage is no error to the device")
        .words;
    let sorted = [found.to_vec(), reference::sort(&keys, &[], u64::MAX).0];
    Some((sorted, [passes, slices.load(Ordering::Relaxed)]))
}

#[test]
fn passes_split_into_single_tiles_sort_correctly() {
    let Some(([found, expected], numbers)) = sorted_in(Duration::from_nanos(1), |_| ()) else {
        return;
    };
    assert!(found == expected);
    // A histogram of 20 workgroups, 7 per pass; a scan; and per digit 10 tiles, 3 per pass.
    assert_eq!(
        numbers,
        [3 + 1 + 4 * 4, 20 + 1 + 4 * 10],
        "passes and slices"
    );
}

#[test]
fn damage_to_a_sort_is_noticed() {
    let Some([found, expected]) = sorted_after(|_| ()) else {
        return;
    };
    assert!(found == expected);
    type Damage = (&'static str, fn(&mut Plan));
    let damages: [Damage; 9] = [
        ("the last pass dropped", |plan| {
            plan.passes.truncate(plan.passes.len() - 1)
        }),
        ("the counts of some keys dropped", |plan| {
            _ = plan.passes.remove(1)
        }),
        ("the scan dropped", |plan| {
            plan.passes.retain(|pass| pass.kernel != 1)
        }),
        ("digits in another order", |plan| {
            plan.passes
                .iter_mut()
                .filter(|pass| pass.kernel == 2)
                .for_each(|pass| {
                    (pass.params[2], pass.params[4]) =
                        ((pass.params[2] + 8) % 32, (pass.params[4] + 256) % 1024)
                })
        }),
        ("one ticket for all digits", |plan| {
            let first = plan
                .passes
                .iter()
                .find(|pass| pass.kernel == 2)
                .map_or(0, |pass| pass.params[5]);
            plan.passes
                .iter_mut()
                .filter(|pass| pass.kernel == 2)
                .for_each(|pass| pass.params[5] = first)
        }),
        ("fewer keys", |plan| {
            plan.passes
                .iter_mut()
                .filter(|pass| pass.kernel != 1)
                .for_each(|pass| pass.params[0] -= 1)
        }),
        ("one rank for all subgroups", |plan| {
            damage(
                plan,
                &[(
                    "sort/onesweep",
                    "wg_counts[other * RADIX + lane] = before;",
                    "wg_counts[other * RADIX + lane] = begin;",
                )],
            )
        }),
        ("sums of the tiles before alone", |plan| {
            damage(
                plan,
                &[(
                    "sort/onesweep",
                    "(before + total) | OF_ALL",
                    "before | OF_ALL",
                )],
            )
        }),
        ("sums that are not added up", |plan| {
            damage(
                plan,
                &[(
                    "sort/onesweep",
                    "sum += words[i] & SUM;",
                    "sum += 0u * words[i];",
                )],
            )
        }),
    ];
    for (what, damage) in damages {
        let Some([found, expected]) = sorted_after(damage) else {
            return;
        };
        assert!(found != expected, "{what} went unnoticed");
    }
}
