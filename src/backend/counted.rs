//! A device of the tests that keeps which inputs were uploaded and which lay there already.

use std::sync::{Arc, Mutex};

use super::wgpu::{Gpu, adapter};
use super::{Backend, Capabilities, DeviceSession, Done, InParts, Pending, Shared, Span, Stamp};
use crate::error::Result;
use crate::plan::{BufferId, Contents, Pass, Plan};

/// An input of a plan, and whether it was uploaded.
pub(crate) type Load = Vec<(String, bool)>;

/// The first adapter of this machine, software or not.
#[derive(Debug)]
pub(crate) struct Counted {
    gpu: Gpu,
    loads: Arc<Mutex<Vec<Load>>>,
}

impl Counted {
    /// `None` where there is no adapter.
    pub fn open() -> Option<Self> {
        let candidate = adapter::of_tests()?;
        Some(Self { gpu: Gpu::open(&candidate, true).expect("the adapter opens"), loads: Arc::default() })
    }

    /// The inputs of each plan that was loaded.
    pub fn loads(&self) -> Vec<Load> {
        self.loads.lock().expect("unharmed").clone()
    }
}

impl Backend for Counted {
    fn name(&self) -> &str {
        self.gpu.name()
    }

    fn capabilities(&self) -> &Capabilities {
        self.gpu.capabilities()
    }

    fn shared(&self) -> &Arc<Shared> {
        self.gpu.shared()
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        Ok(Box::new(CountedSession { inner: self.gpu.open_session()?, loads: self.loads.clone() }))
    }
}

struct CountedSession {
    inner: Box<dyn DeviceSession>,
    loads: Arc<Mutex<Vec<Load>>>,
}

impl DeviceSession for CountedSession {
    fn retain(&mut self, kept: &[BufferId]) {
        self.inner.retain(kept);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        let inputs = plan.buffers.iter().zip(kept).filter(|(buffer, _)| buffer.input.is_some());
        let uploaded = |kept: &Option<BufferId>, contents: &Contents| {
            assert_eq!(kept.is_some(), matches!(contents, Contents::Resident), "nothing is made that is not needed");
            kept.is_none()
        };
        let load = inputs.map(|(buffer, kept)| (buffer.name.clone(), uploaded(kept, &buffer.contents))).collect();
        self.loads.lock().expect("unharmed").push(load);
        self.inner.load(plan, kept, limit_bytes)
    }

    fn in_parts(&mut self) -> Option<&mut dyn InParts> {
        self.inner.in_parts()
    }

    fn submit(&mut self, passes: &[Pass], stamp: Stamp, spans: &[Span]) -> Result<Pending<Done>> {
        self.inner.submit(passes, stamp, spans)
    }
}
