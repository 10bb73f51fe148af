//! Plans through CUDA, on NVIDIA GPUs.

pub mod adapter;
pub mod archive;
mod cache;
pub mod compiler;
mod driver;
pub mod embedded;
mod gather;
mod loaded;
mod memory;
mod pipelines;
mod registers;
pub mod source;
mod staging;
mod waiter;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Backend, Capabilities, DeviceSession, Shared};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use adapter::Candidate;
use driver::{Context, Entered, Failure};
use loaded::LoadedPlan;
use memory::{Allocating, Memory};
use pipelines::{Pipeline, Pipelines};
use staging::Staging;
use waiter::Waiter;

/// An open CUDA device with its buffer manager and kernels.
#[derive(Debug)]
pub struct Gpu {
    opened: Arc<Opened>,
    capabilities: Capabilities,
    shared: Arc<Shared>,
}

/// What the sessions of this backend share with their device.
#[derive(Debug)]
struct Opened {
    name: String,
    /// Ends first: it waits for what is under way.
    waiter: Waiter,
    /// Whether buffers begin with words that no state has.
    checked: bool,
    pipelines: Pipelines,
    memory: Memory,
    staging: Staging,
    /// Why the device was lost, if it was.
    lost: Mutex<Option<String>>,
    context: Arc<Context>,
}

impl Opened {
    /// Makes the device's context the current one of this thread.
    fn enter(&self) -> Result<Entered> {
        self.context.enter().map_err(|failure| self.failure(failure))
    }

    /// The error for a failed device operation. The device counts as lost from then on.
    fn failure(&self, what: impl std::fmt::Display) -> Error {
        let reason = self.lost().get_or_insert_with(|| what.to_string()).clone();
        Error::DeviceLost { device: self.name.clone(), reason, remedy: "run again, or choose another device" }
    }

    fn lost(&self) -> MutexGuard<'_, Option<String>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a call of the driver gives; the device counts as lost where it fails.
    fn check<T>(&self, result: Result<T, Failure>) -> Result<T> {
        result.map_err(|failure| self.failure(failure))
    }

    fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        self.pipelines.get(&self.context, kernel).map_err(|reason| {
            if kernel.needs_checks() {
                let name = kernel.own.first().map_or(kernel.stem, |own| own.stem);
                return Error::InvalidShader { name, reason };
            }
            let reason = format!("kernel {} was refused: {reason}", kernel.label());
            Error::DeviceUnavailable { device: self.name.clone(), reason }
        })
    }
}

impl Gpu {
    /// Opens a device. With `checked`, buffers that nobody has filled begin with words that no state has; with `portable`,
    /// kernels use nothing beyond what every WebGPU device has.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the driver's reason.
    pub fn open(candidate: &Candidate, checked: bool, portable: bool) -> Result<Self> {
        let name = candidate.name.clone();
        let unavailable = |reason: String| Error::DeviceUnavailable { device: name.clone(), reason };
        if let Some(missing) = candidate.lacking() {
            return Err(unavailable(missing));
        }
        if portable && !candidate.capabilities.compiles {
            return Err(unavailable(
                "no portable kernels are embedded: install NVRTC, or choose another device".to_string(),
            ));
        }
        let context = candidate.open().map_err(|failure| unavailable(failure.to_string()))?;
        let capabilities = if portable { candidate.portable() } else { candidate.capabilities };
        let shared = Arc::<Shared>::default();
        let opened = Opened {
            waiter: Waiter::new(context.clone()),
            checked,
            pipelines: Pipelines::new(candidate.target(), embedded::origin().map_err(unavailable)?),
            memory: Memory::new(Allocating(context.clone()), shared.memory.clone()),
            staging: Staging::new(context.clone(), shared.memory.clone()),
            lost: Mutex::default(),
            name,
            context,
        };
        Ok(Self { opened: Arc::new(opened), capabilities, shared })
    }
}

impl Backend for Gpu {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn is_lost(&self) -> bool {
        self.opened.lost().is_some()
    }

    #[cfg(test)]
    fn lose(&self) {
        self.opened.failure("a test has lost it");
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        if self.is_lost() {
            return Err(self.opened.failure("it was lost before"));
        }
        Ok(Box::new(LoadedPlan::nothing(self.opened.clone())?))
    }
}
