//! Radix sort of host arrays against the standard library's stable sort: all variants, chunks,
//! calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::sorts::{KINDS, assert_sorts, narrow_keys, wide_keys};
use swath::sort::{RadixSort, radix_sort, radix_sort_pairs};
use swath::unstable::backend::Backend;
use swath::unstable::sort::{SortSizes, SortTuning, reference};
use swath::{CancelHandle, Control, Engine, Error};

/// True if workgroups of the test device may wait for each other, as onesweep takes; all of CUDA do.
pub(super) fn has_forward_progress() -> bool {
    let waits = support::lock_gpu().is_some_and(|gpu| gpu.capabilities().forward_progress);
    assert!(waits || !support::is_cuda());
    waits
}

/// Ranking variants of reduce-then-scan.
fn reduce_then_scan() -> [SortTuning; 2] {
    [false, true].map(|portable| {
        let mut tuning = SortTuning::default();
        (tuning.portable, tuning.counts_each_digit) = (portable, true);
        tuning
    })
}

/// Also onesweep, if the device has what it takes: with tiles of few keys and with its own.
fn tunings() -> Vec<SortTuning> {
    let mut tunings = reduce_then_scan().to_vec();
    if has_forward_progress() {
        tunings.extend([small_tiles(), SortTuning::default()]);
    }
    tunings
}

/// Onesweep with tiles of few keys.
pub(super) fn small_tiles() -> SortTuning {
    let mut tuning = SortTuning::default();
    (tuning.lanes, tuning.steps) = (Some(256), Some(2));
    tuning
}

/// Keys of a tile on the test device.
fn tile(key_words: u32, tuning: &SortTuning) -> usize {
    let gpu = support::lock_gpu().expect("it is there");
    let sizes = SortSizes::new(key_words, true, 1, gpu.capabilities(), tuning);
    sizes.expect("it fits").tiles().0 as usize
}

#[test]
fn keys_of_every_kind_are_in_the_order_of_the_reference() {
    let Some(engine) = support::gpu() else { return };
    for tuning in tunings() {
        for kind in KINDS {
            assert_sorts(engine, &narrow_keys(kind, 10_007), 32, tuning, kind);
            assert_sorts(engine, &wide_keys(kind, 9_001), 64, tuning, kind);
        }
    }
}

#[test]
fn arrays_end_at_and_around_every_tile() {
    let Some(engine) = support::gpu() else { return };
    for tuning in tunings() {
        let edges = |tiles: &[usize], tile: usize| -> Vec<usize> {
            let edges = tiles.iter().map(|tiles| tiles * tile);
            edges.flat_map(|edge| [edge - 1, edge, edge + 1]).collect()
        };
        let few = [0, 1, 2, 3, 31, 32, 33, 255, 256, 257];
        for count in [&few[..], &edges(&[1, 2, 5], tile(1, &tuning))].concat() {
            assert_sorts(engine, &narrow_keys("random", count), 32, tuning, "edges");
        }
        for count in [&few[..3], &edges(&[1, 3], tile(2, &tuning))].concat() {
            let keys = wide_keys("few distinct", count);
            assert_sorts(engine, &keys, 64, tuning, "edges");
        }
    }
}

#[test]
fn workgroups_share_tiles_that_they_do_not_divide() {
    let Some(engine) = support::gpu() else { return };
    let keys = narrow_keys("random", 30_011);
    for mut tuning in tunings() {
        if !tuning.counts_each_digit {
            // Passes of some tiles scatter a digit.
            for pass_keys in [1, 512, 1300, 5000] {
                tuning.pass_keys = Some(pass_keys);
                assert_sorts(engine, &keys[..6_011], 32, tuning, "passes of some tiles");
            }
            continue;
        }
        for workgroups in [1, 2, 3, 7] {
            tuning.workgroups = Some(workgroups);
            assert_sorts(engine, &keys, 32, tuning, "workgroups");
        }
        // Enough workgroups for several rounds of the scan.
        tuning.pass_keys = Some(10_000);
        assert_sorts(engine, &keys, 32, tuning, "passes of some workgroups");
        (tuning.workgroups, tuning.lanes, tuning.steps) = (Some(4096), Some(32), Some(2));
        let keys = narrow_keys("random", 150_001);
        assert_sorts(engine, &keys, 9, tuning, "many workgroups");
    }
}

#[test]
fn shapes_of_every_size_sort() {
    let Some(engine) = support::gpu() else { return };
    for mut tuning in tunings() {
        let shapes = if tuning.counts_each_digit {
            [(32, 2, None), (32, 16, None), (64, 8, None), (64, 4, None)]
        } else {
            [
                (256, 20, Some(3)),
                (288, 4, Some(1)),
                (512, 12, Some(2)),
                (1024, 2, Some(1)),
            ]
        };
        for (lanes, steps, groups_of_unit) in shapes {
            (tuning.lanes, tuning.steps) = (Some(lanes), Some(steps));
            tuning.groups_of_unit = groups_of_unit;
            assert_sorts(engine, &wide_keys("random", 6_007), 24, tuning, "shapes");
        }
    }
}

#[test]
fn chunks_are_sorted_across_their_borders() {
    let Some(engine) = support::gpu() else { return };
    for mut tuning in reduce_then_scan() {
        let tile = tile(1, &tuning);
        tuning.chunk_keys = Some(2 * tile as u64 + 5);
        for count in [
            2 * tile - 1,
            2 * tile,
            2 * tile + 1,
            5 * tile,
            6 * tile + 17,
        ] {
            for kind in ["random", "reversed", "few distinct", "all equal"] {
                assert_sorts(engine, &narrow_keys(kind, count), 32, tuning, kind);
            }
        }
        let keys = wide_keys("random", 7 * tile - 3);
        assert_sorts(engine, &keys, 64, tuning, "wide");
    }
}

#[test]
fn bits_above_the_sorted_ones_are_ignored() {
    let Some(engine) = support::gpu() else { return };
    let (narrow, wide) = (narrow_keys("random", 3_001), wide_keys("random", 3_001));
    let mut all = vec![
        (support::cpu(), SortTuning::default()),
        (engine, SortTuning::default()),
    ];
    all.extend(has_forward_progress().then(|| (engine, small_tiles())));
    for (engine, tuning) in all {
        for bits in [0, 1, 7, 8, 9, 16, 31, 32, 33, 40, 63, 64, 65, u32::MAX] {
            assert_sorts(engine, &narrow, bits, tuning, "bits");
            assert_sorts(engine, &wide, bits, tuning, "bits");
        }
    }
}

#[test]
fn the_cpu_sorts_as_the_reference_does() {
    for kind in KINDS {
        // Also at the edges of blocks.
        for count in [0, 1, 2, 1000, 65_535, 65_536, 65_537, 131_073] {
            let tuning = SortTuning::default();
            assert_sorts(support::cpu(), &narrow_keys(kind, count), 32, tuning, kind);
            assert_sorts(support::cpu(), &wide_keys(kind, count), 64, tuning, kind);
        }
    }
}

#[test]
fn a_portable_device_sorts() {
    let Some(mut options) = support::gpu_options() else {
        return;
    };
    options.portable = true;
    let engine = Engine::new(options).expect("the adapter opens");
    let (wide, narrow) = (
        wide_keys("random", 20_001),
        narrow_keys("few distinct", 20_001),
    );
    assert_sorts(&engine, &wide, 64, SortTuning::default(), "portable");
    assert_sorts(&engine, &narrow, 32, SortTuning::default(), "portable");
}

#[test]
fn slices_are_sorted_in_place() {
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        let (mut keys, mut payload) =
            (wide_keys("random", 5_003), (0..5_003).collect::<Vec<u32>>());
        let expected = reference::sort(&keys, &payload, u64::MAX);
        let mut alone = keys.clone();
        let run = radix_sort_pairs(engine, &mut keys, &mut payload).expect("it is sorted");
        assert!((keys, payload) == expected);
        assert_eq!(run.cells, 5_003);
        radix_sort(engine, &mut alone).expect("it is sorted");
        assert!(alone == expected.0);
    }
}

// Calls

#[test]
fn payloads_of_another_length_are_refused_and_keys_stay_unchanged() {
    let (mut keys, mut payload) = ([3u32, 2, 1], [1, 2]);
    let refused = radix_sort_pairs(support::cpu(), &mut keys, &mut payload);
    assert!(
        matches!(
            refused,
            Err(Error::LengthMismatch {
                keys: 3,
                payload: 2
            })
        ),
        "{refused:?}"
    );
    assert_eq!((keys, payload), ([3, 2, 1], [1, 2]));
}

#[test]
fn a_running_cpu_sort_can_be_cancelled() {
    let keys = narrow_keys("random", 1_000_000);
    let (cancel, reports) = (CancelHandle::new(), Arc::new(AtomicUsize::new(0)));
    let (handle, counted) = (cancel.clone(), reports.clone());
    let control = Control::default()
        .cancelled_by(&cancel)
        .on_progress(move |_| {
            handle.cancel();
            counted.fetch_add(1, Ordering::Relaxed);
        });
    let cancelled = support::cpu().run_with(&RadixSort::of(&keys), &control);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    let blocks = reports.load(Ordering::Relaxed);
    assert!((1..=32).contains(&blocks), "{blocks} blocks were moved");
}

#[test]
fn sorts_run_as_planned_and_refuse_too_little_memory() {
    let Some(mut options) = support::gpu_options() else {
        return;
    };
    let keys = wide_keys("random", 50_000);
    let task = RadixSort::of(&keys);
    let planned = support::gpu()
        .expect("it is there")
        .plan(&task)
        .expect("it is planned");
    let waits = has_forward_progress();
    assert_eq!(
        (planned.method, planned.passes),
        ("radix-sort", if waits { 10 } else { 24 })
    );
    assert_eq!(
        support::cpu().plan(&task).expect("it is planned").method,
        "radix-sort"
    );
    options.device_memory = Some(planned.device_bytes - 1);
    let engine = Engine::new(options.clone()).expect("it opens");
    let refused = engine.run(&task);
    assert!(
        matches!(refused, Err(Error::MemoryBudget { .. })),
        "{refused:?}"
    );
    assert!(matches!(
        engine.plan(&task),
        Err(Error::MemoryBudget { .. })
    ));
    options.device_memory = Some(planned.device_bytes);
    let report = Engine::new(options)
        .expect("it opens")
        .run(&task)
        .expect("that is enough");
    assert_eq!(
        (report.run.method, report.keys.len()),
        ("radix-sort", keys.len())
    );
}
