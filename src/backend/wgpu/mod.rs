//! Backend on wgpu: Vulkan, Metal and DX12.

pub mod adapter;
mod clock;
mod commands;
mod errors;
mod gather;
mod host;
mod loaded;
mod memory;
mod open_device;
mod owner;
mod parameters;
mod pipelines;
mod readback;
mod recorder;
mod staging;
mod timestamps;
mod waiter;

pub use super::wgsl as source;

use std::sync::{Arc, Mutex, OnceLock};

use wgpu::{Device, DeviceDescriptor, MemoryHints, Queue};

use super::kernel_cache::KernelCache;
use super::{Backend, Candidate as _, Capabilities, DeviceSession, Interface, Listed, Shared};
use crate::call::hand_over::ready;
use crate::error::{Error, Result};
use crate::host::Instant;
use crate::host::lock;
use adapter::{Candidate, Offer};
use clock::Clock;
pub use host::HostDevice;
use loaded::LoadedPlan;
use memory::BufferPool;
use open_device::{Last, Lost, OpenDevice};
use owner::Owner;
use parameters::ParameterLayout;
pub use recorder::{Part, Recorder};
use staging::IdleStaging;
use waiter::Waiter;

#[derive(Debug)]
pub struct Gpu {
    opened: Arc<OpenDevice>,
    capabilities: Capabilities,
    shared: Arc<Shared>,
}

impl Gpu {
    /// Opens a device on the adapter. With `checked`, shaders run with bounds checks and loop
    /// bounds. With `portable`, it has only the features of every WebGPU device: no immediates, no
    /// subgroups, no 64-bit integers.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the driver's reason.
    pub fn open(candidate: &Candidate, checked: bool, portable: bool) -> Result<Self> {
        let offer = if portable {
            Offer::portable()
        } else {
            candidate.offer()
        };
        let name = candidate.name();
        let unavailable = |reason: String| Error::DeviceUnavailable {
            device: name.clone(),
            reason,
        };
        if let Some(missing) = candidate.missing() {
            return Err(unavailable(missing));
        }
        let descriptor = DeviceDescriptor {
            label: Some("swath"),
            required_features: offer.features,
            required_limits: offer.limits.clone(),
            // Buffers of plans are small, or large with memory of their own. For host-visible
            // memory wgpu would begin with 64 MiB, which the driver pins in about 20 ms.
            memory_hints: MemoryHints::MemoryUsage,
            ..DeviceDescriptor::default()
        };
        let (device, queue) = {
            let _opening = lock(&adapter::OPENING);
            // Native interfaces answer at once, so this does not block.
            ready(candidate.adapter.request_device(&descriptor))
                .map_err(|error| unavailable(error.to_string()))?
        };
        let lost = report_losses(&device);
        let parameters = ParameterLayout::new(&device, offer.has_immediates());
        let capabilities = offer.capabilities(&candidate.capabilities);
        Ok(Self::on(
            device,
            queue,
            Owner::Swath,
            capabilities,
            parameters,
            lost,
            checked,
        ))
    }

    /// Creates a backend on a device without changing any of its settings: it may be an
    /// application's.
    fn on(
        device: Device,
        queue: Queue,
        owner: Owner,
        capabilities: Capabilities,
        parameters: ParameterLayout,
        lost: Lost,
        checked: bool,
    ) -> Self {
        let shared = Arc::<Shared>::default();
        // Browsers may keep the name to themselves.
        let name = Some(device.adapter_info().name).filter(|name| !name.is_empty());
        let opened = OpenDevice {
            name: name.unwrap_or_else(|| "WebGPU".to_string()),
            owner,
            waiter: Waiter::new(device.clone(), owner),
            parameters,
            lost,
            checked,
            pipelines: KernelCache::default(),
            pool: BufferPool::new(device.clone(), shared.memory.clone()),
            staging: IdleStaging::default(),
            clock: Clock(Arc::new(Mutex::new(Instant::now()))),
            is_seen_late: capabilities.host_threads.is_some() || owner != Owner::Swath,
            timestamps: OnceLock::new(),
            device,
            queue,
            last: Last::default(),
        };
        Self {
            opened: Arc::new(opened),
            capabilities,
            shared,
        }
    }
}

impl super::Candidate for Candidate {
    fn selector(&self) -> String {
        format!("{}:{}", self.interface.name(), self.index)
    }

    fn name(&self) -> String {
        self.adapter.get_info().name
    }

    fn listed(&self) -> Listed {
        Listed {
            selector: self.selector(),
            interface: self.interface,
            name: self.name(),
            kind: self.kind(),
            driver: adapter::driver(&self.adapter.get_info()),
            capabilities: self.capabilities,
            missing: self.missing(),
            is_real_gpu: self.is_real_gpu(),
            shader_compiler: self.shader_compiler().map(str::to_string),
        }
    }

    fn open(&self, checked: bool, portable: bool) -> Result<Arc<dyn Backend>> {
        Ok(Arc::new(Gpu::open(self, checked, portable)?))
    }
}

/// Records the reason of a loss of our own device, and keeps uncaptured errors from ending the
/// process. A device has one callback of each kind, so on an application's device both belong to
/// the application.
fn report_losses(device: &Device) -> Lost {
    let lost = Lost::default();
    let report = lost.clone();
    device.set_device_lost_callback(move |_, reason| {
        let reason = if reason.is_empty() {
            "its driver does not say why".to_string()
        } else {
            reason
        };
        *lock(&report) = Some(reason);
    });
    let report = lost.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        lock(&report).get_or_insert_with(|| error.to_string());
    }));
    lost
}

impl Backend for Gpu {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn interface(&self) -> Option<Interface> {
        adapter::interface(&self.opened.device.adapter_info())
    }

    fn described(&self) -> Option<String> {
        adapter::described(&self.opened.device.adapter_info())
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn is_lost(&self) -> bool {
        self.opened.is_lost()
    }

    fn opens_again(&self) -> bool {
        self.opened.owner == Owner::Swath
    }

    #[cfg(test)]
    fn lose(&self) {
        self.opened.device.destroy();
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        if self.is_lost() {
            return Err(self.opened.failure("it was lost before"));
        }
        Ok(Box::new(LoadedPlan::empty(
            self.opened.clone(),
            self.shared.clone(),
        )))
    }
}
