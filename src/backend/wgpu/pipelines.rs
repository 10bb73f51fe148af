//! Pipelines of the kernels that have been used, each built once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Device, ErrorFilter, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModuleDescriptor, ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use crate::plan::{Access, Kernel, PARAMS};

/// A kernel that its device can run.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub layout: BindGroupLayout,
    pub pipeline: ComputePipeline,
}

/// The pipelines of a device by their kernels.
#[derive(Debug)]
pub(super) struct Pipelines {
    checks: ShaderRuntimeChecks,
    built: Mutex<HashMap<Kernel, Arc<Mutex<Option<Pipeline>>>>>,
}

impl Pipelines {
    /// None yet; with `checked`, shaders get bounds checks and loop bounds.
    pub fn new(checked: bool) -> Self {
        let checks = if checked { ShaderRuntimeChecks::checked() } else { ShaderRuntimeChecks::unchecked() };
        Self { checks, built: Mutex::default() }
    }

    /// The kernel's pipeline. Several threads build several kernels at once; only who wants the same one waits for it.
    ///
    /// # Errors
    /// What the driver says of a kernel that it refuses.
    pub fn get(&self, device: &Device, kernel: &Kernel) -> Result<Pipeline, String> {
        let place = lock(&self.built).entry(kernel.clone()).or_default().clone();
        let mut place = lock(&place);
        match &*place {
            Some(pipeline) => Ok(pipeline.clone()),
            None => Ok(place.insert(self.build(device, kernel)?).clone()),
        }
    }

    fn build(&self, device: &Device, kernel: &Kernel) -> Result<Pipeline, String> {
        let scope = device.push_error_scope(ErrorFilter::Validation);
        let descriptor =
            ShaderModuleDescriptor { label: Some(&kernel.label), source: ShaderSource::Wgsl(kernel.source().into()) };
        // SAFETY: the kernels' loops end and their indices stay in range; the tests run them all with the checks on.
        let module = unsafe { device.create_shader_module_trusted(descriptor, self.checks) };
        let entries: Vec<_> = kernel.bindings.iter().map(|&(binding, access)| layout_entry(binding, access)).collect();
        let layout = device
            .create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some(&kernel.label), entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: Some(&kernel.label),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: PARAMS as u32 * 4,
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(&kernel.label),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(error.to_string()),
            None => Ok(Pipeline { layout, pipeline }),
        }
    }
}

/// A pipeline that was being built when a thread panicked is not there yet.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn layout_entry(binding: u32, access: Access) -> BindGroupLayoutEntry {
    let ty = BufferBindingType::Storage { read_only: access == Access::Read };
    BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}
