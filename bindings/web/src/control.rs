//! Progress and cancellation of a call.

use std::rc::Rc;

use js_sys::{Function, Object, Reflect};
use swath::{CancelHandle, Control, Progress};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};

use crate::arguments::Given;
use crate::failure::{Result, invalid};

#[wasm_bindgen]
extern "C" {
    /// `AbortSignal`, whether of a browser or of Node.
    type AbortSignal;

    #[wasm_bindgen(method, getter)]
    fn aborted(this: &AbortSignal) -> bool;

    #[wasm_bindgen(method, js_name = addEventListener)]
    fn add_event_listener(this: &AbortSignal, event: &str, listener: &Function);

    #[wasm_bindgen(method, js_name = removeEventListener)]
    fn remove_event_listener(this: &AbortSignal, event: &str, listener: &Function);
}

/// Minimum time between two reports in milliseconds.
const REPORT_MS: f64 = 40.0;

/// A value of the only thread.
struct OfThisThread<T>(T);

// SAFETY: a module without shared memory has one thread.
unsafe impl<T> Send for OfThisThread<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for OfThisThread<T> {}

impl<T> OfThisThread<T> {
    fn get(&self) -> &T {
        &self.0
    }
}

/// Control of one call. Listens to the signal until it is dropped.
pub struct CallControl {
    pub control: Control,
    listener: Option<(AbortSignal, Closure<dyn FnMut()>)>,
}

impl CallControl {
    /// # Errors
    /// If `onProgress` is no function.
    pub fn new(options: &Given) -> Result<Self> {
        let cancel = CancelHandle::new();
        let mut control = Control::default().cancelled_by(&cancel);
        if let Some(callback) = options.get("onProgress") {
            let Ok(callback) = callback.dyn_into::<Function>() else {
                return Err(invalid("the option 'onProgress' is no function"));
            };
            control = control.on_progress(reporter(callback));
        }
        let listener = options.get("signal").map(|signal| {
            let signal = signal.unchecked_into::<AbortSignal>();
            if signal.aborted() {
                cancel.cancel();
            }
            let listener = Closure::<dyn FnMut()>::new(move || cancel.cancel());
            signal.add_event_listener("abort", listener.as_ref().unchecked_ref());
            (signal, listener)
        });
        Ok(Self { control, listener })
    }
}

impl Drop for CallControl {
    fn drop(&mut self) {
        if let Some((signal, listener)) = &self.listener {
            signal.remove_event_listener("abort", listener.as_ref().unchecked_ref());
        }
    }
}

fn reporter(callback: Function) -> impl Fn(Progress) + Send + Sync + 'static {
    let state = OfThisThread((callback, Rc::new(std::cell::Cell::new(0.0))));
    move |progress| {
        let (callback, last) = state.get();
        let now = js_sys::Date::now();
        if progress.fraction < 1.0 && now - last.get() < REPORT_MS {
            return;
        }
        last.set(now);
        let report = Object::new();
        for (name, value) in [
            ("fraction", progress.fraction),
            ("done", progress.done as f64),
            ("total", progress.total as f64),
        ] {
            let _ = Reflect::set(&report, &name.into(), &value.into());
        }
        // Its exceptions are its own.
        let _ = callback.call1(&JsValue::undefined(), &report);
    }
}
