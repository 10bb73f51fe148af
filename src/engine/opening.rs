//! The engine's GPU: when it is listed and opened, and what a decision may know of it before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::known_answers::KnownAnswers as _;
use super::{Engine, Inner, Options, profile};
use crate::backend::{self, Backend, Candidate, Capabilities, DeviceChoice};
use crate::error::Result;

/// What is known of the GPU.
#[derive(Debug)]
pub(super) enum Opened {
    /// Nobody has needed it yet.
    NotYet,
    /// There is none, or the CPU was asked for.
    None,
    /// This one is there, and nobody has needed it yet.
    Listed(Box<dyn Candidate>),
    /// Ready.
    Gpu {
        gpu: Arc<dyn Backend>,
        /// How many times as long as expected its last long sweep took.
        pace: f64,
    },
}

impl Opened {
    pub(super) fn ready(gpu: Arc<dyn Backend>) -> Self {
        Self::Gpu { gpu, pace: 1.0 }
    }

    /// Opens what is asked for.
    pub(super) fn open(options: &Options) -> Result<Self> {
        match backend::choose(&options.device)? {
            Some(candidate) => Ok(Self::ready(candidate.open(options.checked, options.portable)?)),
            None => Ok(Self::None),
        }
    }
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

/// Least and greatest pace that is believed.
const PACES: (f64, f64) = (0.25, 4.0);
/// Seconds of a sweep that tell the pace: shorter ones are as much the building of kernels.
const TELLING_SECONDS: f64 = 0.5;

impl Engine {
    /// The engine's GPU, where it has one; adapters are not listed for it where that alone takes longer than the `elsewhere` seconds
    /// that the answer takes on the CPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice).
    pub(crate) fn prospect(&self, elsewhere: f64) -> Result<Option<Prospect>> {
        let mut opened = self.opened();
        if matches!(*opened, Opened::NotYet) {
            if elsewhere < profile::gpu::LISTING_SECONDS + profile::gpu::OPENING_SECONDS {
                return Ok(None);
            }
            let short = elsewhere < profile::gpu::WORTH_OPENING_SLOWLY_SECONDS;
            *opened = self.chosen(short)?;
        }
        let (name, capabilities, opening, pace) = match &*opened {
            Opened::NotYet | Opened::None => return Ok(None),
            Opened::Listed(candidate) => {
                let listed = candidate.listed();
                let slow = if listed.interface.opens_slowly() { profile::gpu::SLOW_OPENING_SECONDS } else { 0.0 };
                let opening = profile::gpu::OPENING_SECONDS + slow + profile::gpu::BUILDING_SECONDS;
                (listed.name, listed.capabilities, opening, 1.0)
            }
            Opened::Gpu { gpu, pace } => (gpu.name().to_string(), *gpu.capabilities(), 0.0, *pace),
        };
        let budget_bytes = self.device_budget_of(&capabilities);
        let opening = opening + profile::gpu::SUBMISSION_SECONDS;
        Ok(Some(Prospect { name, capabilities, budget_bytes, opening, pace }))
    }

    /// The GPU that [`prospect`](Self::prospect) has told of, opened where it is not, or was lost.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice) and [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable).
    pub(crate) fn gpu(&self) -> Result<Option<Arc<dyn Backend>>> {
        let mut opened = self.opened();
        match &*opened {
            Opened::NotYet => *opened = self.chosen(false)?,
            Opened::Gpu { gpu, .. } if gpu.is_lost() && gpu.opens_again() => *opened = self.chosen(false)?,
            Opened::Listed(_) | Opened::None | Opened::Gpu { .. } => {}
        }
        if let Opened::Listed(candidate) = &*opened {
            let gpu = candidate.open(self.0.options.checked, self.0.options.portable)?;
            *opened = Opened::ready(gpu);
        }
        Ok(match &*opened {
            Opened::Gpu { gpu, .. } => Some(gpu.clone()),
            _ => None,
        })
    }

    /// The GPU that is meant, which nobody has opened yet. Where the engine chooses, one that may give wrong answers is opened and asked
    /// for known ones, and passed over where it gives others; so it is once for each of its drivers.
    fn chosen(&self, short: bool) -> Result<Opened> {
        let options = &self.0.options;
        while let Some(candidate) = backend::choose_for(&options.device, short)? {
            if !self.chooses_device() || candidate.is_trusted().is_some() {
                return Ok(Opened::Listed(candidate));
            }
            let gpu = candidate.open(options.checked, options.portable)?;
            let named = Options { device: DeviceChoice::Name(gpu.name().to_string()), ..options.clone() };
            let inner = Inner { options: named, gpu: Mutex::new(Opened::ready(gpu.clone())), threads: None };
            let answers = Engine(Arc::new(inner)).gives_known_answers(&*gpu);
            candidate.keep_trust(answers.as_ref().ok().copied());
            if answers.unwrap_or(false) {
                return Ok(Opened::ready(gpu));
            }
        }
        Ok(Opened::None)
    }

    /// The GPU, where one was asked for, or the engine chooses and the GPU is expected to be faster, its opening included.
    ///
    /// # Errors
    /// As [`gpu`](Self::gpu).
    pub(crate) fn gpu_if_faster(
        &self,
        on_cpu: f64,
        on_gpu: impl FnOnce(&Capabilities) -> f64,
    ) -> Result<Option<Arc<dyn Backend>>> {
        if self.prospect_if_faster(on_cpu, on_gpu)?.is_some() { self.gpu() } else { Ok(None) }
    }

    /// What a decision knows of that GPU, without opening it.
    ///
    /// # Errors
    /// As [`prospect`](Self::prospect).
    pub(crate) fn prospect_if_faster(
        &self,
        on_cpu: f64,
        on_gpu: impl FnOnce(&Capabilities) -> f64,
    ) -> Result<Option<Prospect>> {
        let is_faster = |prospect: &Prospect| {
            !self.chooses_device() || on_gpu(&prospect.capabilities) * prospect.pace + prospect.opening < on_cpu
        };
        Ok(self.prospect(on_cpu)?.filter(is_faster))
    }

    /// Learns from a sweep on the open GPU that took so long, where that tells something, from how long it was expected to take.
    pub(crate) fn note_pace(&self, took: f64, expected: impl FnOnce() -> Result<f64>) {
        if took < TELLING_SECONDS {
            return;
        }
        let Ok(expected) = expected() else { return };
        if let Opened::Gpu { pace, .. } = &mut *self.opened() {
            *pace = (took / expected.max(1e-9)).clamp(PACES.0, PACES.1);
        }
    }

    /// Whether the device is this engine's own choice.
    pub(crate) fn chooses_device(&self) -> bool {
        self.0.options.device == DeviceChoice::Auto
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.0.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
