//! Repeated calls that must succeed.

use std::time::{Duration, Instant};

pub use swath::unstable::measure::timing::{Timed, median, millis, once, shortest};

/// Time of alternating calls, at least.
const MIN_TIME: Duration = Duration::from_millis(500);
/// Rounds of alternating calls, at least.
const MIN_ROUNDS: usize = 5;

fn unwrapped<T>(result: swath::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// Times `times` calls after a warm-up.
pub fn best_of<A>(times: usize, mut solve: impl FnMut() -> swath::Result<A>) -> Timed<A> {
    let mut timed = unwrapped(Timed::warmed(&mut solve));
    for _ in 0..times {
        unwrapped(timed.again(&mut solve));
    }
    timed
}

/// Times a call without and with its witness, alternating after a warm-up of each, so that other
/// load on the machine affects both alike.
pub fn without_and_with<A>(solve: impl Fn(bool) -> swath::Result<A>) -> [Timed<A>; 2] {
    let mut timed = [false, true].map(|path| unwrapped(Timed::warmed(|| solve(path))));
    let (mut rounds, started) = (0, Instant::now());
    while rounds < MIN_ROUNDS || started.elapsed() < MIN_TIME {
        for (timed, path) in timed.iter_mut().zip([false, true]) {
            unwrapped(timed.again(|| solve(path)));
        }
        rounds += 1;
    }
    timed
}
