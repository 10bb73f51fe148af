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

/// What makes a thread wait: for something that takes as long as it takes, for work of other threads, and for a lock.
const WAITS: [&str; 17] = [
    "block_on(",
    "wait_on_this_thread(",
    ".recv()",
    ".recv_timeout(",
    ".copied.wait()",
    ".wait_until_done()",
    "event.wait()",
    "Synchronize(",
    "thread::sleep(",
    "thread::park",
    "thread::scope(",
    ".join()",
    "Condvar",
    ".lock()",
    "rayon::join(",
    "scope(|",
    ".install(",
];

/// Locks that guard a few words, and are held for as long as it takes to look at them.
const MOMENT: &str = "held for a moment";
/// What is computed in parts: the thread that calls does one of them.
const PARTS: &str = "its own work in two parts";
const SELF_TEST: &str = "the self-test is a call that waits";
const NOTHING_WAITS: &str = "on the CPU nothing in it waits";
const DEVICE_THREAD: &str = "the device's own thread";

/// Where a thread may wait, how often it says so, and why it may.
const ALLOWED: &[(&str, &str, usize, &str)] = &[
    ("selftest.rs", "block_on(", 1, SELF_TEST),
    ("parenthesization/selftest.rs", "block_on(", 1, SELF_TEST),
    ("parenthesization/gpu/mod.rs", ".lock()", 1, MOMENT),
    (
        "engine/job.rs",
        "block_on(",
        2,
        "Job::wait and Engine::run are the top; a job's own thread runs its task",
    ),
    (
        "engine/job.rs",
        ".recv()",
        1,
        "a thread of jobs that has nothing to do",
    ),
    ("engine/job.rs", ".lock()", 1, MOMENT),
    (
        "engine/opening.rs",
        "block_on(",
        1,
        "adapters that another call lists: that takes as long as to list them",
    ),
    ("engine/opening.rs", ".lock()", 1, MOMENT),
    ("backend/buffers.rs", ".lock()", 1, MOMENT),
    ("backend/built.rs", ".lock()", 1, MOMENT),
    ("backend/memory.rs", ".lock()", 1, MOMENT),
    ("backend/mod.rs", "block_on(", 1, "what walks wait by"),
    ("backend/rates.rs", ".lock()", 1, MOMENT),
    ("backend/session/rounds.rs", ".lock()", 1, MOMENT),
    (
        "backend/wgpu/adapter.rs",
        "block_on(",
        1,
        "native interfaces answer at once",
    ),
    (
        "backend/wgpu/adapter.rs",
        ".lock()",
        1,
        "drivers list adapters and open devices one at a time",
    ),
    (
        "backend/wgpu/errors.rs",
        "block_on(",
        1,
        "errors lie on the host",
    ),
    ("backend/wgpu/loaded.rs", ".lock()", 1, MOMENT),
    (
        "backend/wgpu/loaded.rs",
        "rayon::join(",
        2,
        "kernels that are built side by side",
    ),
    (
        "backend/wgpu/memory.rs",
        "block_on(",
        1,
        "errors lie on the host",
    ),
    (
        "backend/wgpu/mod.rs",
        "block_on(",
        1,
        "native interfaces answer at once",
    ),
    (
        "backend/wgpu/mod.rs",
        ".lock()",
        3,
        "one for the opening of a device, as in adapter.rs, two held for a moment",
    ),
    (
        "backend/wgpu/opened.rs",
        ".lock()",
        5,
        "three held for a moment, two where a device goes, one at a time",
    ),
    (
        "backend/wgpu/opened.rs",
        "Condvar",
        3,
        "a device that goes waits for one that is going",
    ),
    ("backend/wgpu/staging.rs", ".lock()", 1, MOMENT),
    ("backend/wgpu/waiter.rs", ".recv()", 1, DEVICE_THREAD),
    ("backend/wgpu/waiter.rs", "thread::sleep(", 2, DEVICE_THREAD),
    (
        "backend/wgpu/waiter.rs",
        ".join()",
        1,
        "a device that is closed",
    ),
    ("backend/wgpu/waiter.rs", ".lock()", 2, MOMENT),
    (
        "backend/cuda/driver.rs",
        "Synchronize(",
        2,
        "whoever waits for a stream or an event",
    ),
    (
        "backend/cuda/loaded.rs",
        "rayon::join(",
        2,
        "kernels that are built side by side",
    ),
    ("backend/cuda/opened.rs", ".lock()", 1, MOMENT),
    ("backend/cuda/proof.rs", ".lock()", 1, MOMENT),
    (
        "backend/cuda/staging.rs",
        ".copied.wait()",
        2,
        "an upload's thread, or a device that is closed, for a copy that is under way",
    ),
    (
        "backend/cuda/staging.rs",
        ".wait_until_done()",
        1,
        "an upload that has failed, whose copies may use memory that is freed",
    ),
    (
        "backend/cuda/loaded.rs",
        ".wait_until_done()",
        2,
        "the same of a submission and of uploads",
    ),
    (
        "backend/cuda/waiter.rs",
        "event.wait()",
        1,
        "a device whose thread has ended",
    ),
    ("backend/cuda/staging.rs", ".lock()", 1, MOMENT),
    ("backend/cuda/waiter.rs", ".recv()", 1, DEVICE_THREAD),
    ("backend/cuda/waiter.rs", ".recv_timeout(", 1, DEVICE_THREAD),
    ("backend/cuda/waiter.rs", "thread::sleep(", 1, DEVICE_THREAD),
    (
        "backend/cuda/waiter.rs",
        ".join()",
        1,
        "a device that is closed",
    ),
    ("backend/cuda/waiter.rs", ".lock()", 2, MOMENT),
    ("sort/selftest.rs", "block_on(", 1, SELF_TEST),
    ("substring/selftest.rs", "block_on(", 2, SELF_TEST),
    (
        "substring/suffix_sort.rs",
        ".recv_timeout(",
        1,
        "a call that is cancelled while a foreign crate sorts",
    ),
    ("substring/search/mod.rs", "block_on(", 1, NOTHING_WAITS),
    (
        "substring/search/sort_and_scan.rs",
        "block_on(",
        1,
        NOTHING_WAITS,
    ),
    ("edit_distance/selftest.rs", "block_on(", 1, SELF_TEST),
    ("edit_distance/selftest.rs", "rayon::join(", 1, SELF_TEST),
    (
        "edit_distance/task.rs",
        "block_on(",
        1,
        "a plan waits for no device",
    ),
    ("supersequence/selftest.rs", "block_on(", 1, SELF_TEST),
    (
        "supersequence/task.rs",
        "block_on(",
        1,
        "a plan waits for no device",
    ),
    ("supersequence/witness.rs", "rayon::join(", 1, PARTS),
    (
        "supersequence/many/merge_tree.rs",
        "block_on(",
        1,
        "without a GPU nothing in it waits",
    ),
    ("call/control.rs", ".lock()", 1, MOMENT),
    ("call/phases.rs", ".lock()", 3, MOMENT),
    ("pairwise/codes.rs", "rayon::join(", 1, PARTS),
    ("pairwise/similarity.rs", "rayon::join(", 1, PARTS),
    ("pairwise/solve.rs", "block_on(", 1, NOTHING_WAITS),
    (
        "pairwise/diagonal_transition/gpu/plan.rs",
        "rayon::join(",
        1,
        PARTS,
    ),
    (
        "pairwise/bit_parallel/banded.rs",
        "block_on(",
        1,
        NOTHING_WAITS,
    ),
    (
        "pairwise/bit_parallel/cpu/path.rs",
        "rayon::join(",
        1,
        PARTS,
    ),
    (
        "pairwise/bit_parallel/cpu/schedule.rs",
        ".lock()",
        1,
        MOMENT,
    ),
    (
        "pairwise/bit_parallel/cpu/schedule.rs",
        "scope(|",
        1,
        "tiles of a table, which this thread runs with others",
    ),
    (
        "pairwise/bit_parallel/cpu/table.rs",
        ".lock()",
        2,
        "no two tiles that run at once share a strip or a block",
    ),
    ("pairwise/bit_parallel/gpu/mod.rs", "rayon::join(", 1, PARTS),
    (
        "pairwise/bit_parallel/gpu/traceback_chunks.rs",
        "wait_on_this_thread(",
        1,
        "a walk has a thread of the call's",
    ),
    (
        "lcs/selftest.rs",
        "block_on(",
        3,
        "the self-test, and asking for a known answer and how fast it comes, are calls that wait",
    ),
    ("lcs/task.rs", "block_on(", 1, "a plan waits for no device"),
    (
        "host/threads.rs",
        "scope(|",
        3,
        "work of a call on its threads, of which this is one or hands it to them",
    ),
    ("host/threads.rs", ".install(", 1, "the same"),
];

/// How often each file of the library says that a thread waits.
fn waits(sources: &[(String, String)]) -> BTreeMap<(String, &'static str), usize> {
    let mut waits = BTreeMap::new();
    for (path, text) in sources
        .iter()
        .filter(|(path, _)| !sources::is_test(path) && !sources::is_command(path))
    {
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
    ALLOWED
        .iter()
        .map(|&(path, wait, count, _)| ((path.to_string(), wait), count))
        .collect()
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
            let text = sources
                .iter_mut()
                .find(|(other, _)| other == path)
                .map(|(_, text)| text)
                .expect("it is there");
            *text = format!("fn f() {{ {wait} }}\n{text}");
            assert_ne!(waits(&sources), allowed(), "{path}: {wait}");
        }
    }
}

/// A job that takes longer than this on the GPU of the tests, however fast that is.
const LONG: Duration = Duration::from_millis(900);

fn with_long_job(check: impl FnOnce(&Engine, Lcs<'static, u8>)) {
    let Some(engine) = support::gpu() else { return };
    for log2 in 0..8 {
        let symbols = 300_000 << log2;
        let (a, b) = Input::random(4, symbols, symbols).bytes();
        let task = Lcs::of(a, b).method(Method::BitParallel).path();
        let started = Instant::now();
        let mut job = engine.start(task.clone());
        while started.elapsed() < LONG && job.try_wait().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if started.elapsed() >= LONG {
            job.cancel();
            return check(engine, task);
        }
    }
    panic!("no GPU is so fast");
}

#[test]
fn polling_a_job_on_a_gpu_takes_no_time() {
    with_long_job(|engine, task| {
        let started = Instant::now();
        let mut job = std::pin::pin!(engine.start(task));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let mut polls = vec![started.elapsed()];
        while started.elapsed() < LONG * 2 / 3 {
            let polled = Instant::now();
            assert!(
                job.as_mut().poll(&mut context).is_pending(),
                "it ended after {:?}",
                started.elapsed()
            );
            polls.push(polled.elapsed());
            std::thread::sleep(Duration::from_millis(1));
        }
        // Now and then the system takes a thread its processor away.
        polls.sort_unstable();
        assert!(
            polls[polls.len() * 9 / 10] < Duration::from_millis(3),
            "{polls:?}"
        );
        assert!(
            polls.last() < Some(&Duration::from_millis(100)),
            "{:?}",
            polls.last()
        );
        job.cancel();
        assert!(matches!(
            futures_executor::block_on(job),
            Err(Error::Cancelled)
        ));
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
        assert!(
            matches!(ended, Either::Right(_)),
            "the job ended first, after {elapsed:?}"
        );
        assert!(elapsed < Duration::from_millis(150), "{elapsed:?}");
        // Who gave up drops the job, which ends it.
        drop(ended);
        assert!(cancel.is_cancelled());
        timer.join().expect("it sleeps");
    });
}
