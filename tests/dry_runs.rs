//! Dry runs say what calls then do: the decision is made once.

mod support;

use support::inputs::Random;
use swath::edit_distance::{self, EditOptions};
use swath::lcs::{self, LcsOptions};
use swath::{DeviceChoice, Engine, Options};

/// Pairs of every kind that decisions tell apart.
fn pairs() -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(11);
    let a = random.symbols(3000, 4);
    let words = random.symbols(2600, 300);
    vec![
        ("empty", vec![], vec![]),
        ("one empty", vec![], a[..70].to_vec()),
        ("one symbol", vec![1], vec![2]),
        ("equal", a.clone(), a.clone()),
        ("tiny", random.symbols(30, 4), random.symbols(40, 4)),
        ("one edit in 500", a.clone(), random.edited(&a, 500, 4)),
        ("one edit in 10", a.clone(), random.edited(&a, 10, 4)),
        ("unrelated", a.clone(), random.symbols(2900, 4)),
        ("much longer", random.symbols(300, 4), random.symbols(9000, 4)),
        ("two symbols", random.symbols(2000, 2), random.symbols(2000, 2)),
        ("many symbols", words.clone(), random.edited(&words, 9, 300)),
        ("nothing in common", vec![7; 900], vec![8; 800]),
    ]
}

/// Larger ones, for the CPU alone: their similarity is guessed.
fn large_pairs() -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let mut random = Random::new(12);
    let a = random.symbols(60_000, 4);
    vec![
        ("one edit in 2,000", a.clone(), random.edited(&a, 2000, 4)),
        ("one edit in 30", a.clone(), random.edited(&a, 30, 4)),
        ("unrelated", a.clone(), random.symbols(60_000, 4)),
        ("much longer", random.symbols(2000, 4), random.symbols(90_000, 4)),
    ]
}

/// What a plan and a report have in common.
type Said = (String, String, &'static str);

#[track_caller]
fn assert_agree<E: std::fmt::Display>(plan: Result<Said, E>, run: Result<Said, E>, case: &str) {
    match (plan, run) {
        (Ok(plan), Ok(run)) => assert_eq!(plan, run, "{case}"),
        (Err(plan), Err(run)) => assert_eq!(plan.to_string(), run.to_string(), "{case}"),
        (plan, run) => panic!("{case}: the plan {:?}, the call {:?}", plan.err().map(|e| e.to_string()), run.is_ok()),
    }
}

fn assert_dry_runs_agree(name: &str, engine: &Engine, pairs: &[(&'static str, Vec<u32>, Vec<u32>)]) {
    for (kind, a, b) in pairs {
        for path in [false, true] {
            for method in lcs::Method::ALL {
                let mut options = LcsOptions::default();
                (options.method, options.path) = (method, path);
                let plan = engine.lcs_plan(a, b, &options);
                let run = engine.lcs_with(a, b, &options).map(|answer| answer.run);
                let plan = plan.map(|plan| (plan.method.name().to_string(), plan.device, plan.path_mode));
                let run = run.map(|run| (run.method.name().to_string(), run.device, run.path_mode));
                assert_agree(plan, run, &format!("{name}, lcs, {kind}, {method:?}, path {path}"));
            }
            for method in edit_distance::Method::ALL {
                let mut options = EditOptions::default();
                (options.method, options.path) = (method, path);
                let plan = engine.edit_distance_plan(a, b, &options);
                let run = engine.edit_distance_with(a, b, &options).map(|answer| answer.run);
                let plan = plan.map(|plan| (plan.method.name().to_string(), plan.device, plan.path_mode));
                let run = run.map(|run| (run.method.name().to_string(), run.device, run.path_mode));
                assert_agree(plan, run, &format!("{name}, edit, {kind}, {method:?}, path {path}"));
            }
        }
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
            assert_eq!((plan.method, plan.path_mode), (run.method, run.path_mode), "lcs, {kind}, path {path}");
            let (plan, run) = (engine.edit_distance_plan(&a, &b, &edit), engine.edit_distance_with(&a, &b, &edit));
            let (plan, run) = (plan.expect("it plans"), run.expect("it is solved").run);
            assert_eq!((plan.method, plan.path_mode), (run.method, run.path_mode), "edit, {kind}, path {path}");
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
        let (plan, run) = (engine.lcs_plan(&a, &b, &call), engine.lcs_with(&a, &b, &call));
        let (plan, run) = (plan.expect("it plans"), run.expect("it is solved").run);
        assert_eq!((plan.method, plan.path_mode), (run.method, run.path_mode), "{method:?}");
        assert_eq!(plan.path_mode, "hirschberg above stored boundaries", "{plan:?}");
    }
}

#[test]
fn plans_expect_edit_distances_to_take_longer_than_subsequences_and_similar_pairs_less_than_others() {
    let mut random = Random::new(14);
    let a = random.symbols(300_000, 4);
    let (near, far) = (random.edited(&a, 1000, 4), random.symbols(300_000, 4));
    let lcs = |b: &[u32]| support::cpu().lcs_plan(&a, b, &LcsOptions::default()).expect("it plans").expected;
    let edit = |b| support::cpu().edit_distance_plan(&a, b, &EditOptions::default()).expect("it plans").expected;
    assert!(lcs(&near) * 4 < lcs(&far) && edit(&near) * 4 < edit(&far));
    let mut whole = EditOptions::default();
    whole.method = edit_distance::Method::BitParallel;
    let whole = support::cpu().edit_distance_plan(&a, &far, &whole).expect("it plans").expected;
    let call = support::options(lcs::Method::BitParallel, false);
    assert!(whole > support::cpu().lcs_plan(&a, &far, &call).expect("it plans").expected.mul_f64(1.3));
}
