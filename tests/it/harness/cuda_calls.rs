//! One wrong operator in CUDA sources of whole calls is noticed by the tests' assertions. No edit
//! makes a workgroup wait forever or leave its buffers.
#![cfg(feature = "cuda")]

use support::tier::first_or_all;
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method as TreeMethod, PointPolygon, Precision, Problem, RnaFold,
    SearchTree, WeightedPolygon,
};
use swath::unstable::sort::SortTuning;
use swath::{Engine, lcs};

use super::assertions::complaint;
use super::*;
use support::inputs::{Input, Random};
use support::{self, sorts, trees};

/// An assertion of a test suite.
type Required = fn(&Engine);

/// Assertions, and edits of sources that calls on the test device run, each of which breaks them.
const CALLS: [(Required, &str); 14] = [
    (subsequence, "
bit_parallel/keep_checkpoints: = word; => = ~word;
bit_parallel/keep_tiles: = v[vector * TILE_WIDTH + i]; => = ~v[vector * TILE_WIDTH + i];
bit_parallel/from_checkpoint: return stored(at)[replay.record + i => return ~stored(at)[replay.record + i
"),
    (by_wavefronts, "diagonal_transition/indel: max(reach[-1] + 1, reach[0]) => max(reach[-1] + 1, -(1 << 30))"),
    (narrow_keys, "
sort/onesweep: params.begins_at + lane] + before - begin => params.begins_at + lane] - begin
sort/onesweep_histogram: place], wg_counts[place]) => place], wg_counts[place] / 2u)
sort/onesweep_scan: sum_before(lane(), histogram(at)[place]) => sum_before(lane(), 0u)
sort/rank_subgroup: subgroupShuffle(earlier, last) + lower => subgroupShuffle(earlier, last)
sort/sum_subgroup: sum += wg_sums[subgroup]; => sum += 0u;
"),
    (wide_keys, "sort/key_u64: shift >= 32u) => shift > 32u)"),
    (|engine| chain(engine, Arithmetic::U32), "
parenthesization/value_u32: return a * b; => return a + b;
parenthesization/operators: return a + b; => return a + b + b;
parenthesization/goal: select(a, b, better(b, a)) => select(b, a, better(b, a))
parenthesization/tiles: (i % TILE) * TILE + j % TILE => (j % TILE) * TILE + i % TILE
parenthesization/tiles_one: + place] = cost; => + place] = plus(cost, cost);
"),
    (|engine| chain(engine, Arithmetic::U64), "parenthesization/value_u64: let sum = a + b; => let sum = a + (b >> 1u);"),
    (|engine| chain(engine, Arithmetic::F64), "parenthesization/value_whole: fma(a, b, cost) => fma(a, a, cost)"),
    (|engine| chain(engine, Arithmetic::Limbs), "parenthesization/value_limbs: vec2<u32>((lower << 16u) | => vec2<u32>((lower << 15u) |"),
    (folding, "parenthesization/nussinov: sum == 3u || sum == 5u => sum == 3u"),
    (search_tree, "parenthesization/search_tree: inputs[3u * i]) => value(0u))"),
    (wide_products, "parenthesization/wide_product: inputs[i], inputs[j]) => inputs[i], inputs[i])"),
    (|engine| polygon(engine, Precision::Exact), "parenthesization/value_f64: min(a * b, OVERFLOW) => min(a + b, OVERFLOW)"),
    (|engine| polygon(engine, Precision::Single), "parenthesization/split_tree: return bits ^ (bits >> 31u => return ~bits ^ (bits >> 31u"),
    (points, "parenthesization/perimeter: side(inner, outer.j) => side(outer.i, inner)"),
];

fn subsequence(engine: &Engine) {
    let (a, b) = Input::random(4, 3 * 496, 900).bytes();
    let options = support::options(lcs::Method::BitParallel, true);
    support::assert_answer(engine, (&a, &b), &options, &"random");
}

fn by_wavefronts(engine: &Engine) {
    let mut random = Random::new(8);
    let a = random.symbols(1400, 4);
    let b = random.edited(&a, 20, 4);
    let options = support::options(lcs::Method::Wavefront, false);
    support::assert_answer(engine, (&a, &b), &options, &"similar");
}

fn narrow_keys(engine: &Engine) {
    let keys = sorts::narrow_keys("random", 20_000);
    sorts::assert_sorts(engine, &keys, 32, SortTuning::default(), "random");
}

fn wide_keys(engine: &Engine) {
    let keys = sorts::wide_keys("random", 20_000);
    sorts::assert_sorts(engine, &keys, 64, SortTuning::default(), "random");
}

fn search_tree(engine: &Engine) {
    let keys = trees::dimensions(0, 60, 5);
    let problem = SearchTree::new(keys, vec![]).expect("weights");
    tree(engine, &problem, Precision::Exact, None);
}

fn wide_products(engine: &Engine) {
    let weights = [vec![1 << 17], trees::dimensions(6, 40, 7)].concat();
    let problem = WeightedPolygon::new(weights).expect("weights");
    tree(engine, &problem, Precision::Exact, Some(Arithmetic::U64));
}

fn polygon(engine: &Engine, precision: Precision) {
    let problem = WeightedPolygon::new(real_weights()).expect("weights");
    tree(engine, &problem, precision, None);
}

fn points(engine: &Engine) {
    let corners = real_weights();
    let corners = corners.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let problem = PointPolygon::new(corners.collect()).expect("corners");
    tree(engine, &problem, Precision::Exact, None);
}

fn chain(engine: &Engine, arithmetic: Arithmetic) {
    // Products that take the high limbs, where there are any.
    let max = if arithmetic == Arithmetic::Limbs {
        5000
    } else {
        50
    };
    let dimensions = trees::dimensions(0, 61, 3);
    let dimensions = dimensions.into_iter().map(|size| 1 + size * 97 % max);
    let dimensions = dimensions.collect();
    tree(
        engine,
        &MatrixChain::new(dimensions),
        Precision::Exact,
        Some(arithmetic),
    );
}

fn folding(engine: &Engine) {
    tree(
        engine,
        &RnaFold::new(&trees::bases(60, 9), 3).expect("letters"),
        Precision::Exact,
        None,
    );
}

/// Weights of very different magnitude.
fn real_weights() -> Vec<f64> {
    trees::dimensions(0, 60, 11)
        .into_iter()
        .map(|weight| weight as f64 / 3.0)
        .collect()
}

fn tree<P: Problem>(
    engine: &Engine,
    problem: &P,
    precision: Precision,
    arithmetic: Option<Arithmetic>,
) {
    let mut options = trees::options(TreeMethod::Tiled, trees::tuning(8, arithmetic, false));
    options.precision = precision;
    trees::assert_answer(engine, problem, &options, &"random");
}

/// Requires that an assertion passes with the library's source and fails with each edit.
#[track_caller]
fn assert_notices(gpu: &Gpu, required: Required, table: &'static str) {
    let undamaged = damaged_engine(gpu, |_| ());
    assert_eq!(
        complaint(|| required(&undamaged)),
        None,
        "{table}: undamaged"
    );
    for edit in edits(table) {
        let used = Arc::new(AtomicUsize::new(0));
        let uses = used.clone();
        let engine = damaged_engine(gpu, move |plan| {
            uses.fetch_add(damage_where_used(plan, &[edit]), Ordering::Relaxed);
        });
        let said = complaint(|| required(&engine));
        assert!(
            used.load(Ordering::Relaxed) > 0,
            "{edit:?}: no plan has the text"
        );
        let said = said.unwrap_or_else(|| panic!("{edit:?} went unnoticed"));
        assert!(!said.contains("was refused"), "{edit:?}: {said}");
    }
}

#[test]
fn one_wrong_operator_in_cuda_that_a_call_runs_is_noticed() {
    let Some(gpu) = lock_gpu().filter(|_| support::is_cuda()) else {
        return;
    };
    let unnoticed: Vec<_> = first_or_all(&CALLS)
        .filter_map(|(required, table)| complaint(|| assert_notices(&gpu, required, table)))
        .collect();
    assert!(
        unnoticed.is_empty(),
        "{}\n{}",
        unnoticed.len(),
        unnoticed.join("\n")
    );
}
