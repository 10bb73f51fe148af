//! Devices of this machine that can be opened.

use std::sync::Arc;

use super::capabilities::Capabilities;
use super::interface::Interface;
use super::traits::Backend;
use crate::error::Result;

/// Description of a device of this machine, open or not.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Text that selects it: `vulkan:0`, `metal:0`, ...
    pub selector: String,
    pub interface: Interface,
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"` or `"other"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    pub capabilities: Capabilities,
    /// Reason why the device cannot be used at all, if any.
    pub missing: Option<String>,
    /// False for software adapters.
    pub is_real_gpu: bool,
    /// The compiler of its kernels, if there is a choice, or the reason why there is none.
    pub shader_compiler: Option<String>,
}

impl Listed {
    /// Identity of the device across processes, independent of its place in a list. Measurements
    /// are cached under it. `None` for software adapters, which `auto` never selects.
    pub fn described(&self) -> Option<String> {
        self.is_real_gpu
            .then(|| described(self.interface, &self.name, &self.driver))
    }
}

pub(super) fn described(interface: Interface, name: &str, driver: &str) -> String {
    format!("{interface}, {name}, {driver}")
}

pub trait Candidate: Send + Sync + std::fmt::Debug {
    fn selector(&self) -> String;

    fn name(&self) -> String;

    /// Description for lists. It may take a while to find out what is missing.
    fn listed(&self) -> Listed;

    /// Opens the device. `checked` enables the bounds checks of shaders. `portable` restricts the
    /// device to the features of every WebGPU device.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable) with the driver's reason.
    fn open(&self, checked: bool, portable: bool) -> Result<Arc<dyn Backend>>;
}
