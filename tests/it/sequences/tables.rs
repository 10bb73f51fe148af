//! Whole-table methods, on the device and on threads, against the reference recurrences.

use std::time::Duration;

use support::inputs::{Input, Kind, paste};
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::unstable::papers::anti_diagonal::{self, Recurrence};
use swath::unstable::papers::tiled;
use swath::{CancelHandle, Control, Error};

/// Last cell of the whole table; shares no code with the methods.
fn reference(recurrence: Recurrence, a: &[u32], b: &[u32]) -> u64 {
    let mut row: Vec<u64> = (0..=b.len() as u64).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i as u64 + 1);
        for (j, y) in b.iter().enumerate() {
            let (above, left) = (row[j + 1], row[j]);
            row[j + 1] = match recurrence {
                Recurrence::EditDistance if x == y => corner,
                Recurrence::EditDistance => 1 + above.min(left).min(corner),
                _ if x == y => 1 + corner,
                _ => 1 + above.min(left),
            };
            corner = above;
        }
    }
    row[b.len()]
}

/// Runs `test` with the adapter as a device; skips it without one.
fn on_device(test: impl FnOnce(&Device<'_>)) {
    let Some(backend) = support::backend() else {
        return;
    };
    let backend = backend
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let (control, phases) = (Control::default(), Phases::start());
    let slice = Duration::from_millis(60);
    test(&Device {
        backend: &*backend,
        budget_bytes: 1 << 30,
        slice,
        threads: None,
        control: &control,
        phases: &phases,
    });
}

/// Lengths around the widths of tiles and workgroups, and inputs of all kinds.
fn all_inputs() -> Vec<Input> {
    let edges = [0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 257];
    let mut inputs: Vec<_> = edges
        .iter()
        .enumerate()
        .map(|(k, &rows)| Input::random(4, rows, edges[(k * 7 + 3) % edges.len()]))
        .collect();
    inputs.extend([
        Input::random(4, 0, 0),
        Input::random(4, 64, 64),
        Input::random(26, 700, 3),
        Input::random(2, 1, 600),
    ]);
    inputs.extend(Kind::ALL.map(|kind| Input {
        kind,
        letters: 4,
        rows: 150,
        cols: 210,
        seed: 7,
    }));
    inputs
}

#[test]
fn anti_diagonals_on_the_device_give_the_reference_answer() {
    on_device(|device| {
        for input in all_inputs() {
            let (a, b) = input.pair();
            for (recurrence, lanes) in [
                (Recurrence::EditDistance, None),
                (Recurrence::EditDistance, Some(32)),
                (Recurrence::Supersequence, None),
            ] {
                let found =
                    pollster::block_on(anti_diagonal::last_cell(device, recurrence, &a, &b, lanes))
                        .expect("it runs");
                assert_eq!(
                    found,
                    reference(recurrence, &a, &b),
                    "{recurrence:?} {lanes:?} {input:?} {}",
                    paste(&a, &b)
                );
            }
        }
    });
}

#[test]
fn anti_diagonals_over_threads_give_the_reference_answer() {
    // Long enough for several threads to share an anti-diagonal.
    let long = Input::random(3, 70_000, 35);
    for input in all_inputs().into_iter().chain([
        long,
        Input {
            rows: 35,
            cols: 70_000,
            ..long
        },
    ]) {
        let (a, b) = input.pair();
        for recurrence in [Recurrence::EditDistance, Recurrence::Supersequence] {
            let found = anti_diagonal::cpu::last_cell(recurrence, &a, &b, &Control::default())
                .expect("it runs");
            assert_eq!(
                found,
                reference(recurrence, &a, &b),
                "{recurrence:?} {input:?} {}",
                paste(&a, &b)
            );
        }
    }
    let wide = Input::random(3, 40_000, 40_000 / 8);
    let (a, b) = wide.pair();
    let found =
        anti_diagonal::cpu::last_cell(Recurrence::EditDistance, &a, &b, &Control::default())
            .expect("it runs");
    assert_eq!(
        found,
        tiled::cpu::distance(&a, &b, &Control::default()).expect("it runs"),
        "{wide:?}"
    );
}

#[test]
fn tiles_on_the_device_give_the_reference_distance() {
    on_device(|device| {
        for input in all_inputs() {
            let (a, b) = input.pair();
            let found = pollster::block_on(tiled::gpu::distance(device, &a, &b)).expect("it runs");
            assert_eq!(
                found,
                reference(Recurrence::EditDistance, &a, &b),
                "{input:?} {}",
                paste(&a, &b)
            );
        }
    });
}

#[test]
fn tiles_over_threads_give_the_reference_distance() {
    let edges = [
        (1023, 1025),
        (1024, 1024),
        (1025, 2049),
        (2049, 1),
        (1, 2048),
        (2500, 1100),
    ];
    for input in all_inputs()
        .into_iter()
        .chain(edges.map(|(rows, cols)| Input::random(4, rows, cols)))
    {
        let (a, b) = input.pair();
        let found = tiled::cpu::distance(&a, &b, &Control::default()).expect("it runs");
        assert_eq!(
            found,
            reference(Recurrence::EditDistance, &a, &b),
            "{input:?} {}",
            paste(&a, &b)
        );
    }
}

#[test]
fn a_cancelled_table_is_no_answer() {
    let cancel = CancelHandle::new();
    cancel.cancel();
    let control = Control::new(cancel, None);
    let (a, b) = Input::random(4, 90, 80).pair();
    let cancelled = |found| assert!(matches!(found, Err(Error::Cancelled)), "{found:?}");
    cancelled(anti_diagonal::cpu::last_cell(
        Recurrence::EditDistance,
        &a,
        &b,
        &control,
    ));
    cancelled(tiled::cpu::distance(&a, &b, &control));
    on_device(|device| {
        let device = Device {
            control: &control,
            ..*device
        };
        cancelled(pollster::block_on(anti_diagonal::last_cell(
            &device,
            Recurrence::EditDistance,
            &a,
            &b,
            None,
        )));
        cancelled(pollster::block_on(tiled::gpu::distance(&device, &a, &b)));
    });
}

#[test]
fn a_budget_too_small_for_the_table_is_refused_with_a_sufficient_amount() {
    on_device(|device| {
        let (a, b) = Input::random(4, 900, 800).pair();
        let device = Device {
            budget_bytes: 4000,
            ..*device
        };
        let refused = |found: Result<u64, Error>| match found {
            Err(Error::MemoryBudget {
                limit: 4000,
                smallest,
                ..
            }) => assert!(smallest > 4000),
            other => panic!("{other:?}"),
        };
        refused(pollster::block_on(anti_diagonal::last_cell(
            &device,
            Recurrence::EditDistance,
            &a,
            &b,
            None,
        )));
        refused(pollster::block_on(tiled::gpu::distance(&device, &a, &b)));
    });
}
