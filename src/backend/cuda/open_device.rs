//! An open device, as its sessions see it.

use std::sync::{Arc, Mutex, MutexGuard};

use super::driver::{Context, CurrentContext, Failure, MissingMemory};
use super::memory::BufferPool;
use super::pipelines::{Pipeline, Pipelines};
use super::staging::Staging;
use super::waiter::Waiter;
use crate::backend::buffers::PlanBudget;
use crate::backend::kernel_cache::refused_kernel;
use crate::error::{Error, Result};
use crate::host::lock;
use crate::kernels::Kernel;

#[derive(Debug)]
pub(super) struct OpenDevice {
    pub name: String,
    /// Dropped first: it waits for work in flight.
    pub waiter: Waiter,
    /// Unspecified buffers begin with a word that no state has.
    pub checked: bool,
    pub pipelines: Pipelines,
    pub pool: BufferPool,
    pub staging: Staging,
    /// Reason of the loss; `None` while the device works.
    pub lost: Mutex<Option<String>>,
    pub context: Arc<Context>,
}

impl OpenDevice {
    pub(super) fn enter(&self) -> Result<CurrentContext> {
        self.context
            .enter()
            .map_err(|failure| self.failure(failure))
    }

    /// Returns the error for a failed device operation. Marks the device as lost.
    pub(super) fn failure(&self, what: impl std::fmt::Display) -> Error {
        let reason = self.lost().get_or_insert_with(|| what.to_string()).clone();
        Error::DeviceLost {
            device: self.name.clone(),
            reason,
            remedy: "run again, or choose another device",
        }
    }

    pub(super) fn lost(&self) -> MutexGuard<'_, Option<String>> {
        lock(&self.lost)
    }

    /// Returns the error for a refused call of the driver. Out of memory leaves the device usable;
    /// any other failure marks it as lost.
    pub(super) fn refused(&self, failure: Failure, budget: PlanBudget) -> Error {
        match failure.missing_memory() {
            Some(MissingMemory::Device(needed)) => self.pool.no_room(&self.name, needed, budget),
            Some(MissingMemory::Host(needed)) => Error::HostMemory {
                device: self.name.clone(),
                needed,
            },
            None => self.failure(failure),
        }
    }

    pub(super) fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        let found = self.pipelines.get(&self.context, kernel);
        found.map_err(|reason| refused_kernel(&self.name, kernel, &reason))
    }
}
