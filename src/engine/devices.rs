//! The list of devices, and which one `auto` takes.

use super::CPU;
use crate::backend::{self, Listed};
use crate::host::simd::Instructions;

/// A device as `swath devices` lists it.
///
/// [`devices`] lists them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DeviceInfo {
    /// What selects it: `cpu`, `vulkan:0`, `metal:0`, ...
    pub selector: String,
    /// The adapter's name.
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"`, `"other"` or `"CPU"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    /// Limits and features that planners ask about, by name, in a fixed order.
    pub capabilities: Vec<(&'static str, String)>,
    /// Whether [`DeviceChoice::Auto`](super::DeviceChoice::Auto) takes it for large inputs.
    pub auto: bool,
    /// Why `auto` takes it or not.
    pub reason: String,
}

/// Every device of this machine, the CPU last.
///
/// ```
/// let listed = swath::devices();
/// assert_eq!(listed.last().map(|device| device.selector.as_str()), Some("cpu"));
/// assert_eq!(listed.iter().filter(|device| device.auto).count(), 1);
/// ```
pub fn devices() -> Vec<DeviceInfo> {
    let found = backend::list();
    let may_be_taken = |device: &Listed| device.is_real_gpu && !device.is_wrong;
    let first = found.iter().position(may_be_taken);
    let first_fast = found
        .iter()
        .position(|device| may_be_taken(device) && !device.interface.opens_slowly());
    let describe =
        |(place, device)| describe(device, Some(place) == first, Some(place) == first_fast);
    let mut devices: Vec<_> = found.iter().enumerate().map(describe).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    devices.push(DeviceInfo {
        selector: CPU.to_string(),
        name: format!("native code, {}", Instructions::chosen().name()),
        kind: "CPU",
        driver: format!("swath {}", env!("CARGO_PKG_VERSION")),
        capabilities: vec![("threads", threads.to_string())],
        auto: first.is_none(),
        reason: match first {
            None => "no real GPU is here".to_string(),
            Some(_) => "answers small inputs, where a GPU does not pay".to_string(),
        },
    });
    devices
}

/// A device, which may be the first real GPU of all, and the first of those that open fast.
fn describe(candidate: &Listed, is_first: bool, is_first_fast: bool) -> DeviceInfo {
    let reason = match (&candidate.missing, is_first, is_first_fast) {
        (Some(missing), ..) => missing.clone(),
        (None, ..) if candidate.is_wrong => {
            "its self-test failed: taken only when asked for".to_string()
        }
        (None, true, true) => "the first real GPU".to_string(),
        (None, true, false) => "the first real GPU, where the work is worth opening it".to_string(),
        (None, false, true) => "taken for short work where it is open sooner".to_string(),
        (None, false, false) if !candidate.is_real_gpu => {
            "not a GPU: taken only when asked for".to_string()
        }
        (None, false, false) => "another GPU comes first".to_string(),
    };
    let caps = &candidate.capabilities;
    let compiler = candidate
        .shader_compiler
        .clone()
        .map(|name| ("shader_compiler", name));
    let known =
        |value: Option<u64>| value.map_or_else(|| "unknown".to_string(), |value| value.to_string());
    DeviceInfo {
        selector: candidate.selector.clone(),
        name: candidate.name.clone(),
        kind: candidate.kind,
        driver: candidate.driver.clone(),
        capabilities: [
            ("memory_bytes", known(caps.memory_bytes)),
            ("bytes_per_second", known(caps.memory_bytes_per_second)),
            ("compute_units", known(caps.compute_units.map(u64::from))),
            ("clock_hz", known(caps.clock_hz)),
            ("binding_bytes", caps.binding_bytes.to_string()),
            ("buffer_bytes", caps.buffer_bytes.to_string()),
            (
                "groups_per_dimension",
                caps.groups_per_dimension.to_string(),
            ),
            ("workgroup_bytes", caps.workgroup_bytes.to_string()),
            ("workgroup_lanes", caps.workgroup_lanes.to_string()),
            (
                "subgroup",
                caps.subgroup
                    .map_or_else(|| "varying".to_string(), |lanes| lanes.to_string()),
            ),
            ("int64", caps.int64.to_string()),
            ("float64", caps.float64.to_string()),
            ("carry_flag", caps.carry_flag.to_string()),
        ]
        .into_iter()
        .chain(compiler)
        .collect(),
        auto: is_first,
        reason,
    }
}
