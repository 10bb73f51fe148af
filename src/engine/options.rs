//! What an engine is made with.

use std::str::FromStr;

/// Which device answers.
///
/// Parsed from `auto`, `cpu`, `vulkan:N`, `metal:N`, `dx12:N` or a part of an adapter's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// A real GPU where the work is worth opening it and has no more symbols than it can tell apart, else the native CPU code;
    /// never a software adapter.
    #[default]
    Auto,
    /// The native CPU code.
    Cpu,
    /// The N-th adapter of one graphics interface, from 0, as `swath devices` lists them.
    Adapter { interface: Interface, index: usize },
    /// The first adapter whose name contains this text, without regard to case.
    Name(String),
}

/// A graphics interface that wgpu drives natively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Interface {
    Vulkan,
    Metal,
    Dx12,
}

impl Interface {
    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Interface::Vulkan => "vulkan",
            Interface::Metal => "metal",
            Interface::Dx12 => "dx12",
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let adapter = || {
            let (name, index) = text.split_once(':')?;
            let interface = [Interface::Vulkan, Interface::Metal, Interface::Dx12]
                .into_iter()
                .find(|interface| interface.name().eq_ignore_ascii_case(name))?;
            Some(DeviceChoice::Adapter { interface, index: index.parse().ok()? })
        };
        Ok(match text.to_ascii_lowercase().as_str() {
            "auto" => DeviceChoice::Auto,
            "cpu" => DeviceChoice::Cpu,
            _ => adapter().unwrap_or_else(|| DeviceChoice::Name(text.to_string())),
        })
    }
}

/// Most CPU threads that an engine starts.
pub const MOST_THREADS: usize = 1024;

/// What [`Engine::new`](crate::Engine::new) takes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which device answers; [`DeviceChoice::Auto`] by default.
    pub device: DeviceChoice,
    /// The most bytes to hold in device memory; by default three quarters of what the device reports, or 1 GiB where it
    /// reports nothing.
    pub device_memory: Option<u64>,
    /// The most bytes to hold in host memory for stored boundaries; 4 GiB by default.
    pub host_memory: Option<u64>,
    /// CPU threads; all of them by default, and at most [`MOST_THREADS`].
    pub threads: Option<usize>,
    /// Longest time one submission should hold the GPU, in milliseconds; 60 by default, 4 to 8 where an application draws on
    /// the same device.
    pub slice_ms: Option<u32>,
    /// Run the shaders with bounds checks and loop bounds on. Slow; for tests and fuzzing.
    pub checked: bool,
    /// Use nothing of the device beyond what every WebGPU device has: no immediates, no subgroups, no 64-bit integers. For tests.
    pub portable: bool,
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeviceChoice::Auto => formatter.write_str("auto"),
            DeviceChoice::Cpu => formatter.write_str("cpu"),
            DeviceChoice::Adapter { interface, index } => write!(formatter, "{}:{index}", interface.name()),
            DeviceChoice::Name(part) => formatter.write_str(part),
        }
    }
}
