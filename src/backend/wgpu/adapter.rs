//! Adapters of this machine and their capabilities.

use std::sync::{LazyLock, Mutex};

use wgpu::{
    Adapter, AdapterInfo, Backend, BackendOptions, Backends, Device, DeviceType,
    Dx12BackendOptions, Dx12Compiler, Features, Instance, InstanceDescriptor, Limits,
};

use super::{parameters, timestamps};
use crate::backend::{Capabilities, Interface, candidate};
use crate::call::hand_over::ready;
use crate::host::lock;

/// Features used by kernels. Kernels have variants without each of them except `SHADER_F64`.
const OF_KERNELS: Features = Features::IMMEDIATES
    .union(Features::SUBGROUP)
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_F64);
/// Features enabled if the adapter has them.
const WELCOME: Features = OF_KERNELS.union(timestamps::FEATURE);
/// Maximum buffer of a plan. Above it, drivers differ in the sizes they allow and in speed.
const CHUNK_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub features: Features,
    pub limits: Limits,
}

impl Offer {
    /// The minimum that every WebGPU device has.
    pub(super) fn portable() -> Self {
        Self {
            features: Features::empty(),
            limits: Limits::default(),
        }
    }

    pub(super) fn of_device(device: &Device) -> Self {
        Self {
            features: device.features() & WELCOME,
            limits: device.limits(),
        }
    }

    /// Names the limits that are too low for the kernels, with the required values.
    pub(super) fn missing(&self) -> Option<String> {
        macro_rules! named {
            ($($limit:ident),*) => {
                |limits: &Limits| [$((stringify!($limit), limits.$limit)),*]
            };
        }
        let limits = named!(
            max_bind_groups,
            max_storage_buffers_per_shader_stage,
            max_compute_invocations_per_workgroup,
            max_compute_workgroup_size_x,
            max_compute_workgroup_storage_size,
            max_compute_workgroups_per_dimension
        );
        let short: Vec<_> = limits(&self.limits)
            .into_iter()
            .zip(limits(&Limits::default()))
            .filter(|((_, has), (_, needed))| has < needed)
            .map(|((name, has), (_, needed))| {
                format!("{name} is {has} and has to be {needed} at least")
            })
            .collect();
        (!short.is_empty()).then(|| short.join(", "))
    }

    /// Capabilities of a device with these features and limits, on an adapter with the capabilities
    /// `all`.
    pub(super) fn capabilities(&self, all: &Capabilities) -> Capabilities {
        let has_subgroups = self.features.contains(Features::SUBGROUP);
        Capabilities {
            subgroup: all.subgroup.filter(|_| has_subgroups),
            compute_units: all.compute_units,
            host_threads: all.host_threads,
            memory_bytes: all.memory_bytes,
            ..capabilities(self)
        }
    }

    /// True if parameters fit immediates.
    pub(super) fn has_immediates(&self) -> bool {
        self.features.contains(Features::IMMEDIATES)
            && u64::from(self.limits.max_immediate_size) >= parameters::BYTES
    }
}

/// An adapter, with its place in the list of its interface.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub(super) adapter: Adapter,
    pub interface: Interface,
    /// Index among the adapters of that interface, from 0.
    pub index: usize,
    pub capabilities: Capabilities,
}

impl Candidate {
    /// Kind of the adapter, as in reports.
    pub fn kind(&self) -> &'static str {
        match self.adapter.get_info().device_type {
            DeviceType::DiscreteGpu => "discrete GPU",
            DeviceType::IntegratedGpu => "integrated GPU",
            DeviceType::VirtualGpu => "virtual GPU",
            DeviceType::Cpu => "software",
            DeviceType::Other => "other",
        }
    }

    /// The shader compiler, if the interface has more than one.
    pub(super) fn shader_compiler(&self) -> Option<&'static str> {
        (self.interface == Interface::Dx12).then(|| dx12_compiler(self.adapter.features()))
    }

    /// Reason why the adapter cannot be used at all, if any.
    pub fn missing(&self) -> Option<String> {
        self.offer().missing()
    }

    pub(super) fn offer(&self) -> Offer {
        Offer {
            features: self.adapter.features() & WELCOME,
            limits: self.adapter.limits(),
        }
    }

    /// True if `auto` may select it.
    pub fn is_real_gpu(&self) -> bool {
        self.missing().is_none() && is_hardware(&self.adapter.get_info())
    }
}

pub(super) fn driver(info: &AdapterInfo) -> String {
    format!("{} {}", info.driver, info.driver_info)
        .trim()
        .to_string()
}

/// False for software adapters.
fn is_hardware(info: &AdapterInfo) -> bool {
    !matches!(info.device_type, DeviceType::Cpu | DeviceType::Other)
}

/// Identity of an open device across processes; the candidate has the same one.
pub(super) fn described(info: &AdapterInfo) -> Option<String> {
    let interface = interface(info).filter(|_| is_hardware(info))?;
    Some(candidate::described(interface, &info.name, &driver(info)))
}

/// The only instance of this process. Drivers have been seen to corrupt memory when several threads
/// create and drop instances, so this one is never dropped.
static INSTANCE: LazyLock<Instance> = LazyLock::new(|| {
    // DXC if it is built in or found beside the program or on the path, else FXC.
    let dx12 = Dx12BackendOptions {
        shader_compiler: Dx12Compiler::Auto,
        ..Dx12BackendOptions::default()
    };
    Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN | Backends::METAL | Backends::DX12,
        backend_options: BackendOptions {
            dx12,
            ..BackendOptions::default()
        },
        ..InstanceDescriptor::new_without_display_handle()
    })
});

/// Held while adapters are listed and devices opened, against the same driver faults.
pub(super) static OPENING: Mutex<()> = Mutex::new(());

/// Lists all adapters, grouped by interface. Native interfaces answer at once, so this does not
/// block.
pub fn candidates() -> Vec<Candidate> {
    // The adapters of a browser are promises, so its devices come as a `HostDevice`.
    if cfg!(target_family = "wasm") {
        return Vec::new();
    }
    let _opening = lock(&OPENING);
    let mut found: Vec<Candidate> = Vec::new();
    for adapter in ready(INSTANCE.enumerate_adapters(Backends::all())) {
        let Some(interface) = interface(&adapter.get_info()) else {
            continue;
        };
        let index = found
            .iter()
            .filter(|candidate| candidate.interface == interface)
            .count();
        let capabilities = capabilities_of(&adapter);
        found.push(Candidate {
            adapter,
            interface,
            index,
            capabilities,
        });
    }
    found
}

/// The adapter for the tests of this crate: the first one, software or not. `None` skips a test;
/// with `SWATH_REQUIRE_GPU_TESTS=1` the test fails instead.
#[cfg(test)]
pub(crate) fn of_tests() -> Option<Candidate> {
    let found = candidates().into_iter().next();
    let required = std::env::var("SWATH_REQUIRE_GPU_TESTS").is_ok_and(|value| value == "1");
    assert!(
        found.is_some() || !required,
        "SWATH_REQUIRE_GPU_TESTS=1 and no GPU adapter"
    );
    found
}

/// A device of the adapter for tests with these features, as an application opens it.
#[cfg(test)]
pub(super) fn host_of_tests(features: Features) -> Option<(super::HostDevice, Device)> {
    let adapter = of_tests()?.adapter;
    let descriptor = wgpu::DeviceDescriptor {
        required_features: features & adapter.features(),
        ..Default::default()
    };
    let opened = pollster::block_on(adapter.request_device(&descriptor));
    let (device, queue) = opened.expect("it opens");
    let host = super::HostDevice::new(&adapter, device.clone(), queue);
    Some((host, device))
}

/// Interface of an adapter, if devices of it are listed.
pub(super) fn interface(info: &AdapterInfo) -> Option<Interface> {
    match info.backend {
        Backend::Vulkan => Some(Interface::Vulkan),
        Backend::Metal => Some(Interface::Metal),
        Backend::Dx12 => Some(Interface::Dx12),
        _ => None,
    }
}

/// Compiler of a DX12 adapter, recognised by features of shader model 6, which DXC supports and FXC
/// does not.
fn dx12_compiler(features: Features) -> &'static str {
    if features.intersects(OF_KERNELS - Features::IMMEDIATES) {
        "DXC"
    } else {
        "FXC, or a driver without shader model 6"
    }
}

/// Capabilities that follow from features and limits alone.
fn capabilities(offer: &Offer) -> Capabilities {
    let limits = &offer.limits;
    let (binding_bytes, buffer_bytes) = (
        limits.max_storage_buffer_binding_size,
        limits.max_buffer_size,
    );
    Capabilities {
        binding_bytes,
        buffer_bytes,
        chunk_bytes: CHUNK_BYTES.min(binding_bytes).min(buffer_bytes),
        bindings: limits
            .max_storage_buffers_per_shader_stage
            .min(limits.max_bindings_per_bind_group),
        groups_per_dimension: limits.max_compute_workgroups_per_dimension,
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        workgroup_lanes: limits
            .max_compute_invocations_per_workgroup
            .min(limits.max_compute_workgroup_size_x),
        int64: offer.features.contains(Features::SHADER_INT64),
        float64: offer.features.contains(Features::SHADER_F64),
        ..Capabilities::default()
    }
}

pub(super) fn capabilities_of(adapter: &Adapter) -> Capabilities {
    let offer = Offer {
        features: adapter.features(),
        limits: adapter.limits(),
    };
    let (info, hardware) = (adapter.get_info(), hardware(adapter));
    let fixed = info.subgroup_min_size == info.subgroup_max_size
        && offer.features.contains(Features::SUBGROUP);
    let threads = || std::thread::available_parallelism().map_or(1, |threads| threads.get() as u32);
    Capabilities {
        subgroup: fixed.then_some(info.subgroup_min_size),
        compute_units: hardware.compute_units,
        host_threads: (info.device_type == DeviceType::Cpu).then(threads),
        memory_bytes: hardware.memory_bytes,
        ..capabilities(&offer)
    }
}

/// Properties known to the native interface but not to WebGPU.
#[derive(Default)]
struct Hardware {
    compute_units: Option<u32>,
    memory_bytes: Option<u64>,
}

#[cfg(not(any(target_family = "wasm", target_vendor = "apple")))]
fn hardware(adapter: &Adapter) -> Hardware {
    use ash::vk;
    // SAFETY: the guard is only read from and dropped before the adapter is.
    let Some(native) = (unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }) else {
        return Hardware::default();
    };
    let (instance, device) = (
        native.shared_instance().raw_instance(),
        native.raw_physical_device(),
    );
    // SAFETY: `device` belongs to `instance`, and both outlive this call.
    let (memory, extensions) = unsafe {
        (
            instance.get_physical_device_memory_properties(device),
            instance
                .enumerate_device_extension_properties(device)
                .unwrap_or_default(),
        )
    };
    let has = |name: &std::ffi::CStr| {
        extensions
            .iter()
            .any(|known| known.extension_name_as_c_str() == Ok(name))
    };
    let mut nvidia = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
    let mut amd = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
    let mut properties = vk::PhysicalDeviceProperties2::default();
    if has(vk::NV_SHADER_SM_BUILTINS_NAME) {
        properties = properties.push_next(&mut nvidia);
    }
    if has(vk::AMD_SHADER_CORE_PROPERTIES_NAME) {
        properties = properties.push_next(&mut amd);
    }
    // SAFETY: only structures of extensions that the device has are chained, and all live until the
    // call returns.
    unsafe { instance.get_physical_device_properties2(device, &mut properties) };
    let amd_units = amd.shader_engine_count
        * amd.shader_arrays_per_engine_count
        * amd.compute_units_per_shader_array;
    let heaps = memory.memory_heaps_as_slice().iter();
    Hardware {
        compute_units: [nvidia.shader_sm_count, amd_units]
            .into_iter()
            .find(|&units| units > 0),
        memory_bytes: heaps
            .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .map(|heap| heap.size)
            .max(),
    }
}

#[cfg(any(target_family = "wasm", target_vendor = "apple"))]
fn hardware(_adapter: &Adapter) -> Hardware {
    Hardware::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dx12_compiler_is_recognised_by_features_that_fxc_lacks() {
        assert_eq!(dx12_compiler(Features::SUBGROUP), "DXC");
        assert_eq!(dx12_compiler(Features::SHADER_INT64), "DXC");
        assert!(dx12_compiler(Features::IMMEDIATES | timestamps::FEATURE).starts_with("FXC"));
    }
}
