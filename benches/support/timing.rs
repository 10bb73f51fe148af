//! Repeated calls that have to succeed.

use std::time::{Duration, Instant};

#[allow(unused_imports)] // Every benchmark uses a part of it.
pub use swath::unstable::measure::timing::{Timed, median, millis, once, shortest};

/// One call more.
fn again<A>(timed: &mut Timed<A>, solve: &mut (impl FnMut() -> swath::Result<A> + ?Sized)) {
    timed.again(solve).unwrap_or_else(|error| panic!("{error}"));
}

/// A call that does not count.
fn warmed<A>(solve: &mut (impl FnMut() -> swath::Result<A> + ?Sized)) -> Timed<A> {
    Timed::warmed(solve).unwrap_or_else(|error| panic!("{error}"))
}

/// So many calls, after one that does not count.
pub fn best_of<A>(times: usize, mut solve: impl FnMut() -> swath::Result<A>) -> Timed<A> {
    let mut timed = warmed(&mut solve);
    for _ in 0..times {
        again(&mut timed, &mut solve);
    }
    timed
}

/// Calls that take turns, so many or more for so long, after one each that does not count: what else the machine has to do, and the
/// processors that it lends, meet all of them.
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

/// What is asked for without its witness and with it, in turns.
pub fn without_and_with<A>(solve: impl Fn(bool) -> swath::Result<A>) -> [Timed<A>; 2] {
    best_in_turns(
        5,
        Duration::from_millis(500),
        [&mut || solve(false), &mut || solve(true)],
    )
}
