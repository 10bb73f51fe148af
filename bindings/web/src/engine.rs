//! The engine: where a call runs.

use std::str::FromStr;
use std::time::Duration;

use swath::{DeviceChoice, Options, Report, Task};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::arguments::Given;
use crate::control::CallControl;
use crate::device::DeviceSlot;
use crate::failure::{DEVICE, Failure, MEMORY, Result, invalid};

/// Default budget for host memory: a quarter of what a module can address.
const HOST_MEMORY: u64 = 1 << 30;
/// Expected time on the CPU up to which no device is opened.
const WORTH_OPENING: Duration = Duration::from_millis(100);

/// Runs queries on the thread that calls it. Answers are verified against the inputs.
#[wasm_bindgen]
pub struct Engine {
    cpu: swath::Engine,
    device: DeviceSlot,
    choice: Choice,
    /// Options of the engine on the device.
    options: Options,
}

/// The device of a call.
#[derive(Clone, Copy, Default)]
enum Choice {
    /// WebGPU if a call is expected to be faster there, on hardware.
    #[default]
    Auto,
    WebGpu,
    Cpu,
}

impl FromStr for Choice {
    type Err = Failure;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "webgpu" => Ok(Self::WebGpu),
            "cpu" => Ok(Self::Cpu),
            _ => Err(invalid(format!(
                "unknown device '{name}'; known: auto, webgpu, cpu"
            ))),
        }
    }
}

#[wasm_bindgen]
impl Engine {
    /// Creates an engine. No device is opened before a call needs it.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "EngineOptions")] options: JsValue,
    ) -> Result<Engine, JsValue> {
        let known = ["hostMemory", "deviceMemory", "sliceMs"];
        let given = Given::new(options, &known)?;
        let mut options = Options::new();
        options.host_memory = Some(given.count("hostMemory")?.unwrap_or(HOST_MEMORY));
        options.device_memory = given.count("deviceMemory")?;
        options.slice_ms = given
            .count("sliceMs")?
            .map(|ms| u32::try_from(ms).unwrap_or(u32::MAX));
        let choice = given.text("device")?;
        let cpu = swath::Engine::new(options.clone().device(DeviceChoice::Cpu));
        Ok(Self {
            cpu: cpu.map_err(Failure::from)?,
            device: DeviceSlot::default(),
            choice: choice.map_or(Ok(Choice::Auto), |name| name.parse())?,
            options,
        })
    }
}

impl Engine {
    /// Runs a task with the options of its call.
    pub async fn call<T: Task>(&self, task: &T, options: &Given) -> Result<Report<T::Answer>> {
        let call = CallControl::new(options)?;
        let choice = options.text("device")?;
        match choice.map_or(Ok(self.choice), |name| name.parse())? {
            Choice::Cpu => {}
            Choice::WebGpu => return self.on_device(task, &call).await,
            Choice::Auto => {
                if self.is_faster_on_device(task).await? {
                    match self.on_device(task, &call).await {
                        Err(error) if error.code == DEVICE || error.code == MEMORY => {}
                        ended => return ended,
                    }
                }
            }
        }
        Ok(self.cpu.run_async_with(task, &call.control).await?)
    }

    async fn is_faster_on_device<T: Task>(&self, task: &T) -> Result<bool> {
        let on_cpu = self.cpu.plan(task)?.expected;
        if on_cpu < WORTH_OPENING {
            return Ok(false);
        }
        let Some(device) = self.device.open_once(&self.options).await else {
            return Ok(false);
        };
        // A plan that does not fit is none.
        let planned = device.engine.plan(task).ok();
        Ok(device.is_hardware && planned.is_some_and(|plan| plan.expected < on_cpu))
    }

    async fn on_device<T: Task>(&self, task: &T, call: &CallControl) -> Result<Report<T::Answer>> {
        let device = self.device.open(&self.options).await?;
        let ended = device.engine.run_async_with(task, &call.control).await;
        ended.map_err(|error| {
            let error = device.explained(error);
            if error.code == DEVICE {
                self.device.close();
            }
            error
        })
    }
}
