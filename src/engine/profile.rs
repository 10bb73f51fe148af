//! The profile of the machine: what its devices take, each figure with the record in `benches/record` that it comes from, and the
//! rates that are measured, because machines differ in them.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Time to list the adapters of a machine, most of it in the drivers' start: nvidia-h200/2026-11-22.txt, "file to answer", the wall
/// time less that of the call.
pub(crate) const LISTING_SECONDS: f64 = 0.12;
/// Time to open a device that is listed; of the same rows.
pub(crate) const OPENING_SECONDS: f64 = 0.09;
/// Time to build the kernels of a first call: nvidia-h200/2026-11-22.txt, the self-test, whose kernels are built beside others.
pub(crate) const BUILDING_SECONDS: f64 = 0.04;
/// Time of a call on a GPU beside its passes, from the first upload to the last readback: nvidia-h200/2026-11-22.txt, 100 k x 100 k
/// less what its passes take.
pub(crate) const SUBMISSION_SECONDS: f64 = 3e-4;

/// SIMD instructions of a sweep that a thread does in a second: nvidia-h200/2026-11-22-cpu.txt has 4.0e9 and
/// amd-epyc/2026-11-22.txt 7.5e9, by the instructions that `pairwise::bit_parallel::cpu` counts for a cell.
pub(crate) const SIMD_INSTRUCTIONS_PER_SECOND: f64 = 5e9;
/// What every thread after the first adds of its rate: 2 threads in nvidia-h200/2026-11-22-cpu.txt and amd-epyc/2026-11-22.txt.
pub(crate) const THREAD_SHARE: f64 = 0.9;
/// Expected work that a rate is measured for: below it, the figure is near enough.
const WORTH_MEASURING_SECONDS: f64 = 5e-3;
/// Times that a rate is measured; the fastest counts.
const MEASUREMENTS: usize = 3;

/// Time of a step of the wavefronts on the CPU, as a recurrence weighs them, with and without steps over unequal symbols:
/// estimates, which no record has.
pub(crate) const LEVENSHTEIN_STEP_SECONDS: f64 = 1e-8;
pub(crate) const INDEL_STEP_SECONDS: f64 = 3e-9;

/// Time of a symbol before any table: common affixes, codes and their planes; amd-epyc/2026-11-22.txt, the phase "encode".
pub(crate) const SYMBOL_SECONDS: f64 = 2e-9;
/// Time of a guess at similarity, and of each symbol's share of it on one thread: nvidia-h200/2026-11-22.txt, the phase "similarity"
/// of 1 M and 5 M symbols on 16 threads.
pub(crate) const GUESS_SECONDS: f64 = 5e-4;
pub(crate) const GUESS_SYMBOL_SECONDS: f64 = 5e-9;
/// Time of a column of a path on the CPU, its tile computed again: amd-epyc/2026-11-21.txt, alignments less distances.
pub(crate) const CPU_WALK_SECONDS: f64 = 2e-8;
/// Time of a call that a few wavefronts answer, and of one that needs threads, which a process starts but once.
pub(crate) const CALL_SECONDS: f64 = 2e-5;
pub(crate) const THREADED_CALL_SECONDS: f64 = 3e-4;

/// Cells a second of one thread in reference tables, in the tiled baseline and by anti-diagonals: estimates,
/// which no record has.
pub(crate) const REFERENCE_CELLS_PER_SECOND: f64 = 0.9e9;
pub(crate) const TILED_CELLS_PER_SECOND: f64 = 0.7e9;
pub(crate) const ANTI_DIAGONAL_CELLS_PER_SECOND: f64 = 1.5e9;

/// How many times as fast as one thread so many are, where each has work.
pub(crate) fn speedup(threads: usize) -> f64 {
    1.0 + THREAD_SHARE * (threads.max(1) - 1) as f64
}

/// A rate that is measured once in this process, when work first needs it.
#[derive(Debug, Default)]
pub(crate) struct Rate(OnceLock<f64>);

impl Rate {
    pub const fn unknown() -> Self {
        Self(OnceLock::new())
    }

    /// Work a second. While `work` takes a moment at the rate `figure`, that is near enough; else `measure` does some work and tells
    /// how much and how long it took.
    pub fn of(&self, work: f64, figure: f64, measure: impl Fn() -> (f64, Duration)) -> f64 {
        if self.0.get().is_none() && work / figure < WORTH_MEASURING_SECONDS {
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
        assert_eq!(rate.of(0.1, 100.0, measure), 101.5);
        assert_eq!(rate.of(1e9, 100.0, measure), 101.5);
        assert_eq!(measured.get(), MEASUREMENTS as i32);
    }

    #[test]
    fn more_threads_are_faster_but_not_by_all_of_them() {
        assert_eq!((speedup(0), speedup(1)), (1.0, 1.0));
        assert!(speedup(16) > speedup(15) && speedup(16) < 16.0);
    }
}
