//! Every method of every parenthesization problem against the textbook table.

mod support;

use std::fmt::Debug;

use support::inputs::Random;
use swath::backend::Capabilities;
use swath::parenthesization::gpu::Sizes;
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method, Node, ParenthesizationOptions, PointPolygon, Problem, RnaFold, SearchTree, Shader,
    Tree, Tuning, Value, WeightedPolygon, reference,
};
use swath::plan::CHUNK_BYTES;
use swath::{CancelHandle, Control, DeviceChoice, Engine, Error, Options, Parenthesization};

fn options(method: Method, tuning: Tuning) -> ParenthesizationOptions {
    let mut options = ParenthesizationOptions::default();
    (options.method, options.tuning) = (method, tuning);
    options
}

fn tuning(tile: u32, limbs: bool, checked_sums: bool) -> Tuning {
    let mut tuning = Tuning::default();
    (tuning.tile, tuning.limbs, tuning.checked_sums) = (Some(tile), limbs, checked_sums);
    tuning
}

/// Requires the textbook's cost, and its tree wherever the tie rule applies; `input` is printed where they do not come.
#[track_caller]
fn assert_answer<P: Problem>(
    engine: &Engine,
    problem: &P,
    options: &ParenthesizationOptions,
    input: &dyn Debug,
) -> Parenthesization<P::Value> {
    let shown = || format!("{:?} {:?}\n{input:?}", options.method, options.tuning);
    let (cost, tree) = reference::solve(problem).expect("it fits");
    let answer = engine.parenthesize(problem, options).unwrap_or_else(|error| panic!("{error}\n{}", shown()));
    let exact = answer.arithmetic != Arithmetic::F32;
    assert!(answer.cost.agrees(cost, problem.leaves(), answer.arithmetic), "{} not {cost}\n{}", answer.cost, shown());
    assert!(replayed(problem, &answer.tree).agrees(cost, problem.leaves(), answer.arithmetic), "{}", shown());
    if exact && !matches!(options.method, Method::Auto | Method::HuShing) {
        assert!(answer.tree == tree, "{:?}\nnot {tree:?}\n{}", answer.tree, shown());
    }
    if options.method != Method::Auto {
        assert_eq!(answer.run.method, options.method);
    }
    answer
}

/// The cost of a tree by the recurrence itself, and that it is one: shares no code with the library's own replay.
fn replayed<P: Problem>(problem: &P, tree: &Tree) -> P::Value {
    fn range<P: Problem>(problem: &P, nodes: &[Node], i: usize, j: usize) -> P::Value {
        if j == i {
            return P::Value::ZERO;
        }
        if j == i + 1 {
            return problem.leaf(i);
        }
        let node = nodes.iter().find(|node| (node.start, node.end) == (i, j)).expect("every range is a node");
        match node.split {
            Some(k) => {
                assert!(i < k && k < j);
                let parts = range(problem, nodes, i, k).plus(range(problem, nodes, k, j));
                parts.plus(problem.weight(i, k, j))
            }
            None => range(problem, nodes, i + 1, j - 1).plus(problem.enclosure(i, j).expect("it may enclose")),
        }
    }
    assert!(tree.nodes().len() < problem.leaves().max(1), "no node is spare: {tree:?}");
    range(problem, tree.nodes(), 0, problem.leaves())
}

/// Dimensions of every kind: random, equal, up, down, up and down, alternating, few values.
fn dimensions(kind: usize, count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed * 31 + kind as u64);
    let count = count as u64;
    (0..count)
        .map(|place| match kind {
            0 => 1 + random.below(1_000),
            1 => 7,
            2 => 3 + place,
            3 => 3 + count - place,
            4 => 3 + place.min(count - place),
            5 => [2, 90][place as usize % 2],
            6 => 1 + random.below(4),
            _ => 3 + place.max(count - place),
        })
        .collect()
}
const KINDS: usize = 8;

/// Leaves around every width of a tile, where points are one more than leaves.
fn lengths(tile: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1, 2, 3, 4, 5];
    for tiles in [1, 2, 3, 5] {
        lengths.extend([tiles * tile - 2, tiles * tile - 1, tiles * tile, tiles * tile + 1]);
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn bases(count: usize, seed: u64) -> Vec<u8> {
    Random::new(seed).symbols(count, 5).into_iter().map(|symbol| b"ACGUN"[symbol as usize]).collect()
}

// Hu and Shing

#[test]
fn hu_shing_gives_the_cost_of_the_textbook_table_on_thousands_of_chains() {
    let engine = support::cpu();
    for seed in 0..600 {
        for kind in 0..KINDS {
            let count = 1 + (seed as usize * 7 + kind * 13) % 26;
            let chain = dimensions(kind, count, seed);
            assert_answer(
                engine,
                &MatrixChain::new(chain.clone()),
                &options(Method::HuShing, Tuning::default()),
                &chain,
            );
        }
    }
}

#[test]
fn hu_shing_is_right_on_every_chain_of_few_small_dimensions() {
    let engine = support::cpu();
    for count in 3..=7u32 {
        for number in 0..4u64.pow(count) {
            let chain: Vec<u64> = (0..count).map(|place| 1 + (number >> (2 * place)) % 4).collect();
            if number % 3 == 0 || count < 6 {
                let problem = MatrixChain::new(chain.clone());
                assert_answer(engine, &problem, &options(Method::HuShing, Tuning::default()), &chain);
            }
        }
    }
}

#[test]
fn hu_shing_is_right_on_longer_chains_and_all_permutations() {
    let engine = support::cpu();
    for (seed, count) in [(1, 120), (2, 150), (3, 200)] {
        for kind in 0..KINDS {
            let chain = dimensions(kind, count, seed);
            assert_answer(
                engine,
                &MatrixChain::new(chain.clone()),
                &options(Method::HuShing, Tuning::default()),
                &chain,
            );
        }
        // Every number once, in random order.
        let mut random = Random::new(seed);
        let mut chain: Vec<u64> = (1..=count as u64).collect();
        for place in (1..count).rev() {
            chain.swap(place, random.below(place as u64 + 1) as usize);
        }
        assert_answer(engine, &MatrixChain::new(chain.clone()), &options(Method::HuShing, Tuning::default()), &chain);
    }
}

#[test]
fn hu_shing_is_the_default_for_chains_and_weighted_polygons_only() {
    let engine = support::cpu();
    let chain = MatrixChain::new(vec![10, 20, 30, 40]);
    assert_eq!(engine.parenthesize(&chain, &Default::default()).expect("it is solved").run.method, Method::HuShing);
    let polygon = WeightedPolygon::new(vec![3u64, 7, 4, 5, 2]).expect("weights");
    assert_eq!(engine.parenthesize(&polygon, &Default::default()).expect("it is solved").run.method, Method::HuShing);
    let tree = SearchTree::new(vec![3u64, 7], vec![]).expect("weights");
    assert_eq!(engine.parenthesize(&tree, &Default::default()).expect("it is solved").run.method, Method::Tiled);
    let refused = engine.parenthesize(&tree, &options(Method::HuShing, Tuning::default()));
    assert!(matches!(refused, Err(Error::MethodUnavailable { method: "hu-shing", .. })), "{refused:?}");
}

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

// Plans, without a device

fn discrete_gpu() -> Capabilities {
    let mut caps = Capabilities::default();
    (caps.binding_bytes, caps.buffer_bytes, caps.int64) = ((2 << 30) - 4, 1 << 40, true);
    (caps.workgroup_bytes, caps.workgroup_lanes, caps.compute_units) = (48 << 10, 1024, Some(132));
    caps
}

#[test]
fn tiled_passes_make_every_product_once_and_of_finished_tiles_only() {
    for tiles in 1..=24u32 {
        let chain = MatrixChain::new(vec![3; tiles as usize * 32]);
        let sizes = Sizes::new(&chain, Method::Tiled, &discrete_gpu(), &Tuning::default()).expect("it is small");
        let plan = sizes.plan(&chain).plan;
        let mut made = std::collections::HashSet::new();
        for (pass, distance) in plan.passes[1..tiles as usize].iter().zip(1..) {
            assert_eq!(pass.params[..3], [tiles * 32, tiles, distance]);
            let reach = distance - 1;
            for (row, out) in (0..pass.groups[0]).flat_map(|row| (0..pass.groups[1]).map(move |out| (row, out))) {
                // As tiled_wave.wgsl has it.
                let column = row + distance + out;
                if column >= tiles || reach == 0 {
                    continue;
                }
                let mut products = vec![(row, row + reach, column)];
                if distance + out < 2 * reach {
                    products.push((row, column - reach, column));
                }
                for (row, middle, column) in products {
                    assert!(row < middle && middle < column && middle - row <= reach && column - middle <= reach);
                    assert!(made.insert((row, middle, column)), "{row} {middle} {column} of {tiles} again");
                }
            }
            // What this pass finishes has all its products.
            for row in 0..tiles - distance {
                let all = row + 1..row + distance;
                assert!(all.clone().all(|middle| made.contains(&(row, middle, row + distance))), "{row} {distance}");
            }
        }
    }
}

#[test]
fn the_table_of_32768_matrices_takes_a_third_of_16_gib() {
    let chain = MatrixChain::new(vec![3; 32_769]);
    let sizes = Sizes::new(&chain, Method::Tiled, &discrete_gpu(), &Tuning::default()).expect("it fits");
    let plan = sizes.plan(&chain).plan;
    assert!(plan.size_bytes() < 5 << 30, "{}", plan.size_bytes());
    assert!(plan.buffers.iter().all(|buffer| buffer.size_bytes() <= CHUNK_BYTES));
    let refused = Sizes::new(&chain, Method::Adaptive, &discrete_gpu(), &Tuning::default()).map(|_| ());
    assert!(matches!(refused, Err(Error::InputTooLong { actual: 32_768, limit: 16_383, .. })), "{refused:?}");
    let long = MatrixChain::new(vec![3; 50_000]);
    let refused = Sizes::new(&long, Method::Tiled, &discrete_gpu(), &Tuning::default()).map(|_| ());
    assert!(matches!(refused, Err(Error::InputTooLong { actual: 49_999, .. })), "{refused:?}");
}

#[test]
fn the_adaptive_mapping_fills_the_device_with_subthreads_and_then_with_ranges() {
    let chain = MatrixChain::new(vec![3; 4_097]);
    let sizes = Sizes::new(&chain, Method::Adaptive, &discrete_gpu(), &Tuning::default()).expect("it fits");
    let plan = sizes.plan(&chain).plan;
    for (pass, length) in plan.passes[..4_096].iter().zip(1u64..) {
        let (ranges, subthreads) = (4_096 - length + 1, u64::from(pass.params[2]));
        assert!((1..=256).contains(&subthreads) && subthreads <= (length - 1).max(1), "{length}");
        let at_once = 256 / subthreads * u64::from(pass.groups[0]);
        assert!(at_once >= ranges || u64::from(pass.groups[0]) == 132 * 8, "{length}");
        // Lanes that a range could have and has not are fewer than it has.
        let spare = 132 * 8 * 256 / ranges;
        assert!(subthreads == (length - 1).max(1) || subthreads == spare.clamp(8, 256), "{length}");
    }
}

// A problem of one's own

/// Merging runs of a file two by two, where a merge costs the length of what it makes times the medium it is read from.
#[derive(Debug)]
struct Merges {
    ends: Vec<u64>,
    media: Vec<u64>,
}

impl Problem for Merges {
    type Value = u64;
    const ITEMS: &'static str = "runs";

    fn leaves(&self) -> usize {
        self.ends.len() - 1
    }

    fn leaf(&self, i: usize) -> u64 {
        self.media[i]
    }

    fn weight(&self, i: usize, k: usize, j: usize) -> u64 {
        (self.ends[j] - self.ends[i]) * self.media[k]
    }

    fn greatest_weight(&self) -> u64 {
        self.ends[self.leaves()] * 9
    }

    fn inputs(&self) -> Vec<u64> {
        self.ends.iter().zip(&self.media).flat_map(|(&end, &medium)| [end, medium]).collect()
    }

    fn shader(&self) -> Option<Shader> {
        Some(Shader::new(
            "merges",
            "alias Outer = Value;
             alias Inner = Value;
             fn leaf(i: u32) -> Value { return inputs[2u * i + 1u]; }
             fn outer(i: u32, j: u32) -> Outer { return minus(inputs[2u * j], inputs[2u * i]); }
             fn inner(k: u32) -> Inner { return inputs[2u * k + 1u]; }
             fn weight(outer: Outer, inner: Inner) -> Value { return times(outer, inner); }
            ",
        ))
    }
}

#[test]
fn a_problem_of_ones_own_is_solved_by_every_method_on_every_device() {
    let mut random = Random::new(3);
    for leaves in [2, 17, 64, 100] {
        let mut end = 0;
        let mut next = || {
            end += random.below(40);
            end
        };
        let ends: Vec<u64> = (0..=leaves).map(|_| next()).collect();
        let media = (0..=leaves).map(|_| 1 + random.below(9)).collect();
        let merges = Merges { ends, media };
        assert_answer(support::cpu(), &merges, &options(Method::Tiled, Tuning::default()), &merges);
        assert_answer(support::cpu(), &merges, &options(Method::Auto, Tuning::default()), &merges);
        let Some(engine) = support::gpu() else { return };
        for method in [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem] {
            for limbs in [false, true] {
                assert_answer(engine, &merges, &options(method, tuning(16, limbs, false)), &merges);
            }
        }
    }
}

// Calls

#[test]
fn too_little_memory_is_refused_with_what_would_do() {
    let chain = MatrixChain::new(dimensions(0, 500, 1));
    let Some(mut on_gpu) = support::gpu_options() else { return };
    on_gpu.device_memory = Some(100_000);
    let mut on_cpu = Options::default();
    (on_cpu.device, on_cpu.host_memory) = (DeviceChoice::Cpu, Some(100_000));
    for options_of_engine in [on_gpu, on_cpu] {
        let engine = Engine::new(options_of_engine.clone()).expect("it opens");
        let refused = engine.parenthesize(&chain, &options(Method::Tiled, Tuning::default()));
        let Err(Error::MemoryBudget { needed, limit: 100_000, smallest, .. }) = refused else { panic!("{refused:?}") };
        assert!(needed == smallest && needed > 500 * 500 / 2 * 8);
        let planned = engine.parenthesize_plan(&chain, &options(Method::Tiled, Tuning::default()));
        assert!(planned.is_err() || options_of_engine.device == DeviceChoice::Cpu);
        let mut enough = options_of_engine;
        (enough.device_memory, enough.host_memory) = (Some(smallest), Some(smallest));
        let engine = Engine::new(enough).expect("it opens");
        engine.parenthesize(&chain, &options(Method::Tiled, Tuning::default())).expect("what is named is enough");
    }
}

#[test]
fn a_cancelled_call_ends_and_progress_reaches_its_total() {
    use std::sync::{Arc, Mutex};
    let chain = MatrixChain::new(dimensions(0, 300, 1));
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        let cancel = CancelHandle::new();
        cancel.cancel();
        let mut asked = options(Method::Tiled, Tuning::default());
        asked.control = Control::new(cancel, None);
        assert!(matches!(engine.parenthesize(&chain, &asked), Err(Error::Cancelled)));
        let seen = Arc::new(Mutex::new(None));
        let sink = seen.clone();
        asked.control = Control::new(
            CancelHandle::new(),
            Some(Arc::new(move |progress| *sink.lock().expect("no panic") = Some(progress))),
        );
        engine.parenthesize(&chain, &asked).expect("it is solved");
        let last = seen.lock().expect("no panic").expect("progress came");
        assert_eq!(last.done, last.total);
    }
}

#[test]
fn methods_of_the_gpu_say_so_on_the_cpu() {
    let chain = MatrixChain::new(vec![10, 20, 30, 40]);
    for method in [Method::Adaptive, Method::ThreadPerSubproblem] {
        let refused = support::cpu().parenthesize(&chain, &options(method, Tuning::default()));
        assert!(matches!(refused, Err(Error::MethodUnavailable { .. })), "{refused:?}");
    }
}

#[test]
fn weights_that_are_none_are_refused_by_name() {
    let refused = WeightedPolygon::new(vec![1.0, f64::NAN]);
    assert!(matches!(&refused, Err(Error::InvalidWeight { what, .. }) if what == "vertex 2"), "{refused:?}");
    let refused = SearchTree::new(vec![1.0, 2.0, -1.0], vec![]);
    assert!(matches!(&refused, Err(Error::InvalidWeight { what, .. }) if what == "key 3"), "{refused:?}");
    let refused = SearchTree::new(vec![1u64, 2], vec![1, 2]);
    assert!(matches!(&refused, Err(Error::InvalidWeight { .. })), "{refused:?}");
    let refused = SearchTree::new(vec![u64::MAX - 1, 2], vec![]);
    assert!(matches!(&refused, Err(Error::InvalidWeight { .. })), "{refused:?}");
    let refused = RnaFold::new(b"ACG7", 3);
    assert!(matches!(&refused, Err(Error::InvalidWeight { what, .. }) if what == "base 4"), "{refused:?}");
}
