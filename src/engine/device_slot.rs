//! The engine's GPU: listed, opened and checked when it is first needed.
//!
//! Devices are listed and opened without the engine's lock, and opened on a thread of the pool of jobs. Calls that need the device
//! meanwhile await it; estimates and calls that stay on the CPU do not wait.

use std::iter;
use std::mem::replace;
use std::pin::Pin;
use std::sync::{Arc, MutexGuard, PoisonError};

use futures_channel::oneshot;

use super::devices::note_passed_over;
use super::job::{catch_panic, spawn};
use super::probe;
use super::profile::throughput::Throughput;
use super::{CPU, Engine};
use crate::backend::{self, Backend, Candidate, Candidates, Capabilities, DeviceChoice, Interface};
use crate::error::{Error, Result};

#[cfg(all(test, feature = "gpu"))]
mod fake;
#[cfg(all(test, feature = "gpu"))]
mod tests;

/// State of the engine's GPU.
pub(super) enum DeviceSlot {
    /// Not looked for yet.
    Unlisted,
    /// None is left, or the CPU was asked for.
    None,
    /// Listed, not open.
    Listed(ListedDevice),
    /// A call lists or opens it.
    Busy {
        /// `None` before it is listed.
        known: Option<KnownDevice>,
        waiters: OpenWaiters,
    },
    /// Open, and lost perhaps.
    Open {
        gpu: Arc<dyn Backend>,
        throughput: Option<Throughput>,
    },
}

/// A device that can be opened, and those to try after it.
pub(super) struct ListedDevice {
    candidate: Box<dyn Candidate>,
    known: KnownDevice,
    others: Candidates,
}

/// What an estimate needs to know of a GPU, open or not.
#[derive(Clone, Debug)]
pub(super) struct KnownDevice {
    pub name: String,
    pub capabilities: Capabilities,
    pub interface: Option<Interface>,
    /// `None` where nothing has been measured.
    pub throughput: Option<Throughput>,
}

/// Calls that wait for another one to list or open the device. Dropping it wakes them.
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
    /// An open device, with the throughput that was kept of it.
    pub(super) fn open(gpu: Arc<dyn Backend>) -> Self {
        let throughput = gpu.described().as_deref().and_then(Throughput::kept);
        Self::Open { gpu, throughput }
    }

    /// What is known of the device once it is listed.
    pub(super) fn known(&self) -> Option<KnownDevice> {
        match self {
            Self::Unlisted | Self::None => None,
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

    /// Whether a pass can run at once.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open { gpu, .. } if !must_reopen(&**gpu))
    }

    pub(super) fn is_unlisted(&self) -> bool {
        matches!(self, Self::Unlisted | Self::Busy { known: None, .. })
    }

    /// Marks the device as busy, and returns the state before.
    fn claim(&mut self) -> Self {
        let busy = Self::Busy {
            known: self.known(),
            waiters: OpenWaiters::default(),
        };
        replace(self, busy)
    }
}

/// Whether a device is lost and can be opened again.
fn must_reopen(gpu: &dyn Backend) -> bool {
    gpu.is_lost() && gpu.opens_again()
}

/// Puts the state of the device back on drop, however its listing or opening ends, and wakes the waiters.
struct RestoreOnDrop {
    engine: Engine,
    slot: DeviceSlot,
}

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        let slot = replace(&mut self.slot, DeviceSlot::Unlisted);
        // The lock is free again when the waiters are dropped.
        let _busy = replace(&mut *self.engine.slot(), slot);
    }
}

/// The next step of a call that needs the GPU.
enum Step {
    Done(Option<Arc<dyn Backend>>),
    Wait(oneshot::Receiver<()>),
    Open(Box<DeviceSlot>),
}

/// A boxed future, so that callers do not compile it again for every type of symbols.
pub(crate) type OpenFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Arc<dyn Backend>>>> + Send + 'a>>;

impl Engine {
    /// The GPU, opened where it is not or was lost; `None` is the CPU. With [`DeviceChoice::Auto`] a device that does not open, or
    /// fails the probe, is passed over for the next one, at last for the CPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`].
    pub(crate) fn open_gpu(&self) -> OpenFuture<'_> {
        Box::pin(async {
            loop {
                match self.next_step() {
                    Step::Done(gpu) => return Ok(gpu),
                    Step::Wait(end) => end.await.unwrap_or_default(),
                    Step::Open(slot) => return self.open_on_thread(*slot).await,
                }
            }
        })
    }

    fn next_step(&self) -> Step {
        match &mut *self.slot() {
            DeviceSlot::None => Step::Done(None),
            DeviceSlot::Busy { waiters, .. } => Step::Wait(waiters.add()),
            DeviceSlot::Open { gpu, .. } if !must_reopen(&**gpu) => Step::Done(Some(gpu.clone())),
            slot => Step::Open(Box::new(slot.claim())),
        }
    }

    /// Lists the devices where nobody has; waits on this thread where another call is at it.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`].
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
            pollster::block_on(end).unwrap_or_default();
        }
        let mut restore = RestoreOnDrop {
            engine: self.clone(),
            slot: DeviceSlot::Unlisted,
        };
        restore.slot = self.first_listed()?;
        Ok(())
    }

    /// Opens the device of `slot` on a thread of its own, which goes on where the caller stops waiting.
    async fn open_on_thread(&self, slot: DeviceSlot) -> Result<Option<Arc<dyn Backend>>> {
        let mut restore = RestoreOnDrop {
            engine: self.clone(),
            slot,
        };
        let opening = spawn(move || {
            let RestoreOnDrop { engine, slot } = &mut restore;
            catch_panic(|| engine.open_in(slot))
        });
        opening.await.unwrap_or_else(|oneshot::Canceled| {
            Err(Error::Failed("the device's thread has ended".to_string()))
        })
    }

    /// Opens the first device of `slot` that can be opened; devices are listed again after a loss.
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

    /// The first device that the options mean.
    fn first_listed(&self) -> Result<DeviceSlot> {
        Ok(next_listed(backend::candidates(&self.0.options.device)?))
    }

    /// Opens a device. One that the engine chooses has to pass the probe, and is measured where nothing is kept of it.
    fn open(&self, listed: &ListedDevice) -> Result<(Arc<dyn Backend>, Option<Throughput>)> {
        let (checked, portable) = (self.0.options.checked, self.0.options.portable);
        let gpu = listed.candidate.open(checked, portable)?;
        let mut throughput = listed.known.throughput;
        if self.chooses_device() {
            probe::on_own_thread(self, &gpu, |engine| {
                probe::check_answer(engine, &*gpu)?;
                // Where larger sweeps have no room, the figures have to do.
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

    /// The interface of the device of this name that has answered.
    pub(super) fn interface(&self, device: &str) -> Option<Interface> {
        if device == CPU {
            None
        } else {
            self.slot().known()?.interface
        }
    }

    /// Whether the device is this engine's own choice.
    pub(crate) fn chooses_device(&self) -> bool {
        self.0.options.device == DeviceChoice::Auto
    }

    /// Never held while devices are listed or opened.
    pub(super) fn slot(&self) -> MutexGuard<'_, DeviceSlot> {
        self.0.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The next of some devices, not open.
fn next_listed(mut candidates: Candidates) -> DeviceSlot {
    match candidates.next() {
        None => DeviceSlot::None,
        Some(candidate) => DeviceSlot::Listed(ListedDevice::new(candidate, candidates)),
    }
}
