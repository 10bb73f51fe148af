//! The engine: picks the device, runs plans, and is what callers hold.

mod device;
mod devices;
pub mod options;
pub mod report;
pub mod slices;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::backend::Backend;
use crate::backend::wgpu::{Gpu, adapter};
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::edit_distance::{self, EditDistance, EditOptions};
use crate::error::{Error, Result};
use crate::host::threads::on_threads;
use crate::lcs::{self, Lcs, LcsOptions, PlanSummary};
use crate::pairwise::bit_parallel::gpu::tiling::MAX_SYMBOLS;
use crate::pairwise::codes::Symbol;
use crate::parenthesization::{self, Parenthesization, ParenthesizationOptions, Problem};
use crate::supersequence::{self, Scs, ScsOptions};
pub use device::{Device, Ran};
pub use devices::{DeviceInfo, devices};
pub use options::{DeviceChoice, Interface, MOST_THREADS, Options};

/// Solves problems on one device. Share it between threads by reference or in an [`Arc`].
///
/// Calls that a device is lost under end with [`Error::DeviceLost`]; the next call opens it again.
///
/// ```
/// let engine = swath::Engine::new(swath::Options::default())?;
/// assert_eq!(engine.lcs(b"nematode knowledge", b"empty bottle")?.length, 7);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    options: Options,
    gpu: Mutex<Opened>,
    /// CPU threads of its own, where the options limit them.
    threads: Option<ThreadPool>,
}

/// What is known of the GPU.
#[derive(Debug)]
enum Opened {
    /// Nobody has needed it yet.
    NotYet,
    /// There is none, or the CPU was asked for.
    None,
    /// Ready.
    Gpu(Arc<Gpu>),
}

/// Cells below which opening a GPU costs more than the CPU code takes.
const WORTH_OPENING: u128 = 1 << 35;
/// Cells below which even an open GPU is slower than the CPU code.
const WORTH_SENDING: u128 = 1 << 30;
/// Host memory for boundaries where the options name none.
pub const HOST_MEMORY: u64 = 4 << 30;
/// Device memory where neither the options nor the driver say.
const DEVICE_MEMORY: u64 = 1 << 30;
/// Length of a slice where the options name none.
const SLICE_MS: u32 = 60;

impl Engine {
    /// Opens the device that `options` name; with [`DeviceChoice::Auto`] it is opened by the first call that is worth it.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`].
    pub fn new(options: Options) -> Result<Self> {
        let threads = options.threads.map(start_threads).transpose()?;
        let gpu = match options.device {
            DeviceChoice::Auto => Opened::NotYet,
            _ => open(&options)?,
        };
        Ok(Self { options, gpu: Mutex::new(gpu), threads })
    }

    /// The length of the longest common subsequence. Two empty sequences have length 0.
    ///
    /// # Errors
    /// As [`lcs_with`](Self::lcs_with).
    pub fn lcs<S: Symbol>(&self, a: &[S], b: &[S]) -> Result<Lcs> {
        self.lcs_with(a, b, &LcsOptions::default())
    }

    /// The length, and the subsequence where `options.path` asks for it.
    ///
    /// Cost: `a.len() * b.len() / 31` limb steps at most; inputs that differ little cost the square of what they differ by.
    ///
    /// Of all longest common subsequences it gives the same one on every device and by every method: the common prefix and
    /// then the common suffix are paired; between them, walking back from the ends, symbols of the longer rest (of `a` where
    /// they are equally long) are dropped while that costs nothing, then a pair is taken, then a symbol of the other dropped.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`], [`Error::TooManySymbols`], [`Error::InputTooLong`] and [`Error::MethodUnavailable`] before any
    /// work; [`Error::Cancelled`], [`Error::DeviceLost`] and [`Error::MissingStamp`] during it;
    /// [`Error::CertificateFailed`] after it.
    pub fn lcs_with<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<Lcs> {
        pollster::block_on(self.lcs_async(a, b, options))
    }

    /// [`lcs_with`](Self::lcs_with) for callers that have an executor. GPU work is awaited; CPU work runs inside the poll.
    ///
    /// # Errors
    /// As [`lcs_with`](Self::lcs_with).
    pub async fn lcs_async<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<Lcs> {
        lcs::solve(self, a, b, options).await
    }

    /// What [`lcs_with`](Self::lcs_with) would do at most: method, device, tiles, memory and expected time. Nothing is
    /// computed, so inputs that turn out similar take less.
    ///
    /// # Errors
    /// Those of [`lcs_with`](Self::lcs_with) that come before any work.
    pub fn lcs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &LcsOptions) -> Result<PlanSummary> {
        pollster::block_on(lcs::summarize(self, a, b, options))
    }

    /// The edit distance with unit costs. Two empty sequences have the distance 0.
    ///
    /// # Errors
    /// As [`edit_distance_with`](Self::edit_distance_with).
    pub fn edit_distance<S: Symbol>(&self, a: &[S], b: &[S]) -> Result<EditDistance> {
        self.edit_distance_with(a, b, &EditOptions::default())
    }

    /// The distance, and the alignment where `options.path` asks for it; `a` is the query, `b` the target.
    ///
    /// Cost: `a.len() * b.len() / 63` limb steps at most; inputs that differ little cost their length times what they differ by,
    /// and a search for a piece within `k` edits about `3 * k * b.len() / 63` and `a.len() * a.len() / 63` for each that is near.
    ///
    /// Of all best alignments it gives the same one on every device and by every method: the common prefix and then the common
    /// suffix are paired; between them, walking back from the ends, a symbol of the longer rest (of `a` where they are equally
    /// long) is dropped where that is best, else the two symbols stand opposite each other where they are equal or that is no
    /// worse than dropping a symbol of the other, else that is dropped. Where pieces of `b` are compared, it is the alignment
    /// to the piece that ends first, and of those to the longest. `options.gaps` then moves its gaps.
    ///
    /// # Errors
    /// [`Error::DistanceBound`], [`Error::EmptyQuery`], [`Error::MemoryBudget`], [`Error::TooManySymbols`],
    /// [`Error::InputTooLong`] and [`Error::MethodUnavailable`] before any work; [`Error::Cancelled`], [`Error::DeviceLost`] and
    /// [`Error::MissingStamp`] during it; [`Error::CertificateFailed`] after it.
    pub fn edit_distance_with<S: Symbol>(&self, a: &[S], b: &[S], options: &EditOptions) -> Result<EditDistance> {
        pollster::block_on(self.edit_distance_async(a, b, options))
    }

    /// [`edit_distance_with`](Self::edit_distance_with) for callers that have an executor. GPU work is awaited; CPU work runs
    /// inside the poll.
    ///
    /// # Errors
    /// As [`edit_distance_with`](Self::edit_distance_with).
    pub async fn edit_distance_async<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<EditDistance> {
        edit_distance::solve(self, a, b, options).await
    }

    /// What [`edit_distance_with`](Self::edit_distance_with) would do at most: method, device, tiles, memory and expected time.
    /// Nothing is computed, so inputs that turn out similar take less.
    ///
    /// # Errors
    /// Those of [`edit_distance_with`](Self::edit_distance_with) that come before any work.
    pub fn edit_distance_plan<S: Symbol>(
        &self,
        a: &[S],
        b: &[S],
        options: &EditOptions,
    ) -> Result<edit_distance::PlanSummary> {
        pollster::block_on(edit_distance::summarize(self, a, b, options))
    }

    /// The length of the shortest common supersequence of two sequences. Two empty ones have length 0.
    ///
    /// ```
    /// let engine = swath::Engine::new(swath::Options::default())?;
    /// assert_eq!(engine.scs(b"cab", b"abac")?.length, 5);
    /// # Ok::<(), swath::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`scs_with`](Self::scs_with).
    pub fn scs<S: Symbol>(&self, a: &[S], b: &[S]) -> Result<Scs> {
        self.scs_with(a, b, &ScsOptions::default())
    }

    /// The length, and the supersequence where `options.path` asks for it.
    ///
    /// Cost: by default that of [`lcs_with`](Self::lcs_with), and one step a symbol for the string.
    ///
    /// Of all shortest common supersequences it gives the same one on every device and by every method: it has once what the
    /// subsequence of [`lcs_with`](Self::lcs_with) pairs, and before each pair the symbols that only `a` has, then those that only
    /// `b` has.
    ///
    /// # Errors
    /// As [`lcs_with`](Self::lcs_with).
    pub fn scs_with<S: Symbol>(&self, a: &[S], b: &[S], options: &ScsOptions) -> Result<Scs> {
        pollster::block_on(self.scs_async(a, b, options))
    }

    /// [`scs_with`](Self::scs_with) for callers that have an executor.
    ///
    /// # Errors
    /// As [`lcs_with`](Self::lcs_with).
    pub async fn scs_async<S: Symbol>(&self, a: &[S], b: &[S], options: &ScsOptions) -> Result<Scs> {
        supersequence::solve(self, a, b, options).await
    }

    /// What [`scs_with`](Self::scs_with) would do at most.
    ///
    /// # Errors
    /// Those of [`scs_with`](Self::scs_with) that come before any work.
    pub fn scs_plan<S: Symbol>(&self, a: &[S], b: &[S], options: &ScsOptions) -> Result<supersequence::PlanSummary> {
        pollster::block_on(supersequence::summarize(self, a, b, options))
    }

    /// A common supersequence of several sequences: the shortest where [`Scs::exact`] says so, else one that a heuristic found,
    /// with a lower bound beside it. Two sequences are solved as by [`scs_with`](Self::scs_with).
    ///
    /// Cost: the longest common subsequences of all pairs; where the table with a dimension for each input is small, its cells
    /// times the square of the number of inputs.
    ///
    /// # Errors
    /// As [`scs_with`](Self::scs_with); [`Error::MethodUnavailable`] where the method compares two sequences and there are more.
    pub fn scs_many<S: Symbol>(&self, inputs: &[&[S]], options: &ScsOptions) -> Result<Scs> {
        pollster::block_on(supersequence::many::solve(self, inputs, options))
    }

    /// What [`scs_many`](Self::scs_many) would do at most.
    ///
    /// # Errors
    /// Those of [`scs_many`](Self::scs_many) that come before any work.
    pub fn scs_many_plan<S: Symbol>(
        &self,
        inputs: &[&[S]],
        options: &ScsOptions,
    ) -> Result<supersequence::PlanSummary> {
        pollster::block_on(supersequence::many::summarize(self, inputs, options))
    }

    /// The best tree over the problem's leaves and its cost. No leaf costs nothing, one leaf has no inner node.
    ///
    /// Cost: `leaves^3 / 6` splits; O(n log n) where the weights are a product of three dimensions. The tree is proven: its cost is
    /// recomputed from the problem's own weights.
    ///
    /// Of all best trees the methods that fill a table give the same one on every device: from the root on a range is an
    /// enclosure where that is best, else it is split at the least `k`. Hu and Shing's method has its own choice, the same
    /// everywhere; it is the default where it applies, on every device.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`], [`Error::InputTooLong`] and [`Error::MethodUnavailable`] before any work; [`Error::Cancelled`],
    /// [`Error::DeviceLost`] and [`Error::MissingStamp`] during it; [`Error::CostOverflow`] and
    /// [`Error::CertificateFailed`] after it.
    pub fn parenthesize<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<Parenthesization<P::Value>> {
        pollster::block_on(self.parenthesize_async(problem, options))
    }

    /// [`parenthesize`](Self::parenthesize) for callers that have an executor. CPU work runs inside the poll.
    ///
    /// # Errors
    /// As [`parenthesize`](Self::parenthesize).
    pub async fn parenthesize_async<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<Parenthesization<P::Value>> {
        parenthesization::solve(self, problem, options).await
    }

    /// What [`parenthesize`](Self::parenthesize) would do: method, device, tiles, memory and expected time. Nothing is computed.
    ///
    /// # Errors
    /// Those of [`parenthesize`](Self::parenthesize) that come before any work.
    pub fn parenthesize_plan<P: Problem>(
        &self,
        problem: &P,
        options: &ParenthesizationOptions,
    ) -> Result<parenthesization::PlanSummary> {
        parenthesization::summarize(self, problem, options)
    }

    /// Known answers for every kernel variant on this engine's device. One to two seconds: kernels are built on all threads.
    ///
    /// # Errors
    /// What opening the device returns; a wrong answer is a [`SelfTest`] that did not pass.
    pub fn selftest(&self) -> Result<Vec<SelfTest>> {
        let gpu = self.gpu(u128::MAX)?;
        let backend = gpu.as_deref().map(|gpu| gpu as &dyn Backend);
        type Tests = fn(&Engine, Option<&dyn Backend>) -> Vec<SelfTest>;
        let problems: [Tests; 4] =
            [lcs::selftest, edit_distance::selftest, supersequence::selftest, parenthesization::selftest];
        Ok(self.on_threads(|| problems.into_par_iter().flat_map(|selftest| selftest(self, backend)).collect()))
    }

    /// The GPU, where this engine has one and `cells` are worth it. One that was lost is opened again.
    pub(crate) fn gpu(&self, cells: u128) -> Result<Option<Arc<Gpu>>> {
        if !self.worth_sending(cells) {
            return Ok(None);
        }
        let mut opened = self.gpu.lock().unwrap_or_else(PoisonError::into_inner);
        match &*opened {
            Opened::NotYet if cells < WORTH_OPENING => {}
            Opened::NotYet => *opened = open(&self.options)?,
            Opened::Gpu(gpu) if gpu.is_lost() => *opened = open(&self.options)?,
            Opened::None | Opened::Gpu(_) => {}
        }
        Ok(match &*opened {
            Opened::Gpu(gpu) => Some(gpu.clone()),
            Opened::NotYet | Opened::None => None,
        })
    }

    /// The GPU, where it is open already and `cells` are worth it.
    pub(crate) fn open_gpu(&self, cells: u128) -> Option<Arc<Gpu>> {
        match &*self.gpu.lock().unwrap_or_else(PoisonError::into_inner) {
            Opened::Gpu(gpu) if self.worth_sending(cells) => Some(gpu.clone()),
            _ => None,
        }
    }

    fn worth_sending(&self, cells: u128) -> bool {
        !self.chooses_device() || cells >= WORTH_SENDING
    }

    /// The GPU, but where the engine chose it and it has too few codes for the symbols of a call: the CPU's code answers there.
    pub(crate) fn with_codes_for<G>(&self, shared: u32, gpu: Option<G>) -> Option<G> {
        gpu.filter(|_| shared <= MAX_SYMBOLS || !self.chooses_device())
    }

    /// Whether the device is this engine's own choice.
    pub(crate) fn chooses_device(&self) -> bool {
        self.options.device == DeviceChoice::Auto
    }

    /// A device for one call.
    pub(crate) fn device<'a>(
        &'a self,
        backend: &'a dyn Backend,
        control: &'a Control,
        phases: &'a Phases,
    ) -> Device<'a> {
        let (budget_bytes, threads) = (self.device_budget(backend), self.threads.as_ref());
        Device { backend, budget_bytes, slice: self.slice(), threads, control, phases }
    }

    /// Device memory that plans may take.
    pub(crate) fn device_budget(&self, backend: &dyn Backend) -> u64 {
        let reported = backend.capabilities().memory_bytes.map(|bytes| bytes / 4 * 3);
        self.options.device_memory.or(reported).unwrap_or(DEVICE_MEMORY)
    }

    /// Host memory that boundaries may take.
    pub(crate) fn host_budget(&self) -> u64 {
        self.options.host_memory.unwrap_or(HOST_MEMORY)
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
        Err(Error::MemoryBudget { what: what.to_string(), needed, limit, smallest: needed })
    }

    /// Whether the host may hold the table of a textbook reference.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`].
    pub(crate) fn check_reference(&self, bytes: u128) -> Result<()> {
        self.check_host_budget("the whole table of the method 'reference'", bytes)
    }

    /// How long one submission should hold the device.
    pub(crate) fn slice(&self) -> Duration {
        Duration::from_millis(u64::from(self.options.slice_ms.unwrap_or(SLICE_MS).max(1)))
    }

    /// Runs CPU work on this engine's threads.
    pub(crate) fn on_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        on_threads(self.threads.as_ref(), work)
    }

    /// How many CPU threads work.
    pub(crate) fn threads(&self) -> usize {
        self.threads.as_ref().map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads)
    }
}

/// The CPU's name as a device.
pub(crate) const CPU: &str = "cpu";

fn open(options: &Options) -> Result<Opened> {
    match adapter::choose(&options.device)? {
        Some(candidate) => Ok(Opened::Gpu(Arc::new(Gpu::open(&candidate, options.checked)?))),
        None => Ok(Opened::None),
    }
}

fn start_threads(threads: usize) -> Result<ThreadPool> {
    let pool = match threads <= MOST_THREADS {
        true => ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string()),
        false => Err(format!("at most {MOST_THREADS} are possible")),
    };
    pool.map_err(|reason| Error::DeviceUnavailable {
        device: CPU.to_string(),
        reason: format!("{threads} threads cannot be started: {reason}"),
    })
}

/// One known answer that a kernel variant was asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SelfTest {
    /// The kernel variant, for example `lcs/strip_sweep Table Subgroup lanes=32 limbs=8 columns=32`.
    pub kernel: String,
    /// Whether the answer was right.
    pub passed: bool,
    /// Wall time beside the other tests, the building of the pipelines included.
    pub elapsed: Duration,
    /// What was expected and what came, where they differ.
    pub detail: Option<String>,
}

impl SelfTest {
    /// Times a check, which tells what was wrong.
    pub(crate) fn run(kernel: String, check: impl FnOnce() -> Result<Option<String>>) -> Self {
        let started = std::time::Instant::now();
        let detail = check().unwrap_or_else(|error| Some(error.to_string()));
        Self { kernel, passed: detail.is_none(), elapsed: started.elapsed(), detail }
    }
}
