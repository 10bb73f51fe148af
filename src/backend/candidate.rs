//! Devices of this machine that can be opened.

use std::sync::Arc;

use super::capabilities::Capabilities;
use super::traits::Backend;
use crate::error::Result;

/// An interface to devices.
///
/// An example is with [`DeviceChoice`](crate::DeviceChoice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Interface {
    /// CUDA, on NVIDIA GPUs under Linux and Windows, where this build has the feature `cuda`.
    Cuda,
    /// Vulkan, on Linux, Windows and Android.
    Vulkan,
    /// Metal, on macOS and iOS.
    Metal,
    /// DirectX 12, on Windows.
    Dx12,
}

impl Interface {
    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Interface::Cuda => "cuda",
            Interface::Vulkan => "vulkan",
            Interface::Metal => "metal",
            Interface::Dx12 => "dx12",
        }
    }

    /// Whether opening a device takes so much longer than by another interface that `auto` does so for long work alone.
    pub(crate) fn opens_slowly(self) -> bool {
        self == Interface::Cuda
    }
}

/// Its name.
impl std::fmt::Display for Interface {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

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
    /// Whether it has given other answers than the known ones.
    pub is_wrong: bool,
    /// Which compiler makes its kernels, where there is more than one, or why none does.
    pub shader_compiler: Option<String>,
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

    /// Whether it has given known answers, in this process or an earlier one; `None` where it has to be asked before `auto` takes it.
    fn is_trusted(&self) -> Option<bool> {
        Some(true)
    }

    /// Keeps whether it has; `None` where it could not be asked.
    fn keep_trust(&self, _gives_known_answers: Option<bool>) {}
}
