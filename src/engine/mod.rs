//! The engine: owns a device and runs tasks on it.
//!
//! The engine knows no problem, with one exception: the probe of a device runs an LCS kernel.

mod device_slot;
mod devices;
mod estimate;
mod job;
pub mod options;
pub(crate) mod placement;
mod probe;
pub(crate) mod profile;
pub mod report;
mod selftest;
pub(crate) mod several;
pub(crate) mod task;
#[cfg(all(test, feature = "gpu"))]
mod tests;

use std::sync::Arc;
use std::time::Duration;

pub use crate::backend::Device;
#[cfg(feature = "gpu")]
use crate::backend::wgpu::HostDevice;
use crate::backend::{Backend, Capabilities, DeviceChoice};
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::{Error, Result};
use crate::host::memory::available_bytes;
use crate::host::simd::check_environment;
use crate::host::threads::{Pool, on_threads, threads};
use device_slot::{DeviceSlot, GpuSlot};
pub use devices::{DeviceInfo, devices};
pub(crate) use estimate::DeviceEstimate;
pub use job::Job;
pub use options::{MOST_THREADS, Options};
pub use report::{PlanSummary, Report, Run};
pub use selftest::SelfTest;
pub(crate) use selftest::{Round, difference, in_rounds, letters, with_and_without_path};
pub use task::Task;

/// Devices, CPU threads and their options, on which tasks run.
///
/// Clones share all of it. Any number of threads may run tasks at the same time. An engine has one
/// GPU, or [several](Options::devices), which divide long lists, joins and searches; another call
/// takes the one with the fewest calls.
///
/// A call whose device is lost ends with [`Error::DeviceLost`], and the next call opens the device
/// again. A device of the application ([`Engine::on`]) is not opened again.
///
/// In a child of `fork` an engine starts CPU threads of its own. Its GPU does not work there: a
/// named one ends with [`Error::DeviceUnavailable`], and one chosen by the engine is replaced by
/// the CPU. Do not fork while another thread runs a call.
///
/// NVIDIA's Vulkan driver deadlocks if a thread that has used it ends while another thread drops
/// the last clone of an engine: if threads that run calls come and go, share one engine among them,
/// or drop it after they are joined (see `docs/drivers.md`).
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
pub struct Engine {
    inner: Arc<Inner>,
    /// Index of the GPU that this call may use; `None` on the CPU alone.
    gpu: Option<usize>,
}

struct Inner {
    options: Options,
    /// In bytes.
    host_memory: u64,
    /// At least one, which may be empty.
    gpus: Vec<GpuSlot>,
    /// CPU threads of this engine; `None` for the global pool.
    threads: Option<Pool>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Inner")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Maximum of [`default_host_memory`] in bytes: 4 GiB.
pub const HOST_MEMORY: u64 = 4 << 30;

/// Default of [`Options::host_memory`] in bytes: the least of [`HOST_MEMORY`], the physical memory,
/// and what the limits of this process (`ulimit -v`, control groups) leave it. The limits are known
/// on Linux.
pub fn default_host_memory() -> u64 {
    available_bytes().map_or(HOST_MEMORY, |bytes| bytes.min(HOST_MEMORY))
}

/// Blocks this thread until the future is ready: the only place where the library does so. A
/// callback that blocks while it is polled loses no wake-up.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    pollster::block_on(future)
}

/// Device memory in bytes if neither the options nor the driver give it.
const DEVICE_MEMORY: u64 = 1 << 30;
/// Default of [`Options::slice_ms`].
const SLICE_MS: u32 = 60;
/// Default on a device of the application: half a frame.
#[cfg(feature = "gpu")]
const HOST_SLICE_MS: u32 = 8;

impl Engine {
    /// Creates an engine on the device named by `options`.
    ///
    /// With [`DeviceChoice::Auto`] the device is opened later, by the first call that is expected
    /// to be faster on it.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`]; [`Error::UnknownKernel`] if the
    /// environment forces SIMD instructions that this processor lacks; [`Error::OutOfRange`] for an
    /// option out of its range.
    pub fn new(options: Options) -> Result<Self> {
        let gpus = GpuSlot::of(&options.device)?;
        let engine = Self::with(gpus, options)?;
        if !engine.chooses_device() {
            // No other thread has the engine yet.
            for gpu in 0..engine.inner.gpus.len() {
                let engine = engine.on_gpu(Some(gpu));
                let mut slot = DeviceSlot::Unlisted;
                engine.open_in(&mut slot)?;
                *engine.slot() = slot;
            }
        }
        Ok(engine)
    }

    /// Creates an engine on a device of the application, which may go on using it.
    ///
    /// All tasks run on this device, as if [`Options::device`] named it. The default of
    /// [`Options::slice_ms`] is 8 here.
    ///
    /// After a loss of the device every call ends with [`Error::DeviceLost`]; the application has
    /// to create a new engine.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] with the feature or limit that the device lacks;
    /// [`Error::UnknownKernel`] and [`Error::OutOfRange`] as for [`new`](Self::new).
    #[cfg(feature = "gpu")]
    pub fn on(host: HostDevice, mut options: Options) -> Result<Self> {
        let gpu = host.open(options.checked, options.portable)?;
        options.slice_ms.get_or_insert(HOST_SLICE_MS);
        Self::on_backend(Arc::new(gpu), options)
    }

    /// Creates an engine on an open device, as if [`Options::device`] named it.
    #[doc(hidden)]
    pub fn on_backend(gpu: Arc<dyn Backend>, mut options: Options) -> Result<Self> {
        options.device = DeviceChoice::Name(gpu.name().to_string());
        let gpu = GpuSlot::new(options.device.clone(), DeviceSlot::open(gpu));
        Self::with(vec![gpu], options)
    }

    /// Creates an engine with the same options on another device.
    pub(crate) fn with_device(&self, device: DeviceChoice) -> Result<Self> {
        Self::new(Options {
            device,
            ..self.inner.options.clone()
        })
    }

    fn with(gpus: Vec<GpuSlot>, options: Options) -> Result<Self> {
        check_environment()?;
        options.check()?;
        let threads = options.threads.map(start_threads).transpose()?;
        Ok(Self::of(gpus, options, threads))
    }

    fn of(gpus: Vec<GpuSlot>, options: Options, threads: Option<Pool>) -> Self {
        let inner = Inner {
            host_memory: options.host_memory.unwrap_or_else(default_host_memory),
            options,
            gpus,
            threads,
        };
        let (inner, gpu) = (Arc::new(inner), Some(0));
        Self { inner, gpu }
    }

    /// The same engine on one of its GPUs; on the CPU alone with `None`.
    fn on_gpu(&self, gpu: Option<usize>) -> Self {
        let inner = self.inner.clone();
        Self { inner, gpu }
    }

    /// The same engine without its GPUs.
    pub(crate) fn on_cpu(&self) -> Self {
        self.on_gpu(None)
    }

    /// Runs a task on this thread and the threads of the engine.
    ///
    /// # Errors
    /// - Before any work: [`Error::MemoryBudget`], [`Error::TooManySymbols`],
    ///   [`Error::InputTooLong`], [`Error::MethodUnavailable`], and the errors of the task.
    /// - [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`] if the named device has to be
    ///   opened again or rejects a kernel.
    /// - During the work: [`Error::DeviceMemory`], [`Error::HostMemory`], [`Error::DeviceLost`] and
    ///   [`Error::MissingStamp`].
    /// - After it: [`Error::CertificateFailed`].
    /// - [`Error::Failed`] for a panic, also of the callback of a [`Control`].
    pub fn run<T: Task>(&self, task: &T) -> Result<Report<T::Answer>> {
        self.run_with(task, &Control::default())
    }

    /// Runs a task that reports progress to `control` and can be cancelled by it.
    ///
    /// # Errors
    /// Errors of [`run`](Self::run), and [`Error::Cancelled`].
    pub fn run_with<T: Task>(&self, task: &T, control: &Control) -> Result<Report<T::Answer>> {
        wait(self.run_async_with(task, control))
    }

    /// Runs a task without blocking this thread while a GPU works. Work on the CPU is done while
    /// the future is polled, and so are closures of the task: where the polling thread must never
    /// be busy, such as that of a user interface, [start](Self::start) the task instead.
    ///
    /// Dropping the future ends the call.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    ///
    /// ```
    /// # async fn length(engine: &swath::Engine) -> swath::Result<u64> {
    /// let task = swath::Lcs::of(b"nematode knowledge", b"empty bottle");
    /// Ok(engine.run_async(&task).await?.length)
    /// # }
    /// # let engine = swath::Engine::new(swath::Options::default())?;
    /// # assert_eq!(pollster::block_on(length(&engine))?, 7);
    /// # Ok::<(), swath::Error>(())
    /// ```
    pub async fn run_async<T: Task>(&self, task: &T) -> Result<Report<T::Answer>> {
        self.run_async_with(task, &Control::default()).await
    }

    /// As [`run_async`](Self::run_async), with progress and cancellation as in
    /// [`run_with`](Self::run_with).
    ///
    /// # Errors
    /// As [`run_with`](Self::run_with).
    pub async fn run_async_with<T: Task>(
        &self,
        task: &T,
        control: &Control,
    ) -> Result<Report<T::Answer>> {
        job::solve(self, task, &control.for_call()).await
    }

    /// Starts a task on another thread. The [`Job`] can be awaited, polled and cancelled.
    pub fn start<T: Task + Send + 'static>(&self, task: T) -> Job<T::Answer> {
        self.start_with(task, &Control::default())
    }

    /// Starts a task that also reports progress to `control` and can be cancelled by it.
    pub fn start_with<T: Task + Send + 'static>(
        &self,
        task: T,
        control: &Control,
    ) -> Job<T::Answer> {
        Job::start(self, task, control)
    }

    /// Plans a task without running it: method, device, tiles, memory and expected time.
    ///
    /// Planning runs on the CPU and opens no device. It lists the adapters if the work may be worth
    /// a GPU and no call has listed them. It reads all symbols or keys, runs a few wavefronts of a
    /// pair, and estimates the similarity of a pair from samples. For long work it measures the
    /// throughput of CPU kernels, once per process.
    ///
    /// # Errors
    /// Errors of [`run`](Self::run) before any work.
    pub fn plan<T: Task>(&self, task: &T) -> Result<PlanSummary> {
        job::catch_panic(|| task.decide(self))
    }

    /// The device as one call sees it.
    pub(crate) fn device<'a>(
        &'a self,
        backend: &'a dyn Backend,
        control: &'a Control,
        phases: &'a Phases,
    ) -> Device<'a> {
        let (budget_bytes, threads) = (
            self.device_budget_of(backend.capabilities()),
            self.inner.threads.as_ref(),
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

    pub(crate) fn device_budget_of(&self, capabilities: &Capabilities) -> u64 {
        let reported = capabilities.memory_bytes.map(|bytes| bytes / 4 * 3);
        self.inner
            .options
            .device_memory
            .or(reported)
            .unwrap_or(DEVICE_MEMORY)
    }

    /// In bytes.
    pub(crate) fn host_budget(&self) -> u64 {
        self.inner.host_memory
    }

    /// Checks that `needed` bytes of `what` fit the host budget.
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

    /// Checks that the table of the method `reference` fits the host budget.
    pub(crate) fn check_reference(&self, bytes: u128) -> Result<()> {
        self.check_host_budget("the whole table of the method 'reference'", bytes)
    }

    pub(crate) fn slice(&self) -> Duration {
        Duration::from_millis(u64::from(self.inner.options.slice_ms.unwrap_or(SLICE_MS)))
    }

    /// Runs CPU work on this engine's threads.
    pub(crate) fn on_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        on_threads(self.inner.threads.as_ref(), work)
    }

    pub(crate) fn threads(&self) -> usize {
        threads(self.inner.threads.as_ref())
    }
}

pub(crate) const CPU: &str = "cpu";

/// Error for a thread that the system refuses to start.
fn no_thread(error: &std::io::Error) -> Error {
    Error::DeviceUnavailable {
        device: CPU.to_string(),
        reason: format!("the system refuses a thread: {error}; raise its limit (ulimit -u)"),
    }
}

fn start_threads(threads: usize) -> Result<Pool> {
    Pool::start(threads).map_err(|error| Error::DeviceUnavailable {
        device: CPU.to_string(),
        reason: format!(
            "{threads} threads cannot be started: {error}; ask for fewer, or raise the limit of \
             processes (ulimit -u)"
        ),
    })
}

#[cfg(test)]
impl Engine {
    pub(crate) fn cpu() -> Self {
        Self::new(Options::new().device(DeviceChoice::Cpu)).expect("the CPU is always here")
    }
}
