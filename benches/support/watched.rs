//! A backend that records its slices and their times.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use swath::Result;
use swath::unstable::backend::{
    Backend, Capabilities, Completion, DeviceSession, FenceValue, Interface, Pending, Shared, Span,
    StreamedBuffer, UploadSource,
};
use swath::unstable::kernels::Kernel;
use swath::unstable::plan::{BufferId, Pass, Plan};

/// One submission of passes.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Distinct stems of its kernels.
    pub kernels: Vec<&'static str>,
    /// Device time as reported to the session; `None` if nobody waited for it.
    pub busy: Option<Duration>,
}

/// Recorded figures of a device.
#[derive(Debug, Default)]
pub struct Seen {
    /// Slices and replays in submission order.
    pub slices: Vec<Slice>,
    /// Kernels of the loaded plans, with their cost per cell.
    pub costs: Vec<(Kernel, u64)>,
}

/// Forwards everything to the inner backend.
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

    /// A replacement would not be recorded.
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
    /// Kernel stems of the loaded plan.
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

    fn fills_behind_passes(&self) -> bool {
        self.inner.fills_behind_passes()
    }

    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()> {
        self.inner.fill(buffers, source)
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>> {
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
