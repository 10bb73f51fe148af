//! Number of cells per submission, so that none holds a device for long.
//!
//! A desktop stutters if a submission holds its GPU for a tenth of a second, and after about two
//! seconds the driver aborts the work. So the first slices are small enough for a slow device, and
//! later ones are sized by the measured throughput.

use std::time::Duration;

use super::capabilities::Capabilities;
use crate::plan::Pass;

/// Cells of the first slices at [`FULL_SLICE`], if they cost as much as those of the strip sweep:
/// about 30 ms on a slow GPU.
pub(crate) const FIRST_CELLS: u64 = 1 << 34;
const FULL_SLICE: Duration = Duration::from_millis(60);
/// As `FIRST_CELLS`, for software adapters: a few milliseconds.
pub(crate) const FIRST_CELLS_ON_HOST: u64 = 1 << 22;
/// Share of the slice time that slices are sized for. The rest is slack for cards that slow down
/// and for ends that the host sees late: no slice takes twice its time unless the device becomes
/// less than half as fast.
const SIZED_FOR: f64 = 0.75;
/// As `SIZED_FOR`, for software adapters. The operating system migrates threads and lets them
/// sleep, and passes take up to five times as long from one slice to the next
/// (intel-xeon/2026-11-27-slices-llvmpipe.json).
const SIZED_FOR_ON_HOST: f64 = 0.25;
/// Maximum passes of one submission.
pub(crate) const MAX_PASSES: usize = 4096;
/// Maximum growth from one slice to the next.
const MAX_GROWTH: u64 = 8;
/// A slice shorter than the target by this factor measures the latency of a submission rather than
/// the throughput.
const SHORT: f64 = 8.0;

/// Share of the slice time that slices are sized for on a device with `caps`.
pub(super) fn sized_for(caps: &Capabilities) -> f64 {
    if caps.host_threads.is_some() {
        SIZED_FOR_ON_HOST
    } else {
        SIZED_FOR
    }
}

/// Throughput in cells per second that the size of first slices assumes, for cells that cost
/// `cell_cost` times those of the strip sweep.
pub fn supposed_rate(caps: &Capabilities, cell_cost: u64) -> f64 {
    SliceBudget::safe_cells(caps, cell_cost, FULL_SLICE) as f64 / FULL_SLICE.as_secs_f64()
}

/// Throughput of a kernel in cells per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Throughput {
    /// Estimate: in mixed slices, each kernel is charged its estimated part of the time.
    pub(crate) expected: f64,
    /// Lower bound: each kernel is charged the whole slice.
    pub(crate) at_least: f64,
}

impl Throughput {
    /// Cells of a slice of `target`: expected, and at least.
    fn cells(self, target: Duration) -> [u64; 2] {
        [self.expected, self.at_least].map(|rate| (rate * target.as_secs_f64()) as u64)
    }
}

/// Cells of the next slice of one kernel, from moving averages of its throughput.
#[derive(Clone, Debug)]
pub(crate) struct SliceBudget {
    target: Duration,
    /// Cells that are expected to take the target time.
    cells: u64,
    /// Cells that took at most the target time, as part of a slice.
    safe: u64,
    /// Cells of recent slices, the seconds charged for them, and the seconds of the slices, over
    /// about one target time.
    recent: [f64; 3],
    /// True once a slice was long enough to measure the throughput.
    is_measured: bool,
}

impl SliceBudget {
    pub(super) fn new(target: Duration, first_cells: u64) -> Self {
        let cells = first_cells.max(1);
        Self {
            target,
            cells,
            safe: cells,
            recent: [0.0; 3],
            is_measured: false,
        }
    }

    /// Creates a budget from the throughput of earlier calls.
    pub(super) fn of(target: Duration, throughput: Throughput) -> Self {
        let [cells, safe] = throughput.cells(target).map(|cells| cells.max(1));
        Self {
            safe,
            ..Self::new(target, cells)
        }
    }

    /// Cells of a slice that is safe on a device whose throughput is unknown.
    pub(super) fn safe_cells(caps: &Capabilities, cell_cost: u64, target: Duration) -> u64 {
        let cells = if caps.host_threads.is_some() {
            FIRST_CELLS_ON_HOST
        } else {
            FIRST_CELLS
        };
        let short = (target.as_secs_f64() / FULL_SLICE.as_secs_f64()).min(1.0);
        (cells as f64 * short) as u64 / cell_cost.max(1)
    }

    /// Maximum cells of the next slice, except that of a single pass that cannot be split.
    pub(super) fn cells(&self) -> u64 {
        self.cells.min(self.safe)
    }

    /// Expected part of the target time that `cells` take.
    pub(super) fn share(&self, cells: u64) -> f64 {
        cells as f64 / self.cells as f64
    }

    pub(super) fn is_untimed(&self) -> bool {
        self.recent[0] == 0.0
    }

    /// Splits off the next slice of this kernel alone, at least one pass.
    pub(super) fn take<'p>(&self, passes: &'p [Pass]) -> (&'p [Pass], &'p [Pass]) {
        let mut cells = 0u64;
        take_while(passes, MAX_PASSES, |pass| {
            cells = cells.saturating_add(pass.cells);
            cells <= self.cells()
        })
    }

    /// Adjusts to a slice that spent `part` of its busy time on `cells` of this kernel.
    pub(super) fn adjust(&mut self, cells: u64, busy: Duration, part: f64) {
        if cells == 0 {
            return;
        }
        let (target, busy) = (self.target.as_secs_f64(), busy.as_secs_f64());
        // An overrun resets the averages.
        let kept = if busy > 2.0 * target {
            0.0
        } else {
            (target / self.recent[2]).min(1.0)
        };
        let slice = [cells as f64, busy * part, busy];
        let [all, charged, whole] = std::array::from_fn(|i| kept * self.recent[i] + slice[i]);
        self.recent = [all, charged, whole];
        let most = cells as f64 / part * MAX_GROWTH as f64;
        let next =
            [charged, whole].map(|time| ((all * target / time.max(1e-6)).min(most) as u64).max(1));
        let is_short = busy * SHORT < target;
        self.is_measured |= !is_short;
        let before = if is_short {
            [self.cells, self.safe]
        } else {
            [0; 2]
        };
        [self.cells, self.safe] = [0, 1].map(|i| next[i].max(before[i]));
    }

    /// Measured throughput, if a slice was long enough to tell.
    pub(super) fn throughput(&self) -> Option<Throughput> {
        let [cells, charged, whole] = self.recent;
        self.is_measured.then(|| Throughput {
            expected: cells / charged,
            at_least: cells / whole,
        })
    }
}

/// Splits off the leading passes that `fits` accepts: at least one, at most `max_passes`.
pub(super) fn take_while(
    passes: &[Pass],
    max_passes: usize,
    fits: impl FnMut(&&Pass) -> bool,
) -> (&[Pass], &[Pass]) {
    let fitting = passes.iter().take(max_passes).take_while(fits).count();
    passes.split_at(fitting.max(1).min(passes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Duration = Duration::from_secs(1);

    fn after(first_cells: u64, slices: &[(u64, u64)]) -> u64 {
        let mut budget = SliceBudget::new(TARGET, first_cells);
        for &(cells, elapsed_ms) in slices {
            budget.adjust(cells, Duration::from_millis(elapsed_ms), 1.0);
        }
        budget.cells()
    }

    #[test]
    fn slice_budget_grows_at_most_eightfold_and_shrinks_by_the_overrun() {
        for (elapsed_ms, expected) in [
            (0, 8000),
            (124, 8000),
            (250, 4000),
            (1000, 1000),
            (2000, 500),
            (60_000, 16),
        ] {
            assert_eq!(
                after(77, &[(1000, elapsed_ms)]),
                expected,
                "{elapsed_ms} ms"
            );
        }
        assert_eq!(after(77, &[(1, 60_000)]), 1);
        assert_eq!(after(77, &[(0, 60_000)]), 77);
    }

    #[test]
    fn short_slices_never_shrink_a_slice_budget() {
        for (elapsed_ms, expected) in [(0, 77_000), (124, 77_000), (125, 8000), (2000, 500)] {
            assert_eq!(
                after(77_000, &[(1000, elapsed_ms)]),
                expected,
                "{elapsed_ms} ms"
            );
        }
    }

    #[test]
    fn slice_budget_averages_throughput_until_an_overrun() {
        // Two ends that the host sees at once.
        assert_eq!(after(1000, &[(1000, 1000), (1000, 0)]), 2000);
        // Twice as slow at once, and more than that.
        assert_eq!(after(1000, &[(1000, 1000), (1000, 2000)]), 666);
        assert_eq!(after(1000, &[(1000, 1000), (1000, 4000)]), 250);
    }

    #[test]
    fn first_slice_is_smaller_on_software_adapters_and_for_short_targets() {
        let gpu = Capabilities::default();
        let software = Capabilities {
            host_threads: Some(2),
            ..gpu
        };
        for (cell_cost, on_gpu, on_software) in [
            (0, 1 << 34, 1 << 22),
            (1, 1 << 34, 1 << 22),
            (64, 1 << 28, 1 << 16),
        ] {
            for (slice, part) in [(2 * FULL_SLICE, 1), (FULL_SLICE, 1), (FULL_SLICE / 4, 4)] {
                let safe = |caps| SliceBudget::safe_cells(caps, cell_cost, slice);
                assert_eq!(
                    (safe(&gpu), safe(&software)),
                    (on_gpu / part, on_software / part)
                );
            }
            let supposed = |caps| supposed_rate(caps, cell_cost) * FULL_SLICE.as_secs_f64();
            let near = |cells: f64, expected: u64| (cells / expected as f64 - 1.0).abs() < 1e-9;
            assert!(
                near(supposed(&gpu), on_gpu) && near(supposed(&software), on_software),
                "{cell_cost}"
            );
        }
    }
}
