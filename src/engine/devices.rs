//! The list of devices, and which one `auto` takes.

use super::CPU;
use crate::backend::{self, Listed};
use crate::host::simd::Instructions;

/// A device as `swath devices` lists it.
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
pub fn devices() -> Vec<DeviceInfo> {
    let found = backend::list();
    let chosen = found.iter().position(|device| device.is_real_gpu);
    // Where the first opens slowly, another may come before it.
    let fast = found.iter().position(|device| device.is_real_gpu && !device.interface.opens_slowly());
    let mut devices: Vec<_> = found
        .iter()
        .enumerate()
        .map(|(place, candidate)| {
            let role = match Some(place) {
                place if place == chosen && fast.is_none_or(|fast| Some(fast) == chosen) => Role::First,
                place if place == chosen => Role::FirstForLongWork,
                place if place == fast => Role::FirstForShortWork,
                _ => Role::Other,
            };
            describe(candidate, role)
        })
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    devices.push(DeviceInfo {
        selector: CPU.to_string(),
        name: format!("native code, {}", Instructions::chosen().name()),
        kind: "CPU",
        driver: format!("swath {}", env!("CARGO_PKG_VERSION")),
        capabilities: vec![("threads", threads.to_string())],
        auto: chosen.is_none(),
        reason: match chosen {
            None => "no real GPU is here".to_string(),
            Some(_) => "answers small inputs, where a GPU does not pay".to_string(),
        },
    });
    devices
}

/// What `auto` takes a device for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    First,
    FirstForLongWork,
    FirstForShortWork,
    Other,
}

fn describe(candidate: &Listed, role: Role) -> DeviceInfo {
    let reason = match (&candidate.missing, role) {
        (Some(missing), _) => missing.clone(),
        (None, Role::First) => "the first real GPU".to_string(),
        (None, Role::FirstForLongWork) => "the first real GPU, for work that is worth opening it slowly".to_string(),
        (None, Role::FirstForShortWork) => "opens fast: taken where work is short".to_string(),
        (None, Role::Other) if !candidate.is_real_gpu => "not a GPU: taken only when asked for".to_string(),
        (None, Role::Other) => "another GPU comes first".to_string(),
    };
    let caps = &candidate.capabilities;
    let compiler = candidate.shader_compiler.clone().map(|name| ("shader_compiler", name));
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_string());
    DeviceInfo {
        selector: candidate.selector.clone(),
        name: candidate.name.clone(),
        kind: candidate.kind,
        driver: candidate.driver.clone(),
        capabilities: [
            ("memory_bytes", known(caps.memory_bytes.map(|bytes| bytes.to_string()))),
            ("compute_units", known(caps.compute_units.map(|units| units.to_string()))),
            ("binding_bytes", caps.binding_bytes.to_string()),
            ("buffer_bytes", caps.buffer_bytes.to_string()),
            ("groups_per_dimension", caps.groups_per_dimension.to_string()),
            ("workgroup_bytes", caps.workgroup_bytes.to_string()),
            ("workgroup_lanes", caps.workgroup_lanes.to_string()),
            ("subgroup", caps.subgroup.map_or_else(|| "varying".to_string(), |lanes| lanes.to_string())),
            ("int64", caps.int64.to_string()),
            ("float64", caps.float64.to_string()),
        ]
        .into_iter()
        .chain(compiler)
        .collect(),
        auto: matches!(role, Role::First | Role::FirstForLongWork),
        reason,
    }
}
