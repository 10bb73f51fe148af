//! The engine's GPUs: listed, opened and probed when they are first needed.
//!
//! Devices are listed and opened without the engine's lock, and opened on a pooled thread. Calls
//! that need the device in the meantime await it. Estimates and calls on the CPU do not wait.

use std::iter;
use std::mem::{forget, replace};
use std::ops::Deref;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

use super::devices::note_passed_over;
use super::job::{catch_panic, spawn};
use super::probe;
use super::profile::throughput::Throughput;
use super::{CPU, Engine, Options, start_threads, wait};
use crate::backend::{self, Backend, Candidate, Candidates, Capabilities, DeviceChoice, Interface};
use crate::error::{Error, Result};
use crate::host::lock;
use crate::host::process;
use crate::host::threads::{Pool, on_threads};

#[cfg(all(test, feature = "gpu"))]
mod fake;
#[cfg(all(test, feature = "gpu"))]
mod tests;

pub(super) struct GpuSlot {
    choice: DeviceChoice,
    state: Mutex<DeviceSlot>,
    /// Process that the state belongs to: a device does not work in a forked child.
    process: AtomicU32,
    /// Calls that may use it now.
    calls: AtomicUsize,
}

impl GpuSlot {
    pub(super) fn new(choice: DeviceChoice, state: DeviceSlot) -> Self {
        Self {
            choice,
            state: Mutex::new(state),
            process: AtomicU32::new(process::id()),
            calls: AtomicUsize::new(0),
        }
    }

    /// A slot for each device of a choice, at least one.
    pub(super) fn of(choice: &DeviceChoice) -> Result<Vec<Self>> {
        let choices = backend::single_choices(choice)?;
        let slot = |choice| Self::new(choice, DeviceSlot::Unlisted);
        Ok(choices.into_iter().map(slot).collect())
    }
}

impl Drop for GpuSlot {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if *self.process.get_mut() != process::id() {
            // A parent's device is not closed in a forked child.
            forget(replace(state, DeviceSlot::Forked));
        } else if let DeviceSlot::Open { gpu, .. } = state {
            gpu.shared().parked.free();
        }
    }
}

/// Engine of one call, with a GPU that the call may use.
pub(super) struct CallEngine(Engine);

impl Deref for CallEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.0
    }
}

impl Drop for CallEngine {
    fn drop(&mut self) {
        if let Some(gpu) = self.0.gpu_slot() {
            gpu.calls.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

pub(super) enum DeviceSlot {
    /// Not listed yet.
    Unlisted,
    /// No device left, or the CPU was requested.
    None,
    /// Listed, not open.
    Listed(ListedDevice),
    /// Being listed or opened by a call.
    Busy {
        /// `None` while it is being listed.
        known: Option<KnownDevice>,
        waiters: OpenWaiters,
    },
    /// Open; may have been lost.
    Open {
        gpu: Arc<dyn Backend>,
        throughput: Option<Throughput>,
    },
    /// Listed or opened before this process was forked.
    Forked,
}

/// First device that may be opened, and the ones to try after it.
pub(super) struct ListedDevice {
    candidate: Box<dyn Candidate>,
    known: KnownDevice,
    others: Candidates,
}

/// Device data for estimates, open or not.
#[derive(Clone, Debug)]
pub(super) struct KnownDevice {
    pub name: String,
    pub capabilities: Capabilities,
    pub interface: Option<Interface>,
    /// `None` without a measurement.
    pub throughput: Option<Throughput>,
}

/// Calls that wait for the listing or opening by another call. Dropping it wakes them.
#[derive(Default)]
pub(super) struct OpenWaiters(Vec<oneshot::Sender<()>>);

impl OpenWaiters {
    fn add(&mut self) -> oneshot::Receiver<()> {
        let (sender, end) = oneshot::channel();
        self.0.push(sender);
        end
    }
}

impl ListedDevice {
    pub(super) fn new(candidate: Box<dyn Candidate>, others: Candidates) -> Self {
        let listed = candidate.listed();
        let known = KnownDevice {
            throughput: listed.described().as_deref().and_then(Throughput::kept),
            name: listed.name,
            capabilities: listed.capabilities,
            interface: Some(listed.interface),
        };
        Self {
            candidate,
            known,
            others,
        }
    }
}

impl DeviceSlot {
    /// Slot of an open device, with its stored throughput.
    pub(super) fn open(gpu: Arc<dyn Backend>) -> Self {
        let throughput = gpu.described().as_deref().and_then(Throughput::kept);
        Self::Open { gpu, throughput }
    }

    /// Device data once it is listed.
    pub(super) fn known(&self) -> Option<KnownDevice> {
        match self {
            Self::Unlisted | Self::None | Self::Forked => None,
            Self::Listed(listed) => Some(listed.known.clone()),
            Self::Busy { known, .. } => known.clone(),
            Self::Open { gpu, throughput } => Some(KnownDevice {
                name: gpu.name().to_string(),
                capabilities: *gpu.capabilities(),
                interface: gpu.interface(),
                throughput: *throughput,
            }),
        }
    }

    /// Returns `true` if a pass can run without opening the device.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open { gpu, .. } if !must_reopen(&**gpu))
    }

    pub(super) fn is_unlisted(&self) -> bool {
        matches!(self, Self::Unlisted | Self::Busy { known: None, .. })
    }

    /// Marks the device as busy and returns the previous state.
    fn claim(&mut self) -> Self {
        let busy = Self::Busy {
            known: self.known(),
            waiters: OpenWaiters::default(),
        };
        replace(self, busy)
    }
}

/// Returns `true` if the device is lost and can be opened again.
fn must_reopen(gpu: &dyn Backend) -> bool {
    gpu.is_lost() && gpu.opens_again()
}

/// Guard: restores the device slot and wakes the waiters on drop.
struct RestoreOnDrop {
    engine: Engine,
    slot: DeviceSlot,
}

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        let slot = replace(&mut self.slot, DeviceSlot::Unlisted);
        // Dropped after the lock is released, as it wakes the waiters.
        let _busy = replace(&mut *self.engine.slot(), slot);
    }
}

/// The next step of a call that needs the GPU.
enum Step {
    Done(Option<Arc<dyn Backend>>),
    Failed(Error),
    Wait(oneshot::Receiver<()>),
    Open(Box<DeviceSlot>),
}

/// Boxed so that callers do not monomorphise it for every symbol type.
pub(crate) type OpenFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Arc<dyn Backend>>>> + Send + 'a>>;

impl Engine {
    /// The GPU, opened if it is closed or lost; `None` for the CPU.
    ///
    /// With [`DeviceChoice::Auto`] a device that does not open or fails the probe is skipped for
    /// the next one, finally for the CPU.
    pub(crate) fn open_gpu(&self) -> OpenFuture<'_> {
        Box::pin(async {
            loop {
                match self.next_step() {
                    Step::Done(gpu) => return Ok(gpu),
                    Step::Failed(error) => return Err(error),
                    Step::Wait(end) => end.await.unwrap_or_default(),
                    Step::Open(slot) => return self.open_on_thread(*slot).await,
                }
            }
        })
    }

    fn next_step(&self) -> Step {
        match &mut *self.slot() {
            DeviceSlot::None => Step::Done(None),
            DeviceSlot::Forked => match self.forked() {
                None => Step::Done(None),
                Some(error) => Step::Failed(error),
            },
            DeviceSlot::Busy { waiters, .. } => Step::Wait(waiters.add()),
            DeviceSlot::Open { gpu, .. } if !must_reopen(&**gpu) => Step::Done(Some(gpu.clone())),
            slot => Step::Open(Box::new(slot.claim())),
        }
    }

    /// Lists the devices once; blocks while another call lists them.
    pub(super) fn list_devices(&self) -> Result<()> {
        loop {
            let end = match &mut *self.slot() {
                DeviceSlot::Busy {
                    known: None,
                    waiters,
                } => waiters.add(),
                slot @ DeviceSlot::Unlisted => {
                    slot.claim();
                    break;
                }
                _ => return Ok(()),
            };
            wait(end).unwrap_or_default();
        }
        let mut restore = RestoreOnDrop {
            engine: self.clone(),
            slot: DeviceSlot::Unlisted,
        };
        restore.slot = self.first_listed()?;
        Ok(())
    }

    /// Opens the device of `slot` on a pooled thread, which continues if the caller stops waiting.
    /// Without a thread, the CPU replaces a device that was not named.
    async fn open_on_thread(&self, slot: DeviceSlot) -> Result<Option<Arc<dyn Backend>>> {
        let mut restore = RestoreOnDrop {
            engine: self.clone(),
            slot,
        };
        let opening = spawn(move || {
            let RestoreOnDrop { engine, slot } = &mut restore;
            catch_panic(|| engine.open_in(slot))
        });
        let opened = opening.await.unwrap_or_else(|oneshot::Canceled| {
            Err(Error::Failed("the device's thread has ended".to_string()))
        });
        match opened {
            Err(Error::DeviceUnavailable { device, .. })
                if device == CPU && self.chooses_device() =>
            {
                Ok(None)
            }
            opened => opened,
        }
    }

    /// Opens the first usable device of `slot`. After a loss the devices are listed again.
    pub(super) fn open_in(&self, slot: &mut DeviceSlot) -> Result<Option<Arc<dyn Backend>>> {
        if !matches!(slot, DeviceSlot::Listed(_)) {
            *slot = self.first_listed()?;
        }
        while let DeviceSlot::Listed(listed) = slot {
            match catch_panic(|| self.open(listed)) {
                Ok((gpu, throughput)) => {
                    *slot = DeviceSlot::Open {
                        gpu: gpu.clone(),
                        throughput,
                    };
                    return Ok(Some(gpu));
                }
                Err(error) if self.chooses_device() => {
                    note_passed_over(listed.candidate.selector(), &error);
                    let others = replace(&mut listed.others, Box::new(iter::empty()));
                    *slot = next_listed(others);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// First device that matches the options.
    fn first_listed(&self) -> Result<DeviceSlot> {
        let choice = self
            .gpu_slot()
            .map_or(&DeviceChoice::Cpu, |gpu| &gpu.choice);
        Ok(next_listed(backend::candidates(choice)?))
    }

    /// Opens a device. With [`DeviceChoice::Auto`] it has to pass the probe, and it is measured if
    /// no throughput is stored.
    fn open(&self, listed: &ListedDevice) -> Result<(Arc<dyn Backend>, Option<Throughput>)> {
        let Options {
            checked, portable, ..
        } = self.inner.options;
        let gpu = listed.candidate.open(checked, portable)?;
        let mut throughput = listed.known.throughput;
        if self.chooses_device() {
            on_own_thread(self, &gpu, |engine| {
                probe::check_answer(engine, &*gpu)?;
                // If memory is short for the sweeps, the figures of the profile apply.
                throughput = throughput.or_else(|| probe::measure(engine, &*gpu).ok());
                Ok(())
            })?;
            if listed.known.throughput.is_none()
                && self.keeps_throughput()
                && let (Some(measured), Some(device)) = (throughput, gpu.described())
            {
                measured.keep(&device);
            }
        }
        Ok((gpu, throughput))
    }

    /// Interface of the device named in a report.
    pub(super) fn interface(&self, device: &str) -> Option<Interface> {
        if device == CPU {
            None
        } else {
            self.slot().known()?.interface
        }
    }

    /// Returns `true` with [`DeviceChoice::Auto`].
    pub(crate) fn chooses_device(&self) -> bool {
        self.gpu.is_some() && self.inner.options.device == DeviceChoice::Auto
    }

    fn gpu_slot(&self) -> Option<&GpuSlot> {
        self.inner.gpus.get(self.gpu?)
    }

    /// The engine as one call sees it, with the GPU that has the fewest calls.
    pub(super) fn for_call(&self) -> CallEngine {
        let gpus = self.inner.gpus.iter().enumerate();
        let calls = |(_, gpu): &(usize, &GpuSlot)| gpu.calls.load(Ordering::Relaxed);
        let fewest = self.gpu.and_then(|_| gpus.min_by_key(calls));
        let gpu = fewest.map(|(index, gpu)| {
            gpu.calls.fetch_add(1, Ordering::Relaxed);
            index
        });
        CallEngine(self.on_gpu(gpu))
    }

    pub(crate) fn gpus(&self) -> usize {
        self.gpu.map_or(0, |_| self.inner.gpus.len())
    }

    /// The engine on each of its GPUs.
    pub(super) fn on_each_gpu(&self) -> Vec<CallEngine> {
        let on = |index: usize| {
            self.inner.gpus[index].calls.fetch_add(1, Ordering::Relaxed);
            CallEngine(self.on_gpu(Some(index)))
        };
        (0..self.gpus()).map(on).collect()
    }

    /// Locks the state of the GPU; never held while devices are listed or opened.
    pub(super) fn slot(&self) -> MutexGuard<'_, DeviceSlot> {
        static NO_GPU: Mutex<DeviceSlot> = Mutex::new(DeviceSlot::None);
        let Some(gpu) = self.gpu_slot() else {
            return lock(&NO_GPU);
        };
        let mut state = lock(&gpu.state);
        let process = process::id();
        if gpu.process.swap(process, Ordering::Relaxed) != process
            && !matches!(*state, DeviceSlot::Unlisted | DeviceSlot::None)
        {
            // Its driver's threads do not exist here, so it is not closed either.
            forget(replace(&mut *state, DeviceSlot::Forked));
        }
        state
    }

    /// Error of a named device that was listed or opened before this process was forked.
    pub(super) fn forked(&self) -> Option<Error> {
        if self.chooses_device() {
            return None;
        }
        Some(Error::DeviceUnavailable {
            device: self.gpu_slot()?.choice.to_string(),
            reason: "it was opened before this process was forked; create the engine in the child \
                     process, or use the CPU there"
                .to_string(),
        })
    }
}

/// Slot of the next candidate, not open.
fn next_listed(mut candidates: Candidates) -> DeviceSlot {
    match candidates.next() {
        None => DeviceSlot::None,
        Some(candidate) => DeviceSlot::Listed(ListedDevice::new(candidate, candidates)),
    }
}

/// Runs `work` with an engine on this device alone, on a thread reserved for it: all threads of the
/// caller's pool may be waiting for the device. The thread never ends, like those of jobs.
fn on_own_thread<T: Send>(
    engine: &Engine,
    gpu: &Arc<dyn Backend>,
    work: impl FnOnce(&Engine) -> Result<T> + Send,
) -> Result<T> {
    static THREAD: LazyLock<Result<Pool>> = LazyLock::new(|| start_threads(1));
    let thread = THREAD
        .as_ref()
        .map_err(|error| Error::Failed(error.to_string()))?;
    let device = DeviceChoice::Name(gpu.name().to_string());
    let options = Options {
        device,
        host_memory: Some(engine.host_budget()),
        ..engine.inner.options.clone()
    };
    let slot = DeviceSlot::Open {
        gpu: gpu.clone(),
        throughput: None,
    };
    let gpu = GpuSlot::new(options.device.clone(), slot);
    let alone = Engine::of(vec![gpu], options, None);
    on_threads(Some(thread), || work(&alone))
}
