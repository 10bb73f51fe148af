//! Slices of calls and replays: their number, length and growth.

use super::fake::{Event, FakeBackend, LEFT, STATE, plan};
use super::tests::{SLICE, on, swept};
use crate::backend::slice_budget::{FIRST_CELLS, MAX_PASSES, sized_for};
use crate::backend::slices::FIRST_PASSES;
use crate::backend::{Backend, Words};
use crate::call::control::{CancelHandle, Control};
use crate::error::Error;
use crate::plan::{Bounds, Pass, PassSplit, params};
use std::collections::BTreeSet;
use std::time::Duration;

/// Cells of each slice.
fn slices(backend: &FakeBackend, cells: &[u64]) -> Vec<u64> {
    backend.log().events.clear();
    swept(backend, &Control::default(), cells).expect("it runs");
    let cells = |event: &Event| {
        if let Event::Submitted { cells, .. } = event {
            Some(*cells)
        } else {
            None
        }
    };
    backend.log().events.iter().filter_map(cells).collect()
}

#[test]
fn slices_after_the_third_stay_below_twice_the_target_at_any_throughput() {
    for host_threads in [None, Some(2)] {
        for magnitude in 6..=13 {
            let rate = 10f64.powi(magnitude);
            let target = rate * SLICE.as_secs_f64();
            for parts in [20, 300] {
                let mut backend = FakeBackend::new(rate);
                backend.capabilities.host_threads = host_threads;
                // Passes much shorter than the target, and more than the first three slices take.
                let count = 10 * parts as usize + 3 * MAX_PASSES;
                let cells = vec![(target / f64::from(parts)) as u64; count];
                let late: Vec<_> = slices(&backend, &cells)
                    .iter()
                    .map(|&cells| cells as f64 / target)
                    .collect();
                assert!(
                    late.iter().skip(3).all(|&part| part <= 2.0),
                    "{rate:e} cells a second: {late:?}"
                );
                let full =
                    (count as f64 / f64::from(parts) / sized_for(&backend.capabilities)) as usize;
                assert!(
                    (3..full * 11 / 10 + 16).contains(&late.len()),
                    "{rate:e} cells a second: {late:?}"
                );
            }
        }
    }
}

#[test]
fn slices_after_the_third_stay_below_twice_the_target_when_the_device_slows_down() {
    for ((host_threads, rate, times), parts) in [(None, 1e12, 2.5), (Some(2), 1e9, 7.5)]
        .into_iter()
        .flat_map(|device| [(device, 20), (device, 300)])
    {
        for slower_from in 0..40 {
            let mut backend = FakeBackend::new(rate);
            backend.capabilities.host_threads = host_threads;
            backend.log().slower_from = Some((slower_from, times));
            let cells =
                vec![(rate * SLICE.as_secs_f64() / f64::from(parts)) as u64; 20 * parts as usize];
            let count = slices(&backend, &cells).len();
            let log = backend.log();
            let busy: Vec<_> = log.busy.iter().map(|&(_, busy)| busy).collect();
            assert!(
                count > 25 && busy.iter().skip(3).all(|busy| *busy <= 2 * SLICE),
                "{slower_from}: {busy:?}"
            );
        }
    }
}

/// Busy times of replays: first single replays of the maximum size, each submitted before the
/// previous one is awaited; then a list of many replays at once.
fn replayed(backend: &FakeBackend, target: f64) -> Vec<Duration> {
    let done = on(backend, &Control::default(), u64::MAX, async |device| {
        let session = device.open_session()?;
        let make = |resident: &_| plan(resident, &vec![(target / 20.0) as u64; 600]);
        let ((planned, _), _) = session.round(&make, &|_| vec![STATE], &|_| Ok(())).await?;
        backend.log().busy.clear();
        let (mut left, mut ahead) = ((20.0 * target) as u64, None);
        while left > 0 {
            let cells = session.replay_cells().min(left);
            let replay = Pass {
                cells,
                ..planned.replays[0].clone()
            };
            let arriving = session.replay(&[replay], false, &[LEFT])?;
            if let Some(before) = ahead.replace(arriving) {
                before.await?;
            }
            left -= cells;
        }
        ahead.take().expect("there was one").await?;
        let many = vec![
            Pass {
                cells: (target / 10.0) as u64,
                ..planned.replays[0].clone()
            };
            200
        ];
        session.replay(&many, false, &[LEFT])?.await?;
        Ok(device.control.progress())
    });
    let progress = done.expect("it runs");
    assert_eq!(
        progress.done, progress.total,
        "replays are announced and counted"
    );
    let log = backend.log();
    assert!(log.busy.iter().all(|(kernels, _)| kernels.iter().eq(&[1])));
    log.busy.iter().map(|&(_, busy)| busy).collect()
}

#[test]
fn replays_after_the_third_stay_below_twice_the_target_at_any_throughput() {
    for replays_take in [0.5, 1.0, 3.0, 10.0] {
        for magnitude in 6..=13 {
            let rate = 10f64.powi(magnitude);
            let mut backend = FakeBackend::new(rate);
            backend.replays_take = replays_take;
            let busy = replayed(&backend, rate * SLICE.as_secs_f64());
            let late = busy.iter().skip(3).max().expect("more than three");
            assert!(
                *late <= 2 * SLICE,
                "{rate:e} cells a second, {replays_take}: {busy:?}"
            );
            let full = 40.0 * replays_take / sized_for(&backend.capabilities);
            assert!(
                (busy.len() as f64) < 1.2 * full + 16.0,
                "{rate:e} cells a second, {replays_take}: {busy:?}"
            );
        }
    }
}

#[test]
fn replay_budget_of_a_fast_device_is_large_and_survives_small_replays() {
    let backend = FakeBackend::new(1e14);
    let found = on(&backend, &Control::default(), u64::MAX, async |device| {
        let session = device.open_session()?;
        let make = |resident: &_| plan(resident, &vec![1 << 30; 600]);
        let ((planned, _), _) = session.round(&make, &|_| vec![STATE], &|_| Ok(())).await?;
        let before = session.replay_cells();
        // A read, and a replay too short to measure.
        for cells in [0, 10] {
            let replay = Pass {
                cells,
                ..planned.replays[0].clone()
            };
            session.replay(&[replay], false, &[LEFT])?.await?;
        }
        Ok((before, session.replay_cells()))
    });
    let (before, after) = found.expect("it runs");
    assert!(before >= 600 << 30 && after >= before, "{before} {after}");
}

#[test]
fn passes_longer_than_the_target_are_split_or_submitted_alone() {
    for magnitude in 8..=11 {
        let rate = 10f64.powi(magnitude);
        let target = rate * SLICE.as_secs_f64();
        for splits in [false, true] {
            let mut backend = FakeBackend::new(rate);
            backend.capabilities.host_threads = Some(2);
            let cells: Vec<_> = (0..40)
                .map(|index| (target * [7.0, 0.01, 3.0][index % 3]) as u64)
                .collect();
            let make = || {
                let mut plan = plan(&Default::default(), &cells);
                plan.passes
                    .iter_mut()
                    .for_each(|pass| pass.groups = [1 << 16, 1, 1]);
                plan.splits
                    .extend(splits.then_some((0, PassSplit::by_group(Bounds::Ticket))));
                plan
            };
            on(&backend, &Control::default(), u64::MAX, async |device| {
                device.run(&make, &|_| vec![STATE]).await.map(drop)
            })
            .expect("it runs");
            let busy: Vec<_> = backend
                .log()
                .busy
                .iter()
                .map(|(_, busy)| busy.as_secs_f64() / SLICE.as_secs_f64())
                .collect();
            let all: f64 = busy.iter().sum();
            assert!(
                (all / cells
                    .iter()
                    .map(|&cells| cells as f64 / target)
                    .sum::<f64>()
                    - 1.0)
                    .abs()
                    < 1e-3,
                "{all}"
            );
            let late = busy
                .iter()
                .skip(3)
                .fold(0.0, |max: f64, &busy| max.max(busy));
            if splits {
                assert!(
                    late <= 2.0
                        && (busy.len() as f64)
                            < 1.5 * all / sized_for(&backend.capabilities) + 16.0,
                    "{rate:e}: {busy:?}"
                )
            } else {
                // No short pass shares a slice with a pass over budget.
                assert!(
                    late < 7.001 && busy.len() == cells.len(),
                    "{rate:e}: {busy:?}"
                )
            }
        }
    }
}

#[test]
fn second_call_of_a_kernel_begins_at_the_throughput_measured_by_the_first() {
    let backend = FakeBackend::new(1e13);
    let cells = vec![1 << 30; 4000];
    let (first, second) = (slices(&backend, &cells), slices(&backend, &cells));
    assert!(
        first[1] <= FIRST_CELLS && second[1] > 20 * FIRST_CELLS,
        "{first:?} {second:?}"
    );
    assert!(second.len() < first.len());
    // Passes of another magnitude are another workload.
    assert!(slices(&backend, &vec![1 << 20; 40_000])[1] <= FIRST_CELLS);
}

#[test]
fn throughput_is_reported_for_each_workload_with_long_slices() {
    let backend = FakeBackend::new(1e13);
    // A few milliseconds are too short to measure.
    slices(&backend, &[1 << 30; 40]);
    assert_eq!(backend.shared().rates(), []);
    for magnitude in [30, 28] {
        slices(&backend, &vec![1 << magnitude; 1 << (42 - magnitude)]);
    }
    let mut rates = backend.shared().rates();
    rates.sort_by_key(|(workload, _)| workload.magnitude);
    let expected = plan(&Default::default(), &[]).kernels.swap_remove(0);
    let (workloads, rates): (Vec<_>, Vec<_>) = rates.into_iter().unzip();
    assert!(
        workloads.iter().all(|workload| workload.kernel == expected),
        "{workloads:?}"
    );
    assert_eq!(
        workloads
            .iter()
            .map(|workload| workload.magnitude)
            .collect::<Vec<_>>(),
        [28, 30]
    );
    assert!(
        rates.iter().all(|rate| (rate / 1e13 - 1.0).abs() < 1e-3),
        "{rates:?}"
    );
}

/// Kernels and busy times, in slices, of the submissions of passes of two kernels.
fn of_kernels(backend: &FakeBackend, passes: &[(usize, u64)]) -> Vec<(BTreeSet<usize>, f64)> {
    backend.log().busy.clear();
    let make = || {
        let mut plan = plan(&Default::default(), &[]);
        let bindings = [0, 1];
        plan.passes
            .extend(passes.iter().map(|&(kernel, cells)| Pass {
                kernel,
                bindings: bindings[kernel],
                groups: [1 << 16, 1, 1],
                params: params([7]),
                cells,
            }));
        plan.splits = bindings
            .map(|kernel| (kernel, PassSplit::by_group(Bounds::Ticket)))
            .to_vec();
        plan
    };
    on(backend, &Control::default(), u64::MAX, async |device| {
        device.run(&make, &|_| vec![STATE]).await.map(drop)
    })
    .expect("it runs");
    let log = backend.log();
    log.busy
        .iter()
        .map(|(kernels, busy)| (kernels.clone(), busy.as_secs_f64() / SLICE.as_secs_f64()))
        .collect()
}

#[test]
fn slices_after_three_of_each_kernel_stay_below_twice_the_target_at_any_cell_cost() {
    for (host_threads, magnitude) in [None, Some(2)]
        .into_iter()
        .flat_map(|host| (6..=13).map(move |m| (host, m)))
    {
        for slower in [0.01, 0.1, 1.0, 10.0, 100.0] {
            let rate = 10f64.powi(magnitude);
            let mut backend = FakeBackend::new(rate);
            (backend.capabilities.host_threads, backend.replays_take) = (host_threads, slower);
            // A pass of `kernel` that takes `part` of a slice.
            let of = |kernel: usize, part: f64| {
                (
                    kernel,
                    (part * rate * SLICE.as_secs_f64() / [1.0, slower][kernel]).max(1.0) as u64,
                )
            };
            let many = 3 * MAX_PASSES + 400;
            let mut passes = [vec![of(0, 0.05); many], vec![of(1, 0.05); many]].concat();
            passes.extend([of(0, 3.0), of(1, 7.0)].repeat(4));
            passes.extend([of(0, 0.05), of(1, 0.05)].repeat(600));
            passes.extend([of(1, 0.05); 400]);
            // First few of many passes, then all of them.
            passes.extend([[of(0, 0.05); 19], [of(1, 0.05); 19]].concat().repeat(20));
            passes.extend([of(0, 0.05); 400]);
            // Both are first timed together.
            let mut together = [of(0, 0.05), of(1, 0.05)].repeat(many);
            together.extend([[of(1, 0.05); 400], [of(0, 0.05); 400]].concat());
            for passes in [passes, together] {
                backend.forget();
                let busy = of_kernels(&backend, &passes);
                let mut before = [0; 2];
                for (kernels, busy) in &busy {
                    let late = kernels.iter().all(|&kernel| before[kernel] >= 3);
                    assert!(
                        !late || *busy <= 2.0,
                        "{rate:e} cells a second, {slower}, {before:?}: {busy}"
                    );
                    kernels.iter().for_each(|&kernel| before[kernel] += 1);
                }
                let all: f64 = busy.iter().map(|(_, busy)| busy).sum();
                assert!(
                    // Each of two kernels is charged the time of both, and whole passes take up
                    // to a fifth of the target.
                    (busy.len() as f64) < 2.5 * all / sized_for(&backend.capabilities) + 40.0,
                    "{rate:e}, {slower}: {} for {all}",
                    busy.len()
                );
            }
        }
    }
}

#[test]
fn expensive_kernel_behind_a_cheap_one_begins_with_short_slices() {
    let mut backend = FakeBackend::new(1e12);
    (backend.capabilities.host_threads, backend.replays_take) = (Some(2), 1000.0);
    let passes = [vec![(0, 1 << 30); 600], vec![(1, 1 << 21); 600]].concat();
    let busy = of_kernels(&backend, &passes);
    assert!(busy.iter().all(|(_, busy)| *busy <= 2.0), "{busy:?}");
}

#[test]
fn alternating_kernels_at_most_double_the_submissions_and_keep_their_throughput() {
    let turns = |kernels: [usize; 2]| kernels.map(|kernel| (kernel, 1u64 << 30)).repeat(2000);
    let (backend, other) = (FakeBackend::new(1e13), FakeBackend::new(1e13));
    let alone = [(); 2].map(|()| of_kernels(&backend, &turns([0, 0])).len());
    let both = [(); 2].map(|()| of_kernels(&other, &turns([0, 1])).len());
    assert!(
        both[0] <= 2 * alone[0] && both[1] <= 2 * alone[1],
        "{alone:?} {both:?}"
    );
    assert!(both[1] < both[0]);
}

#[test]
fn first_submission_is_short_and_words_come_with_the_last() {
    for count in [
        0,
        1,
        FIRST_PASSES,
        FIRST_PASSES + 1,
        FIRST_PASSES + 2 * MAX_PASSES + 3,
    ] {
        let backend = FakeBackend::new(1e13);
        let words = swept(&backend, &Control::default(), &vec![1; count]).expect("it runs");
        assert_eq!(words.words().len(), 3);
        let events = backend.log().events.clone();
        let submitted = |event: &Event| match event {
            Event::Submitted { passes, words, .. } => Some((*passes, *words)),
            Event::Done | Event::Filled(_) => None,
        };
        let slices: Vec<_> = events.iter().filter_map(submitted).collect();
        assert_eq!(
            slices.iter().map(|(passes, _)| passes).sum::<usize>(),
            count
        );
        assert_eq!(slices[0].0, count.min(FIRST_PASSES), "{count} passes");
        assert!(
            slices.iter().all(|&(passes, _)| passes <= MAX_PASSES),
            "{slices:?}"
        );
        // The words come with the last slice only, each slice is awaited once, and at most two are
        // in flight.
        let (last, before) = slices.split_last().expect("one at least");
        assert!(
            last.1 == 3 && before.iter().all(|&(_, words)| words == 0),
            "{slices:?}"
        );
        assert_eq!(events.len(), 2 * slices.len());
        let in_flight = events.iter().scan(0i32, |in_flight, event| {
            *in_flight += if *event == Event::Done { -1 } else { 1 };
            Some(*in_flight)
        });
        assert!(in_flight.max() <= Some(2), "{events:?}");
    }
}

#[test]
fn cancelled_call_submits_nothing_more() {
    let cancel = CancelHandle::new();
    let callback = {
        let cancel = cancel.clone();
        move |_| cancel.cancel()
    };
    let control = Control::new(cancel, Some(std::sync::Arc::new(callback)));
    let backend = FakeBackend::new(1e13);
    let words = swept(&backend, &control, &vec![1; FIRST_PASSES + 2 * MAX_PASSES]);
    assert!(matches!(words, Err(Error::Cancelled)), "{words:?}");
    let submitted = |passes: usize| Event::Submitted {
        passes,
        cells: passes as u64,
        words: 0,
    };
    assert_eq!(
        backend.log().events,
        [submitted(FIRST_PASSES), submitted(MAX_PASSES), Event::Done]
    );
}
