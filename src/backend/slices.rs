//! How the passes of a plan are cut into slices.
//!
//! Each kernel has a pace of its own, since what its cells cost is a guess until it was timed. In a slice of several kernels each
//! counts by the share of its pace, and none has more cells than would fit if it alone had taken the time of those that were timed: so
//! a plan may go on with whichever of them. Kernels that were not timed begin with few cells, or with somewhat more that are few on
//! a device that was as fast at others. Passes with ever fewer cells come to take as long as each other, so a slice has no more of them
//! than fit if each takes what those before took. A pass that alone takes longer is cut where its plan knows how, and else a slice of its
//! own: only its planner can make it shorter.

use std::borrow::Cow;
use std::time::Duration;

use super::pace::{GROWTH, MOST_PASSES, Pace, Timed, taken};
use crate::kernels::Kernel;
use crate::plan::{Divide, Pass, Plan, cut};

/// Most passes of the first submission: the device starts on them while the others are recorded.
pub(crate) const FIRST_PASSES: usize = 8;
/// How many times as long as guessed the cells of a kernel may take, for all that is known before any is timed.
const DOUBT: f64 = 32.0;
/// How many slices a slice may be, as sums of parts are rounded.
const WHOLE: f64 = 1.0 + 1e-9;

/// So many passes are few, however long each takes beside its cells: what others took is not held against them.
const FEW_PASSES: usize = 16;

/// What a slice has: passes, and cells by kernels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    passes: usize,
    cells: Vec<(usize, u64)>,
}

impl Work {
    /// That of these passes.
    pub(super) fn of(passes: &[Pass]) -> Self {
        let mut work = Self {
            passes: passes.len(),
            cells: Vec::new(),
        };
        for pass in passes {
            match work
                .cells
                .iter_mut()
                .find(|(kernel, _)| *kernel == pass.kernel)
            {
                Some((_, cells)) => *cells = cells.saturating_add(pass.cells),
                None => work.cells.push((pass.kernel, pass.cells)),
            }
        }
        work
    }

    /// Cells of all kernels.
    pub(super) fn cells(&self) -> u64 {
        self.cells
            .iter()
            .fold(0, |all, (_, cells)| all.saturating_add(*cells))
    }
}

/// What a pace is of: a kernel, and about how much each of its passes does at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Workload {
    /// The kernel.
    pub kernel: Kernel,
    /// Cells of its largest pass, as a power of two.
    pub magnitude: u32,
}

impl Workload {
    /// Those of the kernels of a plan.
    pub(super) fn all(plan: &Plan) -> impl Iterator<Item = Self> {
        let mut largest = vec![0; plan.kernels.len()];
        plan.passes
            .iter()
            .for_each(|pass| largest[pass.kernel] = pass.cells.max(largest[pass.kernel]));
        let of = |(kernel, cells): (&Kernel, u64)| Self {
            kernel: kernel.clone(),
            magnitude: cells.checked_ilog2().unwrap_or(0),
        };
        plan.kernels.iter().zip(largest).map(of)
    }
}

/// Decides how many passes of a plan a slice takes.
#[derive(Debug)]
pub(crate) struct Paces {
    kernels: Vec<(Workload, Pace)>,
    /// The slice that was timed last.
    last: (Work, Duration),
    /// Passes of the next slice at the most.
    fitting: usize,
    /// Cells that the device has computed, whatever they cost, and how many slices of full length that took.
    computed: (f64, f64),
    target: Duration,
    /// Slices that were taken.
    taken: usize,
    /// The kernel of the pass that was taken last.
    newest: Option<usize>,
    /// A pace for replays that no pass comes before.
    first: Pace,
}

impl Paces {
    /// Those of a plan's kernels, and one for replays that no pass comes before.
    pub(super) fn new(kernels: Vec<(Workload, Pace)>, first: Pace, target: Duration) -> Self {
        let computed = { kernels.iter() }
            .filter_map(|(_, pace)| pace.expected())
            .fold((0.0, 0.0), |(cells, slices), share| {
                (cells + share as f64, slices + 1.0)
            });
        let (last, fitting) = (Default::default(), MOST_PASSES);
        let mut paces = Self {
            kernels,
            last,
            fitting,
            computed,
            target,
            taken: 0,
            newest: None,
            first,
        };
        paces.guess();
        paces
    }

    /// Kernels that were not timed begin with what is short on a device that was as fast at others, but with no more than if what is
    /// safe had been timed: cells of others may cost far less than they are said to.
    fn guess(&mut self) {
        let (cells, slices) = self.computed;
        let short = (cells / slices.max(f64::MIN_POSITIVE) / DOUBT) as u64;
        let short = short.min(self.first.share().saturating_mul(GROWTH));
        self.kernels
            .iter_mut()
            .for_each(|(_, pace)| pace.begin_with(short));
    }

    /// How long a slice is sized for.
    pub(super) fn target(&self) -> Duration {
        self.target
    }

    /// What they have come to.
    pub(super) fn into_kernels(self) -> Vec<(Workload, Pace)> {
        self.kernels
    }

    /// A pace for replays behind the passes so far: it begins as that of the last one's kernel is.
    pub(super) fn behind(&self) -> Pace {
        self.newest
            .map_or(&self.first, |kernel| &self.kernels[kernel].1)
            .for_others()
    }

    /// The next slice: as many of `passes` as fit, at least one.
    fn take<'p>(&mut self, passes: &'p [Pass]) -> (&'p [Pass], &'p [Pass]) {
        let most = if self.taken == 0 {
            FIRST_PASSES
        } else {
            self.fitting
        };
        let (mut cells, mut slices) = (vec![0u64; self.kernels.len()], 0.0);
        let (slice, later) = taken(passes, most, |pass| {
            let (pace, cells) = (&self.kernels[pass.kernel].1, &mut cells[pass.kernel]);
            *cells = cells.saturating_add(pass.cells);
            slices += pass.cells as f64 / pace.share() as f64;
            *cells <= pace.most() && slices <= WHOLE
        });
        self.took(slice);
        (slice, later)
    }

    fn took(&mut self, slice: &[Pass]) {
        self.taken += 1;
        self.newest = slice.last().map(|pass| pass.kernel);
    }

    /// Sizes the next slices by one that the device was busy with for so long.
    pub(super) fn adjust(&mut self, slice: Work, busy: Duration) {
        let shares: Vec<_> = self
            .kernels
            .iter()
            .map(|(_, pace)| pace.share() as f64)
            .collect();
        // Cells of all kernels as those of one.
        let as_of = |slice: &Work, one: usize| -> f64 {
            slice
                .cells
                .iter()
                .map(|&(kernel, cells)| cells as f64 * (shares[one] / shares[kernel]))
                .sum()
        };
        let own = |slice: &Work, one: usize| {
            slice
                .cells
                .iter()
                .find(|(kernel, _)| *kernel == one)
                .map_or(0.0, |&(_, cells)| cells as f64)
        };
        let (before, before_busy) = &self.last;
        let both_busy = busy + *before_busy;
        for &(kernel, _) in slice.cells.iter().filter(|(_, cells)| *cells > 0) {
            let now = as_of(&slice, kernel);
            self.kernels[kernel].1.adjust(Timed {
                now: (now, busy),
                both: (now + as_of(before, kernel), both_busy),
                own: own(&slice, kernel) + own(before, kernel),
            });
        }
        let slices = self.target.as_secs_f64() / both_busy.as_secs_f64().max(1e-6);
        self.fitting = (((slice.passes + before.passes) as f64 * slices) as usize)
            .clamp(FEW_PASSES, MOST_PASSES);
        self.computed.0 += slice
            .cells
            .iter()
            .map(|&(_, cells)| cells as f64)
            .sum::<f64>();
        self.computed.1 += busy.as_secs_f64().max(1e-6) / self.target.as_secs_f64();
        self.guess();
        self.last = (slice, busy);
    }
}

/// Passes that are still to be submitted.
#[derive(Debug)]
pub(crate) struct Rest<'p> {
    passes: &'p [Pass],
    /// What is left of a pass that was cut, the next part last.
    cut: Vec<Pass>,
    /// How passes of which kernels are cut.
    divides: &'p [(usize, Divide)],
}

impl<'p> Rest<'p> {
    /// All of them.
    pub(super) fn new(passes: &'p [Pass], divides: &'p [(usize, Divide)]) -> Self {
        Self {
            passes,
            cut: Vec::new(),
            divides,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.passes.is_empty() && self.cut.is_empty()
    }

    /// The next slice: as many passes as fit, or as much as fits of one that does not.
    pub(super) fn take(&mut self, paces: &mut Paces) -> Cow<'p, [Pass]> {
        let most = |paces: &Paces, pass: &Pass| paces.kernels[pass.kernel].1.most();
        let whole = || {
            self.passes
                .split_first()
                .filter(|(pass, _)| pass.cells > most(paces, pass))
        };
        let (mut part, later) = match (self.cut.pop(), whole()) {
            (Some(left), _) => (left, self.passes),
            (None, Some((pass, later))) => (pass.clone(), later),
            (None, None) => {
                let (slice, later) = paces.take(self.passes);
                self.passes = later;
                return Cow::Borrowed(slice);
            }
        };
        self.passes = later;
        let most = most(paces, &part);
        while part.cells > most
            && let Some((first, left)) = cut(self.divides, &part, most)
        {
            self.cut.push(left);
            part = first;
        }
        let slice = vec![part];
        paces.took(&slice);
        Cow::Owned(slice)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::plan::{Bounds, PARAMS};

    const TARGET: Duration = Duration::from_secs(1);

    /// Paces of so many kernels, each with this share.
    fn paces(kernels: usize, taken: usize, share: u64) -> Paces {
        let mut plan = Plan::default();
        (0..kernels).for_each(|_| _ = plan.kernel(Kernel::new("kernel", 1, &[])));
        let pace = || Pace::new(TARGET, share);
        let kernels = Workload::all(&plan)
            .map(|workload| (workload, pace()))
            .collect();
        Paces {
            taken,
            ..Paces::new(kernels, pace(), TARGET)
        }
    }

    impl Paces {
        /// After a pass with cells of several kernels.
        fn adjust_by(&mut self, cells: Vec<(usize, u64)>, busy: Duration) {
            self.adjust(Work { passes: 1, cells }, busy);
        }
    }

    fn passes(cells: &[(usize, u64)]) -> Vec<Pass> {
        let pass = |&(kernel, cells): &(usize, u64)| Pass {
            kernel,
            bindings: 0,
            groups: [1; 3],
            params: [0; PARAMS],
            cells,
        };
        cells.iter().map(pass).collect()
    }

    fn of_one(cells: &[u64]) -> Vec<Pass> {
        passes(&cells.iter().map(|&cells| (0, cells)).collect::<Vec<_>>())
    }

    #[test]
    fn a_slice_takes_what_a_share_holds_but_one_pass_at_least_and_no_more_than_the_most() {
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
            let passes = of_one(cells);
            for taken in [0, 1] {
                let mut paces = paces(1, taken, share);
                let (slice, rest) = paces.take(&passes);
                assert_eq!(
                    (slice.len(), rest.len()),
                    (expected, passes.len() - expected),
                    "{cells:?}, share {share}"
                );
            }
        }
        let many = of_one(&vec![1; 2 * MOST_PASSES]);
        let mut paces = paces(1, 0, u64::MAX);
        assert_eq!(
            [(); 3].map(|()| paces.take(&many).0.len()),
            [FIRST_PASSES, MOST_PASSES, MOST_PASSES]
        );
    }

    #[test]
    fn two_ends_that_the_host_sees_at_once_are_timed_together() {
        for second in [0, 1] {
            let mut paces = paces(2, 1, 1000);
            paces.adjust_by(vec![(0, 1000)], Duration::from_millis(1000));
            paces.adjust_by(vec![(second, 1000)], Duration::ZERO);
            assert_eq!(paces.kernels[second].1.share(), 2000, "{second}");
        }
    }

    /// How long the slices of passes are, where two are on their way and each pass takes as long as that.
    fn busy(paces: &mut Paces, passes: &[Pass], each: impl Fn(&Pass) -> Duration) -> Vec<Duration> {
        let (mut rest, mut sent, mut all) = (passes, VecDeque::new(), Vec::new());
        while !rest.is_empty() || !sent.is_empty() {
            while sent.len() < 2 && !rest.is_empty() {
                let (slice, later) = paces.take(rest);
                sent.push_back(slice);
                rest = later;
            }
            let slice = sent.pop_front().expect("one is on its way");
            all.push(slice.iter().map(&each).sum());
            paces.adjust(Work::of(slice), all[all.len() - 1]);
        }
        all
    }

    #[test]
    fn passes_that_take_as_long_with_fewer_cells_make_no_slice_longer() {
        let shrinking = of_one(&(1..=50_000).rev().collect::<Vec<_>>());
        let latency = Duration::from_millis(1);
        let slices = busy(&mut paces(1, 0, 10_000_000), &shrinking, |_| latency);
        assert!(
            slices[3..].iter().all(|busy| *busy <= TARGET.mul_f64(1.01)),
            "{slices:?}"
        );
        assert!(slices.len() < 60, "{slices:?}");
        // Where they take as long as their cells say, few slices are shorter for that.
        let rate = |pass: &Pass| Duration::from_micros(pass.cells / 10);
        let slices = busy(&mut paces(1, 0, 10_000_000), &shrinking, rate);
        assert!(
            slices[3..].iter().all(|busy| *busy <= TARGET.mul_f64(1.01)),
            "{slices:?}"
        );
        let seconds = slices.iter().sum::<Duration>().as_secs_f64();
        assert!(
            slices.len() as f64 <= 1.1 * seconds + 8.0,
            "{seconds} s: {slices:?}"
        );
    }

    #[test]
    fn kernels_count_by_their_shares_and_one_that_was_not_timed_begins_small() {
        let mut paces = paces(2, 1, 1000);
        for _ in 0..2 {
            paces.adjust_by(vec![(0, 8000)], Duration::from_millis(1000));
        }
        assert_eq!(paces.kernels[0].1.most(), 8000);
        let all = passes(&[(0, 2000), (1, 500), (0, 2000), (1, 250), (1, 1)]);
        assert_eq!(
            paces.take(&all).0.len(),
            3,
            "a quarter, a half and a quarter"
        );
        // Together they took twice the time: each counts for half of it.
        paces.adjust_by(vec![(0, 4000), (1, 500)], Duration::from_secs(3));
        let shares = [0, 1].map(|kernel| paces.kernels[kernel].1.share());
        assert_eq!(shares, [4000, 500]);
        // But either may have taken all of it.
        assert_eq!(paces.kernels[1].1.most(), 125);
        let all = passes(&[(0, 100), (1, 100), (1, 25), (1, 1)]);
        assert_eq!(paces.take(&all).0.len(), 3);
    }

    #[test]
    fn a_kernel_that_was_not_timed_begins_with_what_is_short_by_how_fast_others_were() {
        let most = |paces: &Paces| [0, 1].map(|kernel| paces.kernels[kernel].1.most());
        let mut paces = paces(2, 1, 1000);
        paces.adjust_by(vec![(0, 900)], TARGET / 2);
        assert_eq!(most(&paces), [1800, 1000]);
        // Both slices together are as fast as 64,000 cells a slice.
        paces.adjust_by(vec![(0, 95_100)], TARGET);
        assert_eq!(most(&paces), [64_000, 2000]);
        // However fast those were, it begins as after a slice of its own at the most.
        let mut fast = self::paces(2, 1, 1000);
        fast.adjust_by(vec![(0, 100_000_000)], TARGET);
        assert_eq!(most(&fast), [100_000_000, 8000]);
        // Once it was timed, that is what counts.
        paces.adjust_by(vec![(1, 2000)], 4 * TARGET);
        paces.adjust_by(vec![(1, 2000)], 4 * TARGET);
        paces.adjust_by(vec![(0, 64_000)], TARGET / 10);
        assert_eq!(most(&paces)[1], 500);
    }

    #[test]
    fn kernels_in_turns_grow_as_fast_as_one_does() {
        let (mut one, mut three) = (paces(1, 1, 16), paces(3, 1, 16));
        let parts = [(0, 6), (1, 1), (2, 9)];
        let turns = passes(&parts.repeat(2 * MOST_PASSES));
        let alone = of_one(&vec![16; 2 * MOST_PASSES]);
        for expected in [1, 8, 64, 512] {
            let slice = one.take(&alone).0;
            assert_eq!(slice.len(), expected);
            one.adjust(Work::of(slice), Duration::ZERO);
            let slice = three.take(&turns).0;
            assert_eq!(slice.len(), 3 * expected);
            three.adjust(Work::of(slice), Duration::ZERO);
        }
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
        let divides = [
            (1, Divide::by_group(Bounds::First(4))),
            (3, Divide::by_group(Bounds::Taken)),
        ];
        for (share, expected) in [
            (
                20,
                &[
                    (0, 2),
                    (1, 2),
                    (1, 2),
                    (1, 1),
                    (2, 5),
                    (1, 1),
                    (3, 2),
                    (3, 1),
                    (0, 9),
                ][..],
            ),
            (
                49,
                &[(0, 2), (1, 4), (1, 1), (2, 5), (1, 1), (3, 3), (0, 9)],
            ),
            (90, &[(0, 2), (1, 5), (2, 5), (1, 1), (3, 3), (0, 9)]),
        ] {
            let mut paces = paces(4, 1, share);
            let (mut rest, mut taken) = (Rest::new(&passes, &divides), Vec::new());
            while !rest.is_empty() {
                let slice = rest.take(&mut paces);
                assert!(
                    slice.len() == 1 || slice.iter().map(|pass| pass.cells).sum::<u64>() <= share,
                    "{slice:?}"
                );
                taken.extend(slice.into_owned());
            }
            let parts: Vec<_> = taken
                .iter()
                .map(|pass| (pass.kernel, pass.groups[0]))
                .collect();
            assert_eq!(parts, expected, "share {share}");
        }
    }

    #[test]
    fn a_unit_that_does_not_fit_is_cut_by_the_next_way_of_its_kernel() {
        use crate::plan::Units;

        let pass = Pass {
            kernel: 0,
            bindings: 0,
            groups: [5, 2, 1],
            params: [0; PARAMS],
            cells: 90,
        };
        let by_rows = Divide {
            units: Units::Stairs { first: 1 },
            ..Divide::by_group(Bounds::First(3))
        };
        let divides = [(0, by_rows), (0, Divide::by_group(Bounds::First(5)))];
        for (share, expected) in [
            (90, &[([5, 2], [0, 0])][..]),
            (60, &[([5, 1], [0, 0]), ([4, 1], [1, 0])]),
            (
                35,
                &[
                    ([3, 1], [0, 0]),
                    ([2, 1], [0, 3]),
                    ([3, 1], [1, 0]),
                    ([1, 1], [1, 3]),
                ],
            ),
        ] {
            let (passes, mut paces) = ([pass.clone()], paces(1, 1, share));
            let (mut rest, mut taken) = (Rest::new(&passes, &divides), Vec::new());
            while !rest.is_empty() {
                let slice = rest.take(&mut paces);
                taken.extend(slice.iter().map(|part| {
                    (
                        [part.groups[0], part.groups[1]],
                        [part.params[3], part.params[5]],
                    )
                }));
            }
            assert_eq!(taken, expected, "share {share}");
        }
    }
}
