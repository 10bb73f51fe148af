//! Devices of this machine that can be opened.

use std::sync::Arc;

use super::capabilities::Capabilities;
use super::interface::Interface;
use super::traits::Backend;
use crate::error::Result;

/// A device of this machine, open or not.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What selects it: `vulkan:0`, `metal:0`, ...
    pub selector: String,
    /// What drives it.
    pub interface: Interface,
    /// Its name.
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"` or `"other"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What keeps it from being used at all.
    pub missing: Option<String>,
    /// Whether it is no software.
    pub is_real_gpu: bool,
    /// Which compiler makes its kernels, where there is more than one, or why none does.
    pub shader_compiler: Option<String>,
}

impl Listed {
    /// What tells it from other devices, whatever its place in a list: what is found out of it is kept for those like it. None for
    /// software, which no process chooses.
    pub fn described(&self) -> Option<String> {
        self.is_real_gpu
            .then(|| described(self.interface, &self.name, &self.driver))
    }
}

/// The same of a real GPU.
pub(super) fn described(interface: Interface, name: &str, driver: &str) -> String {
    format!("{interface}, {name}, {driver}")
}

/// A device that can be opened.
pub trait Candidate: Send + Sync + std::fmt::Debug {
    /// What selects it.
    fn selector(&self) -> String;

    /// Its name.
    fn name(&self) -> String;

    /// What lists show of it. It may take a while to find out what is missing.
    fn listed(&self) -> Listed;

    /// Opens it, with the shaders' checks on where `checked`, and with nothing beyond what every WebGPU device has where `portable`.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable) with the driver's reason.
    fn open(&self, checked: bool, portable: bool) -> Result<Arc<dyn Backend>>;
}
