//! Backend on CUDA, for NVIDIA GPUs.

pub mod adapter;
pub mod archive;
mod arguments;
pub mod compiler;
mod driver;
pub mod embedded;
mod gather;
pub mod generated;
mod loaded;
mod memory;
mod open_device;
mod pipelines;
mod scratch_buffer;
pub mod source;
mod staging;
mod upload_stream;
mod waiter;

use std::sync::{Arc, Mutex};

use super::{Backend, Capabilities, DeviceSession, Interface, Listed, Shared};
use crate::error::{Error, Result};
use adapter::Candidate;
use embedded::{Origin, origin};
use loaded::LoadedPlan;
use memory::{BufferPool, ContextAllocator};
use open_device::OpenDevice;
use pipelines::Pipelines;
use staging::Staging;
use waiter::Waiter;

#[derive(Debug)]
pub struct Gpu {
    opened: Arc<OpenDevice>,
    described: String,
    capabilities: Capabilities,
    shared: Arc<Shared>,
}

impl Gpu {
    /// Opens a device. With `checked`, unspecified buffers begin with a word that no state has.
    /// With `portable`, kernels use only the features of every WebGPU device.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the driver's reason.
    pub fn open(candidate: &Candidate, checked: bool, portable: bool) -> Result<Self> {
        let name = candidate.name.clone();
        let unavailable = |reason: String| Error::DeviceUnavailable {
            device: name.clone(),
            reason,
        };
        if let Some(missing) = candidate.missing() {
            return Err(unavailable(missing));
        }
        if portable && !candidate.capabilities.compiles {
            return Err(unavailable(
                "no portable kernels are embedded: install NVRTC, or choose another device"
                    .to_string(),
            ));
        }
        let context = candidate
            .open()
            .map_err(|failure| unavailable(failure.to_string()))?;
        let capabilities = if portable {
            candidate.portable()
        } else {
            candidate.capabilities
        };
        let shared = Arc::<Shared>::default();
        let opened = OpenDevice {
            waiter: Waiter::new(context.clone()).map_err(|error| {
                unavailable(format!(
                    "the system starts no thread that watches it: {error}; end other programs, or raise the limit"
                ))
            })?,
            checked,
            pipelines: Pipelines::new(candidate.target(), origin().map_err(unavailable)?),
            pool: BufferPool::new(ContextAllocator(context.clone()), shared.memory.clone()),
            staging: Staging::new(context.clone()),
            lost: Mutex::default(),
            name,
            context,
        };
        Ok(Self {
            opened: Arc::new(opened),
            described: candidate.described(),
            capabilities,
            shared,
        })
    }
}

impl Backend for Gpu {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn interface(&self) -> Option<Interface> {
        Some(Interface::Cuda)
    }

    fn described(&self) -> Option<String> {
        Some(self.described.clone())
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
        Ok(Box::new(LoadedPlan::empty(self.opened.clone())?))
    }
}

impl super::Candidate for Candidate {
    fn selector(&self) -> String {
        format!("{}:{}", Interface::Cuda.name(), self.index)
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn listed(&self) -> Listed {
        let missing = self.missing();
        Listed {
            selector: self.selector(),
            interface: Interface::Cuda,
            name: self.name.clone(),
            kind: if self.is_integrated {
                "integrated GPU"
            } else {
                "discrete GPU"
            },
            driver: self.driver(),
            capabilities: self.capabilities,
            is_real_gpu: missing.is_none(),
            missing,
            shader_compiler: origin().ok().map(Origin::compiler),
        }
    }

    fn open(&self, checked: bool, portable: bool) -> Result<Arc<dyn Backend>> {
        Ok(Arc::new(Gpu::open(self, checked, portable)?))
    }
}
