//! CUDA devices of this machine, and what each can do.

use std::sync::Arc;

use super::compiler;
use super::driver::{self, Attribute, Context, Device, Failure};
use super::embedded::{Origin, origin};
use super::pipelines::Target;
use crate::backend::{Capabilities, Interface, candidate};

/// Oldest compute capability that kernels are made for: Turing's.
const OLDEST: (u32, u32) = (7, 5);
/// Largest buffer that kernels can index: they count its words in 32 bits.
const BUFFER_BYTES: u64 = 4 << 32;
/// Largest buffer that plans make.
const CHUNK_BYTES: u64 = 1 << 30;
/// Workgroup memory that a kernel has without asking for more.
const WORKGROUP_BYTES: u32 = 48 << 10;

/// One device, with its place in the driver's list.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Itself, or why the driver does not tell what it can do.
    device: Result<Device, Failure>,
    /// Its place in the driver's list, from 0.
    pub index: usize,
    /// Its name, which tells it from the same device of another interface.
    pub name: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Major and minor number of its compute capability.
    capability: (u32, u32),
    pub(super) is_integrated: bool,
    /// Version of CUDA that the driver runs.
    pub(super) version: u32,
}

impl Candidate {
    fn new(ordinal: u32) -> Self {
        Self::told(ordinal).unwrap_or_else(|failure| Self {
            device: Err(failure),
            index: ordinal as usize,
            name: Device::new(ordinal)
                .and_then(Device::name)
                .map_or_else(|_| "unknown (CUDA)".to_string(), named),
            capabilities: Capabilities::default(),
            capability: (0, 0),
            is_integrated: false,
            version: driver::version().unwrap_or(0),
        })
    }

    /// What the driver tells of a device.
    fn told(ordinal: u32) -> Result<Self, Failure> {
        use Attribute as A;
        let device = Device::new(ordinal)?;
        let attribute = |attribute| device.attribute(attribute);
        let memory_bytes = device.memory_bytes()?;
        // A driver that does not tell one of these says 0. Memory moves two words of its bus a cycle.
        let told = |value: u64| Some(value).filter(|&value| value > 0);
        let hertz = |clock| Ok::<_, Failure>(1000 * u64::from(attribute(clock)?));
        let bus_bits = u64::from(attribute(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?);
        let bandwidth = 2 * hertz(A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)? * bus_bits / 8;
        let bytes = BUFFER_BYTES.min(memory_bytes);
        let capabilities = Capabilities {
            binding_bytes: bytes,
            buffer_bytes: bytes,
            chunk_bytes: CHUNK_BYTES.min(bytes),
            workgroup_bytes: WORKGROUP_BYTES,
            workgroup_lanes: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            subgroup: Some(attribute(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?),
            compute_units: Some(attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?),
            clock_hz: told(hertz(A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?),
            memory_bytes_per_second: told(bandwidth),
            unit_workgroup_bytes: Some(attribute(
                A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?),
            memory_bytes: Some(memory_bytes),
            int64: true,
            float64: true,
            fast_float64: attribute(A::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)?
                <= 2,
            checks: false,
            forward_progress: true,
            carry_flag: true,
            compiles: origin() == Ok(Origin::Compiled),
            ..Capabilities::default()
        };
        Ok(Self {
            device: Ok(device),
            index: ordinal as usize,
            name: named(device.name()?),
            capabilities,
            capability: (
                attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            is_integrated: attribute(A::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0,
            version: driver::version()?,
        })
    }

    /// What of the device keeps it from being used at all.
    pub fn lacking(&self) -> Option<String> {
        if let Err(failure) = self.device {
            return Some(format!(
                "the driver does not tell what it can do: {failure}"
            ));
        }
        if self.capability < OLDEST {
            let ((major, minor), (oldest, minor_of_oldest)) = (self.capability, OLDEST);
            let needed = format!("has to be {oldest}.{minor_of_oldest} at least");
            return Some(format!(
                "its compute capability is {major}.{minor} and {needed}"
            ));
        }
        origin().map_or_else(Some, |origin| origin.lacking(self.version))
    }

    /// The driver's version of CUDA.
    pub(super) fn driver(&self) -> String {
        format!("CUDA {}.{}", self.version / 1000, self.version % 1000 / 10)
    }

    /// What tells it from other devices.
    pub(super) fn described(&self) -> String {
        candidate::described(Interface::Cuda, &self.name, &self.driver())
    }

    /// What the device can do of what every WebGPU device can.
    pub(super) fn portable(&self) -> Capabilities {
        let Capabilities {
            compute_units,
            unit_workgroup_bytes,
            memory_bytes,
            checks,
            ..
        } = self.capabilities;
        let Capabilities {
            clock_hz,
            memory_bytes_per_second,
            carry_flag,
            compiles,
            ..
        } = self.capabilities;
        Capabilities {
            compute_units,
            clock_hz,
            memory_bytes_per_second,
            unit_workgroup_bytes,
            memory_bytes,
            checks,
            // What its texts are written with, and where they come from.
            carry_flag,
            compiles,
            ..Capabilities::default()
        }
    }

    /// What kernels are compiled for.
    pub(super) fn target(&self) -> Target {
        Target {
            capability: self.capability,
            driver: self.version,
        }
    }

    /// A context on it.
    pub(super) fn open(&self) -> Result<Arc<Context>, Failure> {
        Context::new(self.device?)
    }
}

/// Why there can be no devices, if so.
pub fn missing() -> Option<&'static str> {
    if driver::absent().is_none() {
        compiler::load_meanwhile();
    }
    driver::missing()
}

/// A device's name here.
fn named(name: String) -> String {
    format!("{name} (CUDA)")
}

/// Every device of the driver, also those that it tells nothing of; none where there is no driver that can be used.
pub fn candidates() -> Vec<Candidate> {
    let count = if missing().is_some() {
        0
    } else {
        driver::devices().unwrap_or(0)
    };
    (0..count).map(Candidate::new).collect()
}
