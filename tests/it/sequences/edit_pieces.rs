//! Prefix and infix searches: all modes and bounds against the reference table.

use support::edit::{assert_pieces_by, options, solved, with};
use support::inputs::{Errors, Random, paste};
use support::tier::{combinations, is_full};
use swath::edit_distance::{Distance, Method, Mode};
use swath::unstable::edit_distance::reference;
use swath::{Engine, Options};

#[track_caller]
fn assert_pieces(a: &[u32], b: &[u32]) {
    assert_pieces_by(
        support::cpu(),
        &[Method::Auto, Method::BitParallel, Method::Reference],
        a,
        b,
    );
}

#[track_caller]
fn assert_pieces_on_a_gpu(a: &[u32], b: &[u32]) {
    let Some(engine) = support::gpu() else { return };
    assert_pieces_by(engine, &[Method::Auto], a, b);
}

#[test]
fn a_gpu_finds_the_pieces_of_the_reference() {
    let mut random = Random::new(14);
    let rows = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 130];
    let cols = [0, 1, 30, 31, 32, 500, 5000];
    for [row, col, letters] in combinations([rows.len(), cols.len(), 2]) {
        let letters = [2, 30][letters];
        assert_pieces_on_a_gpu(
            &random.symbols(rows[row], letters),
            &random.symbols(cols[col], letters),
        );
    }
    let target = random.symbols(7000, 4);
    assert_pieces_on_a_gpu(
        &random.erroneous(&target[3000..3400], Errors::Mixed, 12, 4),
        &target,
    );
    assert_pieces_on_a_gpu(&[7, 7, 7], &target[..500]);
}

#[test]
fn pieces_are_those_of_the_reference_on_edge_sizes() {
    let mut random = Random::new(11);
    for rows in [0, 1, 2, 62, 63, 64, 65, 130] {
        for cols in [0, 1, 2, 63, 64, 126, 127, 505, 1009] {
            for letters in [2, 4, 30] {
                assert_pieces(
                    &random.symbols(rows, letters),
                    &random.symbols(cols, letters),
                );
            }
        }
    }
}

#[test]
fn pieces_are_found_in_long_targets() {
    let mut random = Random::new(12);
    let target = random.symbols(7000, 4);
    let query = random.erroneous(&target[3000..3400], Errors::Mixed, 12, 4);
    assert_pieces(&query, &target);
    let query = random.erroneous(&target[..2000], Errors::Mixed, 12, 4);
    assert_pieces(&query, &target[..3500]);
    // The same piece in many places.
    let repeats: Vec<u32> = target[..40].iter().cycle().take(2000).copied().collect();
    assert_pieces(&target[5..30], &repeats);
    assert_pieces(&[7, 7, 7], &target[..500]);
}

#[test]
fn small_pieces_are_all_found() {
    let mut random = Random::new(13);
    for _ in 0..400 {
        let letters = 1 + random.below(3) as u32;
        let (rows, cols) = (random.below(9) as usize, random.below(14) as usize);
        assert_pieces(
            &random.symbols(rows, letters),
            &random.symbols(cols, letters),
        );
    }
}

// Pieces within a bound

/// Long targets, and queries whose first symbols narrow down where a piece may be.
fn searches() -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(16);
    let query = random.symbols(3100, 4);
    let target = random.symbols(24_000, 4);
    let planted = |random: &mut Random, places: &[usize], every: u64| {
        let mut planted = target.clone();
        for &place in places {
            let piece = random.erroneous(&query, Errors::Mixed, every, 4);
            planted.splice(place..(place + piece.len()).min(target.len()), piece);
        }
        planted
    };
    let once = planted(&mut random, &[12_001], 60);
    let exact_twice = planted(&mut random, &[3000, 18_000], u64::MAX);
    let thrice = planted(&mut random, &[700, 9000, 20_000], 150);
    let at_the_start = planted(&mut random, &[0], 90);
    let cut_at_the_start = planted(&mut random, &[0], 90)[60..].to_vec();
    let at_the_end = planted(&mut random, &[24_000], 90);
    let cut_at_the_end = at_the_end[..at_the_end.len() - 77].to_vec();
    let touching = planted(&mut random, &[10_000, 13_100], 200);
    let cycle = |symbols: &[u32], len: usize| {
        symbols
            .iter()
            .cycle()
            .take(len)
            .copied()
            .collect::<Vec<_>>()
    };
    let mut cases = vec![("absent", target.clone())];
    cases.extend([
        ("once", once),
        ("exactly twice", exact_twice),
        ("thrice", thrice),
        ("touching", touching),
    ]);
    cases.extend([
        ("at the start", at_the_start),
        ("cut at the start", cut_at_the_start),
    ]);
    cases.extend([
        ("at the end", at_the_end),
        ("cut at the end", cut_at_the_end),
    ]);
    let mut cases: Vec<_> = cases
        .into_iter()
        .map(|(name, target)| (name, query.clone(), target))
        .collect();
    cases.push((
        "periodic",
        cycle(&query[..900], 3100),
        cycle(&query[..450], 20_000),
    ));
    cases.push(("all equal", vec![1; 2000], vec![1; 20_000]));
    cases.push(("disjoint", vec![1; 2000], vec![2; 20_000]));
    // A target too short for more than one window, and one as short as the query.
    cases.push(("hardly longer", query.clone(), target[..3500].to_vec()));
    cases.push(("the query itself", query.clone(), query[30..].to_vec()));
    cases
}

#[test]
fn bounded_searches_find_the_pieces_of_the_reference() {
    for (turn, (name, a, b)) in searches().into_iter().enumerate() {
        for mode in [Mode::Prefix, Mode::Infix] {
            let (distance, ends) = reference::ends(&a, &b, mode);
            let around = [
                distance.saturating_sub(1),
                distance,
                distance + 1,
                distance * 2,
                distance + 100,
            ];
            let max = a.len().max(b.len()) as u64;
            let bounds = [0, 1, 20, 150, 400]
                .into_iter()
                .chain(around)
                .map(|bound| Some(bound.min(max)));
            let edges = [Some(distance.saturating_sub(1)), Some(distance), None];
            let all: Vec<_> = bounds.chain([None]).collect();
            // Each search on the device takes many small passes.
            let turn = (turn + usize::from(mode == Mode::Infix)) % 2;
            let of_gpu = if is_full() {
                &all[..]
            } else {
                &edges[turn..turn + 2]
            };
            let engines = [(Some(support::cpu()), &all[..]), (support::gpu(), of_gpu)];
            for (engine, bounds) in engines {
                let Some(engine) = engine else { continue };
                for &bound in bounds {
                    let call_options = with(options(Method::Auto, false), |call_options| {
                        (call_options.mode, call_options.max_distance) = (mode, bound);
                    });
                    let answer = solved(engine, &a, &b, &call_options);
                    let within = bound.is_none_or(|bound| distance <= bound);
                    let shown =
                        || format!("{name} {mode:?} at most {bound:?} on {}", answer.run.device);
                    assert_eq!(
                        answer.distance.exactly(),
                        within.then_some(distance),
                        "{}",
                        shown()
                    );
                    let found: Vec<_> = answer.pieces.iter().map(|piece| piece.end).collect();
                    assert_eq!(
                        found,
                        if within { ends.clone() } else { Vec::new() },
                        "{}",
                        shown()
                    );
                    if within && ends.len() < 5 {
                        let call_options = with(call_options.clone(), |call_options| {
                            (call_options.path, call_options.starts) = (true, true)
                        });
                        let whole = with(call_options.clone(), |call_options| {
                            call_options.method = Method::BitParallel
                        });
                        let [found, whole] = [call_options, whole]
                            .map(|call_options| solved(engine, &a, &b, &call_options));
                        assert_eq!(found.pieces, whole.pieces, "{}", shown());
                        assert!(
                            found.alignment.is_some() && found.alignment == whole.alignment,
                            "{}",
                            shown()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_search_for_few_edits_computes_a_small_part_of_the_table() {
    // More threads search more parts, each from some way before its start.
    let options_of_engine = Options::new()
        .device("cpu".parse().expect("a name"))
        .threads(2);
    let engine = Engine::new(options_of_engine).expect("the CPU is there");
    let mut random = Random::new(17);
    let (absent, mut target) = (random.symbols(20_000, 4), random.symbols(2_000_000, 4));
    let query = random.erroneous(&target[1_234_000..1_254_000], Errors::Mixed, 150, 4);
    let search = |query: &[u32], target: &[u32], bound: Option<u64>| {
        let call_options = with(options(Method::Auto, false), |call_options| {
            (call_options.mode, call_options.max_distance) = (Mode::Infix, bound)
        });
        solved(&engine, query, target, &call_options)
    };
    for bound in [Some(200), None] {
        let found = search(&query, &target, bound);
        let whole = with(options(Method::BitParallel, false), |call_options| {
            call_options.mode = Mode::Infix
        });
        let whole = solved(&engine, &query, &target, &whole);
        assert_eq!(
            (found.distance, &found.pieces),
            (whole.distance, &whole.pieces)
        );
        assert!(
            found.distance.exactly() <= Some(200) && whole.run.computed_cells >= whole.run.cells
        );
        assert!(
            found.run.computed_cells * 4 < found.run.cells,
            "at most {bound:?}: {:?}",
            found.run
        );
    }
    // About as many symbols as show that 200 edits are too few.
    let missed = search(&absent, &target, Some(200));
    assert_eq!(missed.distance, Distance::MoreThan(200));
    assert!(
        missed.run.computed_cells < 700 * 2_000_000,
        "{:?}",
        missed.run
    );
    // The trial for a bound is cheap even if it fails.
    target.truncate(400_000);
    let hopeless = search(&absent, &target, None);
    assert!(
        hopeless.run.computed_cells * 10 < hopeless.run.cells * 11,
        "{:?}",
        hopeless.run
    );
}

#[test]
fn a_bounded_search_with_a_gpu_computes_a_small_part_of_the_table() {
    let Some(engine) = support::gpu() else { return };
    let mut random = Random::new(18);
    let (absent, target) = (random.symbols(9000, 4), random.symbols(90_000, 4));
    let query = random.erroneous(&target[50_000..59_000], Errors::Mixed, 300, 4);
    let call_options = with(options(Method::Auto, false), |call_options| {
        (call_options.mode, call_options.max_distance) = (Mode::Infix, Some(60))
    });
    let found = solved(engine, &query, &target, &call_options);
    assert!(found.distance.exactly().is_some(), "{:?}", found.run);
    assert!(
        found.run.computed_cells * 4 < found.run.cells,
        "{:?}",
        found.run
    );
    let missed = solved(engine, &absent, &target, &call_options);
    assert_eq!(missed.distance, Distance::MoreThan(60));
    assert!(
        missed.run.computed_cells * 10 < missed.run.cells,
        "{:?}",
        missed.run
    );
}

#[test]
fn too_distant_prefixes_are_rejected_by_their_first_symbols() {
    let mut random = Random::new(19);
    let (a, b) = (random.symbols(30_000, 4), random.symbols(40_000, 4));
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        let call_options = with(options(Method::Auto, false), |call_options| {
            (call_options.mode, call_options.max_distance) = (Mode::Prefix, Some(100));
        });
        let answer = solved(engine, &a, &b, &call_options);
        assert_eq!(answer.distance, Distance::MoreThan(100));
        assert!(answer.run.computed_cells < 512 * 1024, "{:?}", answer.run);
    }
}

#[test]
fn reference_pieces_start_at_the_first_place_from_where_their_distance_is_the_least() {
    let mut random = Random::new(31);
    for letters in [1, 2, 4] {
        for (rows, cols) in [(1, 0), (1, 1), (3, 9), (5, 4), (8, 30), (20, 25)] {
            let (a, b) = (random.symbols(rows, letters), random.symbols(cols, letters));
            let (distance, ends) = reference::ends(&a, &b, Mode::Infix);
            for end in ends {
                let near = |&start: &usize| {
                    reference::distance(&a, &b[start..end], Mode::Global) == distance
                };
                let expected = (0..=end).find(near);
                assert_eq!(
                    Some(reference::start(&a, &b, end, distance)),
                    expected,
                    "{end} {}",
                    paste(&a, &b)
                );
            }
        }
    }
}
