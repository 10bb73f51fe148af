//! Division of the passes of a plan into slices.
//!
//! Each kernel has a budget of cells per slice, because the cost of its cells is unknown until it
//! was timed. In a slice of several kernels each uses a share of its budget, and the shares add up
//! to at most one; the time of such a slice is divided by these shares. They may be wrong, so no
//! kernel has more cells than fitted, with any others, into a slice that was timed. The number of passes has a budget, too: the time of passes with few cells does
//! not depend on the number of cells. A pass over budget is split if its plan says how; otherwise
//! it is a slice of its own.

use std::borrow::Cow;
use std::time::Duration;

use super::slice_budget::{MAX_PASSES, SliceBudget, Throughput, take_while};
use crate::kernels::Kernel;
use crate::plan::{Pass, PassSplit, Plan, cut};

/// Maximum passes of the first submission: the device starts on them while the others are recorded.
pub(crate) const FIRST_PASSES: usize = 8;
/// 1.0 plus rounding slack.
const WHOLE: f64 = 1.0 + 1e-9;
/// Minimum of the budget of passes.
const MIN_PASSES: usize = 16;

/// Passes of a slice, and its cells by kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct SliceWork {
    passes: usize,
    cells: Vec<(usize, u64)>,
}

impl SliceWork {
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

    pub(super) fn cells(&self) -> u64 {
        self.cells
            .iter()
            .fold(0, |all, (_, cells)| all.saturating_add(*cells))
    }
}

/// Key of a measured throughput: a kernel, and the order of magnitude of its passes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Workload {
    pub kernel: Kernel,
    /// Base-2 logarithm of the cells of its largest pass, rounded down.
    pub magnitude: u32,
}

impl Workload {
    /// Workloads of the kernels of a plan, in their order.
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

#[derive(Debug)]
pub(crate) struct SliceBudgets {
    kernels: Vec<(Workload, SliceBudget)>,
    /// Budget of passes: its cells are passes.
    passes: SliceBudget,
    target: Duration,
    slices: usize,
    /// Kernel of the pass that was taken last.
    last: Option<usize>,
    safe_cells: u64,
}

impl SliceBudgets {
    pub(super) fn new(
        kernels: Vec<(Workload, SliceBudget)>,
        safe_cells: u64,
        target: Duration,
    ) -> Self {
        Self {
            kernels,
            passes: SliceBudget::new(target, MAX_PASSES as u64),
            target,
            slices: 0,
            last: None,
            safe_cells,
        }
    }

    pub(super) fn into_throughputs(self) -> impl Iterator<Item = (Workload, Throughput)> {
        let throughput =
            |(workload, budget): (_, SliceBudget)| Some((workload, budget.throughput()?));
        self.kernels.into_iter().filter_map(throughput)
    }

    /// Returns the budget for replays behind the passes taken so far: initially that of the last
    /// pass's kernel.
    pub(super) fn for_replays(&self) -> SliceBudget {
        let cells = self
            .last
            .map_or(self.safe_cells, |kernel| self.kernels[kernel].1.cells());
        SliceBudget::new(self.target, cells)
    }

    fn budget(&self, pass: &Pass) -> u64 {
        self.kernels[pass.kernel].1.cells()
    }

    /// Splits off the next slice of whole passes, at least one.
    fn take<'p>(&mut self, passes: &'p [Pass]) -> (&'p [Pass], &'p [Pass]) {
        let max_passes = if self.slices == 0 {
            FIRST_PASSES
        } else {
            (self.passes.cells() as usize).clamp(MIN_PASSES, MAX_PASSES)
        };
        let mut shares = 0.0;
        let mut cells = vec![0u64; self.kernels.len()];
        let (slice, later) = take_while(passes, max_passes, |pass| {
            let budget = &self.kernels[pass.kernel].1;
            let cells = &mut cells[pass.kernel];
            *cells = cells.saturating_add(pass.cells);
            shares += budget.share(pass.cells);
            shares <= WHOLE && *cells <= budget.cells()
        });
        self.record(slice);
        (slice, later)
    }

    fn record(&mut self, slice: &[Pass]) {
        self.slices += 1;
        self.last = slice.last().map(|pass| pass.kernel);
    }

    /// Adjusts the budgets to a slice that kept the device busy for this time.
    pub(super) fn adjust(&mut self, slice: &SliceWork, busy: Duration) {
        let share = |&(kernel, cells): &(usize, u64)| self.kernels[kernel].1.share(cells);
        let shares: Vec<f64> = slice.cells.iter().map(share).collect();
        let all: f64 = shares.iter().sum();
        for (&(kernel, cells), share) in slice.cells.iter().zip(shares) {
            self.kernels[kernel].1.adjust(cells, busy, share / all);
        }
        self.passes.adjust(slice.passes as u64, busy, 1.0);
    }
}

#[derive(Debug)]
pub(crate) struct PassQueue<'p> {
    passes: &'p [Pass],
    /// Rest of a split pass, the next part last.
    parts: Vec<Pass>,
    splits: &'p [(usize, PassSplit)],
}

impl<'p> PassQueue<'p> {
    pub(super) fn new(passes: &'p [Pass], splits: &'p [(usize, PassSplit)]) -> Self {
        Self {
            passes,
            parts: Vec::new(),
            splits,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.passes.is_empty() && self.parts.is_empty()
    }

    /// Takes the next slice: all passes that fit, or the part that fits of a pass over budget.
    pub(super) fn take(&mut self, budgets: &mut SliceBudgets) -> Cow<'p, [Pass]> {
        let over_budget = || {
            self.passes
                .split_first()
                .filter(|(pass, _)| pass.cells > budgets.budget(pass))
        };
        let (mut part, later) = match (self.parts.pop(), over_budget()) {
            (Some(rest), _) => (rest, self.passes),
            (None, Some((pass, later))) => (pass.clone(), later),
            (None, None) => {
                let (slice, later) = budgets.take(self.passes);
                self.passes = later;
                return Cow::Borrowed(slice);
            }
        };
        self.passes = later;
        let budget = budgets.budget(&part);
        while part.cells > budget
            && let Some((first, rest)) = cut(self.splits, &part, budget)
        {
            self.parts.push(rest);
            part = first;
        }
        let slice = vec![part];
        budgets.record(&slice);
        Cow::Owned(slice)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::plan::{Bounds, PARAMS};

    const TARGET: Duration = Duration::from_secs(1);

    /// Budgets of `cells` for each of `kernels`, after `slices` slices.
    fn budgets(kernels: usize, slices: usize, cells: u64) -> SliceBudgets {
        let mut plan = Plan::default();
        (0..kernels).for_each(|_| _ = plan.kernel(Kernel::new("kernel", 1, &[])));
        let kernels = Workload::all(&plan)
            .map(|workload| (workload, SliceBudget::new(TARGET, cells)))
            .collect();
        SliceBudgets {
            slices,
            ..SliceBudgets::new(kernels, cells, TARGET)
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
    fn slice_takes_the_passes_within_budget_and_at_least_one() {
        let cases: [(&[u64], u64, usize); 8] = [
            (&[10, 10, 10, 10], 29, 2),
            (&[10, 10, 10, 10], 30, 3),
            (&[10, 10, 10, 10], 40, 4),
            (&[10, 10, 10, 10], 9, 1),
            (&[30, 1, 1], 20, 1),
            // Small passes behind one that does not fit wait for it.
            (&[1, 30, 1], 20, 1),
            (&[0, 0, 0, 1], 1, 4),
            (&[u64::MAX - 1, u64::MAX / 2, 9], u64::MAX - 1, 1),
        ];
        for (cells, share, expected) in cases {
            let passes = of_one(cells);
            for taken in [0, 1] {
                let mut budgets = budgets(1, taken, share);
                let (slice, rest) = budgets.take(&passes);
                assert_eq!(
                    (slice.len(), rest.len()),
                    (expected, passes.len() - expected),
                    "{cells:?}, share {share}"
                );
            }
        }
        let many = of_one(&vec![1; 2 * MAX_PASSES]);
        let mut budgets = budgets(1, 0, u64::MAX);
        assert_eq!(
            [(); 3].map(|()| budgets.take(&many).0.len()),
            [FIRST_PASSES, MAX_PASSES, MAX_PASSES]
        );
    }

    /// Busy times of the slices of `passes`, with two slices in flight and passes that take `each`.
    fn busy(
        budgets: &mut SliceBudgets,
        passes: &[Pass],
        each: impl Fn(&Pass) -> Duration,
    ) -> Vec<Duration> {
        let (mut rest, mut sent, mut all) = (passes, VecDeque::new(), Vec::new());
        while !rest.is_empty() || !sent.is_empty() {
            while sent.len() < 2 && !rest.is_empty() {
                let (slice, later) = budgets.take(rest);
                sent.push_back(slice);
                rest = later;
            }
            let slice = sent.pop_front().expect("one is on its way");
            all.push(slice.iter().map(&each).sum());
            budgets.adjust(&SliceWork::of(slice), all[all.len() - 1]);
        }
        all
    }

    #[test]
    fn slices_of_ever_smaller_passes_with_constant_time_do_not_overrun() {
        let shrinking = of_one(&(1..=50_000).rev().collect::<Vec<_>>());
        let latency = Duration::from_millis(1);
        let slices = busy(&mut budgets(1, 0, 10_000_000), &shrinking, |_| latency);
        assert!(
            slices[3..].iter().all(|busy| *busy <= TARGET.mul_f64(1.01)),
            "{slices:?}"
        );
        assert!(slices.len() < 60, "{slices:?}");
        // If their time is proportional to their cells, few slices become shorter.
        let rate = |pass: &Pass| Duration::from_micros(pass.cells / 10);
        let slices = busy(&mut budgets(1, 0, 10_000_000), &shrinking, rate);
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
    fn time_of_a_mixed_slice_is_divided_by_shares() {
        let mut budgets = budgets(2, 1, 1000);
        let slice = passes(&[(0, 900), (1, 100)]);
        budgets.adjust(&SliceWork::of(&slice), TARGET / 2);
        // Two of this mix fill a slice.
        assert_eq!(
            budgets
                .take(&passes(&[(0, 900), (1, 100)].repeat(3)))
                .0
                .len(),
            4
        );
        // No kernel has more cells than are known to fit.
        assert_eq!(
            [0, 1].map(|kernel| budgets.kernels[kernel].1.cells()),
            [1800, 200]
        );
        assert_eq!(budgets.take(&passes(&[(1, 100); 4])).0.len(), 2);
    }

    #[test]
    fn budgets_of_alternating_kernels_grow_as_fast_as_one() {
        let (mut one, mut three) = (budgets(1, 1, 16), budgets(3, 1, 16));
        let parts = [(0, 6), (1, 1), (2, 9)];
        let turns = passes(&parts.repeat(2 * MAX_PASSES));
        let alone = of_one(&vec![16; 2 * MAX_PASSES]);
        for expected in [1, 8, 64, 512] {
            let slice = one.take(&alone).0;
            assert_eq!(slice.len(), expected);
            one.adjust(&SliceWork::of(slice), Duration::ZERO);
            let slice = three.take(&turns).0;
            assert_eq!(slice.len(), 3 * expected);
            three.adjust(&SliceWork::of(slice), Duration::ZERO);
        }
    }

    #[test]
    fn pass_over_budget_is_split_if_its_kernel_has_a_split() {
        let of = |kernel: usize, groups: u32| Pass {
            kernel,
            bindings: 0,
            groups: [groups, 1, 1],
            params: [0; PARAMS],
            cells: 10 * u64::from(groups),
        };
        let passes = [of(0, 2), of(1, 5), of(2, 5), of(1, 1), of(3, 3), of(0, 9)];
        let splits = [
            (1, PassSplit::by_group(Bounds::First(4))),
            (3, PassSplit::by_group(Bounds::Ticket)),
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
            let mut budgets = budgets(4, 1, share);
            let (mut rest, mut taken) = (PassQueue::new(&passes, &splits), Vec::new());
            while !rest.is_empty() {
                let slice = rest.take(&mut budgets);
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
    fn unit_over_budget_is_split_by_the_next_split_of_its_kernel() {
        use crate::plan::Units;

        let pass = Pass {
            kernel: 0,
            bindings: 0,
            groups: [5, 2, 1],
            params: [0; PARAMS],
            cells: 90,
        };
        let by_rows = PassSplit {
            units: Units::Triangular { first: 1 },
            ..PassSplit::by_group(Bounds::First(3))
        };
        let splits = [(0, by_rows), (0, PassSplit::by_group(Bounds::First(5)))];
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
            let (passes, mut budgets) = ([pass.clone()], budgets(1, 1, share));
            let (mut rest, mut taken) = (PassQueue::new(&passes, &splits), Vec::new());
            while !rest.is_empty() {
                let slice = rest.take(&mut budgets);
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
