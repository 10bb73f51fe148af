//! Profile of the machine: throughput and latency of its devices.
//!
//! Each figure names its record in `benches/record`. Rates that differ between machines are
//! measured.

use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::time::Duration;

use crate::host::Instant;

pub(crate) mod cpu;
pub(crate) mod gpu;
pub(crate) mod throughput;

/// Minimum expected time of work that justifies a measurement.
const WORTH_MEASURING_SECONDS: f64 = 5e-3;
/// Minimum and maximum number of measurements of a rate. They end when the two fastest agree within
/// `NEAR`: the first runs have cold caches, and any run may be disturbed by other work.
const MEASUREMENTS: RangeInclusive<usize> = 5..=40;
const NEAR: f64 = 1.05;

/// Speedup of `threads` busy threads over one.
pub(crate) fn speedup(threads: usize) -> f64 {
    let after_first = |threads: usize| (threads.max(1) - 1) as f64;
    let few = after_first(threads.min(cpu::FEW_THREADS));
    1.0 + cpu::THREAD_SHARE * few + cpu::MANY_THREADS_SHARE * (after_first(threads) - few)
}

/// Speedup for work in `parts` parts, each done by one thread.
pub(crate) fn speedup_of_parts(threads: usize, parts: u64) -> f64 {
    speedup(usize::try_from(parts).map_or(threads, |parts| threads.min(parts)))
}

/// Rate measured at most once per process, when work first needs it.
#[derive(Debug, Default)]
pub(crate) struct Rate(OnceLock<f64>);

impl Rate {
    pub(crate) const fn unknown() -> Self {
        Self(OnceLock::new())
    }

    /// Work per second. Short work by the rate `figure` uses `figure`, measured or not, so that
    /// decisions on it do not depend on earlier calls. Otherwise `measure` returns an amount of
    /// work and its time.
    pub(crate) fn of(&self, work: f64, figure: f64, measure: impl Fn() -> (f64, Duration)) -> f64 {
        if work / figure < WORTH_MEASURING_SECONDS {
            return figure;
        }
        if let Some(&rate) = self.0.get() {
            return rate;
        }
        // Not `get_or_init(measure)`: a waiting thread could steal work that waits for it.
        let rate = fastest(measure);
        *self.0.get_or_init(|| rate)
    }
}

fn fastest(measure: impl Fn() -> (f64, Duration)) -> f64 {
    let (mut fastest, mut second) = (0.0_f64, 0.0_f64);
    for count in 1..=*MEASUREMENTS.end() {
        let (done, time) = measure();
        let rate = done / time.as_secs_f64().max(1e-9);
        second = second.max(rate.min(fastest));
        fastest = fastest.max(rate);
        if count >= *MEASUREMENTS.start() && fastest <= second * NEAR {
            break;
        }
    }
    fastest
}

/// Runs `work` and measures its wall time.
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
    fn rate_is_measured_once_and_only_for_long_work() {
        let (rate, measured) = (Rate::unknown(), Cell::new(0));
        let measure = || {
            measured.set(measured.get() + 1);
            (200.0 + f64::from(measured.get()), Duration::from_secs(2))
        };
        assert_eq!(rate.of(0.4, 100.0, measure), 100.0);
        assert_eq!(measured.get(), 0);
        assert_eq!(rate.of(0.6, 100.0, measure), 102.5);
        assert_eq!(rate.of(0.1, 100.0, measure), 100.0);
        assert_eq!(rate.of(1e9, 100.0, measure), 102.5);
        assert_eq!(measured.get(), 5);
    }

    #[test]
    fn a_rate_is_measured_until_two_measurements_agree() {
        let measured = Cell::new(0);
        let rates = |rates: &'static [f64]| {
            measured.set(0);
            fastest(|| {
                measured.set(measured.get() + 1);
                (
                    rates[(measured.get() - 1) % rates.len()],
                    Duration::from_secs(1),
                )
            })
        };
        let disturbed = rates(&[10.0, 30.0, 1.0, 2.0, 60.0, 3.0, 99.0, 100.0]);
        assert_eq!((disturbed, measured.get()), (100.0, 8));
        let cold = rates(&[10.0, 100.0, 100.0, 100.0, 50.0]);
        assert_eq!((cold, measured.get()), (100.0, 5));
    }

    #[test]
    fn rates_that_never_agree_end_with_the_fastest() {
        let measured = Cell::new(0);
        let rate = fastest(|| {
            measured.set(measured.get() + 1);
            (
                f64::from(1 << measured.get().min(30)),
                Duration::from_secs(if measured.get() > 30 { 1000 } else { 1 }),
            )
        });
        assert_eq!((rate, measured.get()), (f64::from(1 << 30), 40));
    }

    #[test]
    fn speedup_grows_less_than_the_thread_count() {
        assert_eq!((speedup(0), speedup(1)), (1.0, 1.0));
        let parts = [0, 1, 3, 16, u64::MAX].map(|parts| speedup_of_parts(4, parts));
        assert_eq!(parts, [1.0, 1.0, speedup(3), speedup(4), speedup(4)]);
        assert!(speedup(16) > speedup(15) && speedup(16) < 16.0);
    }
}
