//! Recording of passes into an application's commands, over its buffers.

use std::num::NonZeroU64;

use wgpu::{Buffer, BufferBinding, BufferUsages, CommandEncoder, ComputePassDescriptor};

use super::commands::{bind_parts, dispatch};
use super::errors::caught;
use super::memory::buffer;
use super::parameters::Parameters;
use super::{Gpu, HostDevice};
use crate::backend::{Backend, Capabilities};
use crate::error::{Error, Result};
use crate::host::parallel::try_for_each;
use crate::kernels::Kernel;
use crate::plan::Plan;

/// Recorder of plans on an application's device. The application submits them, so there are no
/// stamps and no readback.
#[derive(Debug)]
pub struct Recorder(Gpu);

/// A part of a buffer that serves as a buffer of a plan.
#[derive(Clone, Debug)]
pub struct Part {
    /// A buffer with storage usage.
    pub buffer: Buffer,
    /// Offset of the part, a multiple of 256.
    pub offset_bytes: u64,
    pub size_bytes: u64,
}

impl Recorder {
    /// Creates a recorder on an application's device; with `checked`, shaders run with bounds
    /// checks and loop bounds.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the reason, such as limits that are too low.
    pub fn on(host: HostDevice, checked: bool) -> Result<Self> {
        Ok(Self(host.open(checked, false)?))
    }

    pub fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    /// Builds kernels ahead of recording.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if the driver refuses one.
    pub fn build(&self, kernels: &[Kernel]) -> Result<()> {
        try_for_each(kernels.len(), |kernel| {
            self.0.opened.pipeline(&kernels[kernel]).map(drop)
        })
    }

    /// Allocates a buffer for plans.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the driver is out of memory.
    pub fn buffer(&self, name: &str, size_bytes: u64) -> Result<Part> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let descriptor = buffer(name, size_bytes, usage);
        let opened = &self.0.opened;
        let buffer =
            caught(&opened.device, || opened.device.create_buffer(&descriptor)).map_err(|_| {
                let limit = self
                    .capabilities()
                    .memory_bytes
                    .unwrap_or(self.capabilities().buffer_bytes);
                Error::DeviceMemory {
                    device: opened.name.clone(),
                    needed: size_bytes,
                    limit,
                    held: 0,
                }
            })?;
        Ok(Part {
            buffer,
            offset_bytes: 0,
            size_bytes,
        })
    }

    /// Allocates a buffer and uploads `words`, valid from the next submission on.
    pub fn upload(&self, name: &str, words: &[u32]) -> Result<Part> {
        let part = self.buffer(name, 4 * words.len() as u64)?;
        self.0
            .opened
            .queue
            .write_buffer(&part.buffer, 0, bytemuck::cast_slice(words));
        Ok(part)
    }

    /// Records the passes of a plan. `parts` has one part per buffer of the plan; the contents
    /// declared by the plan are ignored.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`] if a part is not of this device, and [`Error::DeviceUnavailable`]
    /// if the driver refuses a kernel.
    pub fn record(&self, commands: &mut CommandEncoder, plan: &Plan, parts: &[Part]) -> Result<()> {
        let opened = &self.0.opened;
        let pipelines = plan
            .kernels
            .iter()
            .map(|kernel| opened.pipeline(kernel))
            .collect::<Result<Vec<_>>>()?;
        let mut parameters = Parameters::new(&opened.parameters, opened.pool.account());
        let params: Vec<_> = plan.passes.iter().map(|pass| pass.params).collect();
        let group = |bindings: usize| {
            let (kernel, bound) = plan.bound(bindings)?;
            let bound = bound.map(|(number, id)| {
                let Part {
                    buffer,
                    offset_bytes,
                    size_bytes,
                } = &parts[id];
                (
                    number,
                    BufferBinding {
                        buffer,
                        offset: *offset_bytes,
                        size: NonZeroU64::new(*size_bytes),
                    },
                )
            });
            Some(bind_parts(&opened.device, &pipelines[kernel], bound))
        };
        let groups = caught(&opened.device, || {
            parameters.write(&opened.device, &opened.queue, &params);
            (0..plan.bindings.len()).map(group).collect::<Vec<_>>()
        })
        .map_err(|error| Error::InvalidBuffer {
            what: "keys, payload or length",
            reason: error.to_string(),
        })?;
        let mut compute = commands.begin_compute_pass(&ComputePassDescriptor {
            label: Some("swath"),
            timestamp_writes: None,
        });
        dispatch(&mut compute, &plan.passes, &pipelines, &groups, &parameters);
        Ok(())
    }
}
