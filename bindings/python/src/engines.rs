//! Engines of this process, one for each device and number of workers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use swath::{DeviceChoice, DeviceInfo, Engine, Options};

use crate::errors::{OrRaise, input_error};
use crate::witness::witness;

/// Engines are never dropped: threads that have used a device may come and go.
static ENGINES: Mutex<Option<HashMap<(String, usize), Engine>>> = Mutex::new(None);

/// Device and number of CPU threads of a call.
#[derive(Clone, Debug)]
pub struct Place {
    pub device: String,
    /// 0 for all processors.
    pub workers: usize,
}

/// Names a display server that does not exist if none can: Mesa's device-select layer looks for
/// one at every listing of adapters, and libwayland prints an error if `XDG_RUNTIME_DIR` is not an
/// absolute path, as in services and containers.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn silence_wayland(py: Python<'_>) -> PyResult<()> {
    let environment = py.import("os")?.getattr("environ")?;
    for name in ["XDG_RUNTIME_DIR", "WAYLAND_DISPLAY"] {
        let path = environment.call_method1("get", (name, ""))?;
        if path.call_method1("startswith", ("/",))?.is_truthy()? {
            return Ok(());
        }
    }
    environment.set_item("WAYLAND_DISPLAY", "/")
}

/// Prepares this process for a call that may open a device.
fn prepare_drivers(py: Python<'_>) -> PyResult<()> {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    silence_wayland(py)?;
    if cfg!(feature = "cuda") {
        py.import("swath._nvrtc")?.call_method0("load")?;
    }
    Ok(())
}

impl Place {
    /// # Errors
    /// `InputError` for 0 workers and for numbers below -1.
    pub fn new(py: Python<'_>, device: &str, workers: Option<i64>) -> PyResult<Self> {
        let device = device.to_string();
        match workers {
            None | Some(-1) => Ok(Self { device, workers: 0 }),
            Some(workers @ 1..) => Ok(Self {
                device,
                workers: workers as usize,
            }),
            Some(workers) => Err(input_error(
                py,
                format!("workers is {workers}; give at least 1, or None for all processors"),
            )),
        }
    }

    /// Number of CPU threads.
    pub fn threads(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        }
    }

    /// The engine, created by the first call of its kind. An engine of the device `auto` opens
    /// nothing before a call is expected to be faster there. In a forked child an engine works on
    /// the CPU, and one of a named device says so.
    ///
    /// # Errors
    /// `InputError` and `DeviceError`.
    pub fn engine(&self, py: Python<'_>) -> PyResult<Engine> {
        let key = (self.device.clone(), self.workers);
        let engines = || ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = engines().as_ref().and_then(|engines| engines.get(&key)) {
            return Ok(engine.clone());
        }
        if self.device != "cpu" {
            prepare_drivers(py)?;
        }
        let device: DeviceChoice = self.device.parse().unwrap_or_else(|error| match error {});
        let mut options = Options::new().device(device);
        if self.workers > 0 {
            options = options.threads(self.workers);
        }
        let engine = py.detach(|| Engine::new(options)).or_raise(py)?;
        let mut engines = engines();
        let engines = engines.get_or_insert_default();
        Ok(engines.entry(key).or_insert(engine).clone())
    }
}

witness! {
    /// A device, as `devices` lists it.
    Device(selector, name, memory_bytes) {
        /// Argument `device` of calls: the backend, and the index if it may have several devices.
        selector: String,
        /// Interface: "cuda", "vulkan", "metal", "dx12", "gl" or "cpu".
        backend: String,
        /// Number of the device among those of its backend, from 0.
        index: u32,
        /// Name of the adapter.
        name: String,
        /// "discrete GPU", "integrated GPU", "virtual GPU", "software", "other" or "CPU".
        kind: String,
        /// Name and version of the driver.
        driver: String,
        /// Memory of the device; None if it is not known.
        memory_bytes: Option<u64>,
        /// True for the device that "auto" takes for large inputs.
        auto: bool,
        /// Reason why "auto" takes it or not.
        reason: String,
    }
}

impl From<DeviceInfo> for Device {
    fn from(device: DeviceInfo) -> Self {
        let (backend, index) = match device.selector.split_once(':') {
            Some((backend, index)) => (backend, index.parse().unwrap_or(0)),
            None => (device.selector.as_str(), 0),
        };
        let mut capabilities = device.capabilities.iter();
        let memory = capabilities.find(|capability| capability.0 == "memory_bytes");
        Self {
            backend: backend.to_string(),
            index,
            memory_bytes: memory.and_then(|memory| memory.1.parse().ok()),
            selector: device.selector,
            name: device.name,
            kind: device.kind.to_string(),
            driver: device.driver,
            auto: device.auto,
            reason: device.reason,
        }
    }
}

/// The devices of this machine, the CPU last, as the command `swath devices` prints them.
///
/// Examples:
///     >>> import swath
///     >>> cpu = swath.devices()[-1]
///     >>> cpu.selector, cpu.kind
///     ('cpu', 'CPU')
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Device>> {
    prepare_drivers(py)?;
    let listed = py.detach(swath::devices);
    Ok(listed.into_iter().map(Device::from).collect())
}
