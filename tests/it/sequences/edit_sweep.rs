//! Strip sweep of edit distances: kernel variants, edge sizes, paths, last rows.

use std::time::Duration;

use support::inputs::{Input, Kind, Random};
use support::tier::combinations;
use support::tuning;
use swath::Block;
use swath::Control;
use swath::unstable::edit_distance::gpu;
use swath::unstable::engine::Device;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;
use swath::unstable::sequences::bit_parallel::gpu::tiling::limb_rows;
use swath::unstable::sequences::codes::Encoded;

/// The whole reference table.
fn table(a: &[u32], b: &[u32]) -> Vec<Vec<u32>> {
    let mut d = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i][j] = match (i, j) {
                (0, _) => j as u32,
                (_, 0) => i as u32,
                _ => (d[i - 1][j - 1] + u32::from(a[i - 1] != b[j - 1]))
                    .min(d[i - 1][j] + 1)
                    .min(d[i][j - 1] + 1),
            };
        }
    }
    d
}

fn path(d: &[Vec<u32>], a: &[u32], b: &[u32]) -> Vec<Block> {
    let (mut i, mut j) = (a.len(), b.len());
    let mut runs: Vec<Block> = Vec::new();
    while i > 0 && j > 0 {
        if d[i][j] == d[i - 1][j] + 1 {
            i -= 1;
        } else if a[i - 1] != b[j - 1] && d[i][j - 1] < d[i - 1][j - 1] {
            j -= 1;
        } else {
            (i, j) = (i - 1, j - 1);
            match runs.last_mut() {
                Some(run) if run.a == i + 1 && run.b == j + 1 => {
                    *run = Block {
                        a: i,
                        b: j,
                        len: run.len + 1,
                    }
                }
                _ => runs.push(Block { a: i, b: j, len: 1 }),
            }
        }
    }
    runs.reverse();
    runs
}

fn assert_swept(a: &[u32], b: &[u32], tuning: Tuning, budget_bytes: u64) {
    let Some(backend) = support::backend() else {
        return;
    };
    let backend = backend
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let (control, phases) = (
        Control::default(),
        swath::unstable::call::phases::Phases::start(),
    );
    let codes = Encoded::new(a, b);
    let d = table(a, b);
    let device = Device {
        backend: &*backend,
        budget_bytes,
        slice: Duration::from_millis(60),
        threads: None,
        control: &control,
        phases: &phases,
    };
    let distance =
        pollster::block_on(gpu::distance(&device, tuning, &codes)).expect("it is solved");
    assert_eq!(
        distance,
        u64::from(d[a.len()][b.len()]),
        "{tuning:?} a = {a:?} b = {b:?}"
    );
    let (found, mode) =
        pollster::block_on(gpu::path(&device, tuning, &codes)).expect("it is solved");
    assert_eq!(
        found.as_slice(),
        path(&d, a, b),
        "{mode} {tuning:?} a = {a:?} b = {b:?}"
    );
}

#[test]
fn every_variant_gives_the_distance_and_the_canonical_path() {
    let mut random = Random::new(1);
    let mut crews = vec![
        (CarryExchange::Workgroup, 8),
        (CarryExchange::Workgroup, 32),
    ];
    crews.extend(support::subgroup_lanes().map(|lanes| (CarryExchange::Subgroup, lanes)));
    for [crew, limbs, matching, columns] in combinations([crews.len(), 3, 2, 3]) {
        let (crew, limbs) = (crews[crew], [2, 4, 6][limbs]);
        let rows = (crew.1 * limbs * 31 + 40) as usize;
        let (a, b) = Input::random(4, rows, 171).pair();
        let (steps, directions) = (random.pick(&[1, 3, 4, 16]), random.pick(&[1, 2]));
        let matching = [Matching::Table, Matching::Planes][matching];
        let columns = [8, 16, 32][columns];
        let shape = tuning(matching, crew, limbs, columns, steps, directions);
        assert_swept(&a, &b, shape, u64::MAX);
    }
}

#[test]
fn full_and_partial_limbs_give_the_distance_and_the_canonical_path() {
    let mut random = Random::new(4);
    let limb_rows = limb_rows(support::is_cuda());
    let mut crews = vec![(CarryExchange::Workgroup, 8)];
    crews.extend(support::subgroup_lanes().map(|lanes| (CarryExchange::Subgroup, lanes)));
    for [crew, limbs, kind, matching] in combinations([crews.len(), 2, Kind::ALL.len(), 2]) {
        let (crew, limbs) = (crews[crew], [2, 6][limbs]);
        // Two strips, one row more or one fewer; with full limbs or not.
        let more = random.pick(&[0, 1, limb_rows - 1, limb_rows, limb_rows + 1]);
        let rows = crew.1 * limbs * limb_rows * 2 + more - 1;
        // Planes of large alphabets leave registers for few limbs.
        let letters = random.pick(if limbs == 2 {
            &[1, 2, 4, 26, 300]
        } else {
            &[1, 2, 4, 26]
        });
        // A shape for each kernel, so that few are compiled.
        let (columns, steps) =
            [(8, 4), (16, 1), (32, 3), (8, 16)][(limbs / 2 + matching as u32) as usize % 4];
        let matching = if letters < 100 {
            [Matching::Table, Matching::Planes][matching]
        } else {
            Matching::Planes
        };
        let input = Input {
            kind: Kind::ALL[kind],
            letters,
            rows: rows as usize,
            cols: 171,
            seed: u64::from(rows),
        };
        let (a, b) = input.pair();
        if Encoded::new(&a, &b).alphabet.shared > 0 {
            let shape = tuning(matching, crew, limbs, columns, steps, random.pick(&[1, 2]));
            assert_swept(&a, &b, shape, u64::MAX);
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
    for [size, letters, tuning] in combinations([sizes.len(), 4, 2]) {
        let (rows, cols) = sizes[size];
        let (a, b) = Input {
            kind: Kind::ALL[0],
            letters: [1, 2, 4, 26][letters],
            rows,
            cols,
            seed: rows as u64,
        }
        .pair();
        if Encoded::new(&a, &b).alphabet.shared > 0 {
            assert_swept(&a, &b, both[tuning], u64::MAX);
        }
    }
    for [kind, tuning, budget] in combinations([Kind::ALL.len(), 2, 2]) {
        let (a, b) = Input {
            kind: Kind::ALL[kind],
            letters: 4,
            rows: 700,
            cols: 590,
            seed: 5,
        }
        .pair();
        if Encoded::new(&a, &b).alphabet.shared > 0 {
            assert_swept(&a, &b, both[tuning], [u64::MAX, 60_000][budget]);
        }
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
        let (rows, cols) = (heights[height], widths[width]);
        let (a, b) = Input {
            kind: Kind::ALL[0],
            letters: 4,
            rows,
            cols,
            seed: rows as u64,
        }
        .pair();
        if Encoded::new(&a, &b).alphabet.shared > 0 {
            assert_swept(&a, &b, tiny([8, 32][columns]), u64::MAX);
        }
    }
}
