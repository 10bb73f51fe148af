//! The engine's GPU: when it is listed, opened, and believed.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::probe::{self, Probe as _};
use super::profile::found::{Found, Speed, Start};
use super::profile::timed;
use super::{CPU, Engine, Inner, Options, no_thread, start_threads};
use crate::backend::{self, Backend, Candidate, DeviceChoice, Interface};
use crate::error::Result;

#[cfg(all(test, feature = "gpu"))]
mod tests;

/// What is known of the GPU.
#[derive(Debug)]
pub(super) enum Opened {
    /// Nobody has needed it yet.
    NotYet,
    /// There is none, or the CPU was asked for.
    None,
    /// This one is there, and nobody has needed it yet.
    Listed { candidate: Box<dyn Candidate>, found: Found },
    /// Ready. What is found out of it is kept as that of a device of this description, if it has one.
    Gpu { gpu: Arc<dyn Backend>, found: Found, described: Option<String> },
}

/// Whether this process has listed adapters before.
static LISTED: AtomicBool = AtomicBool::new(false);
/// Where it is kept how soon any device was open.
pub(super) const ANY_DEVICE: &str = "any device";

impl Opened {
    /// A device of which nothing is known or kept.
    pub(super) fn ready(gpu: Arc<dyn Backend>) -> Self {
        Self::Gpu { gpu, found: Found::default(), described: None }
    }

    /// A device that is asked for: it is asked nothing, so what is known of its speed is what earlier calls have kept.
    pub(super) fn named(gpu: Arc<dyn Backend>) -> Self {
        let described = gpu.described();
        let found = Found { speed: described.as_deref().and_then(Speed::kept), ..Found::default() };
        Self::Gpu { gpu, found, described }
    }

    /// Opens what is asked for.
    pub(super) fn open(options: &Options) -> Result<Self> {
        match backend::choose(&options.device)? {
            Some(candidate) => Ok(Self::named(candidate.open(options.checked, options.portable)?)),
            None => Ok(Self::None),
        }
    }
}

/// Whether nothing runs on a device until it is opened again.
pub(super) fn must_be_reopened(gpu: &dyn Backend) -> bool {
    gpu.is_lost() && gpu.opens_again()
}

impl Engine {
    /// The GPU that [`prospect`](Self::prospect) has told of, opened where it is not, or was lost. Where the engine chooses, one that
    /// cannot be opened is passed over, at last for the CPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice) and [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable).
    pub(crate) fn gpu(&self) -> Result<Option<Arc<dyn Backend>>> {
        let mut opened = self.opened();
        match &*opened {
            Opened::NotYet => *opened = self.chosen(false)?,
            Opened::Gpu { gpu, .. } if must_be_reopened(&**gpu) => *opened = self.chosen(false)?,
            Opened::Listed { .. } | Opened::None | Opened::Gpu { .. } => {}
        }
        while let Opened::Listed { candidate, found } = &*opened {
            *opened = match self.open(&**candidate, *found) {
                Ok(ready) if self.is_right(&**candidate, &ready) => ready,
                Ok(_) => self.chosen(false)?,
                Err(_) if self.chooses_device() => self.chosen_instead(&**candidate)?,
                Err(error) => return Err(error),
            };
        }
        Ok(match &*opened {
            Opened::Gpu { gpu, .. } => Some(gpu.clone()),
            _ => None,
        })
    }

    /// The GPU that is meant, which nobody has opened yet.
    pub(super) fn chosen(&self, short: bool) -> Result<Opened> {
        let (candidate, listing) = timed(|| backend::choose_for(&self.0.options.device, short));
        let Some(candidate) = candidate? else { return Ok(Opened::None) };
        if !self.chooses_device() {
            return Ok(Opened::Listed { candidate, found: Found::default() });
        }
        // Drivers start but once in a process.
        let listing = (!LISTED.swap(true, Ordering::Relaxed)).then_some(listing.as_secs_f64());
        let mut found = candidate.listed().described().as_deref().map(Found::kept).unwrap_or_default();
        found.start.listing = listing;
        Ok(Opened::Listed { candidate, found })
    }

    /// Whether answers of a device that is open now may be believed. Where the engine chooses one that may give wrong answers it is asked
    /// for known ones, once for each of its drivers; whoever gives others, or none, is not chosen again.
    fn is_right(&self, candidate: &dyn Candidate, opened: &Opened) -> bool {
        if !self.chooses_device() || candidate.is_trusted().is_some() {
            return true;
        }
        let answers = match opened {
            Opened::Gpu { gpu, .. } => self.on_own_threads(gpu, |alone| alone.gives_known_answers(&**gpu)).ok(),
            _ => None,
        };
        candidate.keep_trust(answers);
        answers == Some(true)
    }

    /// The GPU that is meant in place of one that cannot be opened; none where nothing else is.
    fn chosen_instead(&self, closed: &dyn Candidate) -> Result<Opened> {
        closed.keep_trust(None);
        let chosen = self.chosen(false)?;
        let same = matches!(&chosen, Opened::Listed { candidate, .. } if candidate.selector() == closed.selector());
        Ok(if same { Opened::None } else { chosen })
    }

    /// Opens a device; where the engine chooses one of which less is known, that is found out, and kept.
    fn open(&self, candidate: &dyn Candidate, mut found: Found) -> Result<Opened> {
        let (gpu, opening) = timed(|| candidate.open(self.0.options.checked, self.0.options.portable));
        let gpu = gpu?;
        if !self.chooses_device() {
            return Ok(Opened::named(gpu));
        }
        let described = candidate.listed().described();
        let start = Start { opening: Some(opening.as_secs_f64()), ..found.start };
        if let Some(device) = &described {
            start.keep(ANY_DEVICE);
            start.keep(device);
        }
        // Calls on a device that was asked for tell nothing of a call's own time.
        if found.speed.is_none_or(|speed| speed.call.is_none()) {
            // Where it cannot be asked, the figures do.
            found.speed = self.on_own_threads(&gpu, |alone| probe::speed(alone, &*gpu)).ok().or(found.speed);
            if let (Some(speed), Some(device)) = (found.speed, &described) {
                speed.keep(device);
            }
        }
        Ok(Opened::Gpu { gpu, found, described })
    }

    /// Does `what` with an engine on that device alone. Whoever wants it holds what other calls wait for, and may be on a thread of
    /// a pool whose other threads run those: the work is done on threads of its own, as many as this engine's, and this one takes up
    /// nothing else meanwhile.
    fn on_own_threads<T: Send>(
        &self,
        gpu: &Arc<dyn Backend>,
        what: impl FnOnce(&Engine) -> Result<T> + Send,
    ) -> Result<T> {
        let options = Options { device: DeviceChoice::Name(gpu.name().to_string()), ..self.0.options.clone() };
        let threads = Some(start_threads(self.threads())?);
        let alone = Engine(Arc::new(Inner { options, gpu: Mutex::new(Opened::ready(gpu.clone())), threads }));
        let asking = || alone.on_threads(|| what(&alone));
        std::thread::scope(|scope| {
            let asked = std::thread::Builder::new().name("swath".to_string()).spawn_scoped(scope, asking);
            let asked = asked.map_err(|error| no_thread(&error))?;
            asked.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// What drives the device of this name that has answered.
    pub(super) fn interface(&self, device: &str) -> Option<Interface> {
        // Answers of the CPU do not wait for a GPU that another thread opens.
        if device == CPU {
            return None;
        }
        match &*self.opened() {
            Opened::Gpu { gpu, .. } => gpu.interface(),
            _ => None,
        }
    }

    /// Whether the device is this engine's own choice.
    pub(crate) fn chooses_device(&self) -> bool {
        self.0.options.device == DeviceChoice::Auto
    }

    pub(super) fn opened(&self) -> MutexGuard<'_, Opened> {
        self.0.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
