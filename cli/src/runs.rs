//! Runs of several calls as one.

use swath::PlanSummary;

use crate::call::Solved;

/// Sums of the runs or plans of all calls, with the method of the largest one.
#[derive(Default)]
pub struct Runs {
    pub planned: Option<PlanSummary>,
    pub solved: Option<Solved<()>>,
}

impl Runs {
    pub fn plan(&mut self, mut next: PlanSummary) {
        if let Some(before) = self.planned.take() {
            let (cells, expected) = (before.cells, before.expected);
            if before.cells > next.cells {
                (next, self.planned) = (before, Some(next));
            }
            let other = self
                .planned
                .take()
                .map_or((cells, expected), |one| (one.cells, one.expected));
            next.cells += other.0;
            next.expected += other.1;
        }
        self.planned = Some(next);
    }

    pub fn solve(&mut self, next: Solved<()>) {
        let Some(before) = self.solved.take() else {
            self.solved = Some(next);
            return;
        };
        let (mut larger, smaller) = if before.run.cells >= next.run.cells {
            (before, next)
        } else {
            (next, before)
        };
        larger.run.cells += smaller.run.cells;
        larger.run.computed_cells += smaller.run.computed_cells;
        larger.run.common_prefix += smaller.run.common_prefix;
        larger.run.common_suffix += smaller.run.common_suffix;
        for (phase, time) in smaller.run.phases {
            match larger.run.phases.iter_mut().find(|(one, _)| *one == phase) {
                Some((_, sum)) => *sum += time,
                None => larger.run.phases.push((phase, time)),
            }
        }
        self.solved = Some(larger);
    }
}
