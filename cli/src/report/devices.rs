//! What `swath devices` prints.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::Value;
use swath::DeviceInfo;

use super::write_json;

/// A paragraph a device; `*` marks the one that `auto` takes.
pub fn devices_text(devices: &[DeviceInfo], out: &mut dyn Write) -> io::Result<()> {
    for (place, device) in devices.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        let mark = if device.auto { '*' } else { ' ' };
        writeln!(
            out,
            "{mark} {}  {} ({})",
            device.selector, device.name, device.kind
        )?;
        let taken = if device.auto { "yes" } else { "no" };
        let own = [
            ("auto", format!("{taken}: {}", device.reason)),
            ("driver", device.driver.clone()),
        ];
        let lines = || {
            own.iter()
                .map(|(key, value)| (*key, value))
                .chain(device.capabilities.iter().map(|(k, v)| (*k, v)))
        };
        let width = lines().map(|(key, _)| key.len()).max().unwrap_or_default();
        lines().try_for_each(|(key, value)| writeln!(out, "    {key:width$}  {value}"))?;
    }
    Ok(())
}

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: &'static str,
    devices: Vec<Device<'a>>,
}

#[derive(serde::Serialize)]
struct Device<'a> {
    selector: &'a str,
    name: &'a str,
    kind: &'a str,
    driver: &'a str,
    auto: bool,
    reason: &'a str,
    capabilities: BTreeMap<&'a str, Value>,
}

/// A number or a truth value as one; what is not known or not fixed is null.
fn value(text: &str) -> Value {
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Value| value.is_number() || value.is_boolean())
        .unwrap_or_default()
}

/// Schema `swath/devices/2`.
pub fn devices_json(devices: &[DeviceInfo], out: &mut dyn Write) -> io::Result<()> {
    let devices = devices.iter().map(|device| Device {
        selector: &device.selector,
        name: &device.name,
        kind: device.kind,
        driver: &device.driver,
        auto: device.auto,
        reason: &device.reason,
        capabilities: device
            .capabilities
            .iter()
            .map(|(name, text)| (*name, value(text)))
            .collect(),
    });
    write_json(
        &Report {
            schema: "swath/devices/2",
            devices: devices.collect(),
        },
        out,
    )
}
