//! Pipelines of the kernels that have been used, each built once.

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, Device,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use super::errors::caught;
use super::parameters::ParameterLayout;
use super::source::{Dialect, source};
use crate::backend::built::Built;
use crate::kernels::{Access, Kernel};

/// A kernel that its device can run.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub layout: BindGroupLayout,
    pub pipeline: ComputePipeline,
}

/// What the driver or naga says of a kernel that it refuses.
#[derive(Debug)]
pub(super) struct Refused {
    pub reason: String,
}

/// The pipelines of a device by their kernels.
#[derive(Debug)]
pub(super) struct Pipelines {
    checks: ShaderRuntimeChecks,
    built: Built<Pipeline>,
}

impl Pipelines {
    /// None yet; with `checked`, shaders get bounds checks and loop bounds.
    pub(super) fn new(checked: bool) -> Self {
        let checks = if checked {
            ShaderRuntimeChecks::checked()
        } else {
            ShaderRuntimeChecks::unchecked()
        };
        Self {
            checks,
            built: Built::default(),
        }
    }

    /// The kernel's pipeline.
    ///
    /// # Errors
    /// What the driver says of a kernel that it refuses.
    pub(super) fn get(
        &self,
        device: &Device,
        parameters: &ParameterLayout,
        kernel: &Kernel,
    ) -> Result<Pipeline, Refused> {
        self.built
            .get(kernel, || self.build(device, parameters, kernel))
    }

    fn build(
        &self,
        device: &Device,
        parameters: &ParameterLayout,
        kernel: &Kernel,
    ) -> Result<Pipeline, Refused> {
        caught(device, || self.build_unchecked(device, parameters, kernel)).map_err(|error| {
            Refused {
                reason: error.to_string(),
            }
        })
    }

    /// The pipeline, whether or not the device takes it.
    fn build_unchecked(
        &self,
        device: &Device,
        parameters: &ParameterLayout,
        kernel: &Kernel,
    ) -> Pipeline {
        let label = kernel.label();
        let text = source(kernel, Dialect::Naga, parameters.space());
        let descriptor = ShaderModuleDescriptor {
            label: Some(&label),
            source: ShaderSource::Wgsl(text.into()),
        };
        let checks = if kernel.needs_checks() {
            ShaderRuntimeChecks::checked()
        } else {
            self.checks
        };
        // SAFETY: checks are off only where the whole text is the library's, and it bounds its loops and indices by the size of the
        // buffers, which are the library's, or an application's that were found to be as large; the tests run every such kernel
        // with the checks on. What else callers bring runs with them.
        let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
        let entries: Vec<_> = kernel
            .bindings
            .iter()
            .map(|&(binding, access)| layout_entry(binding, access))
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
}

fn layout_entry(binding: u32, access: Access) -> BindGroupLayoutEntry {
    let ty = BufferBindingType::Storage {
        read_only: access == Access::Read,
    };
    BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
