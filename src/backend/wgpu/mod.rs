//! Plans through wgpu: Vulkan, Metal and DX12.

pub mod adapter;
mod gather;
mod loaded;
mod memory;
mod parameters;
mod pipelines;
pub mod source;
mod waiter;

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, BufferBinding, Device, DeviceDescriptor, Queue,
};

use super::{Backend, Capabilities, Loaded};
use crate::error::{Error, Result};
use crate::kernels::{Kernel, common};
use crate::plan::{Contents, Plan};
use adapter::{Candidate, Offer};
use gather::Gather;
use memory::Memory;
use parameters::{ParameterLayout, Parameters};
use pipelines::{Pipeline, Pipelines, Refused};
use waiter::Waiter;

/// An open wgpu device with its buffer manager and pipelines.
#[derive(Debug)]
pub struct Gpu {
    shared: Arc<Shared>,
    capabilities: Capabilities,
    checked: bool,
    pipelines: Pipelines,
    memory: Memory,
}

/// What loaded plans share with their device.
#[derive(Debug)]
struct Shared {
    name: String,
    device: Device,
    queue: Queue,
    waiter: Waiter,
    parameters: ParameterLayout,
    /// Why the device was lost, if it was.
    lost: Arc<Mutex<Option<String>>>,
    staging: Mutex<Vec<wgpu::Buffer>>,
}

impl Shared {
    /// Staging buffers that no readback uses.
    fn idle_staging(&self) -> MutexGuard<'_, Vec<wgpu::Buffer>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error for a failed device operation, with the driver's reason where it gave one. The device counts as lost from then on.
    fn failure(&self, what: &str) -> Error {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = lost.get_or_insert_with(|| what.to_string()).clone();
        Error::DeviceLost { device: self.name.clone(), reason }
    }
}

impl Gpu {
    /// Opens a device of its own on the adapter. With `checked`, shaders run with bounds checks and loop bounds.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the driver's reason.
    pub fn open(candidate: &Candidate, checked: bool) -> Result<Self> {
        Self::open_with(candidate, &candidate.offer(), checked)
    }

    /// The same with nothing beyond what every WebGPU device has: no immediates, no subgroups, no 64-bit integers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_portable(candidate: &Candidate, checked: bool) -> Result<Self> {
        Self::open_with(candidate, &Offer::portable(), checked)
    }

    fn open_with(candidate: &Candidate, offer: &Offer, checked: bool) -> Result<Self> {
        let name = candidate.name();
        let unavailable = |reason: String| Error::DeviceUnavailable { device: name.clone(), reason };
        if let Some(missing) = candidate.missing() {
            return Err(unavailable(missing.to_string()));
        }
        let descriptor = DeviceDescriptor {
            label: Some("swath"),
            required_features: offer.features,
            required_limits: offer.limits.clone(),
            ..DeviceDescriptor::default()
        };
        let (device, queue) = {
            let _opening = adapter::OPENING.lock().unwrap_or_else(PoisonError::into_inner);
            // Native interfaces answer at once, so this does not wait.
            pollster::block_on(candidate.adapter.request_device(&descriptor))
                .map_err(|error| unavailable(error.to_string()))?
        };
        let lost = Arc::<Mutex<Option<String>>>::default();
        let report = lost.clone();
        device.set_device_lost_callback(move |_, reason| {
            let reason = if reason.is_empty() { "its driver does not say why".to_string() } else { reason };
            *report.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
        });
        let report = lost.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            report.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.to_string());
        }));
        let waiter = Waiter::new(device.clone());
        let parameters = ParameterLayout::new(&device, offer.has_immediates());
        Ok(Self {
            shared: Arc::new(Shared { name, device, queue, waiter, parameters, lost, staging: Mutex::default() }),
            capabilities: candidate.capabilities_of(offer),
            checked,
            pipelines: Pipelines::new(checked),
            memory: Memory::default(),
        })
    }

    fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        self.pipelines.get(&self.shared.device, &self.shared.parameters, kernel).map_err(|Refused { reason }| {
            if kernel.needs_checks() {
                let name = kernel.own.first().map_or(kernel.stem, |own| own.stem);
                return Error::InvalidShader { name, reason };
            }
            let reason = format!("kernel {} was refused: {reason}", kernel.label());
            Error::DeviceUnavailable { device: self.shared.name.clone(), reason }
        })
    }
}

impl Backend for Gpu {
    fn name(&self) -> &str {
        &self.shared.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn is_lost(&self) -> bool {
        self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    #[cfg(test)]
    fn lose(&self) {
        self.shared.device.destroy();
    }

    fn load(&self, plan: &mut Plan, budget_bytes: u64) -> Result<Box<dyn Loaded>> {
        // Only replays leave many spans to be read.
        let gathers = !plan.replays.is_empty();
        let of_plan = || plan.kernels.par_iter().map(|kernel| self.pipeline(kernel)).collect::<Result<Vec<_>>>();
        let gather = || gathers.then(|| self.pipeline(&common::gather())).transpose();
        let (pipelines, (stamp, gather)) =
            rayon::join(of_plan, || rayon::join(|| self.pipeline(&common::stamp()), gather));
        let (pipelines, stamp) = (pipelines?, stamp?);
        let gather = gather?.map(|pipeline| {
            Gather::new(pipeline, Parameters::new(&self.shared.parameters), self.memory.clone(), budget_bytes)
        });
        let sizes: Vec<_> =
            plan.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.size_bytes().max(4))).collect();
        let needed = plan.size_bytes();
        let lease = self.memory.allocate(&self.shared.device, &sizes, budget_bytes).map_err(|_| {
            Error::MemoryBudget { what: "this plan".to_string(), needed, limit: budget_bytes, smallest: needed }
        })?;
        let mut clears = self.shared.device.create_command_encoder(&Default::default());
        for (buffer, allocated) in plan.buffers.iter_mut().zip(&lease.buffers) {
            match std::mem::replace(&mut buffer.contents, Contents::Unspecified) {
                Contents::Words(words) => {
                    for (place, part) in words.chunks(1 << 24).enumerate() {
                        let offset = (place as u64) << 26;
                        self.shared.queue.write_buffer(allocated, offset, bytemuck::cast_slice(part));
                    }
                }
                Contents::Zeros => clears.clear_buffer(allocated, 0, Some(buffer.size_bytes())),
                // A checked run must fail where a pass reads what none wrote, so it starts from a value no state has.
                Contents::Unspecified if self.checked => poison(&self.shared.queue, allocated, buffer.size_bytes()),
                Contents::Unspecified => {}
            }
        }
        let shared = self.shared.clone();
        Ok(Box::new(loaded::LoadedPlan::new(shared, pipelines, stamp, gather, lease, plan, clears.finish())))
    }
}

/// Buffers by the number of their binding, with the bytes of each that are bound.
fn bind(device: &Device, pipeline: &Pipeline, bindings: &[(u32, &wgpu::Buffer, u64)]) -> BindGroup {
    let entries: Vec<_> = bindings
        .iter()
        .map(|&(binding, buffer, size)| BindGroupEntry {
            binding,
            resource: BindingResource::Buffer(BufferBinding { buffer, offset: 0, size: NonZeroU64::new(size) }),
        })
        .collect();
    device.create_bind_group(&BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries })
}

fn poison(queue: &Queue, buffer: &wgpu::Buffer, size_bytes: u64) {
    let words = vec![0xdead_beef_u32; (size_bytes / 4) as usize];
    queue.write_buffer(buffer, 0, bytemuck::cast_slice(&words));
}
