//! The engine's GPU: listed, opened and probed when it is first needed.
//!
//! Devices are listed and opened without the engine's lock, and opened on a pooled thread. Calls
//! that need the device in the meantime await it. Estimates and calls on the CPU do not wait.

use std::iter;
use std::mem::{forget, replace};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use futures_channel::oneshot;

use super::devices::note_passed_over;
use super::job::{catch_panic, spawn};
use super::probe;
use super::profile::throughput::Throughput;
use super::{CPU, Engine};
use crate::backend::{self, Backend, Candidate, Candidates, Capabilities, DeviceChoice, Interface};
use crate::error::{Error, Result};
use crate::host::lock;
use crate::host::process;

#[cfg(all(test, feature = "gpu"))]
mod fake;
#[cfg(all(test, feature = "gpu"))]
mod tests;

/// State of the engine's GPU.
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
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`].
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
        Ok(next_listed(backend::candidates(&self.0.options.device)?))
    }

    /// Opens a device. With [`DeviceChoice::Auto`] it has to pass the probe, and it is measured if
    /// no throughput is stored.
    fn open(&self, listed: &ListedDevice) -> Result<(Arc<dyn Backend>, Option<Throughput>)> {
        let (checked, portable) = (self.0.options.checked, self.0.options.portable);
        let gpu = listed.candidate.open(checked, portable)?;
        let mut throughput = listed.known.throughput;
        if self.chooses_device() {
            probe::on_own_thread(self, &gpu, |engine| {
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
        self.0.options.device == DeviceChoice::Auto
    }

    /// Locks the slot; never held while devices are listed or opened.
    pub(super) fn slot(&self) -> MutexGuard<'_, DeviceSlot> {
        let mut slot = lock(&self.0.gpu);
        let process = process::id();
        if self.0.process.swap(process, Ordering::Relaxed) != process
            && !matches!(*slot, DeviceSlot::Unlisted | DeviceSlot::None)
        {
            // Its driver's threads do not exist here, so it is not closed either.
            forget(replace(&mut *slot, DeviceSlot::Forked));
        }
        slot
    }

    /// Error of a named device that was listed or opened before this process was forked.
    pub(super) fn forked(&self) -> Option<Error> {
        let DeviceChoice::Name(name) = &self.0.options.device else {
            return None;
        };
        Some(Error::DeviceUnavailable {
            device: name.clone(),
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
