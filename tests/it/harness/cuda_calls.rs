//! One wrong operator in CUDA sources of whole calls is noticed by the tests' assertions. No edit
//! makes a workgroup wait forever or leave its buffers.
#![cfg(feature = "cuda")]

use support::tier::first_or_all;
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method as TreeMethod, PointPolygon, Precision, Problem, RnaFold,
    SearchTree, WeightedPolygon,
};
use swath::unstable::sort;
use swath::{Engine, lcs};

use super::assertions::{complaint, damaged};
use super::cuda::is_here;
use super::*;
use support::cuda_texts::{Edit, damage_where_used};
use support::inputs::{Input, Random};
use support::{self, sorts, trees};

/// An assertion of a test suite.
type Required = fn(&Engine);

/// Edits of sources that calls on the test device run, and the assertion that each breaks.
const CALLS: [(Edit, Required); 22] = [
    (
        ("bit_parallel/keep_checkpoints", "= word;", "= ~word;"),
        |engine| subsequence(engine, lcs::Method::BitParallel, true),
    ),
    (
        (
            "bit_parallel/keep_tiles",
            "= v[vector * TILE_WIDTH + i];",
            "= ~v[vector * TILE_WIDTH + i];",
        ),
        |engine| {
            subsequence(engine, lcs::Method::BitParallel, true);
        },
    ),
    (
        (
            "bit_parallel/from_checkpoint",
            "return stored(at)[replay.record + i",
            "return ~stored(at)[replay.record + i",
        ),
        |engine| {
            subsequence(engine, lcs::Method::BitParallel, true);
        },
    ),
    (
        (
            "diagonal_transition/indel",
            "max(reach[-1] + 1, reach[0])",
            "max(reach[-1] + 1, -(1 << 30))",
        ),
        |engine| {
            let mut random = Random::new(8);
            let a = random.symbols(1400, 4);
            let b = random.edited(&a, 20, 4);
            let options = support::options(lcs::Method::Wavefront, false);
            support::assert_answer(engine, (&a, &b), &options, &"similar");
        },
    ),
    (
        (
            "sort/onesweep",
            "params.begins_at + lane] + before - begin",
            "params.begins_at + lane] - begin",
        ),
        narrow_keys,
    ),
    (
        (
            "sort/onesweep_histogram",
            "place], wg_counts[place])",
            "place], wg_counts[place] / 2u)",
        ),
        narrow_keys,
    ),
    (
        (
            "sort/onesweep_scan",
            "sum_before(lane(), histogram(at)[place])",
            "sum_before(lane(), 0u)",
        ),
        narrow_keys,
    ),
    (
        ("sort/key_u64", "shift >= 32u)", "shift > 32u)"),
        |engine| {
            sorts::assert_sorts(
                engine,
                &sorts::wide_keys("random", 20_000),
                64,
                sort::SortTuning::default(),
                "random",
            );
        },
    ),
    (
        (
            "parenthesization/value_u32",
            "return a * b;",
            "return a + b;",
        ),
        |engine| chain(engine, Arithmetic::U32),
    ),
    (
        (
            "parenthesization/operators",
            "return a + b;",
            "return a + b + b;",
        ),
        |engine| chain(engine, Arithmetic::U32),
    ),
    (
        (
            "parenthesization/goal",
            "select(a, b, better(b, a))",
            "select(b, a, better(b, a))",
        ),
        |engine| {
            chain(engine, Arithmetic::U32);
        },
    ),
    (
        (
            "parenthesization/tiles",
            "(i % TILE) * TILE + j % TILE",
            "(j % TILE) * TILE + i % TILE",
        ),
        |engine| {
            chain(engine, Arithmetic::U32);
        },
    ),
    (
        (
            "parenthesization/tiles_one",
            "+ place] = cost;",
            "+ place] = plus(cost, cost);",
        ),
        |engine| chain(engine, Arithmetic::U32),
    ),
    (
        (
            "parenthesization/value_u64",
            "const Value sum = a + b;",
            "const Value sum = a + (b >> 1u);",
        ),
        |engine| {
            chain(engine, Arithmetic::U64);
        },
    ),
    (
        (
            "parenthesization/value_whole",
            "product.b, a);",
            "product.a, a);",
        ),
        |engine| chain(engine, Arithmetic::F64),
    ),
    (
        (
            "parenthesization/nussinov",
            "sum == 3u || sum == 5u",
            "sum == 3u",
        ),
        folding,
    ),
    (
        (
            "parenthesization/search_tree",
            "inputs(at)[3u * i])",
            "value(0u))",
        ),
        |engine| {
            let keys = trees::dimensions(0, 60, 5);
            tree(
                engine,
                &SearchTree::new(keys, vec![]).expect("weights"),
                Precision::Exact,
                None,
            );
        },
    ),
    (
        (
            "parenthesization/wide_product",
            "inputs(at)[i], inputs(at)[j])",
            "inputs(at)[i], inputs(at)[i])",
        ),
        |engine| {
            let weights = [vec![1 << 17], trees::dimensions(6, 40, 7)].concat();
            tree(
                engine,
                &WeightedPolygon::new(weights).expect("weights"),
                Precision::Exact,
                Some(Arithmetic::U64),
            );
        },
    ),
    (
        (
            "parenthesization/value_f64",
            "__dmul_rn(a, b), OVERFLOW",
            "__dadd_rn(a, b), OVERFLOW",
        ),
        |engine| {
            tree(
                engine,
                &WeightedPolygon::new(real_weights()).expect("weights"),
                Precision::Exact,
                None,
            );
        },
    ),
    (
        (
            "parenthesization/value_f32",
            "return bits ^ (bits",
            "return ~bits ^ (bits",
        ),
        |engine| {
            tree(
                engine,
                &WeightedPolygon::new(real_weights()).expect("weights"),
                Precision::Single,
                None,
            );
        },
    ),
    (
        (
            "parenthesization/perimeter",
            "side(inner, outer.j)",
            "side(outer.i, inner)",
        ),
        |engine| {
            let corners = real_weights()
                .chunks_exact(2)
                .map(|pair| [pair[0], pair[1]])
                .collect();
            tree(
                engine,
                &PointPolygon::new(corners).expect("corners"),
                Precision::Exact,
                None,
            );
        },
    ),
    (
        (
            "parenthesization/value_limbs",
            "return {a * b, __umulhi(a, b)};",
            "return {a + b, __umulhi(a, b)};",
        ),
        |engine| {
            chain(engine, Arithmetic::Limbs);
        },
    ),
];

fn subsequence(engine: &Engine, method: lcs::Method, path: bool) {
    let (a, b) = Input::random(4, 3 * 496, 900).bytes();
    support::assert_answer(engine, (&a, &b), &support::options(method, path), &"random");
}

fn narrow_keys(engine: &Engine) {
    sorts::assert_sorts(
        engine,
        &sorts::narrow_keys("random", 20_000),
        32,
        sort::SortTuning::default(),
        "random",
    );
}

fn chain(engine: &Engine, arithmetic: Arithmetic) {
    let dimensions = trees::dimensions(0, 61, 3)
        .into_iter()
        .map(|size| 1 + size % 50)
        .collect();
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

/// Requires that an assertion passes with the library's source and fails with the edited one.
#[track_caller]
fn assert_notices(gpu: &Gpu, (edit, required): (Edit, Required)) {
    assert_eq!(
        complaint(|| required(&damaged(gpu, |_| ()))),
        None,
        "{edit:?}: undamaged"
    );
    let used = Arc::new(AtomicUsize::new(0));
    let uses = used.clone();
    let engine = damaged(gpu, move |plan| {
        _ = uses.fetch_add(damage_where_used(plan, &[edit]), Ordering::Relaxed)
    });
    let said = complaint(|| required(&engine));
    assert!(
        used.load(Ordering::Relaxed) > 0,
        "{edit:?}: no plan has the text"
    );
    let said = said.unwrap_or_else(|| panic!("{edit:?} went unnoticed"));
    assert!(!said.contains("was refused"), "{edit:?}: {said}");
}

#[test]
fn one_wrong_operator_in_a_text_that_a_call_runs_is_noticed() {
    let Some(gpu) = lock_gpu().filter(|_| is_here()) else {
        return;
    };
    let unnoticed: Vec<_> = first_or_all(&CALLS)
        .filter_map(|call| complaint(|| assert_notices(&gpu, call)))
        .collect();
    assert!(
        unnoticed.is_empty(),
        "{}\n{}",
        unnoticed.len(),
        unnoticed.join("\n")
    );
}
