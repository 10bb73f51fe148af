//! The engine: picks the device, runs plans, and is what callers hold.

pub mod options;
pub mod slices;

use crate::alphabet::Symbol;
use crate::error::Result;
use crate::lcs::{Lcs, LcsOptions, PlanSummary};
pub use options::{DeviceChoice, Interface, Options};

/// Solves problems on one device. Cheap to share between threads.
#[derive(Debug)]
pub struct Engine {
    options: Options,
}

impl Engine {
    /// Opens the device that `options` name; with [`DeviceChoice::Auto`] it is opened by the first call that is worth it.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice) and [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable).
    pub fn new(options: Options) -> Result<Self> {
        Ok(Self { options })
    }

    /// The length of the longest common subsequence.
    pub fn lcs<S: Symbol>(&self, a: &[S], b: &[S]) -> Result<Lcs> {
        self.lcs_with(a, b, &LcsOptions::default())
    }

    /// The length, and the subsequence where `options.path` asks for it.
    pub fn lcs_with<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<Lcs> {
        pollster::block_on(self.lcs_async(a, b, options))
    }

    /// [`lcs_with`](Self::lcs_with) for callers that have an executor.
    pub async fn lcs_async<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<Lcs> {
        let _ = (a, b, options, &self.options);
        unimplemented!()
    }

    /// What [`lcs_with`](Self::lcs_with) would do: method, device, tiles, memory and expected time. Nothing is computed.
    pub fn lcs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<PlanSummary> {
        let _ = (a, b, options);
        unimplemented!()
    }

    /// Known answers for every kernel variant on this engine's device. One to two seconds.
    pub fn selftest(&self) -> Result<Vec<SelfTest>> {
        unimplemented!()
    }
}

/// One known answer that a kernel variant was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SelfTest {
    /// The kernel variant, for example `lcs/strip_sweep table subgroup limbs=8`.
    pub kernel: String,
    /// Whether the answer was right.
    pub passed: bool,
    /// Wall time, the building of the pipeline included.
    pub elapsed: std::time::Duration,
    /// What was expected and what came, where they differ.
    pub detail: Option<String>,
}

/// A device as `swath devices` lists it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// What selects it: `cpu`, `vulkan:0`, `metal:0`, ...
    pub selector: String,
    /// The adapter's name.
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"` or `"CPU"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    /// Limits and features that planners ask about, by name, in a fixed order.
    pub capabilities: Vec<(&'static str, String)>,
    /// Whether [`DeviceChoice::Auto`] takes it for large inputs.
    pub auto: bool,
    /// Why `auto` takes it or not.
    pub reason: String,
}

/// Every device of this machine, the CPU last.
pub fn devices() -> Vec<DeviceInfo> {
    unimplemented!()
}
