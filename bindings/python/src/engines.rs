//! Engines of this process, one for each device and number of workers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use swath::{DeviceChoice, Engine, Options};

use crate::errors::{OrRaise, input_error};

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

impl Place {
    /// # Errors
    /// `InputError` for 0 workers and for numbers below -1.
    pub fn new(py: Python<'_>, device: &str, workers: i64) -> PyResult<Self> {
        let device = device.to_string();
        match workers {
            -1 => Ok(Self { device, workers: 0 }),
            1.. => Ok(Self {
                device,
                workers: workers as usize,
            }),
            _ => Err(input_error(
                py,
                format!("workers is {workers}, but must be -1 (all processors) or at least 1"),
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
        #[cfg(all(unix, not(target_vendor = "apple")))]
        if self.device != "cpu" {
            silence_wayland(py)?;
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
