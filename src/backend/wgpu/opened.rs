//! A device that is open, as its sessions see it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wgpu::{Device, Queue};

use super::errors::caught;
use super::memory::{Memory, Staging};
use super::owner::Owner;
use super::parameters::ParameterLayout;
use super::pipelines::{Pipeline, Pipelines, Refused};
use super::waiter::Waiter;
use crate::error::{Error, Result};
use crate::kernels::Kernel;

/// What the sessions of this backend share with their device.
#[derive(Debug)]
pub(super) struct Opened {
    pub name: String,
    pub owner: Owner,
    pub device: Device,
    pub queue: Queue,
    pub waiter: Waiter,
    pub parameters: ParameterLayout,
    /// Why the device was lost, if it was.
    pub lost: Lost,
    /// Whether shaders run with bounds checks.
    pub checked: bool,
    pub pipelines: Pipelines,
    pub memory: Memory,
    pub staging: Mutex<Vec<Staging>>,
    pub clock: Clock,
}

/// When the device was done with the submission that came back last.
#[derive(Clone, Debug)]
pub(super) struct Clock(pub Arc<Mutex<Instant>>);

impl Clock {
    /// How long the device was busy with a submission that has just ended: it began when it had both the submission and nothing
    /// else to do.
    pub(super) fn busy(&self, submitted: Instant) -> Duration {
        let mut idle_since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, now) = (submitted.max(*idle_since), Instant::now());
        *idle_since = now;
        now.saturating_duration_since(began)
    }
}

/// Why a device was lost.
pub(super) type Lost = Arc<Mutex<Option<String>>>;

impl Opened {
    /// Staging buffers that no readback uses.
    pub(super) fn idle_staging(&self) -> MutexGuard<'_, Vec<Staging>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error for a failed device operation, with the driver's reason where it gave one. The device counts as lost from then on.
    pub(super) fn failure(&self, what: &str) -> Error {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = lost.get_or_insert_with(|| what.to_string()).clone();
        let remedy = match self.owner {
            Owner::Swath => "run again, or choose another device",
            Owner::Host => "this engine cannot open it again: make a new engine, on a new device if this one is gone",
        };
        Error::DeviceLost { device: self.name.clone(), reason, remedy }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Does `work` with the device on this thread, which uses no other; an error of it is this call's.
    pub(super) fn caught<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        caught(&self.device, work).unwrap_or_else(|error| Err(self.failure(&error.to_string())))
    }

    pub(super) fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        self.pipelines.get(&self.device, &self.parameters, kernel).map_err(|Refused { reason }| {
            if kernel.needs_checks() {
                let name = kernel.own.first().map_or(kernel.stem, |own| own.stem);
                return Error::InvalidShader { name, reason };
            }
            let reason = format!("kernel {} was refused: {reason}", kernel.label());
            Error::DeviceUnavailable { device: self.name.clone(), reason }
        })
    }
}
