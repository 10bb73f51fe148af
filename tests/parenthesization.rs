//! Every method that fills a table of costs against the textbook's.

mod support;

use support::calls::Calls;
use support::inputs::Random;
use support::trees::{KINDS, assert_answer, bases, dimensions, lengths, options, tuning};
use swath::parenthesization::{Arithmetic, MatrixChain, Method, PointPolygon, RnaFold, SearchTree, WeightedPolygon};
use swath::unstable::parenthesization::{ParenthesizationOptions, Tuning, reference};
use swath::{Engine, Error, Options};

// The CPU's table

#[test]
fn the_tiled_table_of_the_cpu_gives_the_textbook_tree_around_every_tile() {
    let engine = support::cpu();
    for leaves in lengths(64).into_iter().filter(|&leaves| leaves <= 260) {
        let chain = dimensions(leaves % KINDS, leaves + 1, 5);
        assert_answer(engine, &MatrixChain::new(chain.clone()), &options(Method::Tiled, Tuning::default()), &chain);
    }
    for kind in 0..KINDS {
        let chain = dimensions(kind, 150, 9);
        assert_answer(engine, &MatrixChain::new(chain.clone()), &options(Method::Tiled, Tuning::default()), &chain);
    }
}

#[test]
fn every_problem_gives_the_textbook_answer_on_the_cpu() {
    for leaves in [0, 1, 2, 3, 5, 63, 64, 65, 130, 200] {
        every_problem(support::cpu(), leaves, &[options(Method::Tiled, Tuning::default())]);
    }
}

/// Search trees, folds and polygons, exact and not.
fn every_problem(engine: &Engine, leaves: usize, all: &[ParenthesizationOptions]) {
    let mut random = Random::new(leaves as u64 + 77);
    let keys: Vec<u64> = (1..leaves).map(|_| random.below(50)).collect();
    let gaps: Vec<u64> = (0..leaves).map(|_| random.below(20)).collect();
    let real = |numbers: &[u64]| numbers.iter().map(|&number| number as f64 / 7.0).collect::<Vec<_>>();
    let bases = bases(leaves, leaves as u64);
    let corner = |place: usize| {
        let angle = place as f64 * 6.0 / (leaves + 1) as f64;
        [3.0 * angle.cos() + (place % 3) as f64 * 0.01, angle.sin()]
    };
    for options in all {
        if leaves > 0 {
            let tree = SearchTree::new(keys.clone(), gaps.clone()).expect("weights");
            assert_answer(engine, &tree, options, &(&keys, &gaps));
            let tree = SearchTree::new(real(&keys), real(&gaps)).expect("weights");
            assert_answer(engine, &tree, options, &(&keys, &gaps));
            let weights = real(&[&gaps[..], &[3]].concat());
            assert_answer(engine, &WeightedPolygon::new(weights.clone()).expect("weights"), options, &weights);
        }
        for least_loop in [0, 3] {
            let fold = RnaFold::new(&bases, least_loop).expect("letters");
            assert_answer(engine, &fold, options, &(String::from_utf8_lossy(&bases), least_loop));
        }
        let corners: Vec<_> = (0..leaves + usize::from(leaves > 0)).map(corner).collect();
        assert_answer(engine, &PointPolygon::new(corners.clone()).expect("corners"), options, &corners);
    }
}

#[test]
fn textbook_examples_have_their_known_costs() {
    let engine = support::cpu();
    let cost = |problem: &dyn Fn(&ParenthesizationOptions) -> u64| {
        for method in [Method::Auto, Method::Tiled, Method::Reference] {
            problem(&options(method, Tuning::default()));
        }
        problem(&Default::default())
    };
    // Cormen et al., "Introduction to Algorithms", 15.2 and 15.5.
    let chain = MatrixChain::new(vec![30, 35, 15, 5, 10, 20, 25]);
    assert_eq!(cost(&|options| engine.parenthesize(&chain, options).expect("it is solved").cost), 15_125);
    let tree = SearchTree::new(vec![15, 10, 5, 10, 20u64], vec![5, 10, 5, 5, 5, 10]).expect("weights");
    assert_eq!(cost(&|options| engine.parenthesize(&tree, options).expect("it is solved").cost), 275);
    let fold = RnaFold::new(b"GGGAAAUCC", 0).expect("letters");
    assert_eq!(cost(&|options| engine.parenthesize(&fold, options).expect("it is solved").cost), 3);
}

// Overflow

/// Costs just below and above what 32 and 64 bits hold, with the cost where it fits.
fn great_chains() -> Vec<(Vec<u64>, Option<u64>)> {
    let ones = |greatest: Vec<u64>| [vec![1], greatest, vec![1]].concat();
    vec![
        (vec![1 << 16, 1 << 8, 1 << 8], Some(1 << 32)),
        (vec![(1 << 32) - 1, 1, 1], Some((1 << 32) - 1)),
        (vec![(1 << 32) - 1, (1 << 32) - 1, 1], Some(18_446_744_065_119_617_025)),
        (vec![1 << 32, 1 << 31, 1], Some(1 << 63)),
        (vec![1 << 32, 1 << 32, 1], None),
        (vec![u64::MAX, 1, 1], None),
        (vec![u64::MAX - 1, 1, 1], Some(u64::MAX - 1)),
        (ones(vec![1 << 63]), Some(1 << 63)),
        (ones(vec![1 << 62, 2]), Some((1 << 63) + 2)),
        (ones(vec![1 << 62, 2, 1 << 62]), None),
        (vec![1 << 20, 1 << 22, 1 << 22], None),
        (vec![1 << 20, 1 << 22, 1 << 21], Some(1 << 63)),
        ([vec![1 << 40; 9], vec![1]].concat(), None),
        (vec![5, 1 << 60, 2, 1 << 60, 3], None),
    ]
}

fn assert_overflow(engine: &Engine, chain: &[u64], cost: Option<u64>, options: &ParenthesizationOptions) {
    let problem = MatrixChain::new(chain.to_vec());
    let answer = engine.parenthesize(&problem, options);
    match (answer, cost) {
        (Ok(answer), Some(cost)) => assert_eq!(answer.cost, cost, "{chain:?} {options:?}"),
        (Err(Error::CostOverflow { items: "matrices", first, last }), None) => {
            // What is named overflows by itself.
            let named = chain[first as usize - 1..=last as usize].to_vec();
            assert!(reference::solve(&MatrixChain::new(named)).is_none(), "{first} to {last} of {chain:?} {options:?}");
        }
        (answer, cost) => panic!("{chain:?} {options:?}: {answer:?} instead of {cost:?}"),
    }
}

#[test]
fn costs_that_do_not_fit_are_found_and_named_on_the_cpu() {
    for (chain, cost) in great_chains() {
        for method in [Method::Auto, Method::Tiled, Method::Reference] {
            assert_overflow(support::cpu(), &chain, cost, &options(method, Tuning::default()));
        }
    }
}

#[test]
fn random_chains_of_great_dimensions_overflow_in_every_method_or_in_none() {
    let mut random = Random::new(4);
    for _ in 0..300 {
        let count = 3 + random.below(90) as usize;
        let bits = 15 + random.below(12);
        let chain: Vec<u64> = (0..count).map(|_| 1 + random.below(1 << bits)).collect();
        let cost = reference::solve(&MatrixChain::new(chain.clone())).map(|(cost, _)| cost);
        for method in [Method::Auto, Method::Tiled] {
            assert_overflow(support::cpu(), &chain, cost, &options(method, Tuning::default()));
        }
    }
}

// The GPU

#[test]
fn the_tiled_table_of_the_gpu_gives_the_textbook_tree_around_every_tile() {
    let Some(engine) = support::gpu() else { return };
    for tile in [8, 16, 32] {
        for leaves in lengths(tile as usize) {
            let chain = dimensions(leaves % KINDS, leaves + 1, 3);
            let limbs = leaves % 2 == 0;
            let asked = options(Method::Tiled, tuning(tile, limbs, leaves % 3 == 0));
            assert_answer(engine, &MatrixChain::new(chain.clone()), &asked, &chain);
        }
    }
}

#[test]
fn every_gpu_method_gives_the_textbook_tree_in_every_arithmetic() {
    let Some(engine) = support::gpu() else { return };
    for kind in 0..KINDS {
        for leaves in [2, 3, 70, 300 - 20 * kind] {
            let chain = dimensions(kind, leaves + 1, 11);
            for method in [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem] {
                for (limbs, checked) in [(false, false), (true, false), (false, true), (true, true)] {
                    let asked = options(method, tuning(16, limbs, checked));
                    assert_answer(engine, &MatrixChain::new(chain.clone()), &asked, &chain);
                }
            }
        }
    }
}

#[test]
fn every_problem_gives_the_textbook_answer_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    for leaves in [2, 3, 15, 16, 17, 33, 100] {
        let mut all = Vec::new();
        for limbs in [false, true] {
            all.push(options(Method::Tiled, tuning(16, limbs, limbs)));
            all.push(options(Method::Adaptive, tuning(16, limbs, false)));
            all.push(options(Method::ThreadPerSubproblem, tuning(16, limbs, false)));
        }
        every_problem(engine, leaves, &all);
    }
}

#[test]
fn wide_dimensions_are_multiplied_whole() {
    let Some(engine) = support::gpu() else { return };
    let mut random = Random::new(8);
    for bits in [15, 16, 17, 18] {
        let chain: Vec<u64> = (0..60).map(|_| (1 << bits) - random.below(9)).collect();
        for method in [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem] {
            for limbs in [false, true] {
                let asked = options(method, tuning(8, limbs, false));
                assert_answer(engine, &MatrixChain::new(chain.clone()), &asked, &chain);
            }
        }
    }
}

#[test]
fn costs_that_do_not_fit_are_found_and_named_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    for (chain, cost) in great_chains() {
        for method in [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem] {
            for limbs in [false, true] {
                assert_overflow(engine, &chain, cost, &options(method, tuning(8, limbs, false)));
            }
        }
    }
}

#[test]
fn tiles_of_64_rows_are_right_where_workgroups_have_the_memory() {
    let Some(engine) = support::gpu() else { return };
    // Single precision takes half the memory of whole numbers.
    let weights: Vec<f64> = dimensions(0, 200, 4).into_iter().map(|number| number as f64 / 1_000.0).collect();
    let polygon = WeightedPolygon::new(weights.clone()).expect("weights");
    match engine.parenthesize(&polygon, &options(Method::Tiled, tuning(64, false, false))) {
        Err(Error::MethodUnavailable { .. }) => eprintln!("skipped: workgroups have too little memory"),
        _ => drop(assert_answer(engine, &polygon, &options(Method::Tiled, tuning(64, false, false)), &weights)),
    }
}

#[test]
fn a_table_over_many_buffers_is_the_same_table() {
    let Some(engine) = support::gpu() else { return };
    let chain = dimensions(0, 180, 2);
    // 23 x 24 / 2 tiles of 512 bytes in six buffers at most.
    for chunk in [47, 64, 100, 276] {
        let mut tuning = tuning(8, false, false);
        tuning.chunk_bytes = Some(chunk * 512);
        assert_answer(engine, &MatrixChain::new(chain.clone()), &options(Method::Tiled, tuning), &chain);
    }
    let mut tuning = tuning(8, false, false);
    tuning.chunk_bytes = Some(40 * 512);
    let refused = engine.parenthesize(&MatrixChain::new(chain), &options(Method::Tiled, tuning));
    assert!(matches!(refused, Err(Error::InputTooLong { actual: 179, limit: 167, .. })), "{refused:?}");
}

#[test]
fn a_long_path_of_the_tree_is_found_over_several_passes() {
    let Some(engine) = support::gpu() else { return };
    // Ascending dimensions are multiplied from the left, one after the other: the tree is one path.
    for kind in [2, 3] {
        let chain = dimensions(kind, 700, 1);
        let answer =
            engine.parenthesize(&MatrixChain::new(chain.clone()), &options(Method::Tiled, tuning(32, false, false)));
        let answer = answer.expect("it is solved");
        let expected =
            support::cpu().parenthesize(&MatrixChain::new(chain), &options(Method::Tiled, Tuning::default()));
        assert!(answer.tree == expected.expect("it is solved").tree);
    }
}

#[test]
fn real_weights_stay_in_double_precision_unless_a_gpu_is_named() {
    let Some(engine) = support::gpu() else { return };
    let polygon = WeightedPolygon::new(vec![0.5; 90]).expect("weights");
    let asked = options(Method::Tiled, Tuning::default());
    assert_eq!(engine.parenthesize(&polygon, &asked).expect("it is solved").arithmetic, Arithmetic::F32);
    let auto = Engine::new(Options::default()).expect("it opens");
    assert_eq!(auto.parenthesize(&polygon, &asked).expect("it is solved").arithmetic, Arithmetic::F64);
}
