//! Clocks.

use std::time::{Duration, Instant};

/// An answer and the time that it took, the shortest of some.
pub struct Timed<A> {
    pub answer: A,
    pub best: Duration,
}

impl<A> Timed<A> {
    /// One call more.
    fn again(&mut self, solve: &mut (impl FnMut() -> swath::Result<A> + ?Sized)) {
        let now = once(|| solve().unwrap_or_else(|error| panic!("{error}")));
        *self = Timed { best: self.best.min(now.best), ..now };
    }
}

/// A call that builds pipelines and fills the pool of buffers; its time does not count.
fn warmed<A>(solve: &mut (impl FnMut() -> swath::Result<A> + ?Sized)) -> Timed<A> {
    Timed { answer: solve().unwrap_or_else(|error| panic!("{error}")), best: Duration::MAX }
}

/// The last answer and the shortest time of so many calls, after one that does not count.
pub fn best_of<A>(times: usize, mut solve: impl FnMut() -> swath::Result<A>) -> Timed<A> {
    let mut timed = warmed(&mut solve);
    for _ in 0..times {
        timed.again(&mut solve);
    }
    timed
}

/// The last answers and the shortest times of calls that take turns for some seconds, so that what else the machine has to do
/// meets all of them.
pub fn best_in_turns<A, const N: usize>(mut calls: [&mut dyn FnMut() -> swath::Result<A>; N]) -> [Timed<A>; N] {
    const LEAST_TURNS: usize = 25;
    const SECONDS: u64 = 4;
    let mut timed = calls.each_mut().map(|call| warmed(*call));
    let (mut turns, started) = (0, Instant::now());
    while turns < LEAST_TURNS || started.elapsed() < Duration::from_secs(SECONDS) {
        timed.iter_mut().zip(&mut calls).for_each(|(timed, call)| timed.again(*call));
        turns += 1;
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
