//! A device whose sessions call hooks first, which damage, lose, check or count work.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use swath::Error;
use swath::unstable::backend::{
    Backend, Capabilities, Completion, DeviceSession, FenceValue, Pending, Shared, Span,
    StreamedBuffer, UploadSource,
};
use swath::unstable::plan::{BufferId, Pass, Plan};

use super::Gpu;

/// Hooks of one session. Each session starts with a clone of those of its device.
pub trait Hooks: Clone + Send + Sync + 'static {
    /// Called before a plan is loaded.
    fn load(&mut self, _plan: &mut Plan, _kept: &[Option<BufferId>]) {}

    /// Called before a submission; returns the passes and the stamp to submit.
    fn submit<'a>(
        &mut self,
        passes: &'a [Pass],
        stamp: FenceValue,
        _spans: &[Span],
    ) -> (&'a [Pass], FenceValue) {
        (passes, stamp)
    }
}

pub struct Hooked<H> {
    gpu: Gpu,
    capabilities: Capabilities,
    pub hooks: H,
}

impl<H: Hooks> Hooked<H> {
    pub fn new(gpu: &Gpu, hooks: H) -> Self {
        Self {
            gpu: gpu.clone(),
            capabilities: *gpu.capabilities(),
            hooks,
        }
    }

    /// The same device with other capabilities.
    pub fn with(self, capabilities: Capabilities) -> Self {
        Self {
            capabilities,
            ..self
        }
    }
}

impl<H> Debug for Hooked<H> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Hooked")
            .field("gpu", &self.gpu)
            .finish_non_exhaustive()
    }
}

impl<H: Hooks> Backend for Hooked<H> {
    fn name(&self) -> &str {
        "hooked"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn shared(&self) -> &Arc<Shared> {
        self.gpu.shared()
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>, Error> {
        Ok(Box::new(HookedSession {
            inner: self.gpu.open_session()?,
            hooks: self.hooks.clone(),
        }))
    }
}

struct HookedSession<H> {
    inner: Box<dyn DeviceSession>,
    hooks: H,
}

impl<H: Hooks> DeviceSession for HookedSession<H> {
    fn retain(&mut self, kept: &[BufferId]) {
        self.inner.retain(kept);
    }

    fn load(
        &mut self,
        plan: &mut Plan,
        kept: &[Option<BufferId>],
        limit_bytes: u64,
    ) -> Result<(), Error> {
        self.hooks.load(plan, kept);
        self.inner.load(plan, kept, limit_bytes)
    }

    fn fills_behind_passes(&self) -> bool {
        self.inner.fills_behind_passes()
    }

    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<(), Error> {
        self.inner.fill(buffers, source)
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>, Error> {
        let (passes, stamp) = self.hooks.submit(passes, stamp, spans);
        self.inner.submit(passes, stamp, spans)
    }
}
