//! Parenthesization: every case with its baseline in one run, every answer checked.
//!
//! `cargo bench -p swath-bench --bench parenthesization -- [--device D] [--clock-ghz F] [--only
//! NAME] [--shrink N] [--json FILE] [--against FILE]`.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method, Parenthesization, Problem, RnaFold, SearchTree,
};
use swath::unstable::parenthesization::{ParenthesizationOptions, Tuning};
use swath::{Engine, Report};
use swath_bench::calls::Calls;
use swath_bench::ceiling::Work;
use swath_bench::inputs::dimensions;
use swath_bench::record::Row;
use swath_bench::timing::{Timed, best_of, once};
use swath_bench::{Bench, native};

/// Answer of a problem with integer costs.
type Solved = Timed<Report<Parenthesization<u64>>>;

fn main() -> ExitCode {
    let mut bench = Bench::from_arguments();
    if let Some(gpu) = bench.engine() {
        against_thread_mappings(&mut bench, &gpu);
        long_chains(&mut bench, &gpu);
        other_problems(&mut bench, &gpu);
        tiles_and_arithmetic(&mut bench, &gpu);
    }
    table_on_the_cpu(&mut bench);
    hu_shing(&mut bench);
    bench.finish()
}

/// Tiles and the adaptive mapping against one lane per range on the same device; Hu and Shing's
/// method checks the cost.
fn against_thread_mappings(bench: &mut Bench, gpu: &Engine) {
    for n in [1_024, 4_096] {
        let n = bench.size(n);
        // Short calls are repeated more often.
        let methods = [(Method::Adaptive, 3), (Method::Tiled, 15)];
        let methods =
            methods.map(|(method, times)| (format!("{} chain {n}", method.name()), method, times));
        if !methods.iter().any(|(name, ..)| bench.wants(name)) {
            continue;
        }
        let chain = MatrixChain::new(dimensions(n, 1_000, 1));
        let expected = cost_by_hu_shing(&chain);
        let baseline = time(
            gpu,
            &chain,
            Method::ThreadPerSubproblem,
            Tuning::default(),
            1,
        );
        for (name, method, times) in &methods {
            let ours = time(gpu, &chain, *method, Tuning::default(), *times);
            let costs = [&ours, &baseline].map(|solved| solved.answer.cost);
            let right = costs == [expected; 2] && ours.answer.tree == baseline.answer.tree;
            row(
                bench,
                name,
                &ours,
                Some(("thread-per-subproblem, same device", baseline.best())),
                right,
            );
        }
    }
}

/// Longer chains and larger dimensions; Hu and Shing's method checks the cost.
fn long_chains(bench: &mut Bench, gpu: &Engine) {
    let long = [8_192, 16_384, 32_768].map(|n| (bench.size(n), 1_000, 2, "", 2));
    let large = (
        bench.size(4_096),
        1_000_000,
        3,
        ", dimensions to 1000000",
        3,
    );
    for (n, limit, seed, what, times) in long.into_iter().chain([large]) {
        let name = format!("tiled chain {n}{what}");
        if bench.wants(&name) {
            let chain = MatrixChain::new(dimensions(n, limit, seed));
            let ours = time(gpu, &chain, Method::Tiled, Tuning::default(), times);
            let right = ours.answer.cost == cost_by_hu_shing(&chain);
            row(bench, &name, &ours, None, right);
        }
    }
}

/// Problems that Hu and Shing's method does not solve.
fn other_problems(bench: &mut Bench, gpu: &Engine) {
    let n = bench.size(4_096);
    let name = format!("tiled search tree {n}");
    if bench.wants(&name) {
        let tree = SearchTree::new(dimensions(n - 2, 1_000, 4), dimensions(n - 1, 1_000, 5))
            .expect("weights");
        against_adaptive(bench, gpu, &name, &tree);
    }
    let name = format!("tiled fold {n}");
    if bench.wants(&name) {
        let letters = dimensions(n - 1, 4, 6)
            .into_iter()
            .map(|letter| b"ACGU"[letter as usize - 1]);
        let fold = RnaFold::new(&letters.collect::<Vec<_>>(), 3).expect("letters");
        against_adaptive(bench, gpu, &name, &fold);
    }
}

/// Tiles against the adaptive mapping on the same device; the CPU checks cost and tree.
fn against_adaptive<P: Problem<Value = u64>>(
    bench: &mut Bench,
    gpu: &Engine,
    name: &str,
    problem: &P,
) {
    let expected = time(&native(None), problem, Method::Tiled, Tuning::default(), 0).answer;
    let adaptive = time(gpu, problem, Method::Adaptive, Tuning::default(), 1);
    let ours = time(gpu, problem, Method::Tiled, Tuning::default(), 3);
    let right = |solved: &Solved| {
        (solved.answer.cost, &solved.answer.tree) == (expected.cost, &expected.tree)
    };
    row(
        bench,
        name,
        &ours,
        Some(("adaptive, same device", adaptive.best())),
        right(&ours) && right(&adaptive),
    );
}

/// Other tile sizes and arithmetics against the planner's choice.
fn tiles_and_arithmetic(bench: &mut Bench, gpu: &Engine) {
    let n = bench.size(4_096);
    // Tiles of 64 rows need enough workgroup memory.
    let has_room_for_64 = bench
        .capability("workgroup_bytes")
        .is_some_and(|bytes| bytes >= f64::from(40 << 10));
    let mut forms = vec![
        ("tiles of 16", Some(16), None),
        ("tiles of 64", Some(64), None),
    ];
    forms.extend(
        [Arithmetic::U64, Arithmetic::Limbs]
            .map(|arithmetic| (arithmetic.name(), None, Some(arithmetic))),
    );
    for (name, tile, arithmetic) in forms {
        let name = format!("tiled chain {n}, {name}");
        if bench.wants(&name) && (tile != Some(64) || has_room_for_64) {
            let chain = MatrixChain::new(dimensions(n, 1_000, 1));
            let mut tuning = Tuning::default();
            (tuning.tile, tuning.arithmetic) = (tile, arithmetic);
            let planned = time(gpu, &chain, Method::Tiled, Tuning::default(), 3);
            let ours = time(gpu, &chain, Method::Tiled, tuning, 3);
            let right = ours.answer.cost == cost_by_hu_shing(&chain);
            row(
                bench,
                &name,
                &ours,
                Some(("the planner's choice", planned.best())),
                right,
            );
        }
    }
}

/// Two threads and one against the best simple loop order on one.
fn table_on_the_cpu(bench: &mut Bench) {
    for threads in [1, 2] {
        let n = bench.size(2_048);
        let name = format!("cpu tiled chain {n}, {threads} threads");
        if bench.wants(&name) {
            let numbers = dimensions(n, 1_000, 7);
            let simple = once(|| simple_table(&numbers));
            let ours = time(
                &native(Some(threads)),
                &MatrixChain::new(numbers),
                Method::Tiled,
                Tuning::default(),
                3,
            );
            let right = ours.answer.cost == simple.answer;
            row(
                bench,
                &name,
                &ours,
                Some(("best simple loop order, 1 thread", simple.best())),
                right,
            );
        }
    }
}

/// A million matrices with their tree, against a near-optimal chain. The certificate proves the
/// cost.
fn hu_shing(bench: &mut Bench) {
    for n in [100_000, 1_000_000] {
        let n = bench.size(n);
        let name = format!("hu-shing chain {n}");
        if bench.wants(&name) {
            let numbers = dimensions(n, 1_000, 8);
            let near = once(|| near_best(&numbers));
            let ours = time(
                &native(Some(1)),
                &MatrixChain::new(numbers),
                Method::HuShing,
                Tuning::default(),
                3,
            );
            let share = near.answer as f64 / ours.answer.cost as f64;
            row(
                bench,
                &name,
                &ours,
                None,
                (1.0..=NEAR_BEST).contains(&share),
            );
        }
    }
}

fn time<P: Problem<Value = u64>>(
    engine: &Engine,
    problem: &P,
    method: Method,
    tuning: Tuning,
    times: usize,
) -> Solved {
    let mut options = ParenthesizationOptions::default();
    (options.method, options.tuning) = (method, tuning);
    best_of(times, || engine.parenthesize(problem, &options))
}

fn cost_by_hu_shing(chain: &MatrixChain) -> u64 {
    time(
        &native(Some(1)),
        chain,
        Method::HuShing,
        Tuning::default(),
        0,
    )
    .answer
    .cost
}

fn row(
    bench: &mut Bench,
    case: &str,
    ours: &Solved,
    baseline: Option<(&str, Duration)>,
    right: bool,
) {
    let Report { run, answer, .. } = &ours.answer;
    let Parenthesization {
        cost,
        tree,
        arithmetic,
        ..
    } = answer;
    bench.row(Row {
        case,
        times: ours.times(),
        count: run.computed_cells,
        computed: run.computed_cells,
        work: Work::Splits((*arithmetic).into()),
        device: &run.device,
        baseline,
        right,
        remark: String::new(),
        path_mode: None,
        phases: &run.phases,
        members: json!({ "leaves": tree.leaves(), "cost": cost, "arithmetic": arithmetic.name() }),
    });
}

/// Upper bound of the cost of [`near_best`], relative to the optimum.
const NEAR_BEST: f64 = 1.1548;

/// Cost of a near-optimal partition in one pass (Hu and Shing 1981, "An O(n) algorithm to find a
/// near-optimum partition of a convex polygon", Journal of Algorithms 2, pages 122 to 138).
fn near_best(dimensions: &[u64]) -> u128 {
    let least = (0..dimensions.len())
        .min_by_key(|&vertex| dimensions[vertex])
        .unwrap_or_default();
    let order = dimensions[least..]
        .iter()
        .chain(&dimensions[..=least])
        .map(|&weight| u128::from(weight));
    let first = u128::from(dimensions[least]);
    let (mut cost, mut kept) = (0, Vec::<u128>::new());
    for next in order {
        // Cut off a vertex if its triangle and one of the fan's are cheaper than two of the fan's.
        while let [.., before, top] = kept[..] {
            if kept.len() < 3 || before * next * (top + first) >= first * top * (before + next) {
                break;
            }
            cost += before * top * next;
            kept.pop();
        }
        kept.push(next);
    }
    cost + kept[1..kept.len() - 1]
        .windows(2)
        .map(|pair| first * pair[0] * pair[1])
        .sum::<u128>()
}

/// [`simple_rows`] with the instruction set that the library uses.
fn simple_table(dimensions: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
        fn avx512(dimensions: &[u64]) -> u64 {
            simple_rows(dimensions)
        }
        #[target_feature(enable = "avx2")]
        fn avx2(dimensions: &[u64]) -> u64 {
            simple_rows(dimensions)
        }
        if is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: processors with these two features have the other two.
            return unsafe { avx512(dimensions) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has been checked.
            return unsafe { avx2(dimensions) };
        }
    }
    simple_rows(dimensions)
}

/// The whole table, from the last row up and with the column innermost, so that the compiler
/// vectorises it.
#[inline(always)]
fn simple_rows(dimensions: &[u64]) -> u64 {
    let points = dimensions.len();
    let mut table = vec![u64::MAX; points * points];
    for i in (0..points - 1).rev() {
        let (upper, lower) = table.split_at_mut((i + 1) * points);
        let row = &mut upper[i * points..];
        row[i + 1] = 0;
        for k in i + 1..points - 1 {
            let (left, pair) = (row[k], dimensions[i].wrapping_mul(dimensions[k]));
            let right = &lower[(k - i - 1) * points..][..points];
            for ((best, right), last) in row[k + 1..]
                .iter_mut()
                .zip(&right[k + 1..])
                .zip(&dimensions[k + 1..])
            {
                *best = (*best).min(
                    left.wrapping_add(*right)
                        .wrapping_add(pair.wrapping_mul(*last)),
                );
            }
        }
    }
    table[points - 1]
}
