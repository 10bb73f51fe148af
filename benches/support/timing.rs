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

/// The last answers and the shortest times of calls that take turns, so many or more for so long, after one each that does not
/// count: what else the machine has to do, and the processors that it lends, meet all of them.
pub fn best_in_turns<A, const N: usize>(
    turns: usize,
    time: Duration,
    mut calls: [&mut dyn FnMut() -> swath::Result<A>; N],
) -> [Timed<A>; N] {
    let mut timed = calls.each_mut().map(|call| warmed(*call));
    let (mut done, started) = (0, Instant::now());
    while done < turns || started.elapsed() < time {
        timed.iter_mut().zip(&mut calls).for_each(|(timed, call)| timed.again(*call));
        done += 1;
    }
    timed
}

/// What is asked for without its witness and with it, in turns.
pub fn without_and_with<A>(solve: impl Fn(bool) -> swath::Result<A>) -> [Timed<A>; 2] {
    best_in_turns(5, Duration::from_millis(500), [&mut || solve(false), &mut || solve(true)])
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
