//! Parameters of kernels: immediates, or on devices without them a uniform buffer with an offset
//! per pass.

use std::num::NonZeroU64;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, BufferBinding, BufferBindingType,
    BufferUsages, ComputePass, Device, Queue, ShaderStages,
};

use super::memory::{ScratchBuffer, buffer};
use super::source::ParameterSpace;
use crate::backend::memory::Account;
use crate::plan::PARAMS;

/// Bytes of one pass's parameters.
pub(super) const BYTES: u64 = PARAMS as u64 * 4;
/// Stride of the offsets: the largest alignment that a device requires.
const OFFSET_BYTES: u64 = 256;

/// Layout of the uniform buffer's bind group; `None` for immediates.
#[derive(Clone, Debug)]
pub(super) struct ParameterLayout(Option<BindGroupLayout>);

impl ParameterLayout {
    pub(super) fn new(device: &Device, immediates: bool) -> Self {
        let entry = BindGroupLayoutEntry {
            binding: 0,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Uniform,
                has_dynamic_offset: true,
                min_binding_size: NonZeroU64::new(BYTES),
            },
            count: None,
        };
        let descriptor = BindGroupLayoutDescriptor {
            label: Some("parameters"),
            entries: &[entry],
        };
        Self((!immediates).then(|| device.create_bind_group_layout(&descriptor)))
    }

    pub(super) fn space(&self) -> ParameterSpace {
        if self.0.is_some() {
            ParameterSpace::Uniform
        } else {
            ParameterSpace::Immediate
        }
    }

    pub(super) fn immediate_bytes(&self) -> u32 {
        if self.0.is_some() { 0 } else { BYTES as u32 }
    }

    /// Layout of bind group 1.
    pub(super) fn group(&self) -> Option<&BindGroupLayout> {
        self.0.as_ref()
    }
}

/// Parameters of the passes of a submission, reused for the next one.
pub(super) struct Parameters {
    layout: ParameterLayout,
    account: Account,
    uniforms: Option<Uniforms>,
}

struct Uniforms {
    memory: ScratchBuffer,
    group: BindGroup,
}

impl Parameters {
    /// Creates an empty set; its buffer counts on `account`.
    pub(super) fn new(layout: &ParameterLayout, account: &Account) -> Self {
        Self {
            layout: layout.clone(),
            account: account.clone(),
            uniforms: None,
        }
    }

    /// Writes the parameters of all passes of a submission before it is submitted. Replaces those
    /// of the previous submission.
    pub(super) fn write(&mut self, device: &Device, queue: &Queue, passes: &[[u32; PARAMS]]) {
        let Some(layout) = self.layout.group() else {
            return;
        };
        let needed = passes.len() as u64 * OFFSET_BYTES;
        if self
            .uniforms
            .as_ref()
            .is_none_or(|uniforms| uniforms.memory.buffer.size() < needed)
        {
            self.uniforms = Some(Uniforms::new(
                device,
                &self.account,
                layout,
                needed.next_power_of_two(),
            ));
        }
        let mut bytes = vec![0; needed as usize];
        for (slot, params) in bytes.chunks_exact_mut(OFFSET_BYTES as usize).zip(passes) {
            slot[..BYTES as usize].copy_from_slice(bytemuck::cast_slice(params));
        }
        if let Some(uniforms) = &self.uniforms {
            queue.write_buffer(&uniforms.memory.buffer, 0, &bytes);
        }
    }

    /// Sets the parameters of the next dispatch, number `index` of the submission.
    pub(super) fn set(&self, compute: &mut ComputePass<'_>, index: usize, params: &[u32; PARAMS]) {
        match &self.uniforms {
            Some(uniforms) => {
                compute.set_bind_group(1, &uniforms.group, &[(index as u64 * OFFSET_BYTES) as u32])
            }
            None => compute.set_immediates(0, bytemuck::cast_slice(params)),
        }
    }
}

impl Uniforms {
    fn new(device: &Device, account: &Account, layout: &BindGroupLayout, size: u64) -> Self {
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let memory = ScratchBuffer::new(device, account, &buffer("parameters", size, usage));
        let binding = BufferBinding {
            buffer: &memory.buffer,
            offset: 0,
            size: NonZeroU64::new(BYTES),
        };
        let group = device.create_bind_group(&BindGroupDescriptor {
            label: Some("parameters"),
            layout,
            entries: &[BindGroupEntry {
                binding: 0,
                resource: BindingResource::Buffer(binding),
            }],
        });
        Self { memory, group }
    }
}

const _: () = assert!(BYTES <= 64, "immediates hold 64 bytes");
