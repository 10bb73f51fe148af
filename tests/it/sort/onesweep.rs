//! Onesweep, on a CUDA device, which may be emulated. Its answers are compared in `arrays`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::arrays::{has_forward_progress, small_tiles};
use support::sorts::{assert_sorts, narrow_keys};
use swath::sort::RadixSort;
use swath::unstable::backend::{Backend, Device, Span};
use swath::unstable::sort::{SortSizes, SortTuning, gpu, reference};
use swath::{Control, Engine, Error};

fn engine() -> Option<&'static Engine> {
    support::gpu().filter(|_| has_forward_progress())
}

#[test]
fn shapes_that_no_device_has_are_refused() {
    let Some(engine) = engine() else { return };
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
        let gpu = support::lock_gpu().expect("it is there");
        let sizes = SortSizes::new(1, true, 10_007, gpu.capabilities(), &tuning).expect("it fits");
        assert!(sizes.onesweep.is_none(), "{tuning:?}");
    }
}

#[test]
fn passes_split_into_single_tiles_sort_correctly() {
    if engine().is_none() {
        return;
    }
    let gpu = support::lock_gpu().expect("it is there");
    let keys = narrow_keys("random", 5_011);
    let mut tuning = small_tiles();
    tuning.pass_keys = Some(2_000);
    let sizes = SortSizes::new(1, false, keys.len() as u64, gpu.capabilities(), &tuning);
    let sizes = sizes.expect("it fits");
    let plan = || gpu::plan(&sizes, u64::from(u32::MAX));
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
    let device = Device {
        slice: Duration::from_nanos(1),
        control: &control,
        ..support::device(&*gpu)
    };
    let arrays = gpu::HostArrays {
        keys: &keys,
        payload: None,
    };
    let session = device
        .open_session()
        .expect("it is there")
        .streamed_from(&arrays);
    let ran = pollster::block_on(session.run(&|_| plan(), &spans)).expect("it runs");
    assert!(ran.words.to_vec() == reference::sort(&keys, &[], u64::MAX).0);
    // A histogram of 20 workgroups, 7 per pass; a scan; and per digit 10 tiles, 3 per pass.
    let (passes, slices) = (plan().plan.passes.len(), slices.load(Ordering::Relaxed));
    assert_eq!([passes, slices], [3 + 1 + 4 * 4, 20 + 1 + 4 * 10]);
}
