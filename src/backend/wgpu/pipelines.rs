//! Pipelines of kernels.

use std::num::NonZeroU64;

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, Device,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use super::errors::caught;
use super::parameters::ParameterLayout;
use super::source::{Dialect, source};
use crate::kernels::{Access, Kernel};

#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub layout: BindGroupLayout,
    pub pipeline: ComputePipeline,
}

/// Builds the pipeline of a kernel; with `checked`, shaders get bounds checks and loop bounds.
///
/// # Errors
/// The reason for which the driver or naga refuses the kernel.
pub(super) fn build(
    device: &Device,
    parameters: &ParameterLayout,
    checked: bool,
    kernel: &Kernel,
) -> Result<Pipeline, String> {
    let text = source(kernel, Dialect::Naga, parameters.space());
    #[cfg(not(target_family = "wasm"))]
    if kernel.needs_checks() {
        check_workgroup_memory(&text, device.limits().max_compute_workgroup_storage_size)?;
    }
    let checks = if checked || kernel.needs_checks() {
        ShaderRuntimeChecks::checked()
    } else {
        ShaderRuntimeChecks::unchecked()
    };
    let build = || build_unchecked(device, parameters, checks, kernel, text);
    caught(device, build).map_err(|error| error.to_string())
}

/// Builds the pipeline; the caller catches errors of the device.
fn build_unchecked(
    device: &Device,
    parameters: &ParameterLayout,
    checks: ShaderRuntimeChecks,
    kernel: &Kernel,
    text: String,
) -> Pipeline {
    let label = kernel.label();
    let descriptor = ShaderModuleDescriptor {
        label: Some(&label),
        source: ShaderSource::Wgsl(text.into()),
    };
    // SAFETY: checks are off only if all of the source is the library's. It bounds its loops
    // and indices by the sizes of the buffers. These are the library's, or an application's
    // that were checked to be as large. The tests run every such kernel with checks. All other
    // sources of callers run with checks.
    let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
    let min_bytes = NonZeroU64::new(4 * kernel.buffer_words);
    let entries: Vec<_> = kernel
        .bindings
        .iter()
        .map(|&(binding, access)| layout_entry(binding, access, min_bytes))
        .collect();
    let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
        label: Some(&label),
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: Some(&label),
        bind_group_layouts: &[Some(&layout), parameters.group()]
            [..1 + usize::from(parameters.group().is_some())],
        immediate_size: parameters.immediate_bytes(),
    });
    let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: Some(&label),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    Pipeline { layout, pipeline }
}

/// Refuses a text that declares more workgroup memory than the device has: wgpu lets it pass, and
/// NVIDIA's Vulkan driver (580) then builds a pipeline whose dispatch never ends. Browsers refuse
/// such a text themselves.
#[cfg(not(target_family = "wasm"))]
fn check_workgroup_memory(text: &str, limit_bytes: u32) -> Result<(), String> {
    use wgpu::naga::proc::Layouter;
    use wgpu::naga::{self, AddressSpace};

    // The text's own errors are found by wgpu, with a better message.
    let Ok(module) = naga::front::wgsl::parse_str(text) else {
        return Ok(());
    };
    let mut layouts = Layouter::default();
    if layouts.update(module.to_ctx()).is_err() {
        return Ok(());
    }
    let declared = module.global_variables.iter();
    let in_workgroups = declared.filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
    let bytes: u64 = in_workgroups
        .map(|(_, variable)| u64::from(layouts[variable.ty].size))
        .sum();
    if bytes > limit_bytes.into() {
        return Err(format!(
            "{bytes} bytes of workgroup memory are declared, and the device has {limit_bytes}"
        ));
    }
    Ok(())
}

fn layout_entry(
    binding: u32,
    access: Access,
    min_bytes: Option<NonZeroU64>,
) -> BindGroupLayoutEntry {
    let ty = BufferBindingType::Storage {
        read_only: access == Access::Read,
    };
    BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: min_bytes,
        },
        count: None,
    }
}
