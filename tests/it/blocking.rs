//! Jobs on a GPU never block the polling thread.

use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use support::inputs::Input;
use swath::lcs::Method;
use swath::{Control, Engine, Error, Lcs};

/// Minimum duration of the test job, on any test GPU.
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
            // Twice the symbols: other processes may have used the GPU until now.
            let (a, b) = Input::random(4, 2 * symbols, 2 * symbols).bytes();
            return check(engine, Lcs::of(a, b).method(Method::BitParallel).path());
        }
    }
    panic!("no GPU is so fast");
}

#[test]
fn polling_a_job_on_a_gpu_does_not_block() {
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
        // The median: the system may preempt the thread occasionally.
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
fn a_timeout_around_a_gpu_job_fires_in_time() {
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
        // Dropping the job cancels it.
        drop(ended);
        assert!(cancel.is_cancelled());
        timer.join().expect("it sleeps");
    });
}
