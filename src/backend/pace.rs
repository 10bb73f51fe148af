//! How many cells a submission takes, so that none holds a device for long.
//!
//! A desktop stutters where a submission holds its GPU for a tenth of a second, and after about two seconds the driver ends the
//! work. So the first slices have no more cells than a slow device computes in time, and the next ones as many as fit by what was
//! timed.

use std::time::Duration;

use super::capabilities::Capabilities;
use crate::plan::Pass;

/// Cells of a slice of [`FULL_SLICE`] before any is timed, if they cost as much as those of the strip sweep: about 30 ms on a slow
/// GPU.
pub(crate) const FIRST_CELLS: u64 = 1 << 34;
const FULL_SLICE: Duration = Duration::from_millis(60);
/// The same where threads of the host compute in a GPU's stead: a few milliseconds.
pub(crate) const FIRST_CELLS_ON_HOST: u64 = 1 << 22;
/// For how much of the time that a slice may take it is sized: so none takes twice that where the device comes to be less than half as
/// fast, as cards do at times, or where the host sees an end late.
const SIZED_FOR: f64 = 0.75;
/// The same where threads of the host compute. An operating system moves them and lets them sleep, and passes take up to some five times
/// as long from one slice to the next (intel-xeon/2026-11-27-slices-llvmpipe.json).
const SIZED_FOR_ON_HOST: f64 = 0.25;
/// Most passes of one submission.
pub(crate) const MOST_PASSES: usize = 4096;
/// How many times the cells of the largest slice that was timed the next one has at the most.
pub(super) const GROWTH: u64 = 8;

/// Decides how many cells of one kind a slice takes from how long the last ones took.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    target: Duration,
    /// Cells of the next slice.
    share: u64,
    /// Cells that fit a slice though all else in those that were timed had taken no time.
    sure: u64,
    /// Cells of the largest slice that was timed.
    largest: u64,
    /// Time of the longest one.
    longest: Duration,
    /// Slices that were timed.
    timed: usize,
    /// Whether what it begins with was never timed.
    is_guess: bool,
}

/// For how much of the time that a slice may take it is sized on such a device.
pub(super) fn sized_for(caps: &Capabilities) -> f64 {
    if caps.host_threads.is_some() {
        SIZED_FOR_ON_HOST
    } else {
        SIZED_FOR
    }
}

/// Cells a second of a device that needs just a slice's time for the first one of a plan, whose cells cost so many times those of the
/// strip sweep.
pub fn supposed_rate(caps: &Capabilities, cell_cost: u64) -> f64 {
    Pace::safe_cells(caps, cell_cost, FULL_SLICE) as f64 / FULL_SLICE.as_secs_f64()
}

/// A slice, and the one before it: of two in a row the host may see the first one's end late, so both are timed together.
///
/// What other kinds they have counts as cells of this one that take as long, by their shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    /// Cells of the slice, and how long it was busy.
    pub now: (f64, Duration),
    /// Cells of both, and how long they were.
    pub both: (f64, Duration),
    /// Cells of both that are of this kind.
    pub own: f64,
}

impl Pace {
    /// A pace that begins with so many cells.
    pub(super) fn new(target: Duration, first_cells: u64) -> Self {
        Self {
            is_guess: true,
            ..Self::known_as(target, [first_cells; 2])
        }
    }

    /// A pace that begins as one has [ended](Self::known).
    pub(super) fn known_as(target: Duration, cells: [u64; 2]) -> Self {
        let [share, sure] = cells.map(|cells| cells.max(1));
        Self {
            target,
            share,
            sure,
            largest: 0,
            longest: Duration::ZERO,
            timed: 0,
            is_guess: false,
        }
    }

    /// Cells of a slice that is safe on a device that has not been timed.
    pub(super) fn safe_cells(caps: &Capabilities, cell_cost: u64, target: Duration) -> u64 {
        let cells = if caps.host_threads.is_some() {
            FIRST_CELLS_ON_HOST
        } else {
            FIRST_CELLS
        };
        let short = (target.as_secs_f64() / FULL_SLICE.as_secs_f64()).min(1.0);
        (cells as f64 * short) as u64 / cell_cost.max(1)
    }

    /// Cells that take a slice's time, as far as is known.
    pub(super) fn share(&self) -> u64 {
        self.share
    }

    /// Cells of the next slice at the most, but for those of a pass that cannot be cut.
    pub(super) fn most(&self) -> u64 {
        self.share.min(self.sure)
    }

    /// A pace for other work that begins as this one is.
    pub(super) fn for_others(&self) -> Self {
        Self::new(self.target, self.most())
    }

    /// Begins with so many cells at the least, where what it begins with is still a guess.
    pub(super) fn begin_with(&mut self, cells: u64) {
        if self.is_guess {
            (self.share, self.sure) = (self.share.max(cells), self.sure.max(cells));
        }
    }

    /// Whether no slice has been timed.
    pub(super) fn is_untimed(&self) -> bool {
        self.timed == 0
    }

    /// The next slice of this kind alone: as many of `passes` as fit into its share, at least one.
    pub(super) fn take<'p>(&self, passes: &'p [Pass]) -> (&'p [Pass], &'p [Pass]) {
        let mut cells = 0u64;
        taken(passes, MOST_PASSES, |pass| {
            cells = cells.saturating_add(pass.cells);
            cells <= self.most()
        })
    }

    /// Sizes the next slice by one that was timed.
    pub(super) fn adjust(&mut self, Timed { now, both, own }: Timed) {
        let was_told = self.is_told();
        (self.largest, self.longest) = (self.largest.max(now.0 as u64), self.longest.max(now.1));
        self.timed += 1;
        self.is_guess = false;
        let slices = self.target.as_secs_f64() / both.1.as_secs_f64().max(1e-6);
        let (fitting, sure) = (both.0 * slices, ((own * slices) as u64).max(1));
        let most = self.largest.saturating_mul(GROWTH);
        self.share = match self.timed == 1 && fitting > most as f64 {
            // A few passes that end early tell how long a submission takes to begin.
            true => self.share.max(most),
            false => (fitting as u64).min(most).max(1),
        };
        // What was begun with is a guess that counts until a slice tells more, and what was sure is not where one overran.
        let is_news = self.is_told() && !was_told || now.1 > 2 * self.target;
        self.sure = if is_news { sure } else { sure.max(self.sure) };
    }

    /// Sizes the next replay by one of so many cells, which waits more than it computes where it is small: so only one that has
    /// held the device for too long makes the next ones smaller.
    pub(super) fn adjust_by_replay(&mut self, cells: u64, busy: Duration) {
        if cells == 0 {
            return;
        }
        self.largest = self.largest.max(cells);
        self.timed += 1;
        let fitting =
            (cells as f64 * self.target.as_secs_f64() / busy.as_secs_f64().max(1e-6)) as u64;
        let grown = self
            .share
            .max(fitting.min(self.largest.saturating_mul(GROWTH)));
        self.share = if busy > self.target {
            self.share.min(fitting)
        } else {
            grown
        }
        .max(1);
        self.sure = self.share;
    }

    /// Cells that take a slice's time by what was timed, if anything was.
    pub(super) fn expected(&self) -> Option<u64> {
        (!self.is_guess).then_some(self.share)
    }

    /// Whether a slice was long enough to tell.
    fn is_told(&self) -> bool {
        self.longest * 8 > self.target
    }

    /// Cells a slice that are known to fit, among others and for sure, once a slice was long enough to tell.
    pub(super) fn known(&self) -> Option<[u64; 2]> {
        self.is_told().then_some([self.share, self.sure])
    }
}

/// The first of these passes, as many as `fits` but one at least, and the others.
pub(super) fn taken(
    passes: &[Pass],
    most: usize,
    fits: impl FnMut(&&Pass) -> bool,
) -> (&[Pass], &[Pass]) {
    let fitting = passes.iter().take(most).take_while(fits).count();
    passes.split_at(fitting.max(1).min(passes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Duration = Duration::from_secs(1);

    impl Pace {
        fn adjust_by(&mut self, cells: u64, busy: Duration) {
            let now = (cells as f64, busy);
            self.adjust(Timed {
                now,
                both: now,
                own: now.0,
            });
        }
    }

    #[test]
    fn a_share_grows_eightfold_at_the_most_and_falls_as_far_as_a_slice_overran() {
        let cases = [
            (0, 8000),
            (50, 8000),
            (125, 8000),
            (250, 4000),
            (500, 2000),
            (1000, 1000),
            (2000, 500),
            (60_000, 16),
        ];
        for (elapsed_ms, expected) in cases {
            let mut pace = Pace {
                timed: 1,
                ..Pace::new(TARGET, 77)
            };
            pace.adjust_by(1000, Duration::from_millis(elapsed_ms));
            assert_eq!(
                (pace.share, pace.most()),
                (expected, expected),
                "{elapsed_ms} ms"
            );
        }
        for cells in [0, 1] {
            let mut pace = Pace::new(TARGET, 77);
            pace.adjust_by(cells, Duration::from_secs(60));
            assert_eq!(pace.most(), 1, "after {cells} cells");
        }
    }

    #[test]
    fn a_first_slice_that_ends_early_makes_none_smaller() {
        for (elapsed_ms, expected) in [
            (0, 77_000),
            (124, 77_000),
            (125, 8000),
            (500, 2000),
            (2000, 500),
        ] {
            let mut pace = Pace::new(TARGET, 77_000);
            pace.adjust_by(1000, Duration::from_millis(elapsed_ms));
            assert_eq!(pace.share, expected, "{elapsed_ms} ms");
        }
        let mut pace = Pace::new(TARGET, 7000);
        pace.adjust_by(1000, Duration::ZERO);
        assert_eq!(pace.share, 8000);
    }

    #[test]
    fn what_else_a_slice_has_counts_by_its_share_and_what_is_sure_is_as_if_it_had_taken_no_time() {
        let half = Duration::from_millis(500);
        let timed = Timed {
            now: (1000.0, half),
            both: (1000.0, half),
            own: 10.0,
        };
        let mut pace = Pace::new(TARGET, 77_000);
        pace.adjust(timed);
        assert_eq!((pace.share, pace.most()), (2000, 20));
        // What was sure once is so until a slice overruns.
        pace.adjust(Timed { own: 1.0, ..timed });
        assert_eq!((pace.share, pace.most()), (2000, 20));
        let late = 5 * half;
        pace.adjust(Timed {
            now: (1000.0, late),
            both: (1000.0, late),
            own: 10.0,
        });
        assert_eq!((pace.share, pace.most()), (400, 4));
        // A slice that ends early leaves what was begun with.
        let early = Duration::from_millis(10);
        let mut pace = Pace::new(TARGET, 77_000);
        pace.adjust(Timed {
            now: (1000.0, early),
            both: (1000.0, early),
            own: 10.0,
        });
        assert_eq!((pace.share, pace.most()), (77_000, 77_000));
    }

    #[test]
    fn software_begins_with_far_fewer_cells_than_a_gpu_and_short_slices_with_fewer() {
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
                assert_eq!(Pace::safe_cells(&gpu, cell_cost, slice), on_gpu / part);
                assert_eq!(
                    Pace::safe_cells(&software, cell_cost, slice),
                    on_software / part
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
