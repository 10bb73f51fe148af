//! Nothing in the engine blocks a thread that is not its own: where a thread may wait, and jobs on a GPU that never keep who polls them.

#[path = "support/sources.rs"]
mod sources;
mod support;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use support::inputs::Input;
use swath::lcs::Method;
use swath::{Control, Engine, Error, Lcs};

/// What makes a thread wait.
const WAITS: [&str; 10] = [
    "block_on(",
    "wait_on_this_thread(",
    ".recv()",
    ".recv_timeout(",
    ".copied.wait()",
    "Synchronize(",
    "thread::sleep(",
    "thread::park",
    "thread.join()",
    "Condvar",
];

/// Where a thread may wait, how often it says so, and why it may.
const ALLOWED: [(&str, &str, usize, &str); 31] = [
    ("engine/job.rs", "block_on(", 2, "Job::wait and Engine::run are the top; a job's own thread runs its task"),
    ("backend/mod.rs", "block_on(", 1, "what walks wait by"),
    ("pairwise/bit_parallel/gpu/traceback_chunks.rs", "wait_on_this_thread(", 1, "a walk has a thread of the call's"),
    ("backend/wgpu/adapter.rs", "block_on(", 1, "native interfaces answer at once"),
    ("backend/wgpu/mod.rs", "block_on(", 1, "native interfaces answer at once"),
    ("backend/wgpu/errors.rs", "block_on(", 1, "errors lie on the host"),
    ("backend/wgpu/memory.rs", "block_on(", 1, "errors lie on the host"),
    ("backend/wgpu/waiter.rs", ".recv()", 1, "the device's own thread"),
    ("backend/wgpu/waiter.rs", "thread::sleep(", 2, "the device's own thread"),
    ("backend/wgpu/waiter.rs", "thread.join()", 1, "a device that is closed"),
    ("backend/cuda/waiter.rs", ".recv()", 1, "the device's own thread"),
    ("backend/cuda/waiter.rs", ".recv_timeout(", 1, "the device's own thread"),
    ("backend/cuda/waiter.rs", "thread::sleep(", 1, "the device's own thread"),
    ("backend/cuda/waiter.rs", "thread.join()", 1, "a device that is closed"),
    ("backend/cuda/staging.rs", ".copied.wait()", 1, "an upload's thread, for a copy that is under way"),
    ("backend/cuda/driver.rs", "Synchronize(", 1, "the same"),
    ("pairwise/bit_parallel/banded.rs", "block_on(", 1, "on the CPU nothing in it waits"),
    ("pairwise/solve.rs", "block_on(", 1, "on the CPU nothing in it waits"),
    ("substring/search/mod.rs", "block_on(", 1, "on the CPU nothing in it waits"),
    ("substring/search/sort_and_scan.rs", "block_on(", 1, "on the CPU nothing in it waits"),
    ("supersequence/many/merge_tree.rs", "block_on(", 1, "without a GPU nothing in it waits"),
    ("substring/suffix_sort.rs", ".recv_timeout(", 1, "a call that is cancelled while a foreign crate sorts"),
    ("edit_distance/task.rs", "block_on(", 1, "a plan waits for no device"),
    ("lcs/task.rs", "block_on(", 1, "a plan waits for no device"),
    ("supersequence/task.rs", "block_on(", 1, "a plan waits for no device"),
    ("sort/selftest.rs", "block_on(", 1, "the self-test is a call that waits"),
    (
        "lcs/selftest.rs",
        "block_on(",
        3,
        "the self-test, and asking for a known answer and how fast it comes, are calls that wait",
    ),
    ("parenthesization/selftest.rs", "block_on(", 1, "the self-test is a call that waits"),
    ("edit_distance/selftest.rs", "block_on(", 1, "the self-test is a call that waits"),
    ("substring/selftest.rs", "block_on(", 2, "the self-test is a call that waits"),
    ("supersequence/selftest.rs", "block_on(", 1, "the self-test is a call that waits"),
];

/// How often each file of the library says that a thread waits.
fn waits(sources: &[(String, String)]) -> BTreeMap<(String, &'static str), usize> {
    let mut waits = BTreeMap::new();
    for (path, text) in sources.iter().filter(|(path, _)| !sources::is_test(path) && !sources::is_command(path)) {
        let code = sources::code(text);
        for wait in WAITS {
            let count = code.matches(wait).count();
            if count > 0 {
                waits.insert((path.clone(), wait), count);
            }
        }
    }
    waits
}

fn allowed() -> BTreeMap<(String, &'static str), usize> {
    ALLOWED.iter().map(|&(path, wait, count, _)| ((path.to_string(), wait), count)).collect()
}

#[test]
fn threads_wait_in_the_places_that_are_listed_with_a_reason_and_nowhere_else() {
    assert_eq!(waits(&sources::all()), allowed());
}

#[test]
fn a_new_place_that_waits_is_noticed_and_so_is_one_more_where_one_is_allowed() {
    for path in ["lcs/solve.rs", "engine/job.rs"] {
        for wait in WAITS {
            let mut sources = sources::all();
            let text = sources.iter_mut().find(|(other, _)| other == path).map(|(_, text)| text).expect("it is there");
            *text = format!("fn f() {{ {wait} }}\n{text}");
            assert_ne!(waits(&sources), allowed(), "{path}: {wait}");
        }
    }
}

/// A job on the GPU of the tests that takes a while.
fn with_long_job(check: impl FnOnce(&Engine, Lcs<'static, u8>)) {
    let Some(engine) = support::gpu() else { return };
    let (a, b) = Input::random(4, 300_000, 300_000).bytes();
    check(engine, Lcs::of(a, b).method(Method::BitParallel).path());
}

#[test]
fn polling_a_job_on_a_gpu_takes_no_time() {
    with_long_job(|engine, task| {
        let started = Instant::now();
        let mut job = std::pin::pin!(engine.start(task));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let mut polls = vec![started.elapsed()];
        while started.elapsed() < Duration::from_millis(600) {
            let polled = Instant::now();
            assert!(job.as_mut().poll(&mut context).is_pending(), "it ended after {:?}", started.elapsed());
            polls.push(polled.elapsed());
            std::thread::sleep(Duration::from_millis(1));
        }
        // Now and then the system takes a thread its processor away.
        polls.sort_unstable();
        assert!(polls[polls.len() * 9 / 10] < Duration::from_millis(3), "{polls:?}");
        assert!(polls.last() < Some(&Duration::from_millis(100)), "{:?}", polls.last());
        job.cancel();
        assert!(matches!(futures_executor::block_on(job), Err(Error::Cancelled)));
    });
}

#[test]
fn a_time_out_around_a_job_on_a_gpu_comes_in_time() {
    with_long_job(|engine, task| {
        let control = Control::default();
        let job = engine.start_with(task, &control);
        let cancel = job.cancel_handle();
        let started = Instant::now();
        let (sender, time_out) = futures_channel::oneshot::channel::<()>();
        let timer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(sender);
        });
        let ended = futures_executor::block_on(select(job, time_out));
        let elapsed = started.elapsed();
        assert!(matches!(ended, Either::Right(_)), "the job ended first, after {elapsed:?}");
        assert!(elapsed < Duration::from_millis(150), "{elapsed:?}");
        // Who gave up drops the job, which ends it.
        drop(ended);
        assert!(cancel.is_cancelled());
        timer.join().expect("it sleeps");
    });
}
