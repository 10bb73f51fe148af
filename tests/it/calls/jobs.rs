//! Cancellation, progress, threads, executors, budgets and refusals.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use support::calls::Calls;
use support::inputs::Input;
use support::{assert_answer, options, tuned};
use swath::PathMode;
use swath::edit_distance::{Method as EditMethod, Mode};
use swath::lcs::Method;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::unstable::supersequence::ScsOptions;
use swath::{CancelHandle, Control, DeviceChoice, Engine, Error, Lcs, Options, Progress};

/// One step per pass, so that many rows need thousands of passes and several submissions.
const MANY_PASSES: Tuning = Tuning {
    matching: Some(Matching::Planes),
    carry_exchange: Some(CarryExchange::Workgroup),
    lanes: Some(8),
    limbs: Some(2),
    columns: Some(8),
    steps: Some(1),
    directions: Some(1),
    replay_bytes: None,
};

/// Inputs and options that take several slices on a GPU: strips with carries through workgroup
/// memory and, with known lanes, single-subgroup strips, which CUDA chains.
fn many_slices() -> (Vec<u8>, Vec<u8>, Vec<LcsOptions>) {
    let (a, b) = Input::random(4, 1500 * 496, 24).bytes();
    let chained = |lanes| Tuning {
        carry_exchange: Some(CarryExchange::Subgroup),
        lanes: Some(lanes),
        ..MANY_PASSES
    };
    let tunings = [Some(MANY_PASSES), support::subgroup_lanes().map(chained)];
    (
        a,
        b,
        tunings
            .into_iter()
            .flatten()
            .map(|tuning| tuned(false, tuning))
            .collect(),
    )
}

// Cancelling

#[test]
fn a_call_cancelled_before_it_starts_computes_nothing() {
    let cancel = CancelHandle::new();
    cancel.cancel();
    let (a, b) = Input::random(4, 3000, 2000).bytes();
    let run = |engine: &Engine, method, path| {
        let mut options = options(method, path);
        options.control = Control::new(cancel.clone(), None);
        let answer = engine.lcs_with(&a, &b, &options);
        assert!(
            matches!(answer, Err(Error::Cancelled)),
            "{method:?} {path} {answer:?}"
        );
    };
    for path in [false, true] {
        for method in [
            Method::BitParallel,
            Method::Wavefront,
            Method::Reference,
            Method::Auto,
        ] {
            run(support::cpu(), method, path);
        }
        if let Some(engine) = support::gpu() {
            run(engine, Method::BitParallel, path);
            run(engine, Method::ConditionalSum, path);
        }
    }
}

/// Cancels at the second report; returns the result of the call and the number of reports.
fn cancel_at_second_report(
    engine: &Engine,
    a: &[u8],
    b: &[u8],
    options: &LcsOptions,
) -> (Result<u64, Error>, usize) {
    let cancel = CancelHandle::new();
    let reports = Arc::new(AtomicUsize::new(0));
    let (handle, count) = (cancel.clone(), reports.clone());
    let callback = move |_: Progress| {
        if count.fetch_add(1, Ordering::Relaxed) == 1 {
            handle.cancel();
        }
    };
    let mut options = options.clone();
    options.control = Control::new(cancel, Some(Arc::new(callback)));
    (
        engine.lcs_with(a, b, &options).map(|answer| answer.length),
        reports.load(Ordering::Relaxed),
    )
}

#[test]
fn cancelling_from_the_progress_callback_ends_the_call_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    let (a, b, all) = many_slices();
    for options in all {
        let (answer, reports) = cancel_at_second_report(engine, &a, &b, &options);
        assert!(
            matches!(answer, Err(Error::Cancelled)),
            "{answer:?} {options:?}"
        );
        assert_eq!(reports, 2);
        // The engine remains usable.
        let input = Input::random(4, 4800, 700);
        let (a, b) = input.bytes();
        assert_answer(engine, (&a, &b), &tuned(true, options.tuning), &input);
    }
}

#[test]
fn cancelling_from_the_progress_callback_ends_the_call_on_the_cpu() {
    let (a, b) = Input::random(4, 60_000, 60_000).bytes();
    for path in [false, true] {
        let (answer, reports) =
            cancel_at_second_report(support::cpu(), &a, &b, &options(Method::BitParallel, path));
        assert!(matches!(answer, Err(Error::Cancelled)), "{answer:?}");
        assert!(reports >= 2);
    }
}

// Progress

#[test]
fn progress_grows_and_ends_at_the_total() {
    let check = |engine: &Engine, a: &[u8], b: &[u8], options: &LcsOptions| {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let seen = reports.clone();
        let callback = move |progress: Progress| seen.lock().expect("unharmed").push(progress);
        let mut options = options.clone();
        options.control = Control::new(CancelHandle::new(), Some(Arc::new(callback)));
        engine.lcs_with(a, b, &options).expect("it is solved");
        let reports = reports.lock().expect("unharmed");
        let last = reports.last().expect("progress is reported");
        assert!(
            last.total > 0 && last.done == last.total,
            "{last:?} {options:?}"
        );
        assert!(reports.iter().all(|report| report.done <= report.total));
    };
    let (a, b) = Input::random(4, 5000, 4000).bytes();
    for path in [false, true] {
        check(support::cpu(), &a, &b, &options(Method::BitParallel, path));
        let Some(engine) = support::gpu() else {
            continue;
        };
        check(engine, &a, &b, &options(Method::BitParallel, path));
        check(engine, &a, &b, &options(Method::ConditionalSum, path));
    }
    if let Some(engine) = support::gpu() {
        let (a, b, all) = many_slices();
        all.iter()
            .for_each(|options| check(engine, &a, &b, options));
    }
}

/// A long target that contains the query, and a search for it within a bound that is too great for
/// a single sweep.
fn bounded_search() -> (Vec<u8>, Vec<u8>, EditOptions) {
    let (_, target) = Input::random(4, 0, 300_000).bytes();
    let mut options = EditOptions::default();
    (options.mode, options.max_distance) = (Mode::Infix, Some(1400));
    (target[150_000..156_000].to_vec(), target, options)
}

#[test]
fn progress_of_a_bounded_search_ends_at_the_total_too() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = reports.clone();
    let callback = move |progress: Progress| seen.lock().expect("unharmed").push(progress);
    let (query, target, mut options) = bounded_search();
    options.control = Control::new(CancelHandle::new(), Some(Arc::new(callback)));
    let answer = support::cpu()
        .edit_distance_with(&query, &target, &options)
        .expect("it is solved");
    let reports = reports.lock().expect("unharmed");
    let last = reports.last().expect("progress is reported");
    assert!(
        last.done == last.total && u128::from(last.total) == answer.run.computed_cells,
        "{last:?} {answer:?}"
    );
    assert!(
        reports.is_sorted_by_key(|report| report.done)
            && reports.iter().all(|report| report.done <= report.total)
    );
}

#[test]
fn a_bounded_search_can_be_cancelled_in_every_sweep() {
    let (query, target, options) = bounded_search();
    for sweeps in [0, 1, 3, 6] {
        let cancel = CancelHandle::new();
        let (handle, reports) = (cancel.clone(), AtomicUsize::new(0));
        let callback = move |_: Progress| {
            if reports.fetch_add(1, Ordering::Relaxed) == sweeps {
                handle.cancel();
            }
        };
        let mut options = options.clone();
        options.control = Control::new(cancel, Some(Arc::new(callback)));
        let answer = support::cpu().edit_distance_with(&query, &target, &options);
        assert!(
            matches!(answer, Err(Error::Cancelled)),
            "{sweeps}: {answer:?}"
        );
    }
}

#[test]
fn the_reference_tables_can_be_cancelled_too() {
    // Each takes more than a minute.
    let (a, b) = Input::random(4, 400_000, 400_000).bytes();
    let engine = support::cpu();
    let cancelled = |solve: &dyn Fn(Control) -> Option<Error>| {
        let cancel = CancelHandle::new();
        let control = Control::new(cancel.clone(), None);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(30));
                cancel.cancel();
            });
            assert!(matches!(solve(control), Some(Error::Cancelled)));
        });
    };
    cancelled(&|control| {
        let mut call = options(Method::Reference, false);
        call.control = control;
        engine.lcs_with(&a, &b, &call).err()
    });
    for mode in [Mode::Global, Mode::Prefix, Mode::Infix] {
        cancelled(&|control| {
            let mut call = EditOptions::default();
            (call.method, call.mode, call.control) = (EditMethod::Reference, mode, control);
            engine.edit_distance_with(&a, &b, &call).err()
        });
    }
    cancelled(&|control| {
        let mut call = ScsOptions::default();
        (call.method, call.control) = (swath::supersequence::Method::Reference, control);
        engine.scs_with(&a, &b, &call).err()
    });
}

// Threads and executors

#[test]
fn an_engine_answers_several_threads_at_once() {
    // A single engine thread does the host's part of all calls.
    let single = support::gpu_options().map(|mut options| {
        options.threads = Some(1);
        Engine::new(options).expect("the adapter opens")
    });
    let engines = [Some(support::cpu()), support::gpu(), single.as_ref()];
    for engine in engines.into_iter().flatten() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for turn in 0..4 {
                        let input = Input::random(4, 900 + 37 * thread, 800 + 11 * turn);
                        let (a, b) = input.bytes();
                        let tuning = Tuning {
                            steps: Some(8),
                            ..MANY_PASSES
                        };
                        assert_answer(engine, (&a, &b), &tuned(turn % 2 == 0, tuning), &input);
                    }
                });
            }
        });
    }
}

#[test]
fn calls_wait_for_device_memory_held_by_others() {
    let input = Input::random(4, 3000, 2500);
    let (a, b) = input.bytes();
    let plan = |path| {
        support::gpu().map(|engine| engine.lcs_plan(&a, &b, &options(Method::BitParallel, path)))
    };
    let Some([value, path]) = plan(false).zip(plan(true)).map(<[_; 2]>::from) else {
        return;
    };
    let needed = [value, path].map(|plan| plan.expect("it fits").device_bytes);
    // Memory for the larger call one and a half times.
    let engine = &gpu_with(needed[0].max(needed[1]) * 3 / 2).expect("an adapter is here");
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (a, b) = (&a, &b);
            scope.spawn(move || {
                for turn in 0..4 {
                    assert_answer(
                        engine,
                        (a, b),
                        &options(Method::BitParallel, (thread + turn) % 2 == 0),
                        &input,
                    );
                }
            });
        }
    });
    // Jobs have their own threads.
    let jobs: Vec<_> = (0..6)
        .map(|turn| {
            engine.start(
                Lcs::of(a.clone(), b.clone())
                    .method(Method::BitParallel)
                    .with_path(turn % 2 == 0),
            )
        })
        .collect();
    let expected = support::expected(&a, &b).len();
    jobs.into_iter()
        .for_each(|job| assert_eq!(job.wait().expect("its turn comes").length, expected));
}

#[test]
fn the_async_calls_work_on_any_executor() {
    let input = Input::random(4, 700, 600);
    let (a, b) = input.bytes();
    let expected = support::expected(&a, &b);
    let mut all = vec![];
    all.extend(support::gpu_options());
    let mut cpu = Options::default();
    cpu.device = DeviceChoice::Cpu;
    all.push(cpu);
    for engine_options in all {
        let engine = Engine::new(engine_options).expect("the device opens");
        let task = || {
            Lcs::of(a.clone(), b.clone())
                .method(Method::BitParallel)
                .path()
        };
        let report = futures_executor::block_on(engine.start(task())).expect("it is solved");
        assert_eq!(report.subsequence.as_ref(), Some(&expected));
        // Several at once on an executor that polls them in turn.
        let jobs = futures_util::future::join_all((0..3).map(|_| engine.start(task())));
        for report in futures_executor::block_on(jobs) {
            assert_eq!(
                report.expect("it is solved").subsequence.as_ref(),
                Some(&expected)
            );
        }
    }
    fn sent<T: Send + 'static>(_: T) {}
    sent(support::cpu().start(Lcs::of(a, b)));
}

#[test]
fn polling_a_job_never_blocks_and_dropping_it_cancels() {
    let (a, b) = Input::random(4, 400_000, 400_000).bytes();
    let cancel = CancelHandle::new();
    let control = Control::default().cancelled_by(&cancel);
    let job = support::cpu().start_with(Lcs::of(a, b).method(Method::Reference), &control);
    let started = std::time::Instant::now();
    let mut job = std::pin::pin!(job);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // The table of 160 billion cells takes minutes.
    for _ in 0..100 {
        assert!(job.as_mut().poll(&mut context).is_pending());
    }
    assert!(
        started.elapsed() < std::time::Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    job.cancel();
    assert!(matches!(
        futures_executor::block_on(job),
        Err(Error::Cancelled)
    ));
    assert!(
        !cancel.is_cancelled(),
        "the caller's own handle stays as it is"
    );
}

// Budgets and refusals

fn gpu_with(memory: u64) -> Option<Engine> {
    let mut options = support::gpu_options()?;
    options.device_memory = Some(memory);
    Some(Engine::new(options).expect("the adapter opens"))
}

#[test]
fn too_little_device_memory_is_refused_with_a_sufficient_amount() {
    let (a, b) = Input::random(4, 3000, 2000).bytes();
    for method in [Method::BitParallel, Method::Banded, Method::ConditionalSum] {
        for path in [false, true] {
            let Some(engine) = gpu_with(1000) else { return };
            let error = engine
                .lcs_with(&a, &b, &options(method, path))
                .expect_err("1,000 bytes are too few");
            let Error::MemoryBudget {
                needed,
                limit,
                smallest,
                ..
            } = error
            else {
                panic!("{error}")
            };
            assert!(
                limit == 1000 && needed > limit && smallest > limit,
                "{needed} {limit} {smallest}"
            );
            let plan = engine
                .lcs_plan(&a, &b, &options(method, path))
                .expect_err("the plan says so before");
            let named = |error: &Error| matches!(error, Error::MemoryBudget { smallest: named, .. } if *named == smallest);
            assert!(
                named(&plan),
                "{method:?} {path}: {plan}, and the call {smallest}"
            );
            let engine = gpu_with(smallest).expect("an adapter is here");
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
            let Some(engine) = gpu_with(1000) else { return };
            let error = engine
                .edit_distance_with(&a, &b, &options)
                .expect_err("1,000 bytes are too few");
            let Error::MemoryBudget { smallest, .. } = error else {
                panic!("{error}")
            };
            let plan = engine
                .edit_distance_plan(&a, &b, &options)
                .expect_err("the plan says so before");
            let named = |error: &Error| matches!(error, Error::MemoryBudget { smallest: named, .. } if *named == smallest);
            assert!(
                named(&plan),
                "{mode:?} {method:?} {path}: {plan}, and the call {smallest}"
            );
            let engine = gpu_with(smallest).expect("an adapter is here");
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
fn prefixes_of_a_target_much_longer_than_the_query_are_those_of_the_reference_on_a_gpu() {
    let Some(engine) = support::gpu() else { return };
    let (a, b) = Input::random(4, 300, 2000).bytes();
    let (least, ends) = swath::unstable::edit_distance::reference::ends(&a, &b, Mode::Prefix);
    for max in [None, Some(2000), Some(least), Some(least - 1), Some(0)] {
        let mut call = EditOptions::default();
        (call.mode, call.max_distance, call.path) = (Mode::Prefix, max, true);
        let found = engine
            .edit_distance_with(&a, &b, &call)
            .expect("it is solved");
        let within = max.is_none_or(|max| least <= max);
        assert_eq!(
            found.distance.exactly(),
            within.then_some(least),
            "at most {max:?}"
        );
        let pieces: Vec<_> = found.pieces.iter().map(|piece| piece.end).collect();
        assert_eq!(
            pieces,
            if within { ends.clone() } else { Vec::new() },
            "at most {max:?}"
        );
        assert!(engine.edit_distance_plan(&a, &b, &call).is_ok());
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
    let engine = gpu_with(largest).expect("an adapter is here");
    for (input, (a, b)) in &inputs {
        assert_answer(&engine, (a, b), &tuned(false, tuning), input);
    }
}

#[test]
fn too_little_host_memory_for_wavefronts_or_the_table_is_an_error() {
    let mut small = Options::default();
    small.device = DeviceChoice::Cpu;
    small.host_memory = Some(10_000);
    let engine = Engine::new(small).expect("the CPU is there");
    let (a, b) = Input::random(4, 3000, 2000).bytes();
    for method in [Method::Wavefront, Method::Reference] {
        let error = engine
            .lcs_with(&a, &b, &options(method, true))
            .expect_err("10,000 bytes are too few");
        let Error::MemoryBudget {
            needed,
            limit,
            smallest,
            ..
        } = error
        else {
            panic!("{error}")
        };
        assert!(limit == 10_000 && needed > limit && smallest >= needed);
        engine
            .lcs_with(&a, &b, &options(method, false))
            .expect("the length takes no memory");
    }
}

#[test]
fn too_little_host_memory_for_the_reference_path_is_refused_before_the_search() {
    let mut small = Options::default();
    small.device = DeviceChoice::Cpu;
    small.host_memory = Some(10_000);
    let engine = Engine::new(small).expect("the CPU is there");
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
fn more_threads_than_are_possible_are_refused_at_once() {
    let mut options = Options::default();
    options.threads = Some(1_000_000);
    let error = Engine::new(options).expect_err("nobody needs as many");
    assert!(error.to_string().contains("1 to 1024"), "{error}");
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
