//! Sessions on a device that loses work, is shared, and has any throughput.

use std::collections::BTreeSet;
use std::time::Duration;

use super::fake::{Event, FakeBackend, LEFT, LossReport, STATE, generate, plan};
use crate::backend::session::OwnSessions;
use crate::backend::slice_budget::FIRST_CELLS;
use crate::backend::{Backend, Device, Session, StreamedBuffer, UploadSource};
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::{Error, Result};
use crate::plan::{Buffer, Contents, Pass, Plan, Resident, ResidentInput, params};

pub(super) const SLICE: Duration = Duration::from_millis(60);

pub(super) fn on<T>(
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

/// Final state of a round.
async fn state(
    session: &Session<'_>,
    make: &(dyn Fn(&Resident) -> Plan + Sync),
) -> Result<Vec<u32>> {
    let ((_, words), _) = session.round(make, &|_| vec![STATE], &|_| Ok(())).await?;
    Ok(words)
}

/// Final state after one pass per element of `cells`.
pub(super) fn swept(backend: &FakeBackend, control: &Control, cells: &[u64]) -> Result<Vec<u32>> {
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
            for streamed in StreamedBuffer::of(&plan) {
                let words = generate(&Numbers, &streamed);
                plan.buffers[streamed.id].contents = Contents::Words(words.into());
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
                let before = backend.log().uploaded_bytes;
                let make = |resident: &_| plan(resident, &[5; 3]);
                state(&session, &make).await?;
                *round = backend.log().uploaded_bytes - before;
            }
            Ok(uploaded)
        });
        assert_eq!(uploaded.expect("it runs"), expected);
    }
}

/// A call whose session is of an owner. Returns its words and the bytes that it uploaded.
fn call_of(backend: &FakeBackend, own: &OwnSessions, budget: u64) -> Result<(Vec<u32>, u64)> {
    on(backend, &Control::default(), budget, async |device| {
        let session = own.open(&device)?;
        let before = backend.log().uploaded_bytes;
        let make = |resident: &_| plan(resident, &[1; 3]);
        let words = state(&session, &make).await?;
        let uploaded = backend.log().uploaded_bytes - before;
        own.park(session);
        Ok((words, uploaded))
    })
}

#[test]
fn parked_inputs_stay_on_the_device_until_their_owner_or_another_call_frees_them() {
    let [backend, other_device] = [1e12; 2].map(FakeBackend::new);
    let needed = plan(&Default::default(), &[]).size_bytes();
    let words = swept(&other_device, &Control::default(), &[1; 3]).expect("it runs");
    let held = || backend.shared().memory.held_bytes();
    let own = OwnSessions::default();
    for expected in [20 + 12, 12, 12] {
        let found = call_of(&backend, &own, u64::MAX).expect("it runs");
        assert_eq!((found, held()), ((words.clone(), expected), 20));
    }
    // Another device does not have them, and does not free them.
    let found = call_of(&other_device, &own, u64::MAX).expect("it runs");
    assert_eq!((found, held()), ((words.clone(), 20 + 12), 20));
    assert_eq!(call_of(&backend, &own, u64::MAX).expect("it runs").1, 12);
    // A call that needs all memory frees them.
    let alone = OwnSessions::default();
    let found = call_of(&backend, &alone, needed).expect("it has room");
    assert_eq!((found.1, held()), (20 + 12, 20));
    assert_eq!(
        call_of(&backend, &own, u64::MAX).expect("it runs").1,
        20 + 12
    );
    drop(alone);
    assert_eq!(held(), 20);
    // A call that waits for others.
    let others = backend.shared().memory.try_reserve(needed - 20, needed);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| call_of(&backend, &OwnSessions::default(), needed));
        while held() == needed {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(others);
        let found = waiting.join().expect("it does not panic");
        assert_eq!(found.expect("the memory is free").0, words);
    });
    assert_eq!(held(), 0);
    // Work that was lost twice proves no upload.
    let submissions = backend.log().submissions;
    backend.log().lost.extend([submissions, submissions + 1]);
    assert!(call_of(&backend, &own, u64::MAX).is_err());
    assert_eq!(
        (
            held(),
            call_of(&backend, &own, u64::MAX).expect("it runs").1
        ),
        (0, 20 + 12)
    );
    drop(own);
    assert_eq!((held(), other_device.shared().memory.held_bytes()), (0, 0));
}

#[test]
fn rest_of_an_input_is_uploaded_by_each_call() {
    let input = |words, is_whole| ResidentInput {
        buffer: 0,
        name: "strings".to_string(),
        key: vec![7],
        words,
        is_whole,
    };
    let contents = |words, resident| {
        let mut plan = Plan::default();
        let added = plan.input_with_rest("strings", words, 60, vec![7], &Resident(resident));
        let uploads = StreamedBuffer::of(&plan);
        let from = uploads.first().map(|streamed| streamed.first);
        (plan.buffers[added].words, from)
    };
    assert_eq!(contents(80, vec![]), (80, Some(0)));
    assert_eq!(contents(80, vec![input(80, true)]), (80, None));
    assert_eq!(contents(80, vec![input(80, false)]), (80, Some(60)));
    assert_eq!(contents(80, vec![input(100, false)]), (100, Some(60)));
    // More or fewer words than a call may take for its own.
    assert_eq!(contents(80, vec![input(101, false)]), (80, Some(0)));
    assert_eq!(contents(80, vec![input(79, false)]), (80, Some(0)));
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
                words = state(&session, &make).await?;
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
        state(&first, &make).await?;
        let refused = state(&second, &make).await;
        first.give_back();
        Ok((refused, state(&second, &make).await))
    });
    let (refused, then) = found.expect("the first session runs");
    assert!(
        matches!(refused, Err(Error::DeviceMemory { held, .. }) if held == needed),
        "{refused:?}"
    );
    assert!(then.is_ok(), "{then:?}");
}
