//! Devices that the tests of a module share. Software drivers keep about 3 MB a kernel, so a device is
//! closed once tests of another module run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use swath::unstable::backend::{self, Backend, Capabilities, DeviceSession, Interface, Shared};
use swath::unstable::call::phases::Phases;
use swath::unstable::engine::Device;
use swath::{Engine, Options};

use super::{Gpu, gpu_options};

/// An open device, until it is closed.
#[derive(Debug)]
struct Closing {
    name: String,
    interface: Option<Interface>,
    described: Option<String>,
    capabilities: Capabilities,
    shared: Arc<Shared>,
    open: Mutex<Option<Arc<dyn Backend>>>,
}

impl Backend for Closing {
    fn name(&self) -> &str {
        &self.name
    }

    fn interface(&self) -> Option<Interface> {
        self.interface
    }

    fn described(&self) -> Option<String> {
        self.described.clone()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn open_session(&self) -> swath::Result<Box<dyn DeviceSession>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let device = open.clone().expect("open while a test of its module runs");
        drop(open);
        device.open_session()
    }
}

/// The devices of a module: one for calls of an engine, and one for tests that take turns.
#[derive(Default)]
struct Module {
    tests: usize,
    engine: Option<(&'static Engine, Arc<Closing>)>,
    turns: Option<(&'static Mutex<Gpu>, Arc<Closing>)>,
}

static MODULES: Mutex<Option<HashMap<String, Module>>> = Mutex::new(None);

/// Calls `change` with the module of the test on this thread. Threads of libtest have the names of
/// their tests; all others share a module.
fn with_module<T>(change: impl FnOnce(&mut Module) -> T) -> T {
    TEST.with(|test| {
        let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        change(
            modules
                .get_or_insert_default()
                .entry(test.0.clone())
                .or_default(),
        )
    })
}

/// A test that may use devices, by its module.
struct Test(String);

thread_local! {
    static TEST: Test = Test::start();
}

impl Test {
    fn start() -> Self {
        let thread = thread::current();
        let path = thread.name().and_then(|name| name.rsplit_once("::"));
        let name = path.map_or_else(String::new, |(module, _)| module.to_string());
        let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        let modules = modules.get_or_insert_default();
        modules.entry(name.clone()).or_default().tests += 1;
        modules.retain(|other, module| {
            let is_used = module.tests > 0 || *other == name;
            if !is_used {
                let engine = module.engine.iter().map(|(_, device)| device);
                for device in engine.chain(module.turns.iter().map(|(_, device)| device)) {
                    let mut open = device.open.lock().unwrap_or_else(PoisonError::into_inner);
                    *open = None;
                }
            }
            is_used
        });
        Self(name)
    }
}

impl Drop for Test {
    fn drop(&mut self) {
        let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.get_or_insert_default().get_mut(&self.0) {
            module.tests -= 1;
        }
    }
}

fn open() -> Option<Arc<Closing>> {
    let chosen = backend::choose(&gpu_options()?.device)
        .expect("it is listed")
        .expect("no CPU");
    let device = chosen.open(true, false).expect("the adapter opens");
    Some(Arc::new(Closing {
        name: device.name().to_string(),
        interface: device.interface(),
        described: device.described(),
        capabilities: *device.capabilities(),
        shared: device.shared().clone(),
        open: Mutex::new(Some(device)),
    }))
}

/// The engine that the tests of a module share; `None` skips the test.
pub fn gpu() -> Option<&'static Engine> {
    let options = gpu_options()?;
    with_module(|module| {
        if module.engine.is_none() {
            let device = open()?;
            let engine = Engine::on_backend(device.clone(), options).expect("the adapter opens");
            module.engine = Some((Box::leak(Box::new(engine)), device));
        }
        module.engine.as_ref().map(|(engine, _)| *engine)
    })
}

/// An engine with other options on the device that the tests of a module share, so that no kernel is
/// built again; `None` skips the test.
pub fn gpu_with(options: Options) -> Option<Engine> {
    gpu()?;
    with_module(|module| {
        let (_, device) = module.engine.as_ref()?;
        Some(Engine::on_backend(device.clone(), options).expect("the options are in range"))
    })
}

/// The adapter as a backend, for one test at a time, as budgets count all allocations on it. A failed
/// test leaves it usable; `None` skips the test.
pub fn lock_gpu() -> Option<MutexGuard<'static, Gpu>> {
    let gpu = with_module(|module| {
        if module.turns.is_none() {
            let device = open()?;
            let gpu = Mutex::new(Gpu(device.clone()));
            module.turns = Some((Box::leak(Box::new(gpu)), device));
        }
        module.turns.as_ref().map(|(gpu, _)| *gpu)
    })?;
    Some(gpu.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A device of a backend, without an engine, for one call. Its control and phases are never freed.
pub fn device(backend: &dyn Backend) -> Device<'_> {
    Device {
        backend,
        budget_bytes: 1 << 30,
        slice: Duration::from_millis(60),
        threads: None,
        control: Box::leak(Box::default()),
        phases: Box::leak(Box::new(Phases::start())),
    }
}
