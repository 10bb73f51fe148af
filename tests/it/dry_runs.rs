//! Dry runs agree with calls: the decision is made once.

use support::dry_runs::{assert_method_and_device_agree, assert_same_is_said};
use support::inputs::Random;
use support::tasks::{self, Pair, Planned, Visitor};
use support::tier::first_or_all;
use swath::lcs;
use swath::{Edit, Engine, Error, Lcs, Options, PathMode, Task};

/// Pairs of all kinds that decisions distinguish.
fn pairs() -> Vec<Pair> {
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
fn large_pairs() -> Vec<Pair> {
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

/// Compares the dry run of each task with its call.
struct DryRuns<'a> {
    name: &'a str,
    engine: &'a Engine,
}

impl Visitor for DryRuns<'_> {
    fn takes(&self, case: &str) -> bool {
        let is = |part| case.contains(part);
        // Without a piece within the bound, the filter may make the GPU unnecessary. Intermediate
        // merges may be long enough for a GPU. A sort and scan takes a second on a software driver.
        let on_cpu = [
            is("infix within Some"),
            is("scs of 7") || is("scs of 8"),
            is("SortAndScan") && !is("tiny"),
        ];
        self.name.starts_with("cpu") || !on_cpu.contains(&true)
    }

    fn visit<T: Task>(&mut self, case: &str, task: &T, planned: Planned) {
        let case = format!("{}, {case}", self.name);
        let (plan, run) = (self.engine.plan(task), self.engine.run(task));
        match (planned, &plan, &run) {
            // The number of matches is known only after the search.
            (_, Ok(_), Err(Error::TooManyMatches { needed, limit, .. })) => assert!(needed > limit),
            (Planned::Device, ..) => assert_method_and_device_agree(plan, run, &case),
            // Without memory to compare all pairs, one heuristic is left.
            (Planned::Heuristic, Ok(plan), Ok(report)) if report.run.method == "majority-merge" => {
                let is_auto = case.contains("Auto");
                let one = if is_auto {
                    "merge-tree"
                } else {
                    report.run.method
                };
                assert!(
                    [one, report.run.method].contains(&plan.method),
                    "{case}: {plan:?}"
                );
                let run = (&report.run.device, report.run.cells);
                assert_eq!((&plan.device, plan.cells), run, "{case}");
            }
            _ => assert_same_is_said(plan, run, &case),
        }
    }
}

fn assert_dry_runs_agree(name: &str, engine: &Engine) {
    let pairs = pairs();
    // Tiny and unrelated pairs, and large alphabets; the plain tables of all would take too long.
    let parts = (4..pairs.len()).step_by(3);
    let mut visitor = DryRuns { name, engine };
    tasks::visit_all(&mut visitor, &pairs, parts, [300, 400]);
}

#[test]
fn dry_runs_on_the_cpu_name_the_method_and_path_that_run() {
    assert_dry_runs_agree("cpu", support::cpu());
}

#[test]
fn dry_runs_without_a_named_device_name_what_runs() {
    let engine = Engine::new(Options::default()).expect("nothing is opened yet");
    assert_dry_runs_agree("auto", &engine);
}

#[test]
fn dry_runs_on_a_gpu_name_the_method_device_and_path_that_run() {
    let Some(gpu) = support::gpu() else { return };
    assert_dry_runs_agree("gpu", gpu);
}

#[test]
fn dry_runs_of_similar_and_unrelated_pairs_name_what_their_similarity_lets_run() {
    let engine = support::cpu();
    for (kind, a, b) in large_pairs() {
        for path in [false, true] {
            let case = format!("{kind}, path {path}");
            let lcs = Lcs::of(&a, &b).with_path(path);
            assert_same_is_said(engine.plan(&lcs), engine.run(&lcs), &case);
            let edit = Edit::of(&a, &b).with_path(path);
            assert_same_is_said(engine.plan(&edit), engine.run(&edit), &case);
        }
    }
}

#[test]
fn dry_runs_with_little_memory_name_the_path_that_it_leaves() {
    let engine = support::cpu_with_memory(100_000);
    let mut random = Random::new(13);
    let (a, b) = (random.symbols(9000, 4), random.symbols(9000, 4));
    for method in [lcs::Method::Auto, lcs::Method::BitParallel] {
        let task = Lcs::of(&a, &b).method(method).path();
        assert_same_is_said(engine.plan(&task), engine.run(&task), "little memory");
        let plan = engine.plan(&task).expect("it plans");
        assert_eq!(plan.path_mode, PathMode::Hirschberg, "{plan:?}");
    }
}

/// Every problem by every method, within a budget of host memory.
fn assert_dry_runs_within_agree(device: &str, engine: &Engine, budget: u64) {
    let name = format!("{device}, {budget} bytes");
    let mut random = Random::new(15);
    let a = random.symbols(1200, 4);
    let pairs = [
        ("unrelated", a.clone(), random.symbols(1000, 4)),
        ("one edit in 50", a.clone(), random.edited(&a, 50, 4)),
    ];
    let mut visitor = DryRuns {
        name: &name,
        engine,
    };
    tasks::visit_all(&mut visitor, &pairs, 1..2, [150, 150]);
}

#[test]
fn dry_runs_within_any_budget_of_the_host_say_what_calls_do() {
    for budget in [0, 1, 1000, 20_000, 30_000, 200_000, 1 << 30] {
        assert_dry_runs_within_agree("cpu", &support::cpu_with_memory(budget), budget);
    }
}

#[test]
fn dry_runs_on_a_gpu_within_any_budget_of_the_host_say_what_calls_do() {
    let Some(options) = support::gpu_options() else {
        return;
    };
    for budget in first_or_all(&[30_000, 0, 1, 1000, 1 << 30]) {
        let engine = support::gpu_with(options.clone().host_memory(budget));
        assert_dry_runs_within_agree("gpu", &engine.expect("it is there"), budget);
    }
}
