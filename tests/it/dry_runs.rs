//! Dry runs agree with calls: the decision is made once.

use support::calls::Calls;
use support::dry_runs::{
    assert_dry_run_agrees, assert_method_and_device_agree, assert_same_is_said,
};
use support::inputs::Random;
use support::tier::{combinations, first_or_all};
use support::trees;
use swath::PathMode;
use swath::edit_distance::{self, Mode};
use swath::parenthesization::{self, MatrixChain, PointPolygon, Precision, RnaFold};
use swath::sort::RadixSort;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::LcsOptions;
use swath::{DeviceChoice, Edit, Engine, Error, Lcs, Options, Parenthesize, Scs, Substring};
use swath::{lcs, substring, supersequence};

/// Pairs of all kinds that decisions distinguish.
fn pairs() -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(11);
    let a = random.symbols(3000, 4);
    let words = random.symbols(1300, 300);
    vec![
        ("empty", vec![], vec![]),
        ("one empty", vec![], a[..70].to_vec()),
        ("one symbol", vec![1], vec![2]),
        ("equal", a.clone(), a.clone()),
        ("tiny", random.symbols(30, 4), random.symbols(40, 4)),
        ("one edit in 500", a.clone(), random.edited(&a, 500, 4)),
        ("one edit in 10", a.clone(), random.edited(&a, 10, 4)),
        ("unrelated", a.clone(), random.symbols(2900, 4)),
        (
            "much longer",
            random.symbols(300, 4),
            random.symbols(4000, 4),
        ),
        (
            "two symbols",
            random.symbols(2000, 2),
            random.symbols(2000, 2),
        ),
        ("many symbols", words.clone(), random.edited(&words, 9, 300)),
        ("nothing in common", vec![7; 900], vec![8; 800]),
    ]
}

/// Larger pairs, whose similarity is estimated; CPU only.
fn large_pairs() -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(12);
    let a = random.symbols(60_000, 4);
    vec![
        ("one edit in 2,000", a.clone(), random.edited(&a, 2000, 4)),
        ("one edit in 30", a.clone(), random.edited(&a, 30, 4)),
        ("unrelated", a.clone(), random.symbols(60_000, 4)),
        (
            "much longer",
            random.symbols(2000, 4),
            random.symbols(90_000, 4),
        ),
    ]
}

fn assert_dry_runs_agree(
    name: &str,
    engine: &Engine,
    pairs: &[(&'static str, Vec<u32>, Vec<u32>)],
) {
    for [pair, path, method] in combinations([pairs.len(), 2, lcs::Method::ALL.len()]) {
        let ((kind, a, b), path, method) = (&pairs[pair], path == 1, lcs::Method::ALL[method]);
        let task = Lcs::of(a, b).method(method).with_path(path);
        let case = format!("{name}, lcs, {kind}, {method:?}, path {path}");
        assert_dry_run_agrees(engine, &task, &case);
    }
    let methods = edit_distance::Method::ALL;
    for [pair, path, method] in combinations([pairs.len(), 2, methods.len()]) {
        let ((kind, a, b), path, method) = (&pairs[pair], path == 1, methods[method]);
        let task = Edit::of(a, b).method(method).with_path(path);
        let case = format!("{name}, edit, {kind}, {method:?}, path {path}");
        assert_dry_run_agrees(engine, &task, &case);
    }
    // Tiny and unrelated pairs, and large alphabets; the plain tables of all would take too long.
    for (kind, a, b) in pairs.iter().skip(4).step_by(3) {
        let (a, b) = (&a[..a.len().min(300)], &b[..b.len().min(400)]);
        assert_dry_runs_of_pieces_agree(name, engine, (kind, a, b));
        assert_dry_runs_of_supersequences_agree(name, engine, (kind, a, b));
        assert_dry_runs_of_substrings_agree(name, engine, (kind, a, b));
    }
    assert_dry_runs_of_trees_agree(name, engine);
    assert_dry_runs_of_sorts_agree(name, engine);
}

/// For prefix and infix searches, whose pieces are known only after the search.
fn assert_dry_runs_of_pieces_agree(
    name: &str,
    engine: &Engine,
    (kind, a, b): (&str, &[u32], &[u32]),
) {
    let modes = [Mode::Prefix, Mode::Infix];
    let methods = edit_distance::Method::ALL;
    for [mode, path, method] in combinations([2, 2, methods.len()]) {
        let (mode, path, method) = (modes[mode], path == 1, methods[method]);
        let task = Edit::of(a, b).mode(mode).method(method).with_path(path);
        let case = format!("{name}, {mode}, {kind}, {method:?}, path {path}");
        assert_method_and_device_agree(engine, &task, &case);
    }
    for (mode, path) in modes
        .into_iter()
        .flat_map(|mode| [(mode, false), (mode, true)])
    {
        // If nothing is within the bound, the filter may make the GPU unnecessary.
        for bound in [0, 20]
            .into_iter()
            .filter(|_| mode == Mode::Prefix || name == "cpu")
        {
            let task = Edit::of(a, b).mode(mode).within(bound).with_path(path);
            let case = format!("{name}, {mode} within {bound}, {kind}, path {path}");
            assert_method_and_device_agree(engine, &task, &case);
        }
    }
}

fn assert_dry_runs_of_supersequences_agree(
    name: &str,
    engine: &Engine,
    (kind, a, b): (&str, &[u32], &[u32]),
) {
    for (method, path) in supersequence::Method::ALL
        .into_iter()
        .flat_map(|method| [(method, false), (method, true)])
    {
        let two = Scs::of(a, b).method(method).with_path(path);
        assert_dry_run_agrees(
            engine,
            &two,
            &format!("{name}, supersequence, {kind}, {method:?}, path {path}"),
        );
        // A removed input, a small table, and tables that are too large.
        let third = &b[b.len() / 2..];
        let several = [
            vec![a, b, a],
            vec![a, b, third]
                .into_iter()
                .map(|input| &input[..12])
                .collect(),
        ];
        // Intermediate merges of short inputs may be long enough for a GPU.
        let merged = (name != "gpu").then(|| a.chunks(30).take(8).collect());
        for inputs in several.into_iter().chain(merged) {
            let of = inputs.len();
            let case = format!("{name}, supersequence of {of}, {kind}, {method:?}, path {path}");
            assert_dry_run_of_several_agrees(engine, inputs, (method, path), &case);
        }
    }
}

/// For several inputs, of whose heuristics the better one is known only after running both.
fn assert_dry_run_of_several_agrees(
    engine: &Engine,
    inputs: Vec<&[u32]>,
    (method, path): (supersequence::Method, bool),
    case: &str,
) {
    let task = Scs::of_all(inputs).method(method).with_path(path);
    match (engine.plan(&task), engine.run(&task)) {
        (Ok(plan), Ok(report)) if report.run.method == "majority-merge" => {
            let heuristics = ["merge-tree", "majority-merge"];
            let expected = heuristics[usize::from(method != supersequence::Method::Auto)];
            // Without memory to compare all pairs, one heuristic is left.
            let only = report.run.method;
            assert!(
                [expected, only].contains(&plan.method),
                "{case}: {}",
                plan.method
            );
            let run = &report.run;
            assert_eq!(
                (plan.device, plan.cells),
                (run.device.clone(), run.cells),
                "{case}"
            );
        }
        (plan, run) => assert_same_is_said(plan, run, case),
    }
}

fn assert_dry_runs_of_substrings_agree(
    name: &str,
    engine: &Engine,
    (kind, a, b): (&str, &[u32], &[u32]),
) {
    // Sorts take a second on a software driver.
    let is_taken =
        |method| name != "gpu" || kind == "tiny" || method != substring::Method::SortAndScan;
    for method in substring::Method::ALL
        .into_iter()
        .filter(|&method| is_taken(method))
    {
        for inputs in [vec![a, b], vec![a, b, &a[a.len() / 2..]]] {
            let of = inputs.len();
            let task = Substring::of_many(inputs).in_at_least(2).method(method);
            assert_dry_run_agrees(
                engine,
                &task,
                &format!("{name}, substring of {of}, {kind}, {method:?}"),
            );
        }
        let matches = Substring::of(a, b).min_length(9).method(method);
        assert_dry_run_agrees(
            engine,
            &matches,
            &format!("{name}, matches, {kind}, {method:?}"),
        );
    }
}

fn assert_dry_runs_of_trees_agree(name: &str, engine: &Engine) {
    let points = |corners: usize| {
        (0..corners)
            .map(|corner| [corner as f64, (corner * corner % 11) as f64])
            .collect()
    };
    for leaves in [0, 1, 2, 7, 70] {
        let chain = MatrixChain::new(trees::dimensions(0, leaves + 1, 1));
        let fold = RnaFold::new(&trees::bases(leaves, 2), 3).expect("letters");
        let polygon = PointPolygon::new(points(leaves + 3)).expect("corners");
        for method in parenthesization::Method::ALL {
            let case = |problem: &str| format!("{name}, {problem} of {leaves}, {method:?}");
            assert_dry_run_agrees(
                engine,
                &Parenthesize::of(&chain).method(method),
                &case("chain"),
            );
            assert_dry_run_agrees(
                engine,
                &Parenthesize::of(&fold).method(method),
                &case("fold"),
            );
            for precision in Precision::ALL {
                let task = Parenthesize::of(&polygon)
                    .method(method)
                    .precision(precision);
                assert_dry_run_agrees(engine, &task, &case("polygon"));
            }
        }
    }
}

fn assert_dry_runs_of_sorts_agree(name: &str, engine: &Engine) {
    let mut random = Random::new(14);
    for keys in [0, 1, 300, 70_000] {
        let keys = random.symbols(keys, 1 << 20);
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 21).collect();
        let equal = vec![7u32; keys.len()];
        let case = |kind: &str| format!("{name}, {} {kind} keys", keys.len());
        assert_dry_run_agrees(engine, &RadixSort::of(&keys), &case("narrow"));
        assert_dry_run_agrees(engine, &RadixSort::of(&wide), &case("wide"));
        assert_dry_run_agrees(engine, &RadixSort::of(&equal), &case("equal"));
        assert_dry_run_agrees(
            engine,
            &RadixSort::of(&keys).with_payload(&equal),
            &case("paired"),
        );
        assert_dry_run_agrees(
            engine,
            &RadixSort::of(&keys).with_payload(&equal[1.min(equal.len())..]),
            &case("more"),
        );
        assert_dry_run_agrees(
            engine,
            &RadixSort::of(&keys).key_bits(0),
            &case("unordered"),
        );
    }
}

#[test]
fn dry_runs_on_the_cpu_name_the_method_and_path_that_run() {
    assert_dry_runs_agree("cpu", support::cpu(), &pairs());
}

#[test]
fn dry_runs_without_a_named_device_name_what_runs() {
    let engine = Engine::new(Options::default()).expect("nothing is opened yet");
    assert_dry_runs_agree("auto", &engine, &pairs());
}

#[test]
fn dry_runs_on_a_gpu_name_the_method_device_and_path_that_run() {
    let Some(gpu) = support::gpu() else { return };
    assert_dry_runs_agree("gpu", gpu, &pairs());
}

#[test]
fn dry_runs_of_similar_and_unrelated_pairs_name_what_their_similarity_lets_run() {
    let engine = support::cpu();
    for (kind, a, b) in large_pairs() {
        for path in [false, true] {
            let (mut lcs, mut edit) = (LcsOptions::default(), EditOptions::default());
            (lcs.path, edit.path) = (path, path);
            let (plan, run) = (engine.lcs_plan(&a, &b, &lcs), engine.lcs_with(&a, &b, &lcs));
            let (plan, run) = (plan.expect("it plans"), run.expect("it is solved").run);
            assert_eq!(
                (plan.method, plan.path_mode),
                (run.method, run.path_mode),
                "lcs, {kind}, path {path}"
            );
            let (plan, run) = (
                engine.edit_distance_plan(&a, &b, &edit),
                engine.edit_distance_with(&a, &b, &edit),
            );
            let (plan, run) = (plan.expect("it plans"), run.expect("it is solved").run);
            assert_eq!(
                (plan.method, plan.path_mode),
                (run.method, run.path_mode),
                "edit, {kind}, path {path}"
            );
        }
    }
}

#[test]
fn dry_runs_with_little_memory_name_the_path_that_it_leaves() {
    let mut options = Options::default();
    (options.device, options.host_memory) = (DeviceChoice::Cpu, Some(100_000));
    let engine = Engine::new(options).expect("the CPU is there");
    let mut random = Random::new(13);
    let (a, b) = (random.symbols(9000, 4), random.symbols(9000, 4));
    for method in [lcs::Method::Auto, lcs::Method::BitParallel] {
        let call = support::options(method, true);
        let (plan, run) = (
            engine.lcs_plan(&a, &b, &call),
            engine.lcs_with(&a, &b, &call),
        );
        let (plan, run) = (plan.expect("it plans"), run.expect("it is solved").run);
        assert_eq!(
            (plan.method, plan.path_mode),
            (run.method, run.path_mode),
            "{method:?}"
        );
        assert_eq!(plan.path_mode, PathMode::Hirschberg, "{plan:?}");
    }
}

/// Every problem by every method, within a budget of host memory.
fn assert_dry_runs_within_agree(options: &Options, budget: u64) {
    let engine = Engine::new(options.clone().host_memory(budget)).expect("the device is there");
    let name = format!("{}, {budget} bytes", options.device);
    let mut random = Random::new(15);
    let a = random.symbols(1200, 4);
    let pairs = [
        ("unrelated", random.symbols(1000, 4)),
        ("one edit in 50", random.edited(&a, 50, 4)),
    ];
    for (kind, b) in &pairs {
        let case = |problem: &str| format!("{name}, {problem}, {kind}");
        for method in lcs::Method::ALL {
            let task = Lcs::of(&a, b).method(method).path();
            assert_dry_run_agrees(&engine, &task, &case(&format!("lcs {method:?}")));
        }
        for method in edit_distance::Method::ALL {
            let task = Edit::of(&a, b).method(method).path();
            assert_dry_run_agrees(&engine, &task, &case(&format!("edit {method:?}")));
        }
        for method in supersequence::Method::ALL {
            let task = Scs::of(&a, b).method(method).path();
            assert_dry_run_agrees(&engine, &task, &case(&format!("scs {method:?}")));
        }
    }
    for method in supersequence::Method::ALL {
        let six: Vec<_> = a.chunks(25).take(6).collect();
        let case = format!("{name}, scs of six {method:?}");
        assert_dry_run_of_several_agrees(&engine, six, (method, true), &case);
    }
    for method in substring::Method::ALL {
        let task = Substring::of(&a, &pairs[1].1).method(method);
        assert_dry_run_agrees(&engine, &task, &format!("{name}, substring {method:?}"));
        let matches = task.min_length(12);
        // How many matches there are is known only after the search.
        match engine.run(&matches) {
            Err(Error::TooManyMatches { needed, limit, .. }) => assert!(needed > limit),
            run => {
                let case = format!("{name}, matches {method:?}");
                assert_same_is_said(engine.plan(&matches), run, &case);
            }
        }
    }
    assert_dry_run_agrees(&engine, &RadixSort::of(&a), &format!("{name}, a sort"));
    let chain = MatrixChain::new(trees::dimensions(0, 60, 1));
    for method in parenthesization::Method::ALL {
        let task = Parenthesize::of(&chain).method(method);
        assert_dry_run_agrees(&engine, &task, &format!("{name}, chain {method:?}"));
    }
}

#[test]
fn dry_runs_within_any_budget_of_the_host_say_what_calls_do() {
    let cpu = Options::new().device(DeviceChoice::Cpu);
    for budget in [0, 1, 1000, 20_000, 30_000, 200_000, 1 << 30] {
        assert_dry_runs_within_agree(&cpu, budget);
    }
}

#[test]
fn dry_runs_on_a_gpu_within_any_budget_of_the_host_say_what_calls_do() {
    let Some(gpu) = support::gpu_options() else {
        return;
    };
    for budget in first_or_all(&[30_000, 0, 1, 1000, 1 << 30]) {
        assert_dry_runs_within_agree(&gpu, budget);
    }
}
