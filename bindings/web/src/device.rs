//! The device of WebGPU: opened by the first call that needs it, and again after a loss.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use js_sys::Reflect;
use swath::wgpu::{
    Backends, DeviceDescriptor, DeviceType, Instance, InstanceDescriptor, PowerPreference,
    RequestAdapterOptions,
};
use swath::{HostDevice, Options};

use crate::failure::{DEVICE, Failure, MEMORY, Result, failure};

/// Place of the device.
#[derive(Default)]
pub struct DeviceSlot(RefCell<State>);

#[derive(Default)]
enum State {
    #[default]
    Closed,
    /// It could not be opened.
    None,
    Open(OpenDevice),
}

#[derive(Clone)]
pub struct OpenDevice {
    pub engine: swath::Engine,
    /// False for an adapter that computes on the CPU.
    pub is_hardware: bool,
    trouble: Trouble,
}

/// The first error that the browser reported, with its code.
#[derive(Clone, Default)]
struct Trouble(Arc<Mutex<Option<(&'static str, String)>>>);

impl Trouble {
    fn note(&self, code: &'static str, reason: String) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert((code, reason));
    }

    fn first(&self) -> Option<(&'static str, String)> {
        let first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.clone()
    }
}

impl OpenDevice {
    /// The error of a call on this device. The browser knows the reason of a loss better, and what it
    /// says of memory.
    pub fn explained(&self, error: swath::Error) -> Failure {
        let seen = match &error {
            swath::Error::DeviceLost { reason, .. } => reason.clone(),
            swath::Error::MissingStamp { .. } => error.to_string(),
            _ => return error.into(),
        };
        let (code, reason) = self.trouble.first().unwrap_or((DEVICE, seen));
        let remedy = "call again, or use the device 'cpu'";
        failure(code, format!("WebGPU failed: {reason}; {remedy}"))
    }
}

impl DeviceSlot {
    /// The device, opened if it is closed or was lost.
    ///
    /// # Errors
    /// [`DEVICE`] with the reason.
    pub async fn open(&self, options: &Options) -> Result<OpenDevice> {
        if let State::Open(device) = &*self.0.borrow()
            && device.trouble.first().is_none()
        {
            return Ok(device.clone());
        }
        let opened = open(options).await;
        *self.0.borrow_mut() = match &opened {
            Ok(device) => State::Open(device.clone()),
            Err(_) => State::None,
        };
        opened
    }

    /// As [`open`](Self::open), without another attempt where one has failed.
    pub async fn open_once(&self, options: &Options) -> Option<OpenDevice> {
        if matches!(&*self.0.borrow(), State::None) {
            return None;
        }
        self.open(options).await.ok()
    }

    /// Closes the device after an error of a call: the next one opens it again.
    pub fn close(&self) {
        *self.0.borrow_mut() = State::Closed;
    }
}

/// True on the thread of a page and in a worker.
fn is_browser() -> bool {
    let has = |scope: &&str| Reflect::has(&js_sys::global(), &(*scope).into()) == Ok(true);
    ["Window", "WorkerGlobalScope"].iter().any(has)
}

async fn open(options: &Options) -> Result<OpenDevice> {
    let unavailable = |reason: String| {
        failure(
            DEVICE,
            format!("there is no device of WebGPU: {reason}; use the device 'cpu'"),
        )
    };
    // wgpu panics elsewhere, as in Node.
    if !is_browser() {
        return Err(unavailable("this is no browser".to_string()));
    }
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::BROWSER_WEBGPU,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let adapter = instance
        .request_adapter(&RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        })
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    let descriptor = DeviceDescriptor {
        label: Some("swath"),
        required_limits: adapter.limits(),
        ..DeviceDescriptor::default()
    };
    let (device, queue) = adapter
        .request_device(&descriptor)
        .await
        .map_err(|error| unavailable(error.to_string()))?;
    let trouble = Trouble::default();
    let lost = trouble.clone();
    device.set_device_lost_callback(move |_, reason| lost.note(DEVICE, reason));
    let uncaptured = trouble.clone();
    device.on_uncaptured_error(Arc::new(move |error: swath::wgpu::Error| {
        let code = match error {
            swath::wgpu::Error::OutOfMemory { .. } => MEMORY,
            _ => DEVICE,
        };
        uncaptured.note(code, error.to_string());
    }));
    let is_hardware = adapter.get_info().device_type != DeviceType::Cpu;
    let host = HostDevice::new(&adapter, device, queue);
    Ok(OpenDevice {
        engine: swath::Engine::on(host, options.clone())?,
        is_hardware,
        trouble,
    })
}
