//! The engine: holds a device and runs tasks on it. Problems bring the tasks; the probe of a device alone runs a kernel of one.

mod device_slot;
mod devices;
mod estimate;
mod job;
pub(crate) mod names;
pub mod options;
mod probe;
pub(crate) mod profile;
pub mod report;
mod selftest;
pub(crate) mod task;
#[cfg(all(test, feature = "gpu"))]
mod tests;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

pub use crate::backend::Device;
#[cfg(feature = "gpu")]
use crate::backend::wgpu::HostDevice;
use crate::backend::{Backend, Capabilities, DeviceChoice};
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::{Error, Result};
use crate::host::simd::check_environment;
use crate::host::threads::{on_threads, threads};
use device_slot::DeviceSlot;
pub use devices::{DeviceInfo, devices};
pub(crate) use estimate::DeviceEstimate;
pub use job::Job;
pub use options::{MOST_THREADS, Options};
pub use report::{PlanSummary, Report, Run};
pub use selftest::SelfTest;
pub(crate) use selftest::{Round, in_rounds, letters};
pub use task::Task;

/// Runs tasks on one device. Clones share the device and everything else; threads may use them at once.
///
/// A call that the device is lost under ends with [`Error::DeviceLost`]; the next call opens it again, unless it is an application's own
/// ([`Engine::on`]).
///
/// NVIDIA's driver for Vulkan (580.159 at least) deadlocks where a thread that has used it ends while another thread drops the last clone
/// of an engine. Threads of jobs never end, and one device is closed at a time. Where the threads that run calls come and go, keep one
/// engine for all of them, or drop it after they have been joined.
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let report = engine.run(&Lcs::of(b"nematode knowledge", b"empty bottle").path())?;
/// assert_eq!(report.length, 7);
/// assert_eq!(report.run.device, "cpu");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Engine(Arc<Inner>);

struct Inner {
    options: Options,
    gpu: Mutex<DeviceSlot>,
    /// CPU threads of its own, where the options limit them.
    threads: Option<ThreadPool>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Inner")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Host memory for boundaries where the options name none.
///
/// [`Options::host_memory`] names another limit.
pub const HOST_MEMORY: u64 = 4 << 30;
/// Device memory where neither the options nor the driver say.
const DEVICE_MEMORY: u64 = 1 << 30;
/// Length of a slice where the options name none.
const SLICE_MS: u32 = 60;
/// The same where an application draws on the device: half a frame.
#[cfg(feature = "gpu")]
const HOST_SLICE_MS: u32 = 8;

impl Engine {
    /// Opens the device that `options` name; with [`DeviceChoice::Auto`] it is opened by the first call that is worth it.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`]; [`Error::UnknownKernel`] where the environment forces kernels that are
    /// not here; [`Error::OutOfRange`] for an option out of its range.
    pub fn new(options: Options) -> Result<Self> {
        let engine = Self::with(DeviceSlot::Unlisted, options)?;
        if !engine.chooses_device() {
            // Nobody else has the engine yet.
            let mut slot = DeviceSlot::Unlisted;
            engine.open_in(&mut slot)?;
            *engine.slot() = slot;
        }
        Ok(engine)
    }

    /// An engine on a device that an application has made and goes on using. Everything is computed there, as if
    /// [`Options::device`] named it, by [`slices`](Options::slice_ms) of 8 ms where the options say nothing else.
    ///
    /// Once the device is lost every call ends with [`Error::DeviceLost`]: the application has to make a new engine.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with what the device lacks; [`Error::UnknownKernel`] and [`Error::OutOfRange`] as
    /// [`new`](Self::new).
    #[cfg(feature = "gpu")]
    pub fn on(host: HostDevice, mut options: Options) -> Result<Self> {
        let gpu = host.open(options.checked, options.portable)?;
        options.slice_ms.get_or_insert(HOST_SLICE_MS);
        Self::on_backend(gpu, options)
    }

    /// An engine on an open device, as if [`Options::device`] named it.
    #[doc(hidden)]
    pub fn on_backend(gpu: Arc<dyn Backend>, mut options: Options) -> Result<Self> {
        options.device = DeviceChoice::Name(gpu.name().to_string());
        Self::with(DeviceSlot::open(gpu), options)
    }

    /// An engine of the same options on another device.
    pub(crate) fn with_device(&self, device: DeviceChoice) -> Result<Self> {
        Self::new(Options {
            device,
            ..self.0.options.clone()
        })
    }

    fn with(gpu: DeviceSlot, options: Options) -> Result<Self> {
        check_environment()?;
        options.check()?;
        let threads = options.threads.map(start_threads).transpose()?;
        Ok(Self(Arc::new(Inner {
            options,
            gpu: Mutex::new(gpu),
            threads,
        })))
    }

    /// Answers a task, on this thread and those of the engine.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`], [`Error::TooManySymbols`], [`Error::InputTooLong`] and [`Error::MethodUnavailable`] before any
    /// work, and what the task names beside them; [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`] where the device that was
    /// named has to be opened again, or refuses a kernel; [`Error::DeviceMemory`], [`Error::HostMemory`], [`Error::DeviceLost`] and
    /// [`Error::MissingStamp`] during it; [`Error::CertificateFailed`] after it; and [`Error::Failed`] for a panic, in the callback of a [`Control`] too.
    pub fn run<T: Task>(&self, task: &T) -> Result<Report<T::Answer>> {
        self.run_with(task, &Control::default())
    }

    /// Answers a task that `control` watches and can end.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`Error::Cancelled`].
    pub fn run_with<T: Task>(&self, task: &T, control: &Control) -> Result<Report<T::Answer>> {
        job::solve(self, task, &control.for_call())
    }

    /// Starts a task on a thread of its own: the [`Job`] can be awaited by any executor, watched and cancelled.
    pub fn start<T: Task + Send + 'static>(&self, task: T) -> Job<T::Answer> {
        self.start_with(task, &Control::default())
    }

    /// Starts a task that `control` watches and can end, too.
    pub fn start_with<T: Task + Send + 'static>(
        &self,
        task: T,
        control: &Control,
    ) -> Job<T::Answer> {
        Job::start(self, task, control)
    }

    /// What [`run`](Self::run) would do: method, device, tiles, memory and expected time.
    ///
    /// It does on the CPU what a call does to decide: it lists the adapters where no call has and the work may be worth a GPU, looks at
    /// all symbols or keys, tries a few wavefronts on a pair, guesses by samples how similar it is, whose small tables it fills, and
    /// measures once in a process the rates of kernels that long work would take. No device is opened, and nothing runs on one.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) that come before any work.
    pub fn plan<T: Task>(&self, task: &T) -> Result<PlanSummary> {
        job::catch_panic(|| task.decide(self))
    }

    /// A device for one call.
    pub(crate) fn device<'a>(
        &'a self,
        backend: &'a dyn Backend,
        control: &'a Control,
        phases: &'a Phases,
    ) -> Device<'a> {
        let (budget_bytes, threads) = (
            self.device_budget_of(backend.capabilities()),
            self.0.threads.as_ref(),
        );
        Device {
            backend,
            budget_bytes,
            slice: self.slice(),
            threads,
            control,
            phases,
        }
    }

    /// Device memory that plans may take.
    pub(crate) fn device_budget_of(&self, capabilities: &Capabilities) -> u64 {
        let reported = capabilities.memory_bytes.map(|bytes| bytes / 4 * 3);
        self.0
            .options
            .device_memory
            .or(reported)
            .unwrap_or(DEVICE_MEMORY)
    }

    /// Host memory that boundaries may take.
    pub(crate) fn host_budget(&self) -> u64 {
        self.0.options.host_memory.unwrap_or(HOST_MEMORY)
    }

    /// Whether the host may hold `needed` bytes of `what`.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`].
    pub(crate) fn check_host_budget(&self, what: &str, needed: u128) -> Result<()> {
        let limit = self.host_budget();
        if needed <= u128::from(limit) {
            return Ok(());
        }
        let needed = u64::try_from(needed).unwrap_or(u64::MAX);
        Err(Error::MemoryBudget {
            what: what.to_string(),
            needed,
            limit,
            smallest: needed,
        })
    }

    /// Whether the host may hold the table of a reference.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`].
    pub(crate) fn check_reference(&self, bytes: u128) -> Result<()> {
        self.check_host_budget("the whole table of the method 'reference'", bytes)
    }

    /// How long one submission should hold the device.
    pub(crate) fn slice(&self) -> Duration {
        Duration::from_millis(u64::from(self.0.options.slice_ms.unwrap_or(SLICE_MS)))
    }

    /// Runs CPU work on this engine's threads.
    pub(crate) fn on_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        on_threads(self.0.threads.as_ref(), work)
    }

    /// How many CPU threads work.
    pub(crate) fn threads(&self) -> usize {
        threads(self.0.threads.as_ref())
    }
}

/// The CPU's name as a device.
pub(crate) const CPU: &str = "cpu";

/// The error of a thread that the system does not start.
fn no_thread(error: &std::io::Error) -> Error {
    Error::Failed(format!("no thread could be started: {error}"))
}

fn start_threads(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::DeviceUnavailable {
        device: CPU.to_string(),
        reason: format!("{threads} threads cannot be started: {error}"),
    })
}
