//! The profile of the machine: what its devices take, each figure with the record in `benches/record` that it comes from, and the
//! rates that are measured, because machines differ in them.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub(crate) mod cpu;
pub(crate) mod found;
pub(crate) mod gpu;

/// Expected work that a rate is measured for: below it, the figure is near enough.
const WORTH_MEASURING_SECONDS: f64 = 5e-3;
/// Times that a rate is measured; the fastest counts.
const MEASUREMENTS: usize = 3;

/// How many times as fast as one thread so many are, where each has work.
pub(crate) fn speedup(threads: usize) -> f64 {
    1.0 + cpu::THREAD_SHARE * (threads.max(1) - 1) as f64
}

/// A rate that is measured once in this process, when work first needs it.
#[derive(Debug, Default)]
pub(crate) struct Rate(OnceLock<f64>);

impl Rate {
    pub const fn unknown() -> Self {
        Self(OnceLock::new())
    }

    /// Work a second. Where `work` takes a moment at the rate `figure`, that is near enough, measured or not, so that what is decided of
    /// it does not depend on what came before; else `measure` does some work and tells how much and how long it took.
    pub fn of(&self, work: f64, figure: f64, measure: impl Fn() -> (f64, Duration)) -> f64 {
        if work / figure < WORTH_MEASURING_SECONDS {
            return figure;
        }
        *self.0.get_or_init(|| {
            let measured = (0..MEASUREMENTS).map(|_| measure());
            let rates = measured.map(|(done, time)| done / time.as_secs_f64().max(1e-9));
            rates.fold(0.0, f64::max)
        })
    }
}

/// What `work` gives, and how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_rate_is_measured_once_and_only_for_work_that_takes_a_while() {
        let (rate, measured) = (Rate::unknown(), Cell::new(0));
        let measure = || {
            measured.set(measured.get() + 1);
            (200.0 + f64::from(measured.get()), Duration::from_secs(2))
        };
        assert_eq!(rate.of(0.4, 100.0, measure), 100.0);
        assert_eq!(measured.get(), 0);
        assert_eq!(rate.of(0.6, 100.0, measure), 101.5);
        assert_eq!(rate.of(0.1, 100.0, measure), 100.0);
        assert_eq!(rate.of(1e9, 100.0, measure), 101.5);
        assert_eq!(measured.get(), MEASUREMENTS as i32);
    }

    #[test]
    fn more_threads_are_faster_but_not_by_all_of_them() {
        assert_eq!((speedup(0), speedup(1)), (1.0, 1.0));
        assert!(speedup(16) > speedup(15) && speedup(16) < 16.0);
    }
}
