//! Throughput of kernels on a device, kept between calls.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use super::slice_budget::{SliceBudget, Throughput};
use super::slices::{SliceBudgets, Workload};
use crate::host::lock;
use crate::plan::Plan;

#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<HashMap<Workload, Throughput>>);

impl Rates {
    /// Creates budgets for the kernels of a plan: `safe_cells` if the throughput is unknown.
    pub(super) fn budgets(&self, plan: &Plan, target: Duration, safe_cells: u64) -> SliceBudgets {
        let rates = lock(&self.0);
        let budget = |workload: Workload| {
            let budget = match rates.get(&workload) {
                Some(&throughput) => SliceBudget::of(target, throughput),
                None => SliceBudget::new(target, safe_cells),
            };
            (workload, budget)
        };
        SliceBudgets::new(
            Workload::all(plan).map(budget).collect(),
            safe_cells,
            target,
        )
    }

    pub(super) fn keep(&self, budgets: SliceBudgets) {
        lock(&self.0).extend(budgets.into_throughputs());
    }

    /// Expected cells per second of each measured workload, in any order.
    pub(super) fn known(&self) -> Vec<(Workload, f64)> {
        let rates = lock(&self.0);
        rates
            .iter()
            .map(|(workload, throughput)| (workload.clone(), throughput.expected))
            .collect()
    }
}
