//! Fake devices for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::wgpu::{Gpu, adapter};
use crate::backend::{
    Backend, Candidate, Capabilities, Completion, DeviceSession, FenceValue, Interface, Listed,
    Pending, Shared, Span, StreamedUpload,
};
use crate::error::{Error, Result};
use crate::plan::{BufferId, Pass, Plan};

/// The adapter of the tests, disguised as a large GPU.
#[derive(Debug)]
pub(super) struct FakeGpu {
    gpu: Arc<dyn Backend>,
    claimed: Capabilities,
    described: Option<String>,
    pub is_lost: AtomicBool,
    /// Skips all passes, so that answers are wrong.
    is_damaged: bool,
}

impl FakeGpu {
    pub(super) fn new(described: Option<String>, is_damaged: bool) -> Option<Arc<Self>> {
        let gpu = Arc::new(Gpu::open(&adapter::of_tests()?, false).expect("the adapter opens"));
        let claimed = Capabilities {
            host_threads: None,
            compute_units: Some(100_000),
            ..*gpu.capabilities()
        };
        Some(Arc::new(Self {
            gpu,
            claimed,
            described,
            is_lost: AtomicBool::new(false),
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
            return Err(Error::DeviceLost {
                device: self.name().to_string(),
                reason: "a test has lost it".to_string(),
                remedy: "",
            });
        }
        let session = self.gpu.open_session()?;
        Ok(if self.is_damaged {
            Box::new(WithoutPasses(session))
        } else {
            session
        })
    }
}

/// Session that skips all passes.
struct WithoutPasses(Box<dyn DeviceSession>);

impl DeviceSession for WithoutPasses {
    fn retain(&mut self, kept: &[BufferId]) {
        self.0.retain(kept);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        self.0.load(plan, kept, limit_bytes)
    }

    fn streaming(&mut self) -> Option<&mut dyn StreamedUpload> {
        self.0.streaming()
    }

    fn submit(
        &mut self,
        _passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>> {
        self.0.submit(&[], stamp, spans)
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
