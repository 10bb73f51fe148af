//! Banded strip sweep on GPU and CPU: proven answers and paths, bounds, widening, little memory.

use support::calls::Calls;
use support::edit;
use support::inputs::Random;
use support::tier::{combinations, is_full};
use swath::PathMode;
use swath::Report;
use swath::edit_distance::EditDistance;
use swath::edit_distance::{Distance, Method};
use swath::lcs;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::Tuning;

/// With planes for two limbs, else with what the planner chooses.
fn tuning(limbs: u32, columns: u32, steps: u32, directions: u32) -> Tuning {
    let crew = (CarryExchange::Workgroup, 8);
    let shape = support::tuning(Matching::Planes, crew, limbs, columns, steps, directions);
    Tuning {
        matching: shape.matching.filter(|_| limbs == 2),
        ..shape
    }
}

fn options(path: bool, max_distance: Option<u64>, tuning: Tuning) -> EditOptions {
    edit::with(edit::options(Method::Banded, path), |options| {
        (options.max_distance, options.tuning) = (max_distance, tuning);
    })
}

fn reference(a: &[u32], b: &[u32]) -> Report<EditDistance> {
    let options = edit::options(Method::Reference, true);
    edit::solved(support::cpu(), a, b, &options)
}

/// Pairs with many strips, with narrow and with wide bands.
fn pairs() -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(1);
    let a = random.symbols(2000, 4);
    let edited = |every: u64| Random::new(every).edited(&a, every, 4);
    let swapped = [&a[300..600], &a[..300], &a[600..]].concat();
    let mut grown = edited(50);
    grown.splice(700..700, random.symbols(500, 4));
    let mut shrunk = edited(30);
    shrunk.drain(600..1000);
    let words = random.symbols(1800, 300);
    let changed = random.edited(&words, 40, 300);
    vec![
        ("one edit in 100", a.clone(), edited(100)),
        ("one edit in 10", a.clone(), edited(10)),
        ("blocks swapped", a.clone(), swapped),
        ("a long insertion", a.clone(), grown),
        ("a long deletion", a.clone(), shrunk),
        ("nothing in common", a.clone(), random.symbols(1900, 4)),
        ("many symbols", words, changed),
    ]
}

fn blocks(answer: &EditDistance) -> Option<Vec<swath::Block>> {
    answer
        .alignment
        .as_ref()
        .map(|alignment| alignment.blocks().to_vec())
}

#[test]
fn bands_prove_the_distance_and_give_the_canonical_path_of_every_kind_of_input() {
    let Some(gpu) = support::gpu() else { return };
    let tunings = [
        tuning(2, 8, 4, 2),
        tuning(4, 16, 16, 2),
        tuning(2, 32, 3, 1),
    ];
    let pairs = pairs();
    for [pair, tuning, path] in combinations([pairs.len(), tunings.len(), 2]) {
        // Kernels for many symbols take seconds to compile.
        let is_slow = pair + 1 == pairs.len() && !is_full();
        let tuning = if is_slow { 0 } else { tuning };
        let ((kind, a, b), tuning, path) = (&pairs[pair], tunings[tuning], path == 1);
        let expected = reference(a, b);
        let found = edit::solved(gpu, a, b, &options(path, None, tuning));
        assert_eq!(found.distance, expected.distance, "{kind} {tuning:?}");
        let expected = blocks(&expected).filter(|_| path);
        assert_eq!(blocks(&found), expected, "{kind} {tuning:?}");
        assert_eq!(found.run.method, Method::Banded.name(), "{kind}");
        assert_ne!(found.run.device, "cpu", "{kind}");
    }
}

#[test]
fn bands_prove_the_longest_common_subsequence_of_every_kind_of_input() {
    let Some(gpu) = support::gpu() else { return };
    for (kind, a, b) in pairs() {
        for path in [false, true] {
            let mut options = support::options(lcs::Method::Banded, path);
            support::assert_answer(support::cpu(), (&a, &b), &options, &kind);
            options.tuning = tuning(2, 8, 4, 2);
            support::assert_answer(gpu, (&a, &b), &options, &kind);
        }
    }
}

#[test]
fn the_first_band_of_similar_inputs_proves_the_answer_and_has_few_of_the_cells() {
    let Some(gpu) = support::gpu() else { return };
    let (_, a, b) = pairs().swap_remove(0);
    for path in [false, true] {
        let found = edit::solved(gpu, &a, &b, &options(path, None, tuning(2, 8, 4, 2)));
        assert!(
            found.run.computed_cells * 4 < found.run.cells,
            "{:?}",
            found.run
        );
        let mut options = support::options(lcs::Method::Banded, path);
        options.tuning = tuning(2, 8, 4, 2);
        let found = gpu.lcs_with(&a, &b, &options).expect("it is solved");
        assert!(
            found.run.computed_cells * 4 < found.run.cells,
            "{:?}",
            found.run
        );
    }
}

#[test]
fn bounds_of_the_distance_are_met_or_passed() {
    let Some(gpu) = support::gpu() else { return };
    for (kind, a, b) in pairs() {
        let expected = reference(&a, &b);
        let distance = expected
            .distance
            .exactly()
            .unwrap_or_else(|| panic!("{kind} has a distance"));
        for bound in [
            0,
            a.len().abs_diff(b.len()) as u64,
            distance - 1,
            distance,
            distance + 1,
        ] {
            let is_slow = kind == "many symbols" && !is_full();
            let columns = if is_slow { 8 } else { 16 };
            let options = options(true, Some(bound), tuning(2, columns, 4, 2));
            let found = edit::solved(gpu, &a, &b, &options);
            let within = bound >= distance;
            let wanted = if within {
                Distance::Exactly(distance)
            } else {
                Distance::MoreThan(bound)
            };
            assert_eq!(found.distance, wanted, "{kind}, at most {bound}");
            assert_eq!(
                blocks(&found),
                blocks(&expected).filter(|_| within),
                "{kind}, at most {bound}"
            );
        }
    }
}

#[test]
fn bands_too_large_to_store_are_halved_and_give_the_same_path() {
    let Some(engine) = support::gpu_with_memory(20_000) else {
        return;
    };
    let mut modes = Vec::new();
    for (kind, a, b) in pairs() {
        let expected = reference(&a, &b);
        let found = edit::solved(&engine, &a, &b, &options(true, None, tuning(2, 8, 4, 2)));
        assert_eq!(
            (found.distance, blocks(&found)),
            (expected.distance, blocks(&expected)),
            "{kind}"
        );
        modes.push(found.run.path_mode);
    }
    assert!(modes.contains(&PathMode::Hirschberg), "{modes:?}");
}
