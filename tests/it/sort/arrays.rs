//! Radix sort of host arrays against the standard library's stable sort: all variants, chunks,
//! calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::sorts::{KINDS, assert_cancels_and_progresses, assert_sorts, narrow_keys, wide_keys};
use swath::sort::{RadixSort, radix_sort, radix_sort_pairs};
use swath::unstable::backend::Backend;
use swath::unstable::sort::{SortSizes, SortTuning, reference};
use swath::{CancelHandle, Control, Engine, Error};

/// Ranking variants of reduce-then-scan.
fn tunings() -> [SortTuning; 2] {
    [false, true].map(|portable| {
        let mut tuning = SortTuning::default();
        (tuning.portable, tuning.counts_each_digit) = (portable, true);
        tuning
    })
}

/// Keys of a tile on the test device.
fn tile(key_words: u32, tuning: &SortTuning) -> Option<usize> {
    let gpu = support::backend()?
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let sizes = SortSizes::new(key_words, true, 1, gpu.capabilities(), tuning).expect("it fits");
    Some(sizes.sort.tile() as usize)
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
        let Some(tile) = tile(1, &tuning) else { return };
        let edges = [1, 2, 5]
            .into_iter()
            .flat_map(|tiles| [tiles * tile - 1, tiles * tile, tiles * tile + 1]);
        for count in [0, 1, 2, 3, 31, 32, 33, 255, 256, 257]
            .into_iter()
            .chain(edges)
        {
            assert_sorts(engine, &narrow_keys("random", count), 32, tuning, "edges");
        }
        let Some(tile) = self::tile(2, &tuning) else {
            return;
        };
        for count in [
            0,
            1,
            2,
            tile - 1,
            tile,
            tile + 1,
            3 * tile - 1,
            3 * tile + 1,
        ] {
            assert_sorts(
                engine,
                &wide_keys("few distinct", count),
                64,
                tuning,
                "edges",
            );
        }
    }
}

#[test]
fn workgroups_share_tiles_that_they_do_not_divide() {
    let Some(engine) = support::gpu() else { return };
    for mut tuning in tunings() {
        for workgroups in [1, 2, 3, 7] {
            tuning.workgroups = Some(workgroups);
            assert_sorts(
                engine,
                &narrow_keys("random", 30_011),
                32,
                tuning,
                "workgroups",
            );
        }
        // Enough workgroups for several rounds of the scan.
        tuning.pass_keys = Some(10_000);
        assert_sorts(
            engine,
            &narrow_keys("random", 30_011),
            32,
            tuning,
            "passes of some workgroups",
        );
        (tuning.workgroups, tuning.lanes, tuning.steps) = (Some(4096), Some(32), Some(2));
        assert_sorts(
            engine,
            &narrow_keys("random", 150_001),
            9,
            tuning,
            "many workgroups",
        );
    }
}

#[test]
fn shapes_of_every_size_sort() {
    let Some(engine) = support::gpu() else { return };
    for mut tuning in tunings() {
        for (lanes, steps) in [(32, 2), (32, 16), (64, 8), (64, 4)] {
            (tuning.lanes, tuning.steps) = (Some(lanes), Some(steps));
            assert_sorts(engine, &wide_keys("random", 6_007), 24, tuning, "shapes");
        }
    }
}

#[test]
fn chunks_are_sorted_across_their_borders() {
    let Some(engine) = support::gpu() else { return };
    for mut tuning in tunings() {
        let Some(tile) = tile(1, &tuning) else { return };
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
        assert_sorts(
            engine,
            &wide_keys("random", 7 * tile - 3),
            64,
            tuning,
            "wide",
        );
    }
}

#[test]
fn bits_above_the_sorted_ones_are_ignored() {
    let Some(engine) = support::gpu() else { return };
    for engine in [engine, support::cpu()] {
        for bits in [0, 1, 7, 8, 9, 16, 31, 32, 40] {
            assert_sorts(
                engine,
                &narrow_keys("random", 3_001),
                bits,
                SortTuning::default(),
                "bits",
            );
            assert_sorts(
                engine,
                &wide_keys("random", 3_001),
                bits,
                SortTuning::default(),
                "bits",
            );
        }
    }
}

#[test]
fn the_cpu_sorts_as_the_reference_does() {
    for kind in KINDS {
        // Also at the edges of blocks.
        for count in [0, 1, 2, 1000, 65_535, 65_536, 65_537, 131_073] {
            assert_sorts(
                support::cpu(),
                &narrow_keys(kind, count),
                32,
                SortTuning::default(),
                kind,
            );
            assert_sorts(
                support::cpu(),
                &wide_keys(kind, count),
                64,
                SortTuning::default(),
                kind,
            );
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
    assert_sorts(
        &engine,
        &wide_keys("random", 20_001),
        64,
        SortTuning::default(),
        "portable",
    );
    assert_sorts(
        &engine,
        &narrow_keys("few distinct", 20_001),
        32,
        SortTuning::default(),
        "portable",
    );
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
fn a_cancelled_sort_ends_and_progress_reaches_its_total() {
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        assert_cancels_and_progresses(engine);
    }
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
    let waits = support::backend()
        .expect("it is there")
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .capabilities()
        .forward_progress;
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
