//! What is known of the engine's GPU, from before anybody needs it until it is open.

use std::sync::Arc;

use futures_channel::oneshot;

use super::Options;
use super::profile::found::{Found, Speed, Start};
use super::profile::timed;
use crate::backend::{self, Backend, Candidate, Capabilities, DeviceChoice, Interface};
use crate::error::Result;
use crate::kernels::Family;

/// How far the GPU is.
#[derive(Debug)]
pub(super) enum Opened {
    /// Nobody has needed it yet.
    NotYet,
    /// A call lists the adapters.
    Listing(Waiting),
    /// There is none, or the CPU was asked for.
    None,
    /// This one is there, and nobody has needed it yet.
    Listed(Chosen),
    /// A thread of its own opens this one.
    Opening { known: Known, waiting: Waiting },
    /// Ready. What is found out of it is kept as that of a device of this description, if it has one.
    Gpu {
        gpu: Arc<dyn Backend>,
        found: Found,
        described: Option<String>,
        doubted: Option<Doubted>,
    },
}

/// An open device that is the engine's own choice: it shows what it can before it is believed.
#[derive(Debug)]
pub(super) struct Doubted {
    pub candidate: Arc<dyn Candidate>,
    /// What it has shown.
    pub right: Vec<Family>,
}

/// A device that is listed and not open.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub candidate: Arc<dyn Candidate>,
    /// As what it is kept, if it has a description.
    pub described: Option<String>,
    pub known: Known,
}

/// What a decision may know of a GPU, open or not.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub name: String,
    pub capabilities: Capabilities,
    pub interface: Option<Interface>,
    pub found: Found,
}

/// Calls that wait for another one to list or open it: each hears of it when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Waiting(Vec<oneshot::Sender<()>>);

impl Waiting {
    /// What ends when this does.
    pub(super) fn end(&mut self) -> oneshot::Receiver<()> {
        let (sender, end) = oneshot::channel();
        self.0.push(sender);
        end
    }
}

impl Chosen {
    /// A device of which so much has been found out.
    pub(super) fn new(
        candidate: Arc<dyn Candidate>,
        found: impl FnOnce(Option<&str>) -> Found,
    ) -> Self {
        let listed = candidate.listed();
        let described = listed.described();
        let found = found(described.as_deref());
        let known = Known {
            name: listed.name,
            capabilities: listed.capabilities,
            interface: Some(listed.interface),
            found,
        };
        Self {
            candidate,
            described,
            known,
        }
    }
}

impl Opened {
    /// A device of which nothing is known or kept.
    pub(super) fn ready(gpu: Arc<dyn Backend>) -> Self {
        Self::Gpu {
            gpu,
            found: Found::default(),
            described: None,
            doubted: None,
        }
    }

    /// A device that is asked for: it is asked nothing, so what is known of its speed is what earlier calls have kept.
    pub(super) fn named(gpu: Arc<dyn Backend>) -> Self {
        let described = gpu.described();
        let found = Found {
            speed: described.as_deref().and_then(Speed::kept),
            ..Found::default()
        };
        Self::Gpu {
            gpu,
            found,
            described,
            doubted: None,
        }
    }

    /// Opens what is asked for, and keeps how long that took where no other interface was asked.
    pub(super) fn open(options: &Options) -> Result<Self> {
        let (candidate, listing) = timed(|| backend::choose(&options.device));
        let Some(candidate) = candidate? else {
            return Ok(Self::None);
        };
        let (gpu, opening) = timed(|| candidate.open(options.checked, options.portable));
        let gpu = gpu?;
        let listed = Start::listed(listing);
        if let (DeviceChoice::Adapter { interface, .. }, Some(device)) =
            (&options.device, gpu.described())
        {
            listed.keep_opened(opening, &device, *interface);
        }
        Ok(Self::named(gpu))
    }

    /// What a decision may know of it, where it is listed.
    pub(super) fn known(&self) -> Option<Known> {
        match self {
            Self::NotYet | Self::Listing(_) | Self::None => None,
            Self::Listed(Chosen { known, .. }) | Self::Opening { known, .. } => Some(known.clone()),
            Self::Gpu { gpu, found, .. } => Some(Known {
                name: gpu.name().to_string(),
                capabilities: *gpu.capabilities(),
                interface: gpu.interface(),
                found: *found,
            }),
        }
    }

    /// Whether a pass can run on it as soon as it is wanted.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Gpu { gpu, .. } if !must_be_reopened(&**gpu))
    }
}

/// Whether nothing runs on a device until it is opened again.
pub(super) fn must_be_reopened(gpu: &dyn Backend) -> bool {
    gpu.is_lost() && gpu.opens_again()
}
