//! Fake devices for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::backend::wgpu::{Gpu, adapter};
use crate::backend::{
    Backend, Candidate, Capabilities, Completion, DeviceSession, FenceValue, Interface, Listed,
    Pending, Shared, Span, StreamedBuffer, UploadSource,
};
use crate::error::{Error, Result};
use crate::plan::{BufferId, Pass, Plan};

/// The adapter of the tests, disguised as a large GPU.
#[derive(Debug)]
pub(super) struct FakeGpu {
    gpu: Arc<dyn Backend>,
    claimed: Capabilities,
    described: Option<String>,
    pub is_lost: Arc<AtomicBool>,
    /// Submissions after which it is lost.
    pub submissions: Arc<AtomicUsize>,
    /// Skips all passes, so that answers are wrong.
    is_damaged: bool,
}

impl FakeGpu {
    pub(super) fn new(described: Option<String>, is_damaged: bool) -> Option<Arc<Self>> {
        let gpu =
            Arc::new(Gpu::open(&adapter::of_tests()?, false, false).expect("the adapter opens"));
        let claimed = Capabilities {
            host_threads: None,
            compute_units: Some(100_000),
            ..*gpu.capabilities()
        };
        Some(Arc::new(Self {
            gpu,
            claimed,
            described,
            is_lost: Arc::default(),
            submissions: Arc::new(usize::MAX.into()),
            is_damaged,
        }))
    }

    /// Candidate that `open` opens as this device.
    pub(super) fn candidate(
        &self,
        (interface, selector): (Interface, &str),
        open: impl Fn() -> Result<Arc<dyn Backend>> + Send + Sync + 'static,
    ) -> Box<dyn Candidate> {
        let listed = Listed {
            selector: selector.to_string(),
            interface,
            name: self.name().to_string(),
            kind: "software",
            driver: String::new(),
            capabilities: self.claimed,
            missing: None,
            is_real_gpu: false,
            shader_compiler: None,
        };
        Box::new(FakeCandidate {
            listed,
            open: Box::new(open),
        })
    }
}

impl Backend for FakeGpu {
    fn name(&self) -> &str {
        self.gpu.name()
    }

    fn described(&self) -> Option<String> {
        self.described.clone()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.claimed
    }

    fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    fn shared(&self) -> &Arc<Shared> {
        self.gpu.shared()
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        if self.is_lost() {
            return Err(lost());
        }
        Ok(Box::new(FakeSession {
            session: self.gpu.open_session()?,
            is_lost: self.is_lost.clone(),
            submissions: self.submissions.clone(),
            is_damaged: self.is_damaged,
        }))
    }
}

fn lost() -> Error {
    Error::DeviceLost {
        device: "a fake device".to_string(),
        reason: "a test has lost it".to_string(),
        remedy: "",
    }
}

struct FakeSession {
    session: Box<dyn DeviceSession>,
    is_lost: Arc<AtomicBool>,
    submissions: Arc<AtomicUsize>,
    is_damaged: bool,
}

impl DeviceSession for FakeSession {
    fn retain(&mut self, kept: &[BufferId]) {
        self.session.retain(kept);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        self.session.load(plan, kept, limit_bytes)
    }

    fn fills_behind_passes(&self) -> bool {
        self.session.fills_behind_passes()
    }

    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()> {
        self.session.fill(buffers, source)
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>> {
        let order = Ordering::Relaxed;
        let left = |left: usize| left.checked_sub(1);
        if self.submissions.fetch_update(order, order, left).is_err() {
            self.is_lost.store(true, order);
            return Err(lost());
        }
        let passes = if self.is_damaged { &[] } else { passes };
        self.session.submit(passes, stamp, spans)
    }
}

/// Listed device, opened by a closure.
struct FakeCandidate {
    listed: Listed,
    open: Box<dyn Fn() -> Result<Arc<dyn Backend>> + Send + Sync>,
}

impl std::fmt::Debug for FakeCandidate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.listed.fmt(formatter)
    }
}

impl Candidate for FakeCandidate {
    fn selector(&self) -> String {
        self.listed.selector.clone()
    }

    fn name(&self) -> String {
        self.listed.name.clone()
    }

    fn listed(&self) -> Listed {
        self.listed.clone()
    }

    fn open(&self, _checked: bool, _portable: bool) -> Result<Arc<dyn Backend>> {
        (self.open)()
    }
}
