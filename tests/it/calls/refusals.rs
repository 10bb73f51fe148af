//! Budgets and refusals.

use super::jobs::MANY_PASSES;
use support::calls::Calls;
use support::inputs::Input;
use support::{assert_answer, cpu_with_memory, gpu_with_memory, memory_budget, options, tuned};
use swath::PathMode;
use swath::edit_distance::{Method as EditMethod, Mode};
use swath::lcs::Method;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::Tuning;
use swath::{Engine, Error, Options};

#[test]
fn too_little_device_memory_is_refused_with_a_sufficient_amount() {
    let (a, b) = Input::random(4, 3000, 2000).bytes();
    for method in [Method::BitParallel, Method::Banded, Method::ConditionalSum] {
        for path in [false, true] {
            let Some(engine) = gpu_with_memory(1000) else {
                return;
            };
            let error = engine
                .lcs_with(&a, &b, &options(method, path))
                .expect_err("1,000 bytes are too few");
            let [needed, limit, smallest] = memory_budget(&error);
            assert!(
                limit == 1000 && needed > limit && smallest > limit,
                "{needed} {limit} {smallest}"
            );
            let plan = engine
                .lcs_plan(&a, &b, &options(method, path))
                .expect_err("the plan says so before");
            assert_eq!(
                memory_budget(&plan)[2],
                smallest,
                "{method:?} {path}: {plan}, and the call {smallest}"
            );
            let engine = gpu_with_memory(smallest).expect("an adapter is here");
            engine
                .lcs_plan(&a, &b, &options(method, path))
                .expect("the plan fits");
            let answer = engine.lcs_with(&a, &b, &options(method, path));
            let length = answer
                .unwrap_or_else(|error| panic!("{method:?} {path}: {error}"))
                .length;
            assert_eq!(length, support::expected(&a, &b).len());
        }
    }
}

#[test]
fn too_little_device_memory_for_an_alignment_is_refused_with_a_sufficient_amount() {
    let (a, b) = Input::random(4, 2000, 3000).bytes();
    for mode in [Mode::Global, Mode::Prefix, Mode::Infix] {
        for (method, path) in [
            (EditMethod::Auto, false),
            (EditMethod::Auto, true),
            (EditMethod::Banded, true),
        ] {
            if method == EditMethod::Banded && mode != Mode::Global {
                continue;
            }
            let mut options = EditOptions::default();
            (options.mode, options.method, options.path) = (mode, method, path);
            let Some(engine) = gpu_with_memory(1000) else {
                return;
            };
            let error = engine
                .edit_distance_with(&a, &b, &options)
                .expect_err("1,000 bytes are too few");
            let [.., smallest] = memory_budget(&error);
            let plan = engine
                .edit_distance_plan(&a, &b, &options)
                .expect_err("the plan says so before");
            assert_eq!(
                memory_budget(&plan)[2],
                smallest,
                "{mode:?} {method:?} {path}: {plan}, and the call {smallest}"
            );
            let engine = gpu_with_memory(smallest).expect("an adapter is here");
            let plan = engine
                .edit_distance_plan(&a, &b, &options)
                .expect("the plan fits");
            assert!(
                plan.device != "cpu" && plan.device_bytes <= smallest,
                "{plan:?}"
            );
            let answer = engine.edit_distance_with(&a, &b, &options);
            let answer =
                answer.unwrap_or_else(|error| panic!("{mode:?} {method:?} {path}: {error}"));
            assert_eq!(answer.alignment.is_some(), path);
            assert_eq!(plan.path_mode == PathMode::None, !path, "{plan:?}");
        }
    }
}

#[test]
fn a_budget_that_was_enough_once_is_enough_again_in_any_order() {
    let inputs = [
        (900, 800),
        (3000, 2000),
        (1200, 1100),
        (5000, 600),
        (3000, 2000),
        (700, 650),
    ]
    .map(|(rows, cols)| {
        let input = Input::random(4, rows, cols);
        (input, input.bytes())
    });
    // Exactly the largest plan: buffers kept from other calls must not count.
    let Some(roomy) = support::gpu() else { return };
    let tuning = Tuning {
        steps: Some(8),
        ..MANY_PASSES
    };
    let bytes = |(a, b): &(Vec<u8>, Vec<u8>)| {
        roomy
            .lcs_plan(a, b, &tuned(false, tuning))
            .expect("it plans")
            .device_bytes
    };
    let largest = inputs
        .iter()
        .map(|(_, pair)| bytes(pair))
        .max()
        .expect("some");
    let engine = gpu_with_memory(largest).expect("an adapter is here");
    for (input, (a, b)) in &inputs {
        assert_answer(&engine, (a, b), &tuned(false, tuning), input);
    }
}

#[test]
fn too_little_host_memory_for_wavefronts_or_the_table_is_an_error() {
    let engine = cpu_with_memory(10_000);
    let (a, b) = Input::random(4, 3000, 2000).bytes();
    for method in [Method::Wavefront, Method::Reference] {
        let error = engine
            .lcs_with(&a, &b, &options(method, true))
            .expect_err("10,000 bytes are too few");
        let [needed, limit, smallest] = memory_budget(&error);
        assert!(limit == 10_000 && needed > limit && smallest >= needed);
        engine
            .lcs_with(&a, &b, &options(method, false))
            .expect("the length takes no memory");
    }
}

#[test]
fn too_little_host_memory_for_the_reference_path_is_refused_before_the_search() {
    let engine = cpu_with_memory(10_000);
    // A search of many minutes.
    let (a, b) = Input::random(4, 30_000, 20_000_000).bytes();
    for mode in [Mode::Prefix, Mode::Infix] {
        let mut options = EditOptions::default();
        (options.method, options.mode, options.path) = (EditMethod::Reference, mode, true);
        let error = engine
            .edit_distance_with(&a, &b, &options)
            .expect_err("10,000 bytes are too few");
        let plan = engine
            .edit_distance_plan(&a, &b, &options)
            .expect_err("the plan says so too");
        // A piece may be twice as long as the query.
        assert!(
            matches!(
                error,
                Error::MemoryBudget {
                    needed: 7_200_360_004,
                    limit: 10_000,
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(error.to_string(), plan.to_string());
    }
    let mut options = EditOptions::default();
    (options.method, options.mode, options.path) = (EditMethod::Reference, Mode::Infix, true);
    let answer = engine
        .edit_distance_with(&a[..20], &b[..1500], &options)
        .expect("this table is small");
    assert!(answer.alignment.is_some());
}

#[test]
fn wavefront_plans_match_their_memory() {
    let (a, b) = Input::random(4, 3000, 2000).bytes();
    let mut lcs = options(Method::Wavefront, true);
    let plan = support::cpu().lcs_plan(&a, &b, &lcs).expect("it plans");
    assert_eq!(
        (plan.method, plan.path_mode, plan.device.as_str()),
        ("wavefront", PathMode::Wavefronts, "cpu")
    );
    lcs.path = false;
    let short = support::cpu().lcs_plan(&a, &b, &lcs).expect("it plans");
    assert!(
        short.path_mode == PathMode::None
            && short.host_bytes < plan.host_bytes
            && short.passes == plan.passes
    );
    let mut edit = EditOptions::default();
    (edit.method, edit.path) = (EditMethod::Wavefront, true);
    let mut bytes = Vec::new();
    for bound in [None, Some(100), Some(0)] {
        edit.max_distance = bound;
        let plan = support::cpu()
            .edit_distance_plan(&a, &b, &edit)
            .expect("it plans");
        assert_eq!(
            (plan.method, plan.path_mode),
            ("wavefront", PathMode::Wavefronts)
        );
        assert!(
            bound.is_none_or(|bound| plan.passes == bound + 1 && plan.tile == (1, 2 * bound + 1)),
            "{plan:?}"
        );
        bytes.push(plan.host_bytes);
    }
    assert!(bytes.is_sorted_by(|more, less| more > less), "{bytes:?}");
}

#[test]
fn too_large_alphabets_are_refused_with_a_remedy() {
    let Some(engine) = support::gpu() else { return };
    // Distinct symbols in both, without common affixes.
    let a: Vec<u32> = (0..(1 << 20) + 2).collect();
    let b: Vec<u32> = a.iter().map(|symbol| symbol ^ 1).collect();
    let error = engine
        .lcs_with(&a, &b, &options(Method::BitParallel, false))
        .expect_err("2^20 is the limit");
    let Error::TooManySymbols {
        limit,
        actual,
        remedy,
        ..
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (limit, actual, remedy),
        (1 << 20, (1 << 20) + 2, "wavefront")
    );
    let plenty = &a[..100_000];
    let error = engine
        .lcs_with(
            plenty,
            &b[..100_000],
            &options(Method::ConditionalSum, false),
        )
        .expect_err("too many");
    assert!(
        matches!(
            error,
            Error::TooManySymbols {
                remedy: "bit-parallel",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_method_without_its_device_is_refused() {
    let error = support::cpu()
        .lcs_with(b"ab", b"ba", &options(Method::ConditionalSum, false))
        .expect_err("no GPU");
    assert!(
        matches!(
            error,
            Error::MethodUnavailable {
                method: "conditional-sum",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn an_unknown_device_is_refused_with_the_list_of_those_that_are_there() {
    for device in ["no such adapter", "vulkan:99"] {
        let mut options = Options::default();
        options.device = device.parse().expect("any text parses");
        let error = Engine::new(options).expect_err("there is none");
        let Error::UnknownDevice { wanted, available } = error else {
            panic!("{error}")
        };
        assert!(
            wanted == device && available.ends_with("cpu"),
            "{wanted}: {available}"
        );
    }
}

#[test]
fn the_selftest_passes_on_every_device() {
    for engine in [Some(support::cpu()), support::gpu()].into_iter().flatten() {
        let tests = engine.selftest().expect("the device is open");
        assert!(tests.iter().all(|test| test.passed), "{tests:?}");
        let of_scs = tests.iter().filter(|test| test.kernel.starts_with("scs/"));
        assert!(tests.len() >= 3 && of_scs.count() >= 4, "{tests:?}");
    }
}
