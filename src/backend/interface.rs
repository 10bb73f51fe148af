//! Interfaces to devices.

use crate::error::{Error, Result};

/// An API that drives devices.
///
/// See [`DeviceChoice`](crate::DeviceChoice) for selecting one with a device.
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

impl Interface {
    /// All interfaces.
    pub const ALL: [Self; 4] = [Self::Cuda, Self::Vulkan, Self::Metal, Self::Dx12];

    /// Name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Interface::Cuda => "cuda",
            Interface::Vulkan => "vulkan",
            Interface::Metal => "metal",
            Interface::Dx12 => "dx12",
        }
    }
}

/// Writes the name.
impl std::fmt::Display for Interface {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

/// Parses the name, ignoring case. The error is [`Error::UnknownName`].
impl std::str::FromStr for Interface {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL
            .into_iter()
            .find(|interface| interface.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::UnknownName {
                what: "interface",
                given: text.to_string(),
                known,
            }
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Interface {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
