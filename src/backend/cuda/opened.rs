//! A device that is open, as its sessions see it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::driver::{Context, Entered, Failure, Lacking};
use super::memory::Memory;
use super::pipelines::{Pipeline, Pipelines};
use super::staging::Staging;
use super::waiter::Waiter;
use crate::error::{Error, Result};
use crate::kernels::Kernel;

/// What the sessions of this backend share with their device.
#[derive(Debug)]
pub(super) struct Opened {
    pub name: String,
    /// Ends first: it waits for what is under way.
    pub waiter: Waiter,
    /// Whether buffers begin with words that no state has.
    pub checked: bool,
    pub pipelines: Pipelines,
    pub memory: Memory,
    pub staging: Staging,
    /// Why the device was lost, if it was.
    pub lost: Mutex<Option<String>>,
    pub context: Arc<Context>,
}

/// What a session's plan has of the device's memory, and the most that there may be of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    /// Bytes of the plan, which are on the account.
    pub plan_bytes: u64,
    pub limit_bytes: u64,
}

impl Opened {
    /// Makes the device's context the current one of this thread.
    pub(super) fn enter(&self) -> Result<Entered> {
        self.context
            .enter()
            .map_err(|failure| self.failure(failure))
    }

    /// The error for a failed device operation. The device counts as lost from then on.
    pub(super) fn failure(&self, what: impl std::fmt::Display) -> Error {
        let reason = self.lost().get_or_insert_with(|| what.to_string()).clone();
        Error::DeviceLost {
            device: self.name.clone(),
            reason,
            remedy: "run again, or choose another device",
        }
    }

    pub(super) fn lost(&self) -> MutexGuard<'_, Option<String>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error for a call that the driver refuses to a session. Where it has no memory now, the device is as it was; else it counts
    /// as lost.
    pub(super) fn refused(&self, failure: Failure, share: Share) -> Error {
        match failure.lacking() {
            Some(Lacking::Device(needed)) => self.no_room(needed, share),
            Some(Lacking::Host(needed)) => Error::HostMemory {
                device: self.name.clone(),
                needed,
            },
            None => self.failure(failure),
        }
    }

    /// The error for device memory that the driver does not have now.
    pub(super) fn no_room(
        &self,
        needed: u64,
        Share {
            plan_bytes,
            limit_bytes,
        }: Share,
    ) -> Error {
        let held = self.memory.held_bytes().saturating_sub(plan_bytes);
        Error::DeviceMemory {
            device: self.name.clone(),
            needed,
            limit: limit_bytes,
            held,
        }
    }

    pub(super) fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        self.pipelines.get(&self.context, kernel).map_err(|reason| {
            if kernel.needs_checks() {
                let name = kernel
                    .user_shaders
                    .first()
                    .map_or(kernel.stem, |user| user.stem);
                return Error::InvalidShader { name, reason };
            }
            let reason = format!("kernel {} was refused: {reason}", kernel.label());
            Error::DeviceUnavailable {
                device: self.name.clone(),
                reason,
            }
        })
    }
}
