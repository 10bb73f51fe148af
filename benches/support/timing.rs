//! Clocks.

use std::time::{Duration, Instant};

/// An answer and the time that it took, the shortest of some.
pub struct Timed<A> {
    pub answer: A,
    pub best: Duration,
}

impl<A> Timed<A> {
    /// With one call more.
    fn and(self, solve: &mut impl FnMut() -> swath::Result<A>) -> Self {
        let now = once(|| solve().unwrap_or_else(|error| panic!("{error}")));
        Timed { best: self.best.min(now.best), ..now }
    }
}

/// A call that builds pipelines and fills the pool of buffers; its time does not count.
fn warmed<A>(solve: &mut impl FnMut() -> swath::Result<A>) -> Timed<A> {
    Timed { answer: solve().unwrap_or_else(|error| panic!("{error}")), best: Duration::MAX }
}

/// The last answer and the shortest time of so many calls, after one that does not count.
pub fn best_of<A>(times: usize, mut solve: impl FnMut() -> swath::Result<A>) -> Timed<A> {
    (0..times).fold(warmed(&mut solve), |timed, _| timed.and(&mut solve))
}

/// The same of two that take turns: what else the machine has to do meets both.
pub fn best_in_turns<A>(
    times: usize,
    mut first: impl FnMut() -> swath::Result<A>,
    mut second: impl FnMut() -> swath::Result<A>,
) -> [Timed<A>; 2] {
    let both = [warmed(&mut first), warmed(&mut second)];
    (0..times).fold(both, |[x, y], _| [x.and(&mut first), y.and(&mut second)])
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
