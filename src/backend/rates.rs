//! Throughput of kernels on a device, kept between calls.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::slice_budget::SliceBudget;
use super::slices::{SliceBudgets, Workload};
use crate::plan::Plan;

/// Cells per second by workload.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<HashMap<Workload, f64>>);

impl Rates {
    /// Creates budgets for the kernels of a plan: `safe_cells` if the throughput is unknown.
    pub(super) fn budgets(&self, plan: &Plan, target: Duration, safe_cells: u64) -> SliceBudgets {
        let rates = lock(&self.0);
        let budget = |workload: Workload| {
            let known = rates
                .get(&workload)
                .map(|rate| (rate * target.as_secs_f64()) as u64);
            (
                workload,
                SliceBudget::new(target, known.unwrap_or(safe_cells)),
            )
        };
        SliceBudgets::new(
            Workload::all(plan).map(budget).collect(),
            safe_cells,
            target,
        )
    }

    /// Stores the throughput measured by a call.
    pub(super) fn keep(&self, budgets: SliceBudgets) {
        lock(&self.0).extend(budgets.into_throughputs());
    }

    /// Cells per second of each measured workload, in any order.
    pub(super) fn known(&self) -> Vec<(Workload, f64)> {
        let rates = lock(&self.0);
        rates
            .iter()
            .map(|(workload, &rate)| (workload.clone(), rate))
            .collect()
    }
}

fn lock(rates: &Mutex<HashMap<Workload, f64>>) -> MutexGuard<'_, HashMap<Workload, f64>> {
    rates.lock().unwrap_or_else(PoisonError::into_inner)
}
