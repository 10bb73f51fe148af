//! Whole-table methods, on the device and on threads, against the reference recurrences.

use support::inputs::{Input, Kind, paste};
use swath::unstable::engine::Device;
use swath::unstable::papers::anti_diagonal::{self, Recurrence};
use swath::unstable::papers::tiled;
use swath::{Control, Error, Result};

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

/// Lengths around the widths of tiles and workgroups, and inputs of all kinds.
fn all_inputs() -> impl Iterator<Item = Input> {
    let edges = [0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 257];
    let edges = (0..edges.len()).map(move |k| (edges[k], edges[(k * 7 + 3) % edges.len()]));
    let sizes = edges.chain([(0, 0), (64, 64)]);
    let others = [Input::random(26, 700, 3), Input::random(2, 1, 600)];
    let kinds = Kind::ALL.map(|kind| Input {
        kind,
        ..Input::random(4, 150, 210)
    });
    let sizes = sizes.map(|(rows, cols)| Input::random(4, rows, cols));
    sizes.chain(others).chain(kinds)
}

#[track_caller]
fn assert_cells(
    inputs: impl IntoIterator<Item = Input>,
    recurrence: Recurrence,
    last_cell: impl Fn(&[u32], &[u32]) -> Result<u64>,
) {
    for input in inputs {
        let (a, b) = input.pair();
        let expected = reference(recurrence, &a, &b);
        let shown = || format!("{recurrence:?} {input:?} {}", paste(&a, &b));
        assert_eq!(last_cell(&a, &b).ok(), Some(expected), "{}", shown());
    }
}

/// Methods on a device.
type OnDevice = fn(&Device<'_>, &[u32], &[u32]) -> Result<u64>;
const ON_DEVICE: [(Recurrence, OnDevice); 4] = [
    (Recurrence::EditDistance, |device, a, b| {
        anti_diagonals(device, Recurrence::EditDistance, a, b, None)
    }),
    (Recurrence::EditDistance, |device, a, b| {
        anti_diagonals(device, Recurrence::EditDistance, a, b, Some(32))
    }),
    (Recurrence::Supersequence, |device, a, b| {
        anti_diagonals(device, Recurrence::Supersequence, a, b, None)
    }),
    (Recurrence::EditDistance, |device, a, b| {
        pollster::block_on(tiled::gpu::distance(device, a, b))
    }),
];

fn anti_diagonals(
    device: &Device<'_>,
    recurrence: Recurrence,
    a: &[u32],
    b: &[u32],
    lanes: Option<u32>,
) -> Result<u64> {
    pollster::block_on(anti_diagonal::last_cell(device, recurrence, a, b, lanes))
}

#[test]
fn tables_on_the_device_give_the_reference_answer() {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    for (recurrence, method) in ON_DEVICE {
        assert_cells(all_inputs(), recurrence, |a, b| {
            method(&support::device(&*gpu), a, b)
        });
    }
}

#[test]
fn tables_over_threads_give_the_reference_answer() {
    let control = Control::default();
    // Long enough for several threads to share an anti-diagonal.
    let long = [(70_000, 35), (35, 70_000), (40_000, 5000)];
    let long = long.map(|(rows, cols)| Input::random(3, rows, cols));
    for recurrence in [Recurrence::EditDistance, Recurrence::Supersequence] {
        assert_cells(all_inputs().chain(long), recurrence, |a, b| {
            anti_diagonal::cpu::last_cell(recurrence, a, b, &control)
        });
    }
    let edges = [
        (1023, 1025),
        (1024, 1024),
        (1025, 2049),
        (2049, 1),
        (1, 2048),
        (2500, 1100),
    ];
    let edges = edges.map(|(rows, cols)| Input::random(4, rows, cols));
    assert_cells(
        all_inputs().chain(edges),
        Recurrence::EditDistance,
        |a, b| tiled::cpu::distance(a, b, &control),
    );
}

#[test]
fn a_budget_too_small_for_the_table_is_refused_with_a_sufficient_amount() {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let (a, b) = Input::random(4, 900, 800).pair();
    for (_, method) in ON_DEVICE {
        let device = Device {
            budget_bytes: 4000,
            ..support::device(&*gpu)
        };
        match method(&device, &a, &b) {
            Err(Error::MemoryBudget {
                limit: 4000,
                smallest,
                ..
            }) => assert!(smallest > 4000),
            other => panic!("{other:?}"),
        }
    }
}
