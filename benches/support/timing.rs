//! Repeated calls that must succeed.

use std::time::{Duration, Instant};

#[allow(unused_imports)] // Each benchmark uses some of them.
pub use swath::unstable::measure::timing::{Timed, median, millis, once, shortest};

/// Times one more call.
fn again<A>(timed: &mut Timed<A>, solve: &mut (impl FnMut() -> swath::Result<A> + ?Sized)) {
    timed.again(solve).unwrap_or_else(|error| panic!("{error}"));
}

/// Runs an untimed warm-up call.
fn warmed<A>(solve: &mut (impl FnMut() -> swath::Result<A> + ?Sized)) -> Timed<A> {
    Timed::warmed(solve).unwrap_or_else(|error| panic!("{error}"))
}

/// Times `times` calls after a warm-up.
pub fn best_of<A>(times: usize, mut solve: impl FnMut() -> swath::Result<A>) -> Timed<A> {
    let mut timed = warmed(&mut solve);
    for _ in 0..times {
        again(&mut timed, &mut solve);
    }
    timed
}

/// Times alternating calls, after one warm-up each, for at least `turns` rounds and some time.
/// Other load on the machine and changes of its processors then affect all of them alike.
pub fn best_in_turns<A, const N: usize>(
    turns: usize,
    time: Duration,
    mut calls: [&mut dyn FnMut() -> swath::Result<A>; N],
) -> [Timed<A>; N] {
    let mut timed = calls.each_mut().map(|call| warmed(*call));
    let (mut done, started) = (0, Instant::now());
    while done < turns || started.elapsed() < time {
        timed
            .iter_mut()
            .zip(&mut calls)
            .for_each(|(timed, call)| again(timed, *call));
        done += 1;
    }
    timed
}

/// Times a call without and with its witness, alternating.
pub fn without_and_with<A>(solve: impl Fn(bool) -> swath::Result<A>) -> [Timed<A>; 2] {
    best_in_turns(
        5,
        Duration::from_millis(500),
        [&mut || solve(false), &mut || solve(true)],
    )
}
