//! All table methods against the reference.

use support::calls::Calls;
use support::inputs::Random;
use support::tier::combinations;
use support::trees::{
    GPU_METHODS, KINDS, assert_answer, bases, dimensions, lengths, options, tuning,
};
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method, Parenthesization, PointPolygon, RnaFold, SearchTree,
    WeightedPolygon,
};
use swath::unstable::backend::Backend as _;
use swath::unstable::parenthesization::{ParenthesizationOptions, Tuning, reference};
use swath::{Engine, Error, Report};

/// [`assert_answer`] for a matrix chain.
#[track_caller]
fn assert_chain(
    engine: &Engine,
    chain: &[u64],
    options: &ParenthesizationOptions,
) -> Report<Parenthesization<u64>> {
    assert_answer(engine, &MatrixChain::new(chain.to_vec()), options, &chain)
}

// The CPU's table

#[test]
fn the_tiled_table_of_the_cpu_gives_the_reference_tree_around_every_tile() {
    let engine = support::cpu();
    for leaves in lengths(64).into_iter().filter(|&leaves| leaves <= 260) {
        let chain = dimensions(leaves % KINDS, leaves + 1, 5);
        assert_chain(engine, &chain, &options(Method::Tiled, Tuning::default()));
    }
    for kind in 0..KINDS {
        let chain = dimensions(kind, 150, 9);
        assert_chain(engine, &chain, &options(Method::Tiled, Tuning::default()));
    }
}

#[test]
fn every_problem_gives_the_reference_answer_on_the_cpu() {
    for leaves in [0, 1, 2, 3, 5, 63, 64, 65, 130, 200] {
        for problem in 0..PROBLEMS {
            let tiled = options(Method::Tiled, Tuning::default());
            assert_problem(support::cpu(), problem, leaves, &tiled);
        }
    }
}

/// Kinds of problems that [`assert_problem`] has.
const PROBLEMS: usize = 9;

/// Requires the reference's answer of a search tree, polygon or fold, exact or not.
fn assert_problem(
    engine: &Engine,
    problem: usize,
    leaves: usize,
    options: &ParenthesizationOptions,
) {
    let mut random = Random::new(leaves as u64 + 77);
    let keys: Vec<u64> = (1..leaves).map(|_| random.below(50)).collect();
    let gaps: Vec<u64> = (0..leaves).map(|_| random.below(20)).collect();
    let real = |numbers: &[u64]| {
        numbers
            .iter()
            .map(|&number| number as f64 / 7.0)
            .collect::<Vec<_>>()
    };
    let corner = |place: usize| {
        let angle = place as f64 * 6.0 / (leaves + 1) as f64;
        [3.0 * angle.cos() + (place % 3) as f64 * 0.01, angle.sin()]
    };
    match problem {
        0..=2 if leaves == 0 => {}
        0 => {
            let tree = SearchTree::new(keys.clone(), gaps.clone()).expect("weights");
            assert_answer(engine, &tree, options, &(&keys, &gaps));
        }
        1 => {
            let tree = SearchTree::new(real(&keys), real(&gaps)).expect("weights");
            assert_answer(engine, &tree, options, &(&keys, &gaps));
        }
        2 => {
            let weights = real(&[&gaps[..], &[3]].concat());
            let polygon = WeightedPolygon::new(weights.clone()).expect("weights");
            assert_answer(engine, &polygon, options, &weights);
        }
        3 => {
            let corners: Vec<_> = (0..leaves + usize::from(leaves > 0)).map(corner).collect();
            let polygon = PointPolygon::new(corners.clone()).expect("corners");
            assert_answer(engine, &polygon, options, &corners);
        }
        _ => {
            let least_loop = [0, 3, leaves, 1 << 32, usize::MAX][problem - 4];
            let bases = bases(leaves, leaves as u64);
            let fold = RnaFold::new(&bases, least_loop).expect("letters");
            let input = (String::from_utf8_lossy(&bases), least_loop);
            assert_answer(engine, &fold, options, &input);
        }
    }
}

#[test]
fn published_examples_have_their_known_costs() {
    let engine = support::cpu();
    let cost = |problem: &dyn Fn(&ParenthesizationOptions) -> u64| {
        for method in [Method::Auto, Method::Tiled, Method::Reference] {
            problem(&options(method, Tuning::default()));
        }
        problem(&Default::default())
    };
    // Cormen et al., "Introduction to Algorithms", 15.2 and 15.5.
    let chain = MatrixChain::new(vec![30, 35, 15, 5, 10, 20, 25]);
    assert_eq!(
        cost(&|options| engine
            .parenthesize(&chain, options)
            .expect("it is solved")
            .cost),
        15_125
    );
    let tree =
        SearchTree::new(vec![15, 10, 5, 10, 20u64], vec![5, 10, 5, 5, 5, 10]).expect("weights");
    assert_eq!(
        cost(&|options| engine
            .parenthesize(&tree, options)
            .expect("it is solved")
            .cost),
        275
    );
    let fold = RnaFold::new(b"GGGAAAUCC", 0).expect("letters");
    assert_eq!(
        cost(&|options| engine
            .parenthesize(&fold, options)
            .expect("it is solved")
            .cost),
        3
    );
}

// Overflow

/// Chains with costs just below and above 32 and 64 bits, with the cost if it fits.
fn great_chains() -> Vec<(Vec<u64>, Option<u64>)> {
    let ones = |greatest: Vec<u64>| [vec![1], greatest, vec![1]].concat();
    vec![
        (vec![1 << 16, 1 << 8, 1 << 8], Some(1 << 32)),
        (vec![(1 << 32) - 1, 1, 1], Some((1 << 32) - 1)),
        (
            vec![(1 << 32) - 1, (1 << 32) - 1, 1],
            Some(18_446_744_065_119_617_025),
        ),
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

fn assert_overflow(
    engine: &Engine,
    chain: &[u64],
    cost: Option<u64>,
    options: &ParenthesizationOptions,
) {
    let problem = MatrixChain::new(chain.to_vec());
    let answer = engine.parenthesize(&problem, options);
    match (answer, cost) {
        (Ok(answer), Some(cost)) => assert_eq!(answer.cost, cost, "{chain:?} {options:?}"),
        (
            Err(Error::CostOverflow {
                items: "matrices",
                first,
                last,
                limit: "2^64 - 2",
            }),
            None,
        ) => {
            // The named range overflows by itself.
            let named = chain[first as usize - 1..=last as usize].to_vec();
            assert!(
                reference::solve(&MatrixChain::new(named)).is_none(),
                "{first} to {last} of {chain:?} {options:?}"
            );
        }
        (answer, cost) => panic!("{chain:?} {options:?}: {answer:?} instead of {cost:?}"),
    }
}

#[test]
fn costs_that_do_not_fit_are_found_and_named_on_the_cpu() {
    for (chain, cost) in great_chains() {
        for method in [Method::Auto, Method::Tiled, Method::Reference] {
            assert_overflow(
                support::cpu(),
                &chain,
                cost,
                &options(method, Tuning::default()),
            );
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
            assert_overflow(
                support::cpu(),
                &chain,
                cost,
                &options(method, Tuning::default()),
            );
        }
    }
}

/// Great weights with every choice of up to `most` places that are 0.
fn zeros_among_great_weights(most: usize) -> Vec<Vec<u64>> {
    let mut random = Random::new(16);
    let mut great = |count: usize, bits: u64| -> Vec<u64> {
        let greatest = u64::MAX >> (64 - bits);
        (0..count)
            .map(|_| greatest - random.below(1 << 20))
            .collect()
    };
    let zeros = (3..=most).flat_map(|count| (1..1u32 << count).map(move |zeros| (count, zeros)));
    let chains = zeros.flat_map(|choice| [33, 40, 64].map(|bits| (choice, bits)));
    chains
        .map(|((count, zeros), bits)| {
            let mut chain = great(count, bits);
            for (place, weight) in chain.iter_mut().enumerate() {
                if zeros >> place & 1 == 1 {
                    *weight = 0;
                }
            }
            chain
        })
        .collect()
}

#[test]
fn a_zero_among_great_weights_makes_the_cost_zero_on_the_cpu() {
    for chain in zeros_among_great_weights(7) {
        let polygon = WeightedPolygon::new(chain.clone()).expect("weights");
        for method in [
            Method::Auto,
            Method::HuShing,
            Method::Tiled,
            Method::Reference,
        ] {
            let asked = options(method, Tuning::default());
            let problem = MatrixChain::new(chain.clone());
            let answer = assert_answer(support::cpu(), &problem, &asked, &chain);
            assert_eq!(answer.cost, 0, "{chain:?} {method:?}");
            assert_answer(support::cpu(), &polygon, &asked, &chain);
        }
    }
}

#[test]
fn a_zero_among_great_weights_makes_the_cost_zero_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    for chain in zeros_among_great_weights(4) {
        let problem = MatrixChain::new(chain.clone());
        for method in GPU_METHODS {
            for limbs in [None, Some(Arithmetic::Limbs)] {
                let asked = options(method, tuning(8, limbs, false));
                let answer = assert_answer(engine, &problem, &asked, &chain);
                assert_eq!(answer.cost, 0, "{chain:?} {method:?}");
            }
        }
    }
}

// The GPU

/// Integer arithmetics of the test device, with and without checked sums, and the default.
fn forms() -> Vec<(Option<Arithmetic>, bool)> {
    let Some(gpu) = support::lock_gpu() else {
        return Vec::new();
    };
    let (int64, float64) = (gpu.capabilities().int64, gpu.capabilities().float64);
    let mut forms = vec![(None, false), (None, true)];
    forms.extend([false, true].map(|checked| (Some(Arithmetic::Limbs), checked)));
    forms.extend(
        [false, true]
            .map(|checked| (Some(Arithmetic::U64), checked))
            .into_iter()
            .filter(|_| int64),
    );
    forms.extend(float64.then_some((Some(Arithmetic::F64), false)));
    forms
}

#[test]
fn the_tiled_table_of_the_gpu_gives_the_reference_tree_around_every_tile() {
    let Some(engine) = support::gpu() else { return };
    for tile in [8, 16, 32] {
        for leaves in lengths(tile as usize) {
            let chain = dimensions(leaves % KINDS, leaves + 1, 3);
            let limbs = (leaves % 2 == 0).then_some(Arithmetic::Limbs);
            let call_options = options(Method::Tiled, tuning(tile, limbs, leaves % 3 == 0));
            assert_chain(engine, &chain, &call_options);
        }
    }
}

#[test]
fn every_gpu_method_gives_the_reference_tree_in_every_arithmetic() {
    let Some(engine) = support::gpu() else { return };
    let forms = forms();
    for [kind, leaves, method, form] in combinations([KINDS, 4, 3, forms.len()]) {
        let leaves = [2, 3, 70, 300 - 20 * kind][leaves];
        let (arithmetic, checked) = forms[form];
        let chain = dimensions(kind, leaves + 1, 11);
        let mut shape = tuning(16, arithmetic, checked);
        // Without a lane for each split up to some length, in half of the cases.
        shape.divided_from = (kind % 2 == 1).then_some(leaves as u64 / 2);
        let call_options = options(GPU_METHODS[method], shape);
        assert_chain(engine, &chain, &call_options);
    }
}

#[test]
fn every_problem_gives_the_reference_answer_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    let forms = forms();
    for [problem, leaves, method, form] in combinations([PROBLEMS, 7, 3, forms.len()]) {
        let leaves = [2, 3, 15, 16, 17, 33, 100][leaves];
        let (arithmetic, checked) = forms[form];
        let checked = checked && method == 0;
        let call_options = options(GPU_METHODS[method], tuning(16, arithmetic, checked));
        assert_problem(engine, problem, leaves, &call_options);
    }
}

#[test]
fn wide_dimensions_are_multiplied_whole() {
    let Some(engine) = support::gpu() else { return };
    let mut random = Random::new(8);
    for bits in [15, 16, 17, 18] {
        let chain: Vec<u64> = (0..60).map(|_| (1 << bits) - random.below(9)).collect();
        for method in GPU_METHODS {
            for limbs in [None, Some(Arithmetic::Limbs)] {
                let call_options = options(method, tuning(8, limbs, false));
                assert_chain(engine, &chain, &call_options);
            }
        }
    }
}

/// A chain with the greatest costs that surely fit the limit, and one with twice those.
fn chains_at_the_edge(leaves: usize, limit: u128) -> [Vec<u64>; 2] {
    // The bound is twice the greatest weight per leaf.
    let greatest = ((limit - 1) / (2 * leaves as u128)) as f64;
    let side = greatest.cbrt().floor() as u64;
    let chain = |side: u64| {
        (0..=leaves as u64)
            .map(|place| side - place * 7 % 11)
            .collect()
    };
    [chain(side), chain(side * 2)]
}

#[test]
fn costs_up_to_the_greatest_that_an_arithmetic_holds_are_exact_in_it() {
    let Some(engine) = support::gpu() else { return };
    let doubles = forms().contains(&(Some(Arithmetic::F64), false));
    let mut tried = vec![(Arithmetic::U32, u128::from(u32::MAX))];
    tried.extend(doubles.then_some((Arithmetic::F64, 1 << 53)));
    for (arithmetic, limit) in tried {
        for leaves in [2, 3, 40, 130] {
            let [within, beyond] = chains_at_the_edge(leaves, limit);
            for method in GPU_METHODS {
                let call_options = options(method, tuning(16, Some(arithmetic), false));
                let answer = assert_chain(engine, &within, &call_options);
                assert_eq!(answer.arithmetic, arithmetic);
                let refused = engine
                    .parenthesize(&MatrixChain::new(beyond.clone()), &call_options)
                    .map(|_| ());
                assert!(
                    matches!(refused, Err(Error::MethodUnavailable { .. })),
                    "{refused:?}"
                );
                let chosen = options(method, tuning(16, None, false));
                let answer = assert_chain(engine, &beyond, &chosen);
                assert_ne!(answer.arithmetic, arithmetic);
            }
        }
    }
}

#[test]
fn folds_and_small_numbers_are_computed_with_32_bits() {
    let Some(engine) = support::gpu() else { return };
    let call_options = options(Method::Tiled, Tuning::default());
    let fold = RnaFold::new(&bases(300, 2), 3).expect("letters");
    assert_eq!(
        assert_answer(engine, &fold, &call_options, &"fold").arithmetic,
        Arithmetic::U32
    );
    // The product of two dimensions exceeds 32 bits where the third is zero.
    let uneven = [1 << 17, 3, 1, 2, 1 << 17, 0, 5, 1, 3, 0, 2];
    let answer = assert_chain(engine, &uneven, &call_options);
    assert_ne!(answer.arithmetic, Arithmetic::U32);
    let uneven = [1 << 17, 3, 1, 2, 4, 0, 5, 1, 3, 0, 2];
    let answer = assert_chain(engine, &uneven, &call_options);
    assert_eq!(answer.arithmetic, Arithmetic::U32);
    for kind in 0..KINDS {
        let chain: Vec<u64> = dimensions(kind, 301, 3)
            .into_iter()
            .map(|number| 1 + number % 90)
            .collect();
        let answer = assert_chain(engine, &chain, &call_options);
        assert_eq!(answer.arithmetic, Arithmetic::U32);
    }
}

#[test]
fn costs_that_do_not_fit_are_found_and_named_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    for (chain, cost) in great_chains() {
        for method in GPU_METHODS {
            for limbs in [None, Some(Arithmetic::Limbs)] {
                assert_overflow(
                    engine,
                    &chain,
                    cost,
                    &options(method, tuning(8, limbs, false)),
                );
            }
        }
    }
}

#[test]
fn tiles_of_64_rows_are_right_where_workgroups_have_the_memory() {
    let Some(engine) = support::gpu() else { return };
    // Single precision takes half the memory of integers.
    let weights: Vec<f64> = dimensions(0, 200, 4)
        .into_iter()
        .map(|number| number as f64 / 1_000.0)
        .collect();
    let polygon = WeightedPolygon::new(weights.clone()).expect("weights");
    match engine.parenthesize(&polygon, &options(Method::Tiled, tuning(64, None, false))) {
        Err(Error::MethodUnavailable { .. }) => {
            eprintln!("skipped: workgroups have too little memory")
        }
        _ => drop(assert_answer(
            engine,
            &polygon,
            &options(Method::Tiled, tuning(64, None, false)),
            &weights,
        )),
    }
}

#[test]
fn a_table_over_many_buffers_is_the_same_table() {
    let Some(engine) = support::gpu() else { return };
    let chain = dimensions(0, 180, 2);
    // 23 x 24 / 2 tiles of 512 bytes in at most six buffers.
    for chunk in [47, 64, 100, 276] {
        let mut tuning = tuning(8, None, false);
        tuning.chunk_bytes = Some(chunk * 512);
        assert_chain(engine, &chain, &options(Method::Tiled, tuning));
    }
    let mut tuning = tuning(8, None, false);
    tuning.chunk_bytes = Some(40 * 512);
    let refused = engine.parenthesize(&MatrixChain::new(chain), &options(Method::Tiled, tuning));
    assert!(
        matches!(
            refused,
            Err(Error::InputTooLong {
                actual: 179,
                limit: 167,
                ..
            })
        ),
        "{refused:?}"
    );
}

#[test]
fn a_long_path_of_the_tree_is_found_over_several_passes() {
    let Some(engine) = support::gpu() else { return };
    // Increasing dimensions are multiplied from the left: the tree is one path.
    for kind in [2, 3] {
        let chain = dimensions(kind, 700, 1);
        let answer = engine.parenthesize(
            &MatrixChain::new(chain.clone()),
            &options(Method::Tiled, tuning(32, None, false)),
        );
        let answer = answer.expect("it is solved");
        let expected = support::cpu().parenthesize(
            &MatrixChain::new(chain),
            &options(Method::Tiled, Tuning::default()),
        );
        assert!(answer.tree == expected.expect("it is solved").tree);
    }
}
