//! Backends run plans on a device. They know nothing of problems.

mod choice;
#[cfg(feature = "gpu")]
pub mod wgpu;

use std::pin::Pin;
use std::sync::Arc;

#[cfg(not(feature = "gpu"))]
use crate::error::Error;
use crate::error::Result;
use crate::plan::{BufferId, Pass, Plan};
pub use choice::{DeviceChoice, Interface};

/// What a planner may ask about a device; never which backend it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Largest binding, in bytes.
    pub binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// Largest buffer that plans make, in bytes: a whole one fits one binding.
    pub chunk_bytes: u64,
    /// Buffers that a kernel may bind.
    pub bindings: u32,
    /// Workgroups in one dimension of a dispatch.
    pub groups_per_dimension: u32,
    /// Workgroup memory, in bytes.
    pub workgroup_bytes: u32,
    /// Lanes of the largest workgroup.
    pub workgroup_lanes: u32,
    /// Lanes of a subgroup, where the device can run them at one fixed size only.
    pub subgroup: Option<u32>,
    /// Multiprocessors or compute units, where the driver says.
    pub compute_units: Option<u32>,
    /// Threads of the host that compute in its stead: a software adapter.
    pub host_threads: Option<u32>,
    /// Bytes of device-local memory, where the driver says.
    pub memory_bytes: Option<u64>,
    /// 64-bit integers in shaders.
    pub int64: bool,
    /// Double precision in shaders.
    pub float64: bool,
    /// Whether workgroups of one dispatch may wait for each other.
    pub forward_progress: bool,
}

impl Default for Capabilities {
    /// What every WebGPU device has.
    fn default() -> Self {
        Self {
            binding_bytes: 128 << 20,
            buffer_bytes: 256 << 20,
            chunk_bytes: 128 << 20,
            bindings: 8,
            groups_per_dimension: 65_535,
            workgroup_bytes: 16 << 10,
            workgroup_lanes: 256,
            subgroup: None,
            compute_units: None,
            host_threads: None,
            memory_bytes: None,
            int64: false,
            float64: false,
            forward_progress: false,
        }
    }
}

/// A result that arrives later.
pub type Pending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// A device that can hold plans.
pub trait Backend: Send + Sync + std::fmt::Debug {
    /// The device's name.
    fn name(&self) -> &str;

    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// Whether the device was lost: nothing runs on it any more.
    fn is_lost(&self) -> bool {
        false
    }

    /// Loses the device, as a crash of its driver would.
    #[cfg(test)]
    fn lose(&self) {}

    /// Allocates and fills every buffer of the plan and builds its kernels, in tasks for all threads.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget) when `budget_bytes` or the device has too little memory.
    fn load(&self, plan: &mut Plan, budget_bytes: u64) -> Result<Box<dyn Loaded>>;
}

/// A plan whose buffers lie on a device.
pub trait Loaded: Send {
    /// Starts these passes as one submission, which leaves a stamp behind the last of them, and copies words of buffers to the
    /// host, in order.
    fn submit(&mut self, passes: &[Pass], stamp: u32, spans: &[Span]) -> Result<Pending<Done>>;

    /// Copies words of buffers to the host, in order, after everything submitted so far.
    fn read(&mut self, spans: &[Span]) -> Result<Pending<Vec<u32>>>;
}

/// What a submission has left.
pub struct Done {
    /// The stamp that lay on the device.
    pub stamp: u32,
    /// The words that were asked for.
    pub words: Box<dyn Words>,
}

/// Words on the host, where the device's driver has put them.
pub trait Words: Send {
    /// All of them.
    fn words(&self) -> &[u32];
}

impl Words for Vec<u32> {
    fn words(&self) -> &[u32] {
        self
    }
}

/// A run of words of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which buffer of the plan.
    pub buffer: BufferId,
    /// First word.
    pub first: u64,
    /// Number of words.
    pub words: u64,
}

/// A device of this machine, open or not.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What selects it: `vulkan:0`, `metal:0`, ...
    pub selector: String,
    /// Its name.
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"` or `"other"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What keeps it from being used at all.
    pub missing: Option<&'static str>,
    /// Whether `auto` may take it.
    pub is_real_gpu: bool,
}

/// Every device of this machine but the CPU.
pub fn list() -> Vec<Listed> {
    #[cfg(feature = "gpu")]
    return wgpu::adapter::candidates().iter().map(wgpu::adapter::Candidate::listed).collect();
    #[cfg(not(feature = "gpu"))]
    Vec::new()
}

/// Opens the device that `choice` means, with the shaders' checks on where `checked`, and with nothing beyond what every WebGPU
/// device has where `portable`; `None` is the CPU.
///
/// # Errors
/// [`Error::UnknownDevice`] with the list of what is there, and [`Error::DeviceUnavailable`].
#[cfg_attr(not(feature = "gpu"), allow(unused_variables))]
pub fn open(choice: &DeviceChoice, checked: bool, portable: bool) -> Result<Option<Arc<dyn Backend>>> {
    if *choice == DeviceChoice::Cpu {
        return Ok(None);
    }
    #[cfg(feature = "gpu")]
    return Ok(match wgpu::adapter::choose(choice)? {
        Some(candidate) => {
            let open = if portable { wgpu::Gpu::open_portable } else { wgpu::Gpu::open };
            Some(Arc::new(open(&candidate, checked)?))
        }
        None => None,
    });
    #[cfg(not(feature = "gpu"))]
    match choice {
        DeviceChoice::Auto => Ok(None),
        _ => {
            let available = "cpu (this build is without the feature `gpu`)".to_string();
            Err(Error::UnknownDevice { wanted: choice.to_string(), available })
        }
    }
}
