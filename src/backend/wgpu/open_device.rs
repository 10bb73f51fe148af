//! An open device, as its sessions see it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use wgpu::{CommandBuffer, Device, Queue, SubmissionIndex};

use super::clock::Clock;
use super::errors::caught;
use super::memory::BufferPool;
use super::owner::Owner;
use super::parameters::ParameterLayout;
use super::pipelines::{Pipeline, build};
use super::staging::IdleStaging;
use super::timestamps::Timestamps;
use super::waiter::Waiter;
use crate::backend::buffers::PlanBudget;
use crate::backend::kernel_cache::{KernelCache, refused_kernel};
use crate::error::{Error, Result};
use crate::host::lock;
use crate::kernels::Kernel;
use crate::plan::Pass;

#[derive(Debug)]
pub(super) struct OpenDevice {
    pub name: String,
    pub owner: Owner,
    pub device: Device,
    pub queue: Queue,
    pub waiter: Waiter,
    pub parameters: ParameterLayout,
    pub lost: Lost,
    /// Shaders run with bounds checks.
    pub checked: bool,
    pub pipelines: KernelCache<Pipeline>,
    pub pool: BufferPool,
    pub staging: IdleStaging,
    pub clock: Clock,
    /// True if the host may see the end of a submission late: host threads compute, or an
    /// application draws in between.
    pub is_seen_late: bool,
    /// Created by the first submission of passes.
    pub timestamps: OnceLock<Option<Timestamps>>,
    /// Dropped last.
    pub last: Last,
}

/// True while a device is being dropped.
static GOING: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Guard that serialises the drop of devices and their threads. NVIDIA's driver for Vulkan (580)
/// deadlocks if a thread that it knows ends while another thread closes a device.
#[derive(Debug, Default)]
pub(super) struct Last {
    has_turn: bool,
}

impl Last {
    fn wait_for_turn(&mut self) {
        let going = lock(&GOING.0);
        *GOING
            .1
            .wait_while(going, |going| *going)
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.has_turn = true;
    }
}

impl Drop for Last {
    fn drop(&mut self) {
        if self.has_turn {
            *lock(&GOING.0) = false;
            GOING.1.notify_one();
        }
    }
}

impl Drop for OpenDevice {
    fn drop(&mut self) {
        self.last.wait_for_turn();
    }
}

/// Reason of a loss; `None` while the device works.
pub(super) type Lost = Arc<Mutex<Option<String>>>;

impl OpenDevice {
    /// Returns the error for a failed device operation, with the driver's reason if known. Marks
    /// the device as lost.
    pub(super) fn failure(&self, what: &str) -> Error {
        let mut lost = lock(&self.lost);
        let reason = lost.get_or_insert_with(|| what.to_string()).clone();
        let remedy = match self.owner {
            Owner::Swath => "run again, or choose another device",
            Owner::Host { .. } => {
                "this engine cannot open it again: make a new engine, on a new device if this one is gone"
            }
        };
        Error::DeviceLost {
            device: self.name.clone(),
            reason,
            remedy,
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        lock(&self.lost).is_some()
    }

    /// Timestamps for a submission of these passes, if supported and needed. They cost 0.1 ms of
    /// device time, so they are used only if the host may see the end late: on software adapters
    /// and on an application's device. A submission without passes needs none.
    pub(super) fn timestamps(&self, passes: &[Pass]) -> Option<&Timestamps> {
        let make = || Timestamps::new(&self.device, &self.queue);
        let is_needed = self.is_seen_late && !passes.is_empty();
        if is_needed {
            self.timestamps.get_or_init(make).as_ref()
        } else {
            None
        }
    }

    /// Submits commands. Returns the index if the driver may be asked to wait for it.
    ///
    /// wgpu runs ready callbacks after submitting, an application's included. A panic of a callback
    /// was already reported by the panic hook. After a panic of wgpu itself nothing was submitted,
    /// and the stamp is missing.
    pub(super) fn submit(
        &self,
        commands: impl Iterator<Item = CommandBuffer>,
    ) -> Option<SubmissionIndex> {
        match self.owner {
            Owner::Swath => Some(self.queue.submit(commands)),
            Owner::Host { .. } => {
                let _ = catch_unwind(AssertUnwindSafe(|| self.queue.submit(commands)));
                None
            }
        }
    }

    /// Runs `work`, which uses the device on this thread only and needs this many bytes, and returns
    /// its errors as this call's.
    pub(super) fn caught<T>(
        &self,
        needed: u64,
        budget: PlanBudget,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        caught(&self.device, work).unwrap_or_else(|error| Err(self.refused(needed, budget, &error)))
    }

    /// Returns the error for refused work. Out of memory leaves the device usable.
    fn refused(&self, needed: u64, budget: PlanBudget, error: &wgpu::Error) -> Error {
        match error {
            wgpu::Error::OutOfMemory { .. } => self.pool.no_room(&self.name, needed, budget),
            error => self.failure(&error.to_string()),
        }
    }

    pub(super) fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        let found = self.pipelines.get(kernel, || {
            build(&self.device, &self.parameters, self.checked, kernel)
        });
        found.map_err(|reason| refused_kernel(&self.name, kernel, &reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend as _;

    use crate::backend::wgpu::memory::buffer;
    use crate::backend::wgpu::{Gpu, adapter};

    #[test]
    fn device_survives_out_of_memory_and_is_lost_on_other_errors() {
        let Some(candidate) = adapter::of_tests() else {
            return;
        };
        let gpu = Gpu::open(&candidate, false, false).expect("the adapter opens");
        let budget = PlanBudget {
            plan_bytes: 0,
            limit_bytes: 5,
        };
        let error = gpu.opened.refused(
            3,
            budget,
            &wgpu::Error::OutOfMemory {
                source: "no memory".into(),
            },
        );
        assert!(
            matches!(
                error,
                Error::DeviceMemory {
                    needed: 3,
                    limit: 5,
                    held: 0,
                    ..
                }
            ) && !gpu.is_lost(),
            "{error}"
        );
        // Larger than any buffer.
        let descriptor = buffer("large", 1 << 60, wgpu::BufferUsages::STORAGE);
        let ended = gpu.opened.caught(3, budget, || {
            let _ = gpu.opened.device.create_buffer(&descriptor);
            Ok(())
        });
        assert!(
            matches!(ended, Err(Error::DeviceLost { .. })) && gpu.is_lost(),
            "{ended:?}"
        );
    }
}
