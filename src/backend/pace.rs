//! How many passes a submission takes, so that none holds a device for long.
//!
//! A desktop stutters where a submission holds its GPU for a tenth of a second, and after about two seconds the driver ends the
//! work. So the first slices have no more cells than a slow device computes in time, and the next ones as many as fit by what was
//! timed. A pass that alone takes longer is cut where its plan knows how, and else a slice of its own: only its planner can make it
//! shorter.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::capabilities::Capabilities;
use crate::kernels::Kernel;
use crate::plan::{Divide, Pass, Plan};

/// Cells of a slice of [`FULL_SLICE`] before any is timed, if they cost as much as those of the strip sweep: about 30 ms on a slow
/// GPU.
pub(crate) const FIRST_CELLS: u64 = 1 << 34;
const FULL_SLICE: Duration = Duration::from_millis(60);
/// The same where threads of the host compute in a GPU's stead: a few milliseconds.
pub(crate) const FIRST_CELLS_ON_HOST: u64 = 1 << 22;
/// Most passes of one submission.
pub(crate) const MOST_PASSES: usize = 4096;
/// Most passes of the first one: the device starts on them while the others are recorded.
pub(crate) const FIRST_PASSES: usize = 8;
/// How many times the cells of the largest slice that was timed the next one has at the most.
const GROWTH: u64 = 8;

/// Decides how many cells a slice takes from how long the last ones took.
#[derive(Debug)]
pub(crate) struct Pace {
    target: Duration,
    /// Cells of the next slice.
    share: u64,
    /// Cells and time of the slice that was timed last.
    last: (u64, Duration),
    /// Cells of the largest slice that was timed.
    largest: u64,
    /// Time of the longest one.
    longest: Duration,
    /// Slices that were taken and that were timed.
    taken: usize,
    timed: usize,
}

impl Pace {
    /// A pace that begins with so many cells.
    pub fn new(target: Duration, first_cells: u64) -> Self {
        let share = first_cells.max(1);
        Self { target, share, last: (0, Duration::ZERO), largest: 0, longest: Duration::ZERO, taken: 0, timed: 0 }
    }

    /// Cells of a slice that is safe on a device that has not been timed.
    pub fn safe_cells(caps: &Capabilities, cell_cost: u64, target: Duration) -> u64 {
        let cells = if caps.host_threads.is_some() { FIRST_CELLS_ON_HOST } else { FIRST_CELLS };
        let short = (target.as_secs_f64() / FULL_SLICE.as_secs_f64()).min(1.0);
        (cells as f64 * short) as u64 / cell_cost.max(1)
    }

    /// A pace for what is submitted behind slices of this one: it begins as they have ended.
    pub fn behind(&self) -> Self {
        Self { taken: 1, ..Self::new(self.target, self.share) }
    }

    /// Cells of the next slice at the most, but for those of a pass that cannot be cut.
    pub fn share(&self) -> u64 {
        self.share
    }

    /// Whether no slice has been timed.
    pub fn is_untimed(&self) -> bool {
        self.timed == 0
    }

    /// The next slice: as many of `passes` as fit into its share, at least one.
    pub fn take<'p>(&mut self, passes: &'p [Pass]) -> (&'p [Pass], &'p [Pass]) {
        let most = if self.taken == 0 { FIRST_PASSES } else { MOST_PASSES };
        self.taken += 1;
        let mut cells = 0u64;
        let fitting = passes.iter().take(most).take_while(|pass| {
            cells = cells.saturating_add(pass.cells);
            cells <= self.share
        });
        passes.split_at(fitting.count().max(1).min(passes.len()))
    }

    /// Sizes the next slice by one of so many cells that the device was busy with for so long.
    ///
    /// Of two slices in a row the host may see the first one's end late, so both are timed together.
    pub fn adjust(&mut self, cells: u64, busy: Duration) {
        let before = std::mem::replace(&mut self.last, (cells, busy));
        (self.largest, self.longest) = (self.largest.max(cells), self.longest.max(busy));
        self.timed += 1;
        let busy_seconds = (before.1 + busy).as_secs_f64().max(1e-6);
        let fitting = before.0.saturating_add(cells) as f64 * self.target.as_secs_f64() / busy_seconds;
        let most = self.largest.saturating_mul(GROWTH);
        // A few passes that end early tell how long a submission takes to begin.
        if self.timed == 1 && fitting > most as f64 {
            return;
        }
        self.share = (fitting as u64).min(most).max(1);
    }

    /// Sizes the next replay by one of so many cells, which waits more than it computes where it is small: so only one that has
    /// held the device for too long makes the next ones smaller.
    pub fn adjust_by_replay(&mut self, cells: u64, busy: Duration) {
        if cells == 0 {
            return;
        }
        self.largest = self.largest.max(cells);
        self.timed += 1;
        let fitting = (cells as f64 * self.target.as_secs_f64() / busy.as_secs_f64().max(1e-6)) as u64;
        let grown = self.share.max(fitting.min(self.largest.saturating_mul(GROWTH)));
        self.share = if busy > self.target { self.share.min(fitting) } else { grown }.max(1);
    }

    /// Cells a slice that are known to fit, once a slice was long enough to tell.
    fn known(&self) -> Option<u64> {
        (self.longest * 8 > self.target).then_some(self.share)
    }
}

/// Passes that are still to be submitted.
#[derive(Debug)]
pub(crate) struct Rest<'p> {
    passes: &'p [Pass],
    /// What is left of a pass that was cut.
    cut: Option<Pass>,
    /// How passes of which kernels are cut.
    divides: &'p [(usize, Divide)],
}

impl<'p> Rest<'p> {
    /// All of them.
    pub fn new(passes: &'p [Pass], divides: &'p [(usize, Divide)]) -> Self {
        Self { passes, cut: None, divides }
    }

    pub fn is_empty(&self) -> bool {
        self.passes.is_empty() && self.cut.is_none()
    }

    /// The next slice: as many passes as fit into the pace's share, or as much as fits of one that does not.
    pub fn take(&mut self, pace: &mut Pace) -> Cow<'p, [Pass]> {
        let whole = || self.passes.split_first().filter(|(pass, _)| pass.cells > pace.share);
        let (pass, later) = match (self.cut.take(), whole()) {
            (Some(left), _) => (left, self.passes),
            (None, Some((pass, later))) => (pass.clone(), later),
            (None, None) => {
                let (slice, later) = pace.take(self.passes);
                self.passes = later;
                return Cow::Borrowed(slice);
            }
        };
        pace.taken += 1;
        self.passes = later;
        let divide = self.divides.iter().find(|(kernel, _)| *kernel == pass.kernel);
        let divided = divide.filter(|_| pass.cells > pace.share).and_then(|(_, divide)| divide.cut(&pass, pace.share));
        let (part, left) = divided.map_or((pass, None), |(part, left)| (part, Some(left)));
        self.cut = left;
        Cow::Owned(vec![part])
    }
}

/// How fast a device has been, for the calls to come.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<HashMap<Workload, f64>>);

/// What a rate is of: a kernel, and about how much each of its passes does at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Workload {
    kernel: Kernel,
    magnitude: u32,
}

impl Workload {
    /// That of a plan.
    pub fn of(plan: &Plan) -> Option<Self> {
        let kernel = plan.kernels.get(plan.passes.first()?.kernel)?.clone();
        let largest = plan.passes.iter().map(|pass| pass.cells).max()?;
        Some(Self { kernel, magnitude: largest.checked_ilog2().unwrap_or(0) })
    }
}

impl Rates {
    /// A pace for such work: as it was left, or one that is safe.
    pub fn pace(&self, workload: Option<&Workload>, target: Duration, safe_cells: u64) -> Pace {
        let rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = workload.and_then(|workload| rates.get(workload));
        Pace::new(target, known.map_or(safe_cells, |rate| (rate * target.as_secs_f64()) as u64))
    }

    /// Keeps what a call has found out.
    pub fn keep(&self, workload: Option<Workload>, pace: &Pace) {
        if let (Some(workload), Some(cells)) = (workload, pace.known()) {
            let rate = cells as f64 / pace.target.as_secs_f64();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(workload, rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Bounds, PARAMS};

    const TARGET: Duration = Duration::from_secs(1);

    fn passes(cells: &[u64]) -> Vec<Pass> {
        let pass = |&cells: &u64| Pass { kernel: 0, bindings: 0, groups: [1; 3], params: [0; PARAMS], cells };
        cells.iter().map(pass).collect()
    }

    #[test]
    fn a_share_grows_eightfold_at_the_most_and_falls_as_far_as_a_slice_overran() {
        let cases =
            [(0, 8000), (50, 8000), (125, 8000), (250, 4000), (500, 2000), (1000, 1000), (2000, 500), (60_000, 16)];
        for (elapsed_ms, expected) in cases {
            let mut pace = Pace { timed: 1, ..Pace::new(TARGET, 77) };
            pace.adjust(1000, Duration::from_millis(elapsed_ms));
            assert_eq!(pace.share, expected, "{elapsed_ms} ms");
        }
        for cells in [0, 1] {
            let mut pace = Pace::new(TARGET, 77);
            pace.adjust(cells, Duration::from_secs(60));
            assert_eq!(pace.share, 1, "after {cells} cells");
        }
    }

    #[test]
    fn a_first_slice_that_ends_early_changes_nothing() {
        for (elapsed_ms, expected) in [(0, 77_000), (124, 77_000), (125, 8000), (500, 2000), (2000, 500)] {
            let mut pace = Pace::new(TARGET, 77_000);
            pace.adjust(1000, Duration::from_millis(elapsed_ms));
            assert_eq!(pace.share, expected, "{elapsed_ms} ms");
        }
    }

    #[test]
    fn two_ends_that_the_host_sees_at_once_are_timed_together() {
        let mut pace = Pace { timed: 1, ..Pace::new(TARGET, 77) };
        pace.adjust(1000, Duration::from_millis(1000));
        pace.adjust(1000, Duration::ZERO);
        assert_eq!(pace.share, 2000);
    }

    #[test]
    fn a_slice_takes_what_its_share_holds_but_one_pass_at_least_and_no_more_than_the_most() {
        let cases: [(&[u64], u64, usize); 8] = [
            (&[10, 10, 10, 10], 29, 2),
            (&[10, 10, 10, 10], 30, 3),
            (&[10, 10, 10, 10], 40, 4),
            (&[10, 10, 10, 10], 9, 1),
            (&[30, 1, 1], 20, 1),
            // Small passes behind one that does not fit wait for it.
            (&[1, 30, 1], 20, 1),
            (&[0, 0, 0, 1], 1, 4),
            (&[u64::MAX - 1, 9, 9], u64::MAX - 1, 1),
        ];
        for (cells, share, expected) in cases {
            let passes = passes(cells);
            for taken in [0, 1] {
                let mut pace = Pace { taken, ..Pace::new(TARGET, share) };
                let (slice, rest) = pace.take(&passes);
                assert_eq!((slice.len(), rest.len()), (expected, passes.len() - expected), "{cells:?}, share {share}");
            }
        }
        let many = passes(&vec![1; 2 * MOST_PASSES]);
        let mut pace = Pace::new(TARGET, u64::MAX);
        assert_eq!([(); 3].map(|()| pace.take(&many).0.len()), [FIRST_PASSES, MOST_PASSES, MOST_PASSES]);
    }

    #[test]
    fn a_pass_that_does_not_fit_is_cut_as_its_kernel_is_described_and_whole_where_it_is_not() {
        let of = |kernel: usize, groups: u32| Pass {
            kernel,
            bindings: 0,
            groups: [groups, 1, 1],
            params: [0; PARAMS],
            cells: 10 * u64::from(groups),
        };
        let passes = [of(0, 2), of(1, 5), of(2, 5), of(1, 1), of(3, 3), of(0, 9)];
        let divides = [(1, Divide::by_group(Bounds::First(4))), (3, Divide::by_group(Bounds::Taken))];
        for (share, expected) in [
            (20, &[(0, 2), (1, 2), (1, 2), (1, 1), (2, 5), (1, 1), (3, 2), (3, 1), (0, 9)][..]),
            (49, &[(0, 2), (1, 4), (1, 1), (2, 5), (1, 1), (3, 3), (0, 9)]),
            (90, &[(0, 2), (1, 5), (2, 5), (1, 1), (3, 3), (0, 9)]),
        ] {
            let mut pace = Pace { taken: 1, ..Pace::new(TARGET, share) };
            let (mut rest, mut taken) = (Rest::new(&passes, &divides), Vec::new());
            while !rest.is_empty() {
                let slice = rest.take(&mut pace);
                assert!(slice.len() == 1 || slice.iter().map(|pass| pass.cells).sum::<u64>() <= share, "{slice:?}");
                taken.extend(slice.into_owned());
            }
            let parts: Vec<_> = taken.iter().map(|pass| (pass.kernel, pass.groups[0])).collect();
            assert_eq!(parts, expected, "share {share}");
        }
    }

    #[test]
    fn software_begins_with_far_fewer_cells_than_a_gpu_and_short_slices_with_fewer() {
        let gpu = Capabilities::default();
        let software = Capabilities { host_threads: Some(2), ..gpu };
        for (cell_cost, on_gpu, on_software) in [(0, 1 << 34, 1 << 22), (1, 1 << 34, 1 << 22), (64, 1 << 28, 1 << 16)] {
            for (slice, part) in [(2 * FULL_SLICE, 1), (FULL_SLICE, 1), (FULL_SLICE / 4, 4)] {
                assert_eq!(Pace::safe_cells(&gpu, cell_cost, slice), on_gpu / part);
                assert_eq!(Pace::safe_cells(&software, cell_cost, slice), on_software / part);
            }
        }
    }
}
