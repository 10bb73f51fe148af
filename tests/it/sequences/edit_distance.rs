//! Edit distance on CPU and GPU: all methods, modes and bounds against the reference table and
//! other programs.

use std::fmt::Debug;

use support::calls::Calls;
use support::edit::{assert_answers_of, gaps_are_at, options, solved, with};
use support::inputs::{Errors, Input, Kind, Random, paste};
use support::tier::is_full;
use swath::PathMode;
use swath::edit_distance::{Distance, Gaps, Method, Mode};
use swath::unstable::edit_distance::EditOptions;
use swath::{Engine, Error, Symbol};

const NATIVE: [Method; 5] = [
    Method::Auto,
    Method::BitParallel,
    Method::Banded,
    Method::Wavefront,
    Method::Reference,
];

/// Requires the distance and the canonical alignment from all CPU methods, and from bounds around
/// the distance.
#[track_caller]
fn assert_answers<S: Symbol + Debug>(engine: &Engine, a: &[S], b: &[S], input: &dyn Debug) {
    assert_answers_of(&NATIVE, engine, a, b, input);
}

#[test]
fn every_method_gives_the_reference_answer_on_limb_and_lane_edges() {
    for rows in [
        0, 1, 2, 62, 63, 64, 65, 125, 126, 127, 251, 252, 253, 503, 504, 505, 1007, 1008, 1009,
    ] {
        for (cols, letters) in [(1, 2), (63, 4), (64, 4), (65, 5), (130, 26), (257, 300)] {
            let input = Input::random(letters, rows, cols);
            let (a, b) = input.pair();
            assert_answers(support::cpu(), &a, &b, &input);
        }
    }
}

#[test]
fn every_method_gives_the_reference_answer_on_strip_and_block_edges() {
    for (rows, cols) in [
        (3023, 400),
        (3024, 1023),
        (3025, 1024),
        (400, 1025),
        (6049, 90),
        (20, 4097),
    ] {
        let input = Input::random(4, rows, cols);
        let (a, b) = input.bytes();
        assert_answers_of(&NATIVE[..4], support::cpu(), &a, &b, &input);
    }
}

#[test]
fn every_method_gives_the_reference_answer_on_every_kind_of_input() {
    for kind in Kind::ALL {
        for letters in [1, 2, 4, 20, 256] {
            for (rows, cols) in [(300, 290), (90, 700), (700, 90)] {
                let input = Input {
                    kind,
                    letters,
                    rows,
                    cols,
                    seed: 9,
                };
                let (a, b) = input.bytes();
                assert_answers(support::cpu(), &a, &b, &input);
            }
        }
    }
}

/// Pairs of all error models, with few and many errors, and with all blocks moved or repeated.
fn erroneous_pairs(len: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(5);
    let mut pairs = Vec::new();
    for errors in Errors::ALL {
        for every in [3, 10, 100] {
            let a = random.symbols(len, 4);
            let b = random.erroneous(&a, errors, every, 4);
            pairs.push((a, b));
        }
    }
    let [x, y, z] = [len / 6, len / 4, len / 8].map(|len| random.symbols(len, 4));
    let unit = random.symbols(37, 4);
    let tandem: Vec<u32> = unit.iter().cycle().take(len / 2).copied().collect();
    let mut longer = tandem.clone();
    longer.splice(len / 4..len / 4, unit.iter().cycle().take(111).copied());
    pairs.extend([
        ([&x[..], &y, &z].concat(), [&z[..], &x, &y].concat()),
        ([&x[..], &y, &z].concat(), [&x[..], &z].concat()),
        ([&x[..], &y].concat(), [&y[..], &z, &y].concat()),
        (tandem, longer),
    ]);
    pairs
}

#[test]
fn every_method_gives_the_reference_answer_under_every_model_of_errors() {
    for (place, (a, b)) in erroneous_pairs(1300).iter().enumerate() {
        assert_answers_of(&NATIVE[..4], support::cpu(), a, b, &place);
    }
}

#[test]
fn a_gpu_gives_the_reference_answer_under_every_model_of_errors() {
    let Some(engine) = support::gpu() else { return };
    let methods = [Method::BitParallel, Method::Banded];
    let mut pairs = erroneous_pairs(1100);
    let disjoint = Input {
        kind: Kind::Disjoint,
        ..Input::random(4, 300, 200)
    };
    let others = [Input::random(26, 64, 900), Input::random(2, 3, 1), disjoint];
    pairs.extend(others.map(|input| input.pair()));
    for (place, (a, b)) in pairs.iter().enumerate() {
        // Every model by both methods.
        let methods = if is_full() {
            &methods[..]
        } else {
            &methods[place % 2..][..1]
        };
        assert_answers_of(methods, engine, a, b, &place);
    }
    let (a, b) = &pairs[0];
    for method in [Method::BitParallel, Method::AntiDiagonal, Method::Tiled] {
        let answer = solved(engine, a, b, &options(method, false));
        assert_eq!(answer.run.method, method.name());
        assert_ne!(answer.run.device, "cpu");
    }
}

#[test]
fn small_inputs_of_few_letters_are_all_answered_alike() {
    let mut random = Random::new(7);
    for _ in 0..400 {
        let letters = 1 + random.below(3) as u32;
        let (rows, cols) = (random.below(12) as usize, random.below(12) as usize);
        let (a, b) = (random.symbols(rows, letters), random.symbols(cols, letters));
        assert_answers(support::cpu(), &a, &b, &"small");
    }
}

#[test]
fn bands_widen_until_the_distance_is_proven() {
    let mut random = Random::new(8);
    let a = random.symbols(30_000, 4);
    let shift = |by: usize| [&a[by..], &a[..by]].concat();
    let similar = random.erroneous(&a, Errors::Mixed, 20, 4);
    let other = random.symbols(29_000, 4);
    for b in [similar, shift(100), shift(900), shift(4000), other] {
        let whole = solved(support::cpu(), &a, &b, &options(Method::BitParallel, true));
        let banded = solved(support::cpu(), &a, &b, &options(Method::Banded, true));
        assert_eq!(banded.distance, whole.distance);
        assert!(banded.alignment == whole.alignment);
        let distance = whole.distance.exactly().expect("no bound was given");
        let theirs =
            rapidfuzz::distance::levenshtein::distance(a.iter().copied(), b.iter().copied()) as u64;
        assert_eq!(distance, theirs);
        for (bound, within) in [(distance - 1, false), (distance, true)] {
            let bounded = with(options(Method::Banded, false), |call_options| {
                call_options.max_distance = Some(bound)
            });
            let answer = solved(support::cpu(), &a, &b, &bounded).distance;
            assert_eq!(
                answer,
                if within {
                    Distance::Exactly(distance)
                } else {
                    Distance::MoreThan(bound)
                }
            );
        }
    }
}

#[test]
fn a_band_without_room_for_its_boundaries_is_split() {
    let mut random = Random::new(9);
    let a = random.symbols(20_000, 4);
    let b = random.erroneous(&a, Errors::Mixed, 15, 4);
    let small = support::cpu_with_memory(60_000);
    for method in [Method::Banded, Method::BitParallel] {
        let stored = solved(support::cpu(), &a, &b, &options(method, true));
        let split = solved(&small, &a, &b, &options(method, true));
        assert_eq!(stored.run.path_mode, PathMode::StoredBoundaries);
        assert_eq!(split.run.path_mode, PathMode::Hirschberg);
        assert!(split.alignment == stored.alignment, "{method:?}");
    }
}

#[test]
fn similar_inputs_cost_in_proportion_to_their_differences() {
    let mut random = Random::new(10);
    let a = random.symbols(60_000, 4);
    // With more threads the whole table would be faster than finding the band.
    let engine = Engine::new(
        swath::Options::new()
            .device(swath::DeviceChoice::Cpu)
            .threads(2),
    )
    .expect("it is there");
    for (every, method) in [(2000, Method::Wavefront), (20, Method::Banded)] {
        let b = random.erroneous(&a, Errors::Mixed, every, 4);
        let answer = solved(&engine, &a, &b, &options(Method::Auto, true));
        assert_eq!(answer.run.method, method.name());
        assert!(
            answer.run.computed_cells * 3 < answer.run.cells,
            "{:?}",
            answer.run
        );
    }
}

#[test]
fn more_distinct_lines_than_16_bits_count_are_told_apart() {
    let a: Vec<u32> = (0..70_000).collect();
    // Every 900th line is replaced, every 700th swapped with its successor.
    let mut b: Vec<u32> = a
        .iter()
        .map(|&line| {
            if line % 900 == 450 {
                line + 70_000
            } else {
                line
            }
        })
        .collect();
    (0..b.len() - 1)
        .step_by(700)
        .for_each(|line| b.swap(line, line + 1));
    let distance =
        rapidfuzz::distance::levenshtein::distance(a.iter().copied(), b.iter().copied()) as u64;
    // The kernel that keeps the path of 70,000 distinct lines takes seconds to compile: the full tier has it.
    let gpu = support::gpu().map(|engine| (engine, &[Method::Banded][..], is_full()));
    let cpu = (support::cpu(), &NATIVE[..4], true);
    for (engine, methods, path) in [cpu].into_iter().chain(gpu) {
        for &method in methods {
            let answer = solved(engine, &a, &b, &options(method, path));
            assert_eq!(answer.distance, Distance::Exactly(distance), "{method:?}");
            assert_eq!(answer.alignment.is_some(), path);
            if let Some(alignment) = &answer.alignment {
                let verified = alignment.verify(&a, &b, distance);
                verified.expect("it proves the distance");
            }
            assert!(
                method == Method::Auto || answer.run.method == method.name(),
                "{:?}",
                answer.run
            );
            assert_eq!(
                answer.run.device == "cpu",
                std::ptr::eq(engine, support::cpu()),
                "{:?}",
                answer.run
            );
        }
    }
}

// Gaps

#[test]
fn gaps_move_at_no_cost_as_far_as_equal_symbols_let_them() {
    let mut random = Random::new(14);
    for case in 0..300 {
        let letters = 1 + random.below(4) as u32;
        let (len, every) = (random.below(200) as usize, 2 + random.below(10));
        let a = random.symbols(len, letters);
        let b = random.edited(&a, every, letters);
        let plain = solved(support::cpu(), &a, &b, &options(Method::Auto, true));
        let distance = plain.distance.exactly().expect("no bound was given");
        for gaps in [Gaps::Left, Gaps::Right] {
            let call_options = with(options(Method::Auto, true), |call_options| {
                call_options.gaps = Some(gaps)
            });
            let alignment = solved(support::cpu(), &a, &b, &call_options)
                .answer
                .alignment
                .expect("it was asked for");
            alignment
                .verify(&a, &b, distance)
                .expect("the cost is kept");
            assert!(
                gaps_are_at(gaps, alignment.blocks(), &a, &b),
                "case {case}: {:?} {gaps:?}\n{}",
                alignment.blocks(),
                paste(&a, &b)
            );
        }
    }
}

#[test]
fn gaps_move_past_the_common_affixes() {
    let call_options = |gaps| {
        with(options(Method::Auto, true), |call_options| {
            call_options.gaps = Some(gaps)
        })
    };
    let cigar = |gaps| {
        let answer = solved(support::cpu(), b"GGAAAACC", b"GGAAACC", &call_options(gaps));
        answer.alignment.clone().expect("it was asked for").cigar()
    };
    assert_eq!(cigar(Gaps::Left), "2M1I5M");
    assert_eq!(cigar(Gaps::Right), "5M1I2M");
}

// Laws and other programs

#[test]
fn distances_are_those_of_rapidfuzz() {
    for (letters, rows, cols) in [
        (2, 5000, 4000),
        (4, 9000, 9000),
        (26, 3000, 8000),
        (200, 6000, 5000),
    ] {
        let (a, b) = Input::random(letters, rows, cols).bytes();
        let theirs =
            rapidfuzz::distance::levenshtein::distance(a.iter().copied(), b.iter().copied()) as u64;
        for method in [Method::Auto, Method::BitParallel, Method::Banded] {
            assert_eq!(
                solved(support::cpu(), &a, &b, &options(method, false)).distance,
                Distance::Exactly(theirs)
            );
        }
    }
}

#[test]
fn distances_and_locations_are_those_of_edlib() {
    let mut answers = 0;
    for line in include_str!("../../data/edlib.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let [mode, a, b, distance, locations] = fields[..] else {
            panic!("{line}")
        };
        let mode = Mode::ALL
            .into_iter()
            .find(|known| known.name() == mode)
            .expect("a mode");
        let call_options = with(options(Method::Auto, true), |call_options| {
            (call_options.mode, call_options.starts) = (mode, mode == Mode::Infix)
        });
        let answer = solved(support::cpu(), a.as_bytes(), b.as_bytes(), &call_options);
        assert_eq!(
            answer
                .distance
                .exactly()
                .map(|found| found.to_string())
                .as_deref(),
            Some(distance),
            "{line}"
        );
        let pieces = answer.pieces.iter();
        let found: Vec<_> = pieces
            .map(|piece| format!("{}..{}", piece.start.expect("it was asked for"), piece.end))
            .collect();
        if mode != Mode::Global {
            assert_eq!(found.join(" "), locations, "{line}");
        }
        answers += 1;
    }
    assert_eq!(answers, 180);
}

// Errors

#[test]
fn invalid_options_are_refused_with_a_remedy() {
    let error = |a: &[u8], b: &[u8], options: &EditOptions| {
        support::cpu()
            .edit_distance_with(a, b, options)
            .expect_err("it is refused")
    };
    let infix = with(options(Method::Auto, false), |call_options| {
        call_options.mode = Mode::Infix
    });
    assert!(matches!(error(b"", b"ab", &infix), Error::EmptyQuery));
    for method in [Method::AntiDiagonal, Method::Tiled] {
        assert!(matches!(
            error(b"a", b"b", &options(method, true)),
            Error::MethodUnavailable { .. }
        ));
    }
    let wavefront = with(options(Method::Wavefront, false), |call_options| {
        call_options.mode = Mode::Prefix
    });
    assert!(matches!(
        error(b"a", b"b", &wavefront),
        Error::MethodUnavailable { .. }
    ));
}
