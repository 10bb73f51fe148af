//! The engine's GPU: when it is listed, opened, and believed.
//!
//! What takes time is done without the engine's lock: adapters are listed by the call that first asks for them, and a device is opened
//! on a thread of its own. Calls that need it meanwhile await it, and decisions go by what is known of it before it is open.

use std::mem::replace;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

use super::job::{apart, contained};
use super::opened::{Chosen, Doubted, Opened, Waiting, must_be_reopened};
use super::probe;
use super::profile::found::{Found, Start};
use super::profile::timed;
use super::{CPU, Engine, Inner, Options, start_threads};
use crate::backend::{self, Backend, Candidate, DeviceChoice, Interface};
use crate::error::{Error, Result};
use crate::kernels::Family;

#[cfg(all(test, feature = "gpu"))]
mod fake;
#[cfg(all(test, feature = "gpu"))]
mod tests;

/// A device to come: a future of no type of its own, so that it is compiled with this crate and not with every caller of it.
pub(crate) type Opening<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Arc<dyn Backend>>>> + Send + 'a>>;

/// What a call that needs the GPU does next.
enum Step {
    /// There is none.
    None,
    /// It is open, and has shown what the call needs.
    Take(Arc<dyn Backend>),
    /// It is open, and has not.
    Prove(Arc<dyn Backend>, Arc<dyn Candidate>, Family),
    /// Another call lists or opens it.
    Await(oneshot::Receiver<()>),
    /// Nobody has listed it.
    List,
    /// Nobody has opened what this knows of.
    Open(Box<Opened>),
}

/// Puts what is known of the GPU back in its place, however its opening ends: whoever waits for that looks again.
struct Settling {
    engine: Engine,
    opened: Opened,
}

impl Settling {
    fn with(mut self, opened: Opened) {
        self.opened = opened;
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        let settled = replace(&mut self.opened, Opened::NotYet);
        // Whoever hears that it has ended finds the lock free.
        let _opening = replace(&mut *self.engine.opened(), settled);
    }
}

impl Engine {
    /// The GPU that [`prospect`](Self::prospect) has told of, opened where it is not, or was lost. Where the engine chooses, one that
    /// cannot be opened is passed over, at last for the CPU, and so is one that may give wrong answers: the first call that runs kernels
    /// of a family asks it for known ones, once for each of its drivers. What tests kernels itself names no family.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`] and [`Error::DeviceUnavailable`].
    pub(crate) fn gpu(&self, family: Option<Family>) -> Opening<'_> {
        Box::pin(self.open_or_wait(family))
    }

    async fn open_or_wait(&self, family: Option<Family>) -> Result<Option<Arc<dyn Backend>>> {
        let mut has_opened = false;
        loop {
            match self.next_step(family, has_opened) {
                Step::None => return Ok(None),
                Step::Take(gpu) => return Ok(Some(gpu)),
                Step::Prove(gpu, candidate, family) => self.prove(&gpu, candidate, family).await,
                Step::Await(end) => end.await.unwrap_or_default(),
                Step::List => self.list(false)?,
                Step::Open(before) => {
                    self.open_apart(*before).await?;
                    has_opened = true;
                }
            }
        }
    }

    /// The next step of a call, which may have opened a device: should that be lost at once, it is not opened again.
    fn next_step(&self, family: Option<Family>, has_opened: bool) -> Step {
        let mut opened = self.opened();
        match &mut *opened {
            Opened::None => Step::None,
            Opened::NotYet => Step::List,
            Opened::Listing(waiting) | Opened::Opening { waiting, .. } => {
                Step::Await(waiting.end())
            }
            Opened::Gpu { gpu, doubted, .. } if has_opened || !must_be_reopened(&**gpu) => {
                match (doubted, family) {
                    (Some(Doubted { candidate, right }), Some(family))
                        if !right.contains(&family) =>
                    {
                        Step::Prove(gpu.clone(), candidate.clone(), family)
                    }
                    _ => Step::Take(gpu.clone()),
                }
            }
            Opened::Gpu { .. } | Opened::Listed(_) => match opened.known() {
                Some(known) => {
                    let opening = Opened::Opening {
                        known,
                        waiting: Waiting::default(),
                    };
                    Step::Open(Box::new(replace(&mut *opened, opening)))
                }
                None => Step::None,
            },
        }
    }

    /// Lists the adapters where nobody has, and chooses one. Who finds another call at it waits here for no longer than it would take
    /// itself.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`].
    pub(super) fn list(&self, slow_last: bool) -> Result<()> {
        loop {
            let end = match &mut *self.opened() {
                Opened::Listing(waiting) => waiting.end(),
                opened @ Opened::NotYet => {
                    *opened = Opened::Listing(Waiting::default());
                    break;
                }
                _ => return Ok(()),
            };
            pollster::block_on(end).unwrap_or_default();
        }
        let settling = Settling {
            engine: self.clone(),
            opened: Opened::NotYet,
        };
        settling.with(self.chosen(slow_last)?);
        Ok(())
    }

    /// Opens what `before` knows of on a thread of its own. Where that fails the engine knows as much as before.
    async fn open_apart(&self, before: Opened) -> Result<()> {
        let (threads, settling) = (
            self.threads(),
            Settling {
                engine: self.clone(),
                opened: before,
            },
        );
        let opening = apart(move || {
            let opened = contained(|| settling.engine.opened_anew(&settling.opened, threads))?;
            settling.with(opened);
            Ok(())
        });
        opening.await.unwrap_or_else(|oneshot::Canceled| {
            Err(Error::Failed("the device's thread has ended".to_string()))
        })
    }

    /// The GPU that is listed, or that takes the place of a lost one, open.
    fn opened_anew(&self, before: &Opened, threads: usize) -> Result<Opened> {
        let mut next = match before {
            Opened::Listed(chosen) => Opened::Listed(chosen.clone()),
            _ => self.chosen(false)?,
        };
        while let Opened::Listed(chosen) = &next {
            next = match self.open(chosen, threads) {
                Ok(ready) => ready,
                Err(_) if self.chooses_device() => self.chosen_instead(chosen)?,
                Err(error) => return Err(error),
            };
        }
        Ok(next)
    }

    /// The GPU that is meant, which nobody has opened yet.
    fn chosen(&self, slow_last: bool) -> Result<Opened> {
        let (candidate, listing) = timed(|| backend::choose_for(&self.0.options.device, slow_last));
        let Some(candidate) = candidate? else {
            return Ok(Opened::None);
        };
        let found = |described: Option<&str>| {
            if !self.chooses_device() {
                return Found::default();
            }
            let kept = described.map(Found::kept).unwrap_or_default();
            Found {
                start: Start {
                    listing: Start::listed(listing).listing,
                    ..kept.start
                },
                ..kept
            }
        };
        Ok(Opened::Listed(Chosen::new(candidate.into(), found)))
    }

    /// Has an open device show that its kernels of a family are right. One that gives other answers than the known ones, or none, is not
    /// chosen again. Two calls may ask it at once.
    async fn prove(&self, gpu: &Arc<dyn Backend>, candidate: Arc<dyn Candidate>, family: Family) {
        let is_right = match candidate.is_trusted(family) {
            Some(is_trusted) => is_trusted,
            None => {
                let (engine, asked, threads) = (self.clone(), gpu.clone(), self.threads());
                let answers = apart(move || {
                    let known = engine.0.probe.gives_known_answers;
                    contained(|| {
                        engine
                            .on_own_threads(&asked, threads, |alone| known(alone, &*asked, family))
                    })
                });
                let answers = answers.await.ok().and_then(Result::ok);
                candidate.keep_trust(family, answers);
                answers == Some(true)
            }
        };
        // Unless another one has taken its place.
        if let opened @ Opened::Gpu { .. } = &mut *self.opened()
            && let Opened::Gpu {
                gpu: open,
                doubted: Some(doubted),
                ..
            } = opened
            && Arc::ptr_eq(open, gpu)
        {
            match is_right {
                true => doubted.right.push(family),
                false => *opened = Opened::NotYet,
            }
        }
    }

    /// The GPU that is meant in place of one that cannot be opened; none where nothing else is.
    fn chosen_instead(&self, closed: &Chosen) -> Result<Opened> {
        Family::ALL
            .into_iter()
            .for_each(|family| closed.candidate.keep_trust(family, None));
        let chosen = self.chosen(false)?;
        let selector = closed.candidate.selector();
        let same =
            matches!(&chosen, Opened::Listed(chosen) if chosen.candidate.selector() == selector);
        Ok(if same { Opened::None } else { chosen })
    }

    /// Opens a device; where the engine chooses one of which less is known, that is found out, and kept.
    fn open(
        &self,
        Chosen {
            candidate,
            described,
            known,
        }: &Chosen,
        threads: usize,
    ) -> Result<Opened> {
        let (gpu, opening) =
            timed(|| candidate.open(self.0.options.checked, self.0.options.portable));
        let gpu = gpu?;
        if !self.chooses_device() {
            return Ok(Opened::named(gpu));
        }
        let (mut found, described) = (known.found, described.clone());
        if let (Some(device), Some(interface)) = (&described, known.interface) {
            found.start.keep_opened(opening, device, interface);
        }
        // Calls on a device that was asked for tell nothing of a call's own time.
        if found.speed.is_none_or(|speed| speed.call.is_none()) {
            // Where it cannot be asked, the figures do.
            found.speed = self
                .on_own_threads(&gpu, threads, |alone| probe::speed(alone, &*gpu))
                .ok()
                .or(found.speed);
            if let (Some(speed), Some(device)) = (found.speed, &described) {
                speed.keep(device);
            }
        }
        let doubted = Some(Doubted {
            candidate: candidate.clone(),
            right: Vec::new(),
        });
        Ok(Opened::Gpu {
            gpu,
            found,
            described,
            doubted,
        })
    }

    /// Does `what` with an engine on that device alone. Calls wait for it, maybe on all threads of a pool: the work is done on so many
    /// threads of its own.
    fn on_own_threads<T: Send>(
        &self,
        gpu: &Arc<dyn Backend>,
        threads: usize,
        what: impl FnOnce(&Engine) -> Result<T> + Send,
    ) -> Result<T> {
        let options = Options {
            device: DeviceChoice::Name(gpu.name().to_string()),
            ..self.0.options.clone()
        };
        let threads = Some(start_threads(threads)?);
        let alone = Engine(Arc::new(Inner {
            options,
            gpu: Mutex::new(Opened::ready(gpu.clone())),
            threads,
            probe: self.0.probe,
        }));
        alone.on_threads(|| what(&alone))
    }

    /// What drives the device of this name that has answered.
    pub(super) fn interface(&self, device: &str) -> Option<Interface> {
        if device == CPU {
            None
        } else {
            self.opened().known()?.interface
        }
    }

    /// Whether the device is this engine's own choice.
    pub(crate) fn chooses_device(&self) -> bool {
        self.0.options.device == DeviceChoice::Auto
    }

    /// Held for a moment, never while anything is listed or opened.
    pub(super) fn opened(&self) -> MutexGuard<'_, Opened> {
        self.0.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
