//! Device list, and the reason why `auto` takes a device or not.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard};

use super::CPU;
use crate::backend::{self, Listed};
use crate::error::Error;
use crate::host::lock;
use crate::host::simd::Instructions;

/// Entry of the device list.
///
/// [`devices`] lists them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Selector for [`DeviceChoice::Name`](super::DeviceChoice::Name): `cpu`, `vulkan:0`,
    /// `metal:0`, ...
    pub selector: String,
    /// Name of the adapter.
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"`, `"other"` or `"CPU"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    /// Limits and features used by planners, as name and value in a fixed order.
    pub capabilities: Vec<(&'static str, String)>,
    /// `true` for the device that [`DeviceChoice::Auto`](super::DeviceChoice::Auto) takes for large
    /// inputs.
    pub auto: bool,
    /// Reason why `auto` takes it or not.
    pub reason: String,
}

/// Reasons why `auto` rejected devices in this process, by selector.
pub(super) fn passed_over() -> MutexGuard<'static, HashMap<String, String>> {
    static REASONS: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);
    lock(&REASONS)
}

/// Records why `auto` rejected a device, for [`devices`].
pub(super) fn note_passed_over(selector: String, reason: &Error) {
    passed_over().insert(selector, reason.to_string());
}

/// Lists the devices of this machine, the CPU last.
///
/// ```
/// let listed = swath::devices();
/// assert_eq!(listed.last().map(|device| device.selector.as_str()), Some("cpu"));
/// assert_eq!(listed.iter().filter(|device| device.auto).count(), 1);
/// ```
pub fn devices() -> Vec<DeviceInfo> {
    let found = backend::list();
    let passed_over = passed_over().clone();
    let is_taken =
        |device: &Listed| device.is_real_gpu && !passed_over.contains_key(&device.selector);
    let first = found.iter().position(is_taken);
    let describe = |(index, device): (usize, &Listed)| {
        let passed_over = passed_over.get(&device.selector);
        describe(device, Some(index) == first, passed_over)
    };
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

/// Describes a device; `is_first` if `auto` takes it.
fn describe(candidate: &Listed, is_first: bool, passed_over: Option<&String>) -> DeviceInfo {
    let reason = match (&candidate.missing, passed_over) {
        (Some(missing), _) => missing.clone(),
        (None, Some(reason)) => format!("taken only when asked for: {reason}"),
        (None, None) if is_first => "the first real GPU".to_string(),
        (None, None) if !candidate.is_real_gpu => {
            "not a GPU: taken only when asked for".to_string()
        }
        (None, None) => "another GPU comes first".to_string(),
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
