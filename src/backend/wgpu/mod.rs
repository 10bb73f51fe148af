//! Plans through wgpu: Vulkan, Metal and DX12.

pub mod adapter;
mod errors;
mod gather;
mod host;
mod loaded;
mod memory;
mod parameters;
mod pipelines;
mod recorder;
pub mod source;
mod waiter;

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, BufferBinding, ComputePass, Device,
    DeviceDescriptor, MemoryHints, Queue,
};

use super::{Backend, Candidate as _, Capabilities, DeviceSession, Shared};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::plan::Pass;
use adapter::{Candidate, Offer};
use errors::caught;
pub use host::HostDevice;
use loaded::LoadedPlan;
use memory::{Memory, Staging};
use parameters::{ParameterLayout, Parameters};
use pipelines::{Pipeline, Pipelines, Refused};
pub use recorder::{Part, Recorder};
use waiter::Waiter;

/// An open wgpu device with its buffer manager and pipelines.
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
    owner: Owner,
    device: Device,
    queue: Queue,
    waiter: Waiter,
    parameters: ParameterLayout,
    /// Why the device was lost, if it was.
    lost: Lost,
    /// Whether shaders run with bounds checks.
    checked: bool,
    pipelines: Pipelines,
    memory: Memory,
    staging: Mutex<Vec<Staging>>,
    clock: Clock,
}

/// Whose device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// Opened here, for nobody else.
    Swath,
    /// An application's, which uses it at the same time.
    Host,
}

/// When the device was done with the submission that came back last.
#[derive(Clone, Debug)]
struct Clock(Arc<Mutex<Instant>>);

impl Clock {
    /// How long the device was busy with a submission that has just ended: it began when it had both the submission and nothing
    /// else to do.
    fn busy(&self, submitted: Instant) -> Duration {
        let mut idle_since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, now) = (submitted.max(*idle_since), Instant::now());
        *idle_since = now;
        now.saturating_duration_since(began)
    }
}

/// Why a device was lost.
type Lost = Arc<Mutex<Option<String>>>;

impl Opened {
    /// Staging buffers that no readback uses.
    fn idle_staging(&self) -> MutexGuard<'_, Vec<Staging>> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error for a failed device operation, with the driver's reason where it gave one. The device counts as lost from then on.
    fn failure(&self, what: &str) -> Error {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = lost.get_or_insert_with(|| what.to_string()).clone();
        let remedy = match self.owner {
            Owner::Swath => "run again, or choose another device",
            Owner::Host => "this engine cannot open it again: make a new engine, on a new device if this one is gone",
        };
        Error::DeviceLost { device: self.name.clone(), reason, remedy }
    }

    fn is_lost(&self) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Does `work` with the device on this thread, which uses no other; an error of it is this call's.
    fn caught<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        caught(&self.device, work).unwrap_or_else(|error| Err(self.failure(&error.to_string())))
    }

    fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
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
            return Err(unavailable(missing));
        }
        let descriptor = DeviceDescriptor {
            label: Some("swath"),
            required_features: offer.features,
            required_limits: offer.limits.clone(),
            // Buffers of plans are large and have memory of their own, or small; for what the host writes or reads wgpu would
            // begin with 64 MiB, which the driver pins in some 20 ms.
            memory_hints: MemoryHints::MemoryUsage,
            ..DeviceDescriptor::default()
        };
        let (device, queue) = {
            let _opening = adapter::OPENING.lock().unwrap_or_else(PoisonError::into_inner);
            // Native interfaces answer at once, so this does not wait.
            pollster::block_on(candidate.adapter.request_device(&descriptor))
                .map_err(|error| unavailable(error.to_string()))?
        };
        let lost = report_losses(&device);
        let parameters = ParameterLayout::new(&device, offer.has_immediates());
        let capabilities = offer.capabilities(&candidate.capabilities);
        Ok(Self::on((device, queue), (name, Owner::Swath), capabilities, parameters, lost, checked))
    }

    /// A backend on a device, which may be somebody else's: nothing of it is set.
    fn on(
        (device, queue): (Device, Queue),
        (name, owner): (String, Owner),
        capabilities: Capabilities,
        parameters: ParameterLayout,
        lost: Lost,
        checked: bool,
    ) -> Self {
        let shared = Arc::<Shared>::default();
        let opened = Opened {
            name,
            owner,
            waiter: Waiter::new(device.clone(), owner),
            parameters,
            lost,
            checked,
            pipelines: Pipelines::new(checked),
            memory: Memory::new(device.clone(), shared.memory.clone()),
            staging: Mutex::default(),
            clock: Clock(Arc::new(Mutex::new(Instant::now()))),
            device,
            queue,
        };
        Self { opened: Arc::new(opened), capabilities, shared }
    }
}

/// Has a device of our own tell why it is lost, and keep errors that nobody asked for from ending the process. A device has one
/// callback of each kind, so on a host application's device they are the host's.
fn report_losses(device: &Device) -> Lost {
    let lost = Lost::default();
    let report = lost.clone();
    device.set_device_lost_callback(move |_, reason| {
        let reason = if reason.is_empty() { "its driver does not say why".to_string() } else { reason };
        *report.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    });
    let report = lost.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        report.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.to_string());
    }));
    lost
}

impl Backend for Gpu {
    fn name(&self) -> &str {
        &self.opened.name
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
        Ok(Box::new(LoadedPlan::nothing(self.opened.clone())))
    }
}

/// Buffers by the number of their binding, with the bytes of each that are bound.
fn bind(device: &Device, pipeline: &Pipeline, bindings: &[(u32, &wgpu::Buffer, u64)]) -> BindGroup {
    let whole = |&(binding, buffer, size)| (binding, BufferBinding { buffer, offset: 0, size: NonZeroU64::new(size) });
    bind_parts(device, pipeline, bindings.iter().map(whole))
}

/// Parts of buffers by the number of their binding.
fn bind_parts<'a>(
    device: &Device,
    pipeline: &Pipeline,
    parts: impl Iterator<Item = (u32, BufferBinding<'a>)>,
) -> BindGroup {
    let entry = |(binding, part)| BindGroupEntry { binding, resource: BindingResource::Buffer(part) };
    let entries: Vec<_> = parts.map(entry).collect();
    device.create_bind_group(&BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries })
}

/// Dispatches passes, whose parameters were written in this order.
fn dispatch(
    compute: &mut ComputePass<'_>,
    passes: &[Pass],
    pipelines: &[Pipeline],
    groups: &[Option<BindGroup>],
    parameters: &Parameters,
) {
    let mut bound = (usize::MAX, usize::MAX);
    for (place, pass) in passes.iter().enumerate() {
        if bound.0 != pass.kernel {
            compute.set_pipeline(&pipelines[pass.kernel].pipeline);
        }
        if bound != (pass.kernel, pass.bindings) {
            compute.set_bind_group(0, groups[pass.bindings].as_ref(), &[]);
        }
        bound = (pass.kernel, pass.bindings);
        parameters.set(compute, place, &pass.params);
        let [x, y, z] = pass.groups;
        compute.dispatch_workgroups(x, y, z);
    }
}

fn poison(queue: &Queue, buffer: &wgpu::Buffer, size_bytes: u64) {
    let words = vec![0xdead_beef_u32; (size_bytes / 4) as usize];
    queue.write_buffer(buffer, 0, bytemuck::cast_slice(&words));
}
