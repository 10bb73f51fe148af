//! Clocks.

use std::time::{Duration, Instant};

/// An answer and the time that it took, the shortest of some.
pub struct Timed<A> {
    pub answer: A,
    pub best: Duration,
}

/// The last answer and the shortest time of so many calls, after one that builds pipelines and fills the pool of buffers.
pub fn best_of<A>(times: usize, mut solve: impl FnMut() -> swath::Result<A>) -> Timed<A> {
    let mut solve = || solve().unwrap_or_else(|error| panic!("{error}"));
    let mut timed = Timed { answer: solve(), best: Duration::MAX };
    for _ in 0..times {
        let now = once(&mut solve);
        timed = Timed { best: timed.best.min(now.best), ..now };
    }
    timed
}

/// One call.
pub fn once<A>(solve: impl FnOnce() -> A) -> Timed<A> {
    let started = Instant::now();
    let answer = solve();
    Timed { answer, best: started.elapsed() }
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
