//! Strip sweep of edit distances: kernel variants, edge sizes, paths, last rows.

use support::inputs::{Input, Kind, Random};
use support::tier::combinations;
use support::{sweeps, tuning};
use swath::edit_distance::Mode;
use swath::unstable::edit_distance::{gpu, reference};
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::sequences::codes::Encoded;

fn assert_swept(a: &[u32], b: &[u32], tuning: Tuning, budget_bytes: u64) {
    let Some(backend) = support::lock_gpu() else {
        return;
    };
    let codes = Encoded::new(a, b);
    let device = Device {
        budget_bytes,
        ..support::device(&*backend)
    };
    let distance =
        pollster::block_on(gpu::distance(&device, tuning, &codes)).expect("it is solved");
    assert_eq!(
        distance,
        reference::distance(a, b, Mode::Global),
        "{tuning:?} a = {a:?} b = {b:?}"
    );
    let (found, mode) =
        pollster::block_on(gpu::path(&device, tuning, &codes)).expect("it is solved");
    assert_eq!(
        found.as_slice(),
        reference::path(a, b).as_slice(),
        "{mode} {tuning:?} a = {a:?} b = {b:?}"
    );
}

/// As [`assert_swept`], for symbols that both have.
fn assert_input_swept(input: &Input, tuning: Tuning, budget_bytes: u64) {
    let (a, b) = input.pair();
    if Encoded::new(&a, &b).alphabet.shared > 0 {
        assert_swept(&a, &b, tuning, budget_bytes);
    }
}

#[test]
fn every_variant_gives_the_distance_and_the_canonical_path() {
    for (input, shape, _) in sweeps::variants() {
        assert_input_swept(&input, shape, u64::MAX);
    }
}

#[test]
fn full_and_partial_limbs_give_the_distance_and_the_canonical_path() {
    for (place, (input, shapes)) in sweeps::limb_edges(&[2, 6], 2).enumerate() {
        assert_input_swept(&input, shapes[place % 2], u64::MAX);
    }
}

#[test]
fn every_kind_and_edge_size_gives_the_distance_and_the_canonical_path() {
    let tiny =
        |matching, directions| tuning(matching, (CarryExchange::Workgroup, 8), 2, 8, 4, directions);
    let both = [tiny(Matching::Table, 1), tiny(Matching::Planes, 2)];
    let sizes = [
        (1, 1),
        (2, 1),
        (30, 31),
        (31, 32),
        (32, 31),
        (61, 7),
        (62, 8),
        (63, 9),
        (495, 33),
        (496, 64),
        (497, 65),
        (993, 1),
    ];
    for [size, letters, tuning] in combinations([sizes.len(), 4, 2]) {
        let (rows, cols) = sizes[size];
        let input = Input::random([1, 2, 4, 26][letters], rows, cols);
        assert_input_swept(&input, both[tuning], u64::MAX);
    }
    for [kind, tuning, budget] in combinations([Kind::ALL.len(), 2, 2]) {
        let input = Input {
            kind: Kind::ALL[kind],
            ..Input::random(4, 700, 590)
        };
        assert_input_swept(&input, both[tuning], [u64::MAX, 60_000][budget]);
    }
}

#[test]
fn an_empty_input_costs_the_length_of_the_other() {
    let crew = (CarryExchange::Workgroup, 8);
    let tunings = combinations([3, 2, 2])
        .into_iter()
        .map(|[columns, directions, matching]| {
            let matching = [Matching::Table, Matching::Planes][matching];
            let directions = [1, 2][directions];
            tuning(matching, crew, 2, [8, 16, 32][columns], 4, directions)
        });
    let (tunings, lens) = (tunings.collect::<Vec<_>>(), [0, 1, 31, 32, 33, 200]);
    for [tuning, len, side] in combinations([tunings.len(), lens.len(), 2]) {
        let symbols = Random::new(3).symbols(lens[len], 4);
        let (a, b) = [(&symbols[..], &[][..]), (&[], &symbols)][side];
        assert_swept(a, b, tunings[tuning], u64::MAX);
    }
}

#[test]
fn halves_of_every_width_meet_in_the_middle() {
    let tiny = |columns| {
        tuning(
            Matching::Planes,
            (CarryExchange::Workgroup, 8),
            2,
            columns,
            4,
            2,
        )
    };
    let widths = [2, 7, 8, 9, 16, 17, 31, 33, 34, 63, 64, 65, 66, 127, 129];
    let heights = [5, 62, 130, 200, 496, 600];
    for [width, height, columns] in combinations([widths.len(), heights.len(), 2]) {
        let input = Input::random(4, heights[height], widths[width]);
        assert_input_swept(&input, tiny([8, 32][columns]), u64::MAX);
    }
}
