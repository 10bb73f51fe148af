//! Interfaces to devices.

use crate::names::named;

/// An API that drives devices.
///
/// Parsed from its name, ignoring case. See [`DeviceChoice`](crate::DeviceChoice) for selecting one
/// with a device.
///
/// ```
/// use swath::Interface;
///
/// let interface: Interface = "Vulkan".parse()?;
/// assert_eq!(interface, Interface::Vulkan);
/// assert_eq!(interface.name(), "vulkan");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Interface {
    /// CUDA, on NVIDIA GPUs under Linux and Windows. Requires the feature `cuda`.
    Cuda,
    /// Vulkan, on Linux, Windows and Android.
    Vulkan,
    /// Metal, on macOS and iOS.
    Metal,
    /// DirectX 12, on Windows.
    Dx12,
}

named!(
    Interface,
    "interface",
    eq_ignore_ascii_case,
    Cuda = "cuda",
    Vulkan = "vulkan",
    Metal = "metal",
    Dx12 = "dx12",
);
