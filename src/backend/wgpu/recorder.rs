//! Passes that an application records into its own commands, over its own buffers.

use std::num::NonZeroU64;

use rayon::prelude::*;
use wgpu::{
    Buffer, BufferBinding, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassDescriptor,
};

use super::commands::{bind_parts, dispatch};
use super::errors::caught;
use super::parameters::Parameters;
use super::{Gpu, HostDevice};
use crate::backend::{Backend, Capabilities};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::plan::Plan;

/// Records plans on an application's device. When they run is the application's business, so nothing here is stamped or read back.
#[derive(Debug)]
pub struct Recorder(Gpu);

/// A part of a buffer, which stands for a buffer of a plan.
#[derive(Clone, Debug)]
pub struct Part {
    /// The buffer, made for storage.
    pub buffer: Buffer,
    /// Where the part begins: at a multiple of 256.
    pub offset_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
}

impl Recorder {
    /// On an application's device; with `checked`, shaders run with bounds checks and loop bounds.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with what the device lacks.
    pub fn on(host: HostDevice, checked: bool) -> Result<Self> {
        Ok(Self(host.gpu(checked, false)?))
    }

    /// What the device can do.
    pub fn capabilities(&self) -> &Capabilities {
        self.0.capabilities()
    }

    /// Builds kernels, so that recording them takes no time.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] where the driver refuses one.
    pub fn build(&self, kernels: &[Kernel]) -> Result<()> {
        kernels
            .par_iter()
            .try_for_each(|kernel| self.0.opened.pipeline(kernel).map(drop))
    }

    /// A buffer for plans.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] where the driver has no more memory.
    pub fn buffer(&self, name: &str, size_bytes: u64) -> Result<Part> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let descriptor = BufferDescriptor {
            label: Some(name),
            size: size_bytes,
            usage,
            mapped_at_creation: false,
        };
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

    /// A buffer that holds these words from the next submission on.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub fn upload(&self, name: &str, words: &[u32]) -> Result<Part> {
        let part = self.buffer(name, 4 * words.len() as u64)?;
        self.0
            .opened
            .queue
            .write_buffer(&part.buffer, 0, bytemuck::cast_slice(words));
        Ok(part)
    }

    /// Records the passes of a plan, for each of whose buffers a part is there. What the plan says of their contents does not count.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`] where a part is none of this device, and [`Error::DeviceUnavailable`] where the driver refuses a kernel.
    pub fn record(&self, commands: &mut CommandEncoder, plan: &Plan, parts: &[Part]) -> Result<()> {
        let opened = &self.0.opened;
        let pipelines = plan
            .kernels
            .iter()
            .map(|kernel| opened.pipeline(kernel))
            .collect::<Result<Vec<_>>>()?;
        let mut parameters = Parameters::new(&opened.parameters, opened.memory.account());
        let params: Vec<_> = plan.passes.iter().map(|pass| pass.params).collect();
        let group = |(bindings, buffers): (usize, &Vec<usize>)| {
            let kernel = plan.kernel_of(bindings)?;
            let numbers = plan.kernels[kernel]
                .bindings
                .iter()
                .map(|&(number, _)| number);
            let bound = numbers.zip(buffers).map(|(number, &id)| {
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
            plan.bindings
                .iter()
                .enumerate()
                .map(group)
                .collect::<Vec<_>>()
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
