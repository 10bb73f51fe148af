//! Bind groups and dispatches.

use std::num::NonZeroU64;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, BufferBinding, ComputePass,
    Device, Queue,
};

use super::parameters::Parameters;
use super::pipelines::Pipeline;
use crate::plan::Pass;

/// Binds buffers by binding number, with the bytes of each to bind.
pub(super) fn bind(
    device: &Device,
    pipeline: &Pipeline,
    bindings: &[(u32, &wgpu::Buffer, u64)],
) -> BindGroup {
    let whole = |&(binding, buffer, size)| {
        (
            binding,
            BufferBinding {
                buffer,
                offset: 0,
                size: NonZeroU64::new(size),
            },
        )
    };
    bind_parts(device, pipeline, bindings.iter().map(whole))
}

/// Binds parts of buffers by binding number.
pub(super) fn bind_parts<'a>(
    device: &Device,
    pipeline: &Pipeline,
    parts: impl Iterator<Item = (u32, BufferBinding<'a>)>,
) -> BindGroup {
    let entry = |(binding, part)| BindGroupEntry {
        binding,
        resource: BindingResource::Buffer(part),
    };
    let entries: Vec<_> = parts.map(entry).collect();
    device.create_bind_group(&BindGroupDescriptor {
        label: None,
        layout: &pipeline.layout,
        entries: &entries,
    })
}

/// Dispatches passes, whose parameters were written in this order.
pub(super) fn dispatch(
    compute: &mut ComputePass<'_>,
    passes: &[Pass],
    pipelines: &[Pipeline],
    groups: &[Option<BindGroup>],
    parameters: &Parameters,
) {
    let mut bound = (usize::MAX, usize::MAX);
    for (index, pass) in passes.iter().enumerate() {
        if bound.0 != pass.kernel {
            compute.set_pipeline(&pipelines[pass.kernel].pipeline);
        }
        if bound != (pass.kernel, pass.bindings) {
            compute.set_bind_group(0, groups[pass.bindings].as_ref(), &[]);
        }
        bound = (pass.kernel, pass.bindings);
        parameters.set(compute, index, &pass.params);
        let [x, y, z] = pass.groups;
        compute.dispatch_workgroups(x, y, z);
    }
}

/// Fills a buffer with a word that no state has.
pub(super) fn poison(queue: &Queue, buffer: &wgpu::Buffer, size_bytes: u64) {
    let words = vec![0xdead_beef_u32; (size_bytes / 4) as usize];
    queue.write_buffer(buffer, 0, bytemuck::cast_slice(&words));
}
