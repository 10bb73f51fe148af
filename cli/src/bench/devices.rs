//! Which devices are measured.

use swath::{DeviceChoice, DeviceInfo, Engine};

use crate::args::BenchArgs;
use crate::report::bench::Device;

/// A device with its engine.
pub struct Opened {
    pub engine: Engine,
    pub listed: DeviceInfo,
}

impl Opened {
    /// Whether it is the native code.
    pub fn is_cpu(&self) -> bool {
        self.listed.kind == "CPU"
    }

    /// As reports name it.
    pub fn device(&self) -> Device {
        let DeviceInfo {
            selector,
            name,
            kind,
            driver,
            ..
        } = self.listed.clone();
        Device {
            selector,
            name,
            kind,
            driver,
        }
    }
}

/// The devices that are asked for, each once; by default the CPU, and the GPU that `auto` would open.
///
/// # Errors
/// What opening one of them returns.
pub fn open(args: &BenchArgs) -> anyhow::Result<Vec<Opened>> {
    let listed = swath::devices();
    let by_default = [DeviceChoice::Cpu, DeviceChoice::Auto];
    let choices = if args.devices.is_empty() {
        &by_default[..]
    } else {
        &args.devices
    };
    let mut opened: Vec<Opened> = Vec::new();
    for choice in choices {
        let found = listed.iter().find(|info| matches(choice, info));
        if found.is_some_and(|info| {
            opened
                .iter()
                .any(|other| other.listed.selector == info.selector)
        }) {
            continue;
        }
        let choice = found
            .and_then(|info| info.selector.parse().ok())
            .unwrap_or_else(|| choice.clone());
        // Of a name that nothing has, the engine tells what there is.
        let engine = Engine::new(args.allowed.options(choice))?;
        opened.extend(found.map(|info| Opened {
            engine,
            listed: info.clone(),
        }));
    }
    Ok(opened)
}

/// Whether it is the device that is meant.
fn matches(choice: &DeviceChoice, info: &DeviceInfo) -> bool {
    match choice {
        DeviceChoice::Auto => info.auto,
        DeviceChoice::Name(part) => info.name.to_lowercase().contains(&part.to_lowercase()),
        other => info.selector == other.to_string(),
    }
}
