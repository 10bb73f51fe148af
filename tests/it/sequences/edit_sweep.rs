//! Strip sweep of edit distances: kernel variants, edge sizes, paths, last rows.

use support::inputs::{Input, Kind, Random};
use support::tier::{combinations, is_full};
use support::{sweeps, tuning};
use swath::edit_distance::Mode;
use swath::unstable::edit_distance::{gpu, reference};
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::sequences::codes::Encoded;

/// Requires the distance, and with `path` the canonical path.
fn assert_swept(a: &[u32], b: &[u32], tuning: Tuning, path: bool, budget_bytes: u64) {
    let Some(backend) = support::lock_gpu() else {
        return;
    };
    let codes = Encoded::new(a, b);
    let device = Device {
        budget_bytes,
        ..support::device(&*backend)
    };
    let shown = || format!("{tuning:?} a = {a:?} b = {b:?}");
    if path {
        let found = pollster::block_on(gpu::path(&device, tuning, &codes));
        let (found, mode) = found.expect("it is solved");
        let expected = reference::path(a, b);
        assert!(
            found.as_slice() == expected.as_slice(),
            "{mode} {}",
            shown()
        );
    } else {
        let distance = pollster::block_on(gpu::distance(&device, tuning, &codes));
        let expected = reference::distance(a, b, Mode::Global);
        assert_eq!(distance.expect("it is solved"), expected, "{}", shown());
    }
}

/// As [`assert_swept`], for symbols that both have.
fn assert_input_swept(input: &Input, tuning: Tuning, path: bool, budget_bytes: u64) {
    let (a, b) = input.pair();
    if Encoded::new(&a, &b).alphabet.shared > 0 {
        assert_swept(&a, &b, tuning, path, budget_bytes);
    }
}

#[test]
fn full_and_partial_limbs_give_the_distance_and_the_canonical_path_in_every_variant() {
    for (inputs, shape, path) in sweeps::variants() {
        for input in inputs {
            assert_input_swept(&input, shape, path, u64::MAX);
        }
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
    for [size, letters, path] in combinations([sizes.len(), 4, 2]) {
        let (rows, cols) = sizes[size];
        let input = Input::random([1, 2, 4, 26][letters], rows, cols);
        // A kernel is compiled for a number of symbols.
        let some = &both[letters % 2..][..1];
        for &tuning in if is_full() { &both[..] } else { some } {
            assert_input_swept(&input, tuning, path == 1, u64::MAX);
        }
    }
    for [kind, tuning, budget] in combinations([Kind::ALL.len(), 2, 2]) {
        let input = Input {
            kind: Kind::ALL[kind],
            ..Input::random(4, 700, 590)
        };
        let budget = [u64::MAX, 60_000][budget];
        assert_input_swept(&input, both[tuning], true, budget);
    }
}

#[test]
fn an_empty_input_costs_the_length_of_the_other() {
    let crew = (CarryExchange::Workgroup, 8);
    let lens = [0, 1, 31, 32, 33, 200];
    for [len, side, path, matching] in combinations([lens.len(), 2, 2, 2]) {
        let symbols = Random::new(3).symbols(lens[len], 4);
        let (a, b) = [(&symbols[..], &[][..]), (&[], &symbols)][side];
        let source = [Matching::Table, Matching::Planes][matching];
        let directions = 1 + matching as u32;
        let shape = tuning(source, crew, 2, [8, 32][side], 4, directions);
        assert_swept(a, b, shape, path == 1, u64::MAX);
    }
}

#[test]
fn halves_of_every_width_meet_in_the_middle() {
    let crew = (CarryExchange::Workgroup, 8);
    let widths = [2, 7, 8, 9, 16, 17, 31, 33, 34, 63, 64, 65, 66, 127, 129];
    let heights = [5, 62, 130, 200, 496, 600];
    for [width, height, columns, path] in combinations([widths.len(), heights.len(), 2, 2]) {
        let input = Input::random(4, heights[height], widths[width]);
        let shape = tuning(Matching::Planes, crew, 2, [8, 32][columns], 4, 2);
        assert_input_swept(&input, shape, path == 1, u64::MAX);
    }
}
