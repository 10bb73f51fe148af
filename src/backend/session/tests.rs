//! Sessions on a device that loses work, is shared, and has any throughput.

use std::collections::BTreeSet;
use std::time::Duration;

use super::fake::{Event, FakeBackend, LEFT, LossReport, STATE, plan};
use crate::backend::slice_budget::{FIRST_CELLS, MAX_PASSES, sized_for};
use crate::backend::slices::FIRST_PASSES;
use crate::backend::streaming::generate;
use crate::backend::{Backend, Device, UploadSource, Words};
use crate::call::control::{CancelHandle, Control};
use crate::call::phases::Phases;
use crate::error::{Error, Result};
use crate::plan::{Bounds, Buffer, Contents, Pass, PassSplit, Plan, params};

const SLICE: Duration = Duration::from_millis(60);

fn on<T>(
    backend: &FakeBackend,
    control: &Control,
    budget_bytes: u64,
    run: impl AsyncFnOnce(Device<'_>) -> Result<T>,
) -> Result<T> {
    let (phases, control) = (Phases::start(), &control.for_call());
    pollster::block_on(run(Device {
        backend,
        budget_bytes,
        slice: SLICE,
        threads: None,
        control,
        phases: &phases,
    }))
}

/// Final state after one pass per element of `cells`.
fn swept(backend: &FakeBackend, control: &Control, cells: &[u64]) -> Result<Vec<u32>> {
    let make = || plan(&Default::default(), cells);
    on(backend, control, u64::MAX, async |device| {
        Ok(device.run(&make, &|_| vec![STATE]).await?.words)
    })
}

// Streamed buffers

/// Contents that differ from buffer to buffer.
struct Numbers;

impl UploadSource for Numbers {
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]) {
        let seed = buffer.name.len() as u32;
        (first as u32..)
            .zip(words)
            .for_each(|(place, word)| *word = place.wrapping_mul(31).wrapping_add(seed));
    }
}

/// A plan whose first passes use one streamed buffer of `words` words, and later ones another.
fn streamed_plan(words: u64) -> Plan {
    let mut plan = plan(&Default::default(), &[]);
    let inputs = ["one", "another"].map(|name| plan.buffer(name, words, Contents::Streamed(1)));
    for (number, input) in (1..).zip([inputs[0], inputs[0], inputs[1], inputs[0]]) {
        let bindings = plan.bind(vec![input, STATE.buffer]);
        plan.passes.push(Pass {
            kernel: 0,
            bindings,
            groups: [1; 3],
            params: params([number]),
            cells: 1,
        });
    }
    plan
}

/// Final state of the plan, and the log of the device.
fn stream_and_sweep(
    make: &(dyn Fn() -> Plan + Sync),
    lost: Option<usize>,
) -> (Vec<u32>, Vec<Event>) {
    let backend = FakeBackend::new(1e12);
    backend.log().lost.extend(lost);
    let words = on(&backend, &Control::default(), u64::MAX, async |device| {
        let session = device.open_session()?.streamed_from(&Numbers);
        Ok(session.run(&|_| make(), &|_| vec![STATE]).await?.words)
    });
    let events = backend.log().events.clone();
    (words.expect("nothing is lost twice"), events)
}

#[test]
fn large_buffers_of_later_passes_are_filled_while_the_first_passes_run() {
    let submitted = |passes, words| Event::Submitted {
        passes,
        cells: passes as u64,
        words,
    };
    let late = [
        Event::Filled(1),
        submitted(2, 0),
        Event::Filled(1),
        submitted(2, 3),
        Event::Done,
        Event::Done,
    ];
    for (words, expected) in [
        (1 << 20, &late[..]),
        (1 << 10, &[Event::Filled(2), submitted(4, 3), Event::Done]),
    ] {
        let uploaded = || {
            let mut plan = streamed_plan(words);
            let of_parts = |buffer: &&mut Buffer| matches!(buffer.contents, Contents::Streamed(_));
            for buffer in plan.buffers.iter_mut().filter(of_parts) {
                buffer.contents = Contents::Words(generate(&Numbers, buffer, 1));
            }
            plan
        };
        let (right, _) = stream_and_sweep(&uploaded, None);
        let (found, events) = stream_and_sweep(&|| streamed_plan(words), None);
        assert_eq!((found, &events[..]), (right.clone(), expected));
        for lost in 0..2 {
            assert_eq!(
                stream_and_sweep(&|| streamed_plan(words), Some(lost)).0,
                right,
                "submission {lost} was lost"
            );
        }
    }
}

// Lost work

/// A call with every kind of submission: slices, a replay behind them, replays that overwrite the
/// output of others in flight, one that is dropped, reads, and a second round on resident inputs.
fn call(backend: &FakeBackend) -> Result<Vec<u32>> {
    let replay = |seed: u32| Pass {
        params: params([seed]),
        ..plan(&Default::default(), &[]).replays[0].clone()
    };
    on(backend, &Control::default(), u64::MAX, async |device| {
        let session = device.open_session()?;
        let mut found = Vec::new();
        for cells in [[FIRST_CELLS / 2; 7], [FIRST_CELLS; 7]] {
            let make = |resident: &_| plan(resident, &cells);
            let behind = |_: &Plan| session.replay(&[replay(11)], false, &[LEFT]);
            let ((_, words), behind) = session.round(&make, &|_| vec![STATE], &behind).await?;
            found.extend(words);
            let mut arriving = Vec::from_iter(behind);
            arriving.push(session.replay(&[replay(11)], true, &[LEFT, LEFT])?);
            arriving.push(session.replay(&[replay(12)], false, &[LEFT])?);
            drop(session.replay(&[replay(13)], false, &[LEFT])?);
            arriving.push(session.replay(&[replay(13)], true, &[LEFT])?);
            arriving.push(session.read(&[STATE])?);
            for words in arriving {
                found.extend(words.await?.words());
            }
            found.extend(session.read(&[LEFT])?.await?.words());
        }
        Ok(found)
    })
}

/// Result of the call if these submissions do nothing, and the number of submissions.
fn call_without(lost: &[usize], lost_from: Option<usize>) -> (Result<Vec<u32>>, usize) {
    let backend = FakeBackend::new(1e12);
    backend.log().lost = BTreeSet::from_iter(lost.iter().copied());
    backend.log().lost_from = lost_from;
    let found = call(&backend);
    let submissions = backend.log().submissions;
    (found, submissions)
}

#[test]
fn any_lost_submission_is_retried_once_and_a_second_loss_is_an_error() {
    let (expected, count) = call_without(&[], None);
    let expected = expected.expect("nothing is lost");
    assert!(count >= 18, "{count} submissions");
    for lost in 0..count {
        let (found, submissions) = call_without(&[lost], None);
        assert_eq!(found.expect("it is lost once"), expected, "{lost} was lost");
        assert!(
            submissions > count,
            "{lost} was lost: {submissions} submissions"
        );
        let (found, _) = call_without(&[], Some(lost));
        assert!(
            matches!(found, Err(Error::MissingStamp { .. })),
            "from {lost} on: {found:?}"
        );
    }
}

#[test]
fn no_answer_is_wrong_after_any_two_lost_submissions() {
    let (expected, count) = call_without(&[], None);
    let expected = expected.expect("nothing is lost");
    let (mut right, mut refused) = (0, 0);
    for first in 0..count {
        for second in first + 1..count + 12 {
            match call_without(&[first, second], None).0 {
                Ok(found) => {
                    assert_eq!(found, expected, "{first} and {second} were lost");
                    right += 1;
                }
                Err(Error::MissingStamp { .. }) => refused += 1,
                Err(error) => panic!("{first} and {second} were lost: {error}"),
            }
        }
    }
    assert!(
        right > 100 && refused > 20,
        "{right} right, {refused} refused"
    );
}

#[test]
fn device_loss_at_any_submission_ends_the_call_and_frees_its_memory() {
    let (_, count) = call_without(&[], None);
    for (from, told) in (0..count).flat_map(|from| {
        [
            (from, LossReport::AtSubmission),
            (from, LossReport::WhenWaitedFor),
        ]
    }) {
        // The submission before may be a retry.
        for lost in [None, from.checked_sub(1)] {
            let backend = FakeBackend::new(1e12);
            backend.log().gone_from = Some((from, told));
            backend.log().lost.extend(lost);
            let case = format!("{lost:?} was lost, and the device from {from} on, told {told:?}");
            let found = call(&backend);
            assert!(
                matches!(found, Err(Error::DeviceLost { .. })),
                "{case}: {found:?}"
            );
            assert_eq!(backend.shared().memory.held_bytes(), 0, "{case}");
            // Submissions that a call starts before it waits, and as many retries if one was lost,
            // but no retry of the lost device.
            let max = from + if lost.is_some() { 14 } else { 7 };
            assert!(
                backend.log().submissions <= max,
                "{case}: {} submissions",
                backend.log().submissions
            );
        }
    }
}

// Resident inputs

#[test]
fn resident_inputs_are_uploaded_again_only_after_a_loss() {
    for (lost, expected) in [(&[][..], [20 + 12, 12]), (&[0], [2 * (20 + 12), 12])] {
        let backend = FakeBackend::new(1e12);
        backend.log().lost.extend(lost);
        let uploaded = on(&backend, &Control::default(), u64::MAX, async |device| {
            let session = device.open_session()?;
            let mut uploaded = [0; 2];
            for round in &mut uploaded {
                let before = session.uploaded_bytes();
                let make = |resident: &_| plan(resident, &[5; 3]);
                session.round(&make, &|_| vec![STATE], &|_| Ok(())).await?;
                *round = session.uploaded_bytes() - before;
            }
            Ok(uploaded)
        });
        assert_eq!(uploaded.expect("it runs"), expected);
        assert_eq!(backend.log().uploaded_bytes, expected.iter().sum::<u64>());
    }
}

// Shared memory

#[test]
fn call_waits_for_memory_of_others_and_fails_at_once_beyond_the_budget() {
    let backend = FakeBackend::new(1e12);
    let needed = plan(&Default::default(), &[]).size_bytes();
    let control = Control::default();
    let held = backend
        .shared()
        .memory
        .try_reserve(needed / 2, needed)
        .expect("all is free");
    let make = || plan(&Default::default(), &[1; 3]);
    let run = |budget: u64| {
        on(&backend, &control, budget, async |device| {
            Ok(device.run(&make, &|_| vec![STATE]).await?.words)
        })
    };
    let never = run(needed - 1);
    assert!(
        matches!(never, Err(Error::MemoryBudget { limit, .. }) if limit == needed - 1),
        "{never:?}"
    );
    // The thread of a pool does not wait: the holder of the memory may need it.
    let (send, receive) = std::sync::mpsc::channel();
    rayon::scope(|_| _ = send.send(run(needed)));
    let refused = receive.recv().expect("it ran");
    assert!(
        matches!(refused, Err(Error::DeviceMemory { held, limit, .. }) if (held, limit) == (needed / 2, needed)),
        "{refused:?}"
    );
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| run(needed));
        std::thread::sleep(Duration::from_millis(30));
        assert!(!waiting.is_finished());
        drop(held);
        let words = waiting
            .join()
            .expect("it does not panic")
            .expect("the memory is free");
        assert_eq!(
            words,
            swept(&FakeBackend::new(1e12), &control, &[1; 3]).expect("it runs")
        );
    });
    assert_eq!(backend.shared().memory.held_bytes(), 0);
}

#[test]
fn calls_free_their_memory_before_they_wait_for_more() {
    let backend = FakeBackend::new(1e12);
    let needed = plan(&Default::default(), &[]).size_bytes();
    let control = Control::default();
    let call = || {
        on(&backend, &control, 2 * needed + 16, async |device| {
            let session = device.open_session()?;
            let mut words = Vec::new();
            for round in 0..200 {
                let make = |resident: &_| {
                    let mut plan = plan(resident, &[1; 3]);
                    // Two calls have room for this, but not for this and more.
                    plan.buffer("more", 8 * (round % 2), Contents::Unspecified);
                    plan
                };
                words = session
                    .round(&make, &|_| vec![STATE], &|_| Ok(()))
                    .await?
                    .0
                    .1;
            }
            Ok(words)
        })
    };
    let expected = swept(&FakeBackend::new(1e12), &control, &[1; 3]).expect("it runs");
    std::thread::scope(|scope| {
        let calls = [(); 3].map(|()| scope.spawn(call));
        calls.into_iter().for_each(|call| {
            assert_eq!(call.join().expect("no panic").expect("it ends"), expected)
        });
    });
    assert_eq!(backend.shared().memory.held_bytes(), 0);
}

#[test]
fn session_fails_instead_of_deadlocking_on_memory_of_its_own_call() {
    let backend = FakeBackend::new(1e12);
    let needed = plan(&Default::default(), &[]).size_bytes();
    let make = |resident: &_| plan(resident, &[1; 3]);
    let found = on(&backend, &Control::default(), needed, async |device| {
        let (first, second) = (device.open_session()?, device.open_session()?);
        first.round(&make, &|_| vec![STATE], &|_| Ok(())).await?;
        let refused = second
            .round(&make, &|_| vec![STATE], &|_| Ok(()))
            .await
            .map(drop);
        first.give_back();
        Ok((
            refused,
            second
                .round(&make, &|_| vec![STATE], &|_| Ok(()))
                .await
                .map(drop),
        ))
    });
    let (refused, then) = found.expect("the first session runs");
    assert!(
        matches!(refused, Err(Error::DeviceMemory { held, .. }) if held == needed),
        "{refused:?}"
    );
    assert!(then.is_ok(), "{then:?}");
}

// Slices

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
                .map(|place| (target * [7.0, 0.01, 3.0][place % 3]) as u64)
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
            match splits {
                true => {
                    assert!(
                        late <= 2.0
                            && (busy.len() as f64)
                                < 1.5 * all / sized_for(&backend.capabilities) + 16.0,
                        "{rate:e}: {busy:?}"
                    )
                }
                // No short pass shares a slice with a pass over budget.
                false => assert!(
                    late < 7.001 && busy.len() == cells.len(),
                    "{rate:e}: {busy:?}"
                ),
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
