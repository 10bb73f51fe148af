//! CUDA devices of this machine and their capabilities.

use std::sync::Arc;

use super::compiler;
use super::driver::{self, Attribute, Context, Device, Failure};
use super::embedded::{Origin, origin};
use super::pipelines::Target;
use super::source::{Forced, WORKGROUP_BYTES, forced};
use crate::backend::{Capabilities, Interface, candidate};

/// Minimum compute capability of the kernels: Turing's.
const OLDEST: (u32, u32) = (7, 5);
/// Maximum buffer that kernels can index: they count its words in 32 bits.
const BUFFER_BYTES: u64 = 4 << 32;
/// Maximum buffer of a plan.
const CHUNK_BYTES: u64 = 1 << 30;

/// A device, with its place in the driver's list.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The device, or the reason why the driver does not describe it.
    device: Result<Device, Failure>,
    /// Index in the driver's list.
    pub index: usize,
    /// Name, marked as CUDA's to distinguish it from the same device of another interface.
    pub name: String,
    pub capabilities: Capabilities,
    /// Major and minor number of the compute capability.
    capability: (u32, u32),
    pub(super) is_integrated: bool,
    pub(super) version: u32,
}

impl Candidate {
    fn new(ordinal: u32) -> Self {
        Self::query(ordinal).unwrap_or_else(|failure| Self {
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

    fn query(ordinal: u32) -> Result<Self, Failure> {
        use Attribute as A;
        let device = Device::new(ordinal)?;
        let attribute = |attribute| device.attribute(attribute);
        let memory_bytes = device.memory_bytes()?;
        // 0 means that the driver does not know the value. Memory transfers twice per clock of its
        // bus.
        let known = |value: u64| Some(value).filter(|&value| value > 0);
        let hertz = |clock| Ok::<_, Failure>(1000 * u64::from(attribute(clock)?));
        let bus_bits = u64::from(attribute(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?);
        let bandwidth = 2 * hertz(A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)? * bus_bits / 8;
        let bytes = BUFFER_BYTES.min(memory_bytes);
        // Generated kernels use neither.
        let is_written = *forced() != Ok(Forced::All);
        let capabilities = Capabilities {
            binding_bytes: bytes,
            buffer_bytes: bytes,
            chunk_bytes: CHUNK_BYTES.min(bytes),
            workgroup_bytes: WORKGROUP_BYTES,
            workgroup_lanes: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            subgroup: Some(attribute(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE)?),
            compute_units: Some(attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?),
            clock_hz: known(hertz(A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?),
            memory_bytes_per_second: known(bandwidth),
            unit_workgroup_bytes: Some(attribute(
                A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?),
            memory_bytes: Some(memory_bytes),
            int64: true,
            float64: true,
            fast_float64: attribute(A::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)?
                <= 2,
            // Only kernels that NVRTC compiles can have checks.
            checks: origin() == Ok(Origin::Compiled),
            forward_progress: is_written,
            carry_flag: is_written,
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

    /// Reason why the device cannot be used at all, if any.
    pub fn missing(&self) -> Option<String> {
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
        if let Err(reason) = forced() {
            return Some(reason.clone());
        }
        origin().map_or_else(Some, |origin| origin.missing(self.version))
    }

    pub(super) fn driver(&self) -> String {
        format!("CUDA {}.{}", self.version / 1000, self.version % 1000 / 10)
    }

    pub(super) fn described(&self) -> String {
        candidate::described(Interface::Cuda, &self.name, &self.driver())
    }

    /// Capabilities restricted to the features of every WebGPU device.
    pub(super) fn portable(&self) -> Capabilities {
        let own = self.capabilities;
        Capabilities {
            compute_units: own.compute_units,
            clock_hz: own.clock_hz,
            memory_bytes_per_second: own.memory_bytes_per_second,
            unit_workgroup_bytes: own.unit_workgroup_bytes,
            memory_bytes: own.memory_bytes,
            checks: own.checks,
            // Required by the CUDA sources and their origin.
            carry_flag: own.carry_flag,
            compiles: own.compiles,
            ..Capabilities::default()
        }
    }

    pub(super) fn target(&self) -> Target {
        Target {
            capability: self.capability,
            driver: self.version,
        }
    }

    pub(super) fn open(&self) -> Result<Arc<Context>, Failure> {
        Context::new(self.device?)
    }
}

/// Reason why there are no CUDA devices, if any.
pub fn missing() -> Option<&'static str> {
    if driver::absent().is_none() {
        compiler::load_meanwhile();
    }
    driver::missing()
}

fn named(name: String) -> String {
    format!("{name} (CUDA)")
}

/// Lists all devices of the driver, including those it fails to describe; empty without a usable
/// driver.
pub fn candidates() -> Vec<Candidate> {
    let count = if missing().is_some() {
        0
    } else {
        driver::devices().unwrap_or(0)
    };
    (0..count).map(Candidate::new).collect()
}
