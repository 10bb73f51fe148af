//! Cancellation, progress, threads and executors.

use support::calls::{Calls, reports};
use support::inputs::Input;
use support::{assert_answer, gpu_with_memory, options, tuned};
use swath::edit_distance::{Method as EditMethod, Mode};
use swath::lcs::Method;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::{CarryExchange, Matching};
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::unstable::supersequence::ScsOptions;
use swath::{CancelHandle, Control, DeviceChoice, Edit, Engine, Error, Lcs, Options};

/// One step per pass, so that many rows need thousands of passes and several submissions.
pub(super) const MANY_PASSES: Tuning = Tuning {
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
fn futures_of_calls_on_one_thread_take_turns_and_may_be_dropped() {
    let Some(engine) = support::gpu() else { return };
    let inputs = [(3, 4000, 3000), (5, 2000, 3500)];
    let inputs = inputs.map(|(letters, rows, cols)| Input::random(letters, rows, cols).bytes());
    let tasks = inputs
        .each_ref()
        .map(|(a, b)| Lcs::of(a, b).method(Method::BitParallel).path());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // Most likely its work is on the device by then.
    let mut dropped = Box::pin(engine.run_async(&tasks[0]));
    let _ = dropped.as_mut().poll(&mut context);
    drop(dropped);
    let mut calls: Vec<_> = tasks
        .iter()
        .map(|task| {
            let expected = support::cpu().run(task).expect("the CPU answers").length;
            (Box::pin(engine.run_async(task)), expected)
        })
        .collect();
    while !calls.is_empty() {
        calls.retain_mut(|(call, expected)| {
            let std::task::Poll::Ready(report) = call.as_mut().poll(&mut context) else {
                return true;
            };
            let report = report.expect("it is answered");
            assert!(report.length == *expected && report.run.device != "cpu");
            assert!(report.subsequence.is_some());
            false
        });
        std::thread::yield_now();
    }
}

#[test]
fn cancelling_from_the_progress_callback_ends_the_call_on_the_gpu() {
    let Some(engine) = support::gpu() else { return };
    let (a, b, all) = many_slices();
    for options in all {
        let (reports, ended) = reports(engine, &Lcs::of(&a, &b).with_options(&options), 2);
        assert!(matches!(ended, Some(Error::Cancelled)), "{options:?}");
        assert_eq!(reports.len(), 2);
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
        let task = Lcs::of(&a, &b).method(Method::BitParallel).with_path(path);
        let (reports, ended) = reports(support::cpu(), &task, 2);
        assert!(matches!(ended, Some(Error::Cancelled)));
        assert!(reports.len() >= 2);
    }
}

// Progress

#[test]
fn progress_grows_and_ends_at_the_total() {
    let check = |engine: &Engine, a: &[u8], b: &[u8], options: &LcsOptions| {
        let task = Lcs::of(a, b).with_options(options);
        let (reports, error) = reports(engine, &task, usize::MAX);
        assert!(error.is_none(), "{error:?}");
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
    let (query, target, options) = bounded_search();
    let task = Edit::of(&query, &target).with_options(&options);
    let (reports, _) = reports(support::cpu(), &task, usize::MAX);
    let answer = support::cpu().run(&task).expect("it is solved");
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
        let task = Edit::of(&query, &target).with_options(&options);
        let (_, ended) = reports(support::cpu(), &task, sweeps + 1);
        assert!(
            matches!(ended, Some(Error::Cancelled)),
            "{sweeps}: {ended:?}"
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
    let single = support::gpu_options();
    let single = single.and_then(|options| support::gpu_with(options.threads(1)));
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
    let engine = &gpu_with_memory(needed[0].max(needed[1]) * 3 / 2).expect("an adapter is here");
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
