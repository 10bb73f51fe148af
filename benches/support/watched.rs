//! A device that is watched: which slices it gets, and how long each held it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use swath::Result;
use swath::unstable::backend::{
    Backend, Capabilities, DeviceSession, Done, InParts, Interface, Pending, Shared, Span, Stamp,
};
use swath::unstable::kernels::Kernel;
use swath::unstable::plan::{BufferId, Pass, Plan};

/// A submission of passes.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Stems of its kernels, each once.
    pub kernels: Vec<&'static str>,
    /// How long it held the device, as the session was told; `None` where nobody waited for that.
    pub busy: Option<Duration>,
}

/// What was seen of a device.
#[derive(Debug, Default)]
pub struct Seen {
    /// Slices and replays in the order in which they were submitted.
    pub slices: Vec<Slice>,
    /// Kernels of the plans that were loaded, and the cost of their cells.
    pub costs: Vec<(Kernel, u64)>,
}

/// Passes everything on.
#[derive(Debug)]
pub struct Watched {
    device: Arc<dyn Backend>,
    seen: Arc<Mutex<Seen>>,
}

impl Watched {
    pub fn new(device: Arc<dyn Backend>) -> Self {
        Self {
            device,
            seen: Arc::default(),
        }
    }

    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }
}

impl Backend for Watched {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn interface(&self) -> Option<Interface> {
        self.device.interface()
    }

    fn capabilities(&self) -> &Capabilities {
        self.device.capabilities()
    }

    fn is_lost(&self) -> bool {
        self.device.is_lost()
    }

    /// What took its place would not be watched.
    fn opens_again(&self) -> bool {
        false
    }

    fn shared(&self) -> &Arc<Shared> {
        self.device.shared()
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        let (inner, seen) = (self.device.open_session()?, self.seen.clone());
        Ok(Box::new(WatchedSession {
            inner,
            seen,
            stems: Vec::new(),
        }))
    }
}

struct WatchedSession {
    inner: Box<dyn DeviceSession>,
    seen: Arc<Mutex<Seen>>,
    /// Of the plan that is loaded.
    stems: Vec<&'static str>,
}

impl DeviceSession for WatchedSession {
    fn retain(&mut self, kept: &[BufferId]) {
        self.inner.retain(kept);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        self.stems = plan.kernels.iter().map(|kernel| kernel.stem).collect();
        lock(&self.seen).costs.extend(
            plan.kernels
                .iter()
                .map(|kernel| (kernel.clone(), plan.cell_cost)),
        );
        self.inner.load(plan, kept, limit_bytes)
    }

    fn in_parts(&mut self) -> Option<&mut dyn InParts> {
        self.inner.in_parts()
    }

    fn submit(&mut self, passes: &[Pass], stamp: Stamp, spans: &[Span]) -> Result<Pending<Done>> {
        let arriving = self.inner.submit(passes, stamp, spans)?;
        if passes.is_empty() {
            return Ok(arriving);
        }
        let mut kernels: Vec<_> = passes.iter().map(|pass| self.stems[pass.kernel]).collect();
        kernels.sort_unstable();
        kernels.dedup();
        let seen = self.seen.clone();
        let place = {
            let slices = &mut lock(&seen).slices;
            slices.push(Slice {
                kernels,
                busy: None,
            });
            slices.len() - 1
        };
        Ok(Box::pin(async move {
            let done = arriving.await?;
            lock(&seen).slices[place].busy = Some(done.busy);
            Ok(done)
        }))
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
