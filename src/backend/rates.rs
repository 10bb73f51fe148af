//! How fast a device has been, for the calls to come.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::pace::Pace;
use super::slices::{Paces, Workload};
use crate::plan::Plan;

/// Cells a second that fit slices, as [`Pace::known`] has them.
type Known = HashMap<Workload, [f64; 2]>;

/// What is known of a device.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<Known>);

impl Rates {
    /// Paces for the passes of a plan: as they were left, or safe ones.
    pub(super) fn paces(&self, plan: &Plan, target: Duration, safe_cells: u64) -> Paces {
        let rates = lock(&self.0);
        let pace = |workload: Workload| {
            let known = rates
                .get(&workload)
                .map(|rates| rates.map(|rate| (rate * target.as_secs_f64()) as u64));
            (
                workload,
                known.map_or(Pace::new(target, safe_cells), |known| {
                    Pace::known_as(target, known)
                }),
            )
        };
        Paces::new(
            Workload::all(plan).map(pace).collect(),
            Pace::new(target, safe_cells),
            target,
        )
    }

    /// Keeps what a call has found out.
    pub(super) fn keep(&self, paces: Paces) {
        let target = paces.target();
        let mut rates = lock(&self.0);
        for (workload, pace) in paces.into_kernels() {
            if let Some(known) = pace.known() {
                rates.insert(
                    workload,
                    known.map(|cells| cells as f64 / target.as_secs_f64()),
                );
            }
        }
    }

    /// Cells a second of each workload that is known, by what fits among others.
    pub(super) fn known(&self) -> Vec<(Workload, f64)> {
        lock(&self.0)
            .iter()
            .map(|(workload, &[rate, _])| (workload.clone(), rate))
            .collect()
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
