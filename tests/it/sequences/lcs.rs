//! All LCS methods against the reference table: kernel variants, edge sizes, alphabets and kinds
//! of input.

use support::calls::Calls;
use support::inputs::{Input, Kind, Random};
use support::tier::is_full;
use support::{assert_answer, assert_answers, options, sweeps, tuned, tuning};
use swath::Engine;
use swath::lcs::Method;
use swath::unstable::backend::Backend as _;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::{Tuning, reference};
use swath::unstable::sequences::bit_parallel::gpu::tiling::Tiling;
use swath::unstable::sequences::bit_parallel::shape::{Shape, TableKind};
use swath::unstable::sequences::codes::Encoded;

/// Strips of 496 rows and tiles of 32 columns, so that small inputs cross many of both.
pub(super) fn tiny(matching: Matching, directions: u32) -> Tuning {
    tuning(matching, (CarryExchange::Workgroup, 8), 2, 8, 4, directions)
}

/// As [`tiny`] with subgroup shuffles, on devices with a fixed subgroup size.
fn tiny_subgroup(matching: Matching, directions: u32) -> Option<Tuning> {
    support::subgroup_lanes().map(|lanes| {
        tuning(
            matching,
            (CarryExchange::Subgroup, lanes),
            2,
            8,
            4,
            directions,
        )
    })
}

// Kernel variants

#[test]
fn full_and_partial_limbs_give_the_reference_answer_in_every_variant() {
    let Some(engine) = support::gpu() else { return };
    for (inputs, shape, path) in sweeps::variants() {
        for input in inputs {
            let (a, b) = input.pair();
            assert_answer(engine, (&a, &b), &tuned(path, shape), &input);
        }
    }
    // A band, and the planner's choice.
    for rows in [1, 32, 3000] {
        let input = Input {
            kind: Kind::Similar,
            letters: 4,
            rows,
            cols: 3100,
            seed: 9,
        };
        let (a, b) = input.bytes();
        for path in [false, true] {
            let mut call_options = tuned(path, Tuning::default());
            assert_answer(engine, (&a, &b), &call_options, &input);
            if rows == 3000 {
                call_options.method = Method::Banded;
                assert_answer(engine, (&a, &b), &call_options, &input);
            }
        }
    }
}

#[test]
fn shapes_that_the_planner_chooses_give_the_reference_answer() {
    let Some(engine) = support::gpu() else { return };
    for input in [
        Input::random(4, 6000, 700),
        Input::random(26, 700, 6000),
        Input::random(256, 3000, 3000),
    ] {
        let (a, b) = input.bytes();
        let plain = [
            tuned(false, Tuning::default()),
            tuned(true, Tuning::default()),
        ];
        for answer in assert_answers(engine, (&a, &b), &plain, &input) {
            assert_ne!(answer.run.device, "cpu");
        }
    }
}

#[test]
fn shaders_without_checks_give_the_reference_answer() {
    let Some(mut gpu) = support::gpu_options() else {
        return;
    };
    gpu.checked = false;
    let engine = Engine::new(gpu).expect("the adapter opens");
    for input in [
        Input::random(4, 1600, 700),
        Input {
            kind: Kind::Similar,
            letters: 4,
            rows: 900,
            cols: 900,
            seed: 4,
        },
    ] {
        let (a, b) = input.bytes();
        let mut all = vec![options(Method::ConditionalSum, false)];
        for matching in [Matching::Table, Matching::Planes] {
            all.extend([
                tuned(false, tiny(matching, 2)),
                tuned(true, tiny(matching, 1)),
            ]);
            all.extend(tiny_subgroup(matching, 1).map(|tuning| tuned(true, tuning)));
        }
        assert_answers(&engine, (&a, &b), &all, &input);
    }
}

#[test]
fn a_table_is_not_used_for_more_symbols_than_a_byte_holds() {
    let Some(engine) = support::gpu() else { return };
    for letters in [254, 255, 256, 257] {
        let input = Input::random(letters, 4000, 3000);
        let (a, b) = input.pair();
        let shared = Encoded::new(&a, &b).alphabet.shared;
        assert_eq!(shared, letters);
        let forced = tuned(false, tiny(Matching::Table, 1));
        match engine.lcs_with(&a, &b, &forced) {
            Ok(answer) if letters < 256 => assert_eq!(
                answer.length,
                reference::length(&a, &b),
                "{letters} letters"
            ),
            Err(swath::Error::MethodUnavailable { .. }) if letters >= 256 => {}
            other => panic!("{letters} letters: {other:?}"),
        }
    }
}

// Sizes

/// Lengths around all widths of the tiny strip sweep: limb, 64-bit limb, lane, strip, two strips;
/// word, tile, two tiles.
fn edges(widths: &[usize]) -> Vec<usize> {
    let around = widths
        .iter()
        .flat_map(|&width| [width - 1, width, width + 1]);
    let mut lengths: Vec<_> = [0, 1, 2].into_iter().chain(around).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

#[test]
fn the_gpu_gives_the_reference_answer_on_limb_lane_strip_word_and_tile_edges() {
    let Some(engine) = support::gpu() else { return };
    let mut all = vec![
        tuned(true, tiny(Matching::Table, 1)),
        tuned(false, tiny(Matching::Planes, 2)),
    ];
    if let (Some(one), Some(two)) = (
        tiny_subgroup(Matching::Table, 2),
        tiny_subgroup(Matching::Planes, 1),
    ) {
        all.extend([tuned(false, one), tuned(true, two)]);
    }
    let mut random = Random::new(2);
    for rows in edges(&[31, 62, 64, 496, 992]) {
        for cols in edges(&[8, 32, 64]) {
            // In half of them `b` is longer.
            let (rows, cols) = if random.below(2) == 0 {
                (rows, cols)
            } else {
                (cols, rows)
            };
            let input = Input::random(4, rows, cols);
            let (a, b) = input.bytes();
            assert_answers(engine, (&a, &b), &all, &input);
        }
    }
}

#[test]
fn the_cpu_gives_the_reference_answer_on_limb_lane_and_strip_edges() {
    let all = [
        options(Method::BitParallel, false),
        options(Method::BitParallel, true),
        options(Method::Auto, true),
    ];
    for rows in edges(&[31, 63, 64, 126, 252, 504, 1008]) {
        for cols in edges(&[32, 63, 64, 128, 1024]) {
            let input = Input::random(4, rows, cols);
            let (a, b) = input.bytes();
            assert_answers(support::cpu(), (&a, &b), &all, &input);
        }
    }
}

#[test]
fn conditional_sum_gives_the_reference_answer_on_block_and_step_edges() {
    let Some(engine) = support::gpu() else { return };
    let all = [
        options(Method::ConditionalSum, false),
        options(Method::ConditionalSum, true),
    ];
    for (rows, cols) in [
        (1, 1),
        (31, 33),
        (1023, 1024),
        (1025, 1023),
        (2047, 1025),
        (2049, 31),
        (3000, 2048),
        (0, 9),
    ] {
        let input = Input::random(4, rows, cols);
        let (a, b) = input.bytes();
        assert_answers(engine, (&a, &b), &all, &input);
    }
}

#[test]
fn calls_split_into_slices_give_the_reference_answer() {
    let Some(engine) = support::gpu() else { return };
    // A submission holds at most 4,096 passes. With one step per pass, a strip of 8 lanes takes 8.
    for tuning in [
        Some(tiny(Matching::Planes, 1)),
        tiny_subgroup(Matching::Planes, 1),
    ]
    .into_iter()
    .flatten()
    {
        assert_slices_meet(
            engine,
            Tuning {
                steps: Some(1),
                ..tuning
            },
        );
    }
}

/// Requires the reference's answer with one pass fewer than a submission holds, with as many, and
/// with one more.
fn assert_slices_meet(engine: &Engine, tuning: Tuning) {
    let caps = *support::lock_gpu()
        .expect("an adapter is here")
        .capabilities();
    for passes in [4095, 4096, 4097, 8193] {
        let rows_for = |rows| {
            let shape = Shape::new(TableKind::Lcs, rows, 24, 4);
            Tiling::new(shape, &caps, &tuning, u64::MAX)
                .expect("it plans")
                .passes()
        };
        // The fewest rows with at least this many passes.
        let strip_rows = u64::from(tuning.lanes.unwrap_or(8)) * 62;
        let rows = (1..)
            .map(|strips| strips * strip_rows)
            .find(|&rows| rows_for(rows) >= passes)
            .expect("some number");
        let input = Input::random(4, rows as usize, 24);
        let (a, b) = input.bytes();
        let path = passes == 4097;
        assert_answer(engine, (&a, &b), &tuned(path, tuning), &input);
    }
}

#[test]
fn one_long_and_one_short_input_give_the_reference_answer() {
    for (rows, cols) in [
        (100_000, 1),
        (1, 100_000),
        (60_000, 3),
        (70, 30_000),
        (5000, 3),
        (70, 3000),
    ] {
        let input = Input::random(4, rows, cols);
        let (a, b) = input.bytes();
        let mut methods = vec![Method::BitParallel, Method::Auto];
        // Its time grows with the square of the difference of the lengths.
        if rows.max(cols) <= 5000 {
            methods.push(Method::Wavefront);
        }
        let cpu: Vec<_> = methods
            .iter()
            .map(|&method| options(method, true))
            .collect();
        assert_answers(support::cpu(), (&a, &b), &cpu, &input);
        if let Some(engine) = support::gpu() {
            let gpu = [
                tuned(false, Tuning::default()),
                tuned(true, tiny(Matching::Planes, 2)),
            ];
            assert_answers(engine, (&a, &b), &gpu, &input);
        }
    }
}

// Alphabets and kinds

pub(super) fn every_kind() -> impl Iterator<Item = Input> {
    let mut seed = 100;
    [1, 2, 4, 20, 26, 256, 100_000]
        .into_iter()
        .flat_map(move |letters| {
            Kind::ALL.into_iter().map(move |kind| {
                seed += 1;
                let (rows, cols) = if seed % 2 == 0 {
                    (700, 590)
                } else {
                    (541, 600)
                };
                Input {
                    kind,
                    letters,
                    rows,
                    cols,
                    seed,
                }
            })
        })
}

#[test]
fn every_cpu_method_gives_the_reference_answer_on_every_kind_and_alphabet() {
    let methods = [
        Method::BitParallel,
        Method::Wavefront,
        Method::Reference,
        Method::Auto,
    ];
    let all: Vec<_> = methods
        .into_iter()
        .flat_map(|method| [false, true].map(|path| options(method, path)))
        .collect();
    for input in every_kind() {
        let (a, b) = input.pair();
        assert_answers(support::cpu(), (&a, &b), &all, &input);
        if input.letters <= 256 {
            let (a, b) = input.bytes();
            assert_answers(support::cpu(), (&a, &b), &all, &input);
        }
    }
}

#[test]
fn gpu_methods_without_tunings_give_the_reference_answer_on_every_kind_and_alphabet() {
    let Some(engine) = support::gpu() else { return };
    let all = [
        options(Method::ConditionalSum, false),
        options(Method::Auto, true),
    ];
    // Kernels are compiled for numbers of symbols.
    let is_taken = |input: &Input| is_full() || [1, 4, 26, 256].contains(&input.letters);
    for input in every_kind().filter(is_taken) {
        let (a, b) = input.pair();
        assert_answers(engine, (&a, &b), &all, &input);
    }
}

#[test]
fn more_different_lines_than_16_bits_count_are_told_apart() {
    let mut random = Random::new(9);
    let a: Vec<u32> = (0..70_000).map(|line| line * 3).collect();
    // Blocks of lines are moved, dropped and edited. On distinct symbols the LCS is a longest
    // increasing subsequence.
    let mut b = random.edited(&a, 10, 210_000);
    b.rotate_left(14_000);
    let all = |engine| assert_lines(engine, &a, &b);
    all(support::cpu());
    support::gpu().map(all);
}

fn assert_lines(engine: &Engine, a: &[u32], b: &[u32]) {
    // Each symbol of `b` that occurs once in `a` pairs with one position, so the length is that of
    // a longest strictly increasing subsequence of positions. Doubled lines share a position, which
    // strictness excludes.
    let mut tails: Vec<u32> = Vec::new();
    for symbol in b.iter().filter(|&&symbol| symbol % 3 == 0) {
        let place = tails.partition_point(|tail| tail < symbol);
        tails.truncate(tails.len().max(place));
        if place == tails.len() {
            tails.push(*symbol)
        } else {
            tails[place] = *symbol
        }
    }
    let answer = engine
        .lcs_with(a, b, &options(Method::BitParallel, true))
        .expect("it is solved");
    assert_eq!(answer.length, tails.len() as u64);
    answer
        .subsequence
        .as_ref()
        .expect("a path was asked for")
        .verify(a, b, answer.length)
        .expect("it is proven");
}
