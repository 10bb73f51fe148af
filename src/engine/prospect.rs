//! What a decision may know of the engine's GPU before it is opened, and what calls on it tell of its speed.

use std::sync::Arc;
use std::time::Duration;

use super::opened::{Known, Opened};
use super::profile::found::{Found, Speed};
use super::profile::starts::Starts;
use super::{Engine, Options, profile};
use crate::backend::{Backend, Capabilities, Interface};
use crate::error::Result;
use crate::kernels::Family;

/// Seconds until a first pass can run on a device that is not open.
fn opening_seconds(found: &Found, interface: Option<Interface>) -> f64 {
    let slow = if interface.is_some_and(Interface::opens_slowly) {
        profile::gpu::SLOW_OPENING_SECONDS
    } else {
        0.0
    };
    found
        .start
        .opening
        .unwrap_or(profile::gpu::OPENING_SECONDS + slow)
        + profile::gpu::BUILDING_SECONDS
}

/// A GPU as a decision sees it, open or not.
#[derive(Clone, Debug)]
pub(crate) struct Prospect {
    /// The adapter's name.
    pub name: String,
    pub capabilities: Capabilities,
    /// Device memory that plans may take.
    pub budget_bytes: u64,
    /// Seconds until a first pass can run, and for the call around it.
    pub opening: f64,
    /// What expected times are to be multiplied by.
    pub pace: f64,
}

impl Prospect {
    /// Seconds of a whole call whose passes take so many by the figures.
    pub(crate) fn call_seconds(&self, passes: f64) -> f64 {
        passes * self.pace + self.opening
    }

    /// The same as a time.
    pub(crate) fn expected(&self, passes: f64) -> Duration {
        Duration::from_secs_f64(self.call_seconds(passes))
    }
}

/// A decision that may want a GPU.
pub(crate) trait Decided {
    /// What was known of it.
    fn prospect(&self) -> Option<&Prospect>;
}

impl Decided for Option<Prospect> {
    fn prospect(&self) -> Option<&Prospect> {
        self.as_ref()
    }
}

impl Engine {
    /// The engine's GPU, where it has one; adapters are not listed for it where a kernel could hardly begin in the `elsewhere`
    /// seconds that the answer takes on the CPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice).
    pub(crate) fn prospect(&self, elsewhere: f64) -> Result<Option<Prospect>> {
        if matches!(&*self.opened(), Opened::NotYet | Opened::Listing(_)) {
            if elsewhere < profile::gpu::LEAST_OPENING_SECONDS {
                return Ok(None);
            }
            let first = Starts::kept().first(elsewhere);
            if elsewhere
                < profile::gpu::WORTH_LISTING * (first.seconds + profile::gpu::BUILDING_SECONDS)
            {
                return Ok(None);
            }
            self.list(first.slow_last)?;
        }
        let (known, is_open) = {
            let opened = self.opened();
            (opened.known(), opened.is_open())
        };
        let Some(Known {
            name,
            capabilities,
            interface,
            found,
        }) = known
        else {
            return Ok(None);
        };
        let opening = if is_open {
            0.0
        } else {
            opening_seconds(&found, interface)
        };
        let budget_bytes = self.device_budget_of(&capabilities);
        let Speed { call, pace } = found.speed.unwrap_or(Speed {
            call: None,
            pace: 1.0,
        });
        let opening = opening + call.unwrap_or(profile::gpu::SUBMISSION_SECONDS);
        Ok(Some(Prospect {
            name,
            capabilities,
            budget_bytes,
            opening,
            pace,
        }))
    }

    /// What is decided, and the GPU that it wants for kernels of a family, open; decided once more where opening it has told that it is slower than it seemed,
    /// or not to be had, or not to be believed.
    ///
    /// # Errors
    /// Those of `decide`, and as [`gpu`](Self::gpu).
    pub(crate) async fn decided<D: Decided>(
        &self,
        family: Family,
        decide: impl Fn() -> Result<D>,
    ) -> Result<(D, Option<Arc<dyn Backend>>)> {
        let decided = decide()?;
        let Some(Prospect {
            name, pace: before, ..
        }) = decided.prospect()
        else {
            return Ok((decided, None));
        };
        let gpu = self.gpu(Some(family)).await?;
        let pace = match &*self.opened() {
            Opened::Gpu { gpu, found, .. } if gpu.name() == name => {
                found.speed.map_or(1.0, |speed| speed.pace)
            }
            _ => f64::INFINITY,
        };
        let decided = if pace > *before { decide()? } else { decided };
        let gpu = gpu.filter(|_| decided.prospect().is_some());
        Ok((decided, gpu))
    }

    /// What a decision knows of the GPU without opening it, where one was asked for, or the engine chooses and the GPU is expected to be
    /// faster than the CPU, its opening included.
    ///
    /// # Errors
    /// As [`prospect`](Self::prospect).
    pub(crate) fn prospect_if_faster(
        &self,
        on_cpu: f64,
        on_gpu: impl Fn(&Capabilities) -> f64,
    ) -> Result<Option<Prospect>> {
        let is_faster = |prospect: &Prospect| {
            !self.chooses_device() || prospect.call_seconds(on_gpu(&prospect.capabilities)) < on_cpu
        };
        Ok(self.prospect(on_cpu)?.filter(is_faster))
    }

    /// Learns from a sweep on the open GPU that took so long, where that tells something, from how long it was expected to take. Kernels
    /// that are checked, or do without what the device has, tell nothing of others.
    pub(crate) fn note_pace(&self, took: f64, expected: impl FnOnce() -> Result<f64>) {
        let Options {
            checked, portable, ..
        } = self.0.options;
        if took < profile::gpu::TELLING_SECONDS || checked || portable {
            return;
        }
        let Ok(expected) = expected() else { return };
        let (speed, device) = match &mut *self.opened() {
            Opened::Gpu {
                found, described, ..
            } => {
                let (least, greatest) = profile::gpu::PACES;
                let call = found.speed.and_then(|speed| speed.call);
                let speed = Speed {
                    call,
                    pace: (took / expected.max(1e-9)).clamp(least, greatest),
                };
                found.speed = Some(speed);
                (speed, described.clone())
            }
            _ => return,
        };
        if let Some(device) = device {
            speed.keep_noted(&device);
        }
    }
}
