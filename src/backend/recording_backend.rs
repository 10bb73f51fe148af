//! Test backend that records which inputs were uploaded, which were resident, and how many passes
//! ran.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::wgpu::{Gpu, adapter};
use super::{
    Backend, Capabilities, Completion, Device, DeviceSession, FenceValue, Pending, Shared, Span,
    StreamedBuffer, UploadSource,
};
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::error::Result;
use crate::host::lock;
use crate::plan::{BufferId, Contents, Pass, Plan};

/// Inputs of a plan by name; true if uploaded.
pub(crate) type Load = Vec<(String, bool)>;

/// Recording wrapper of the first adapter of this machine, software or not.
#[derive(Debug)]
pub(crate) struct RecordingBackend {
    gpu: Gpu,
    loads: Arc<Mutex<Vec<Load>>>,
    passes: Arc<Passes>,
}

/// Counts of the planned and the submitted passes, and the kernels (by stem) whose passes were
/// split.
#[derive(Debug, Default)]
struct Passes {
    planned: AtomicUsize,
    submitted: AtomicUsize,
    cut: Mutex<BTreeSet<&'static str>>,
}

impl RecordingBackend {
    pub(crate) fn open() -> Option<Self> {
        let candidate = adapter::of_tests()?;
        Some(Self {
            gpu: Gpu::open(&candidate, true, false).expect("the adapter opens"),
            loads: Arc::default(),
            passes: Arc::default(),
        })
    }

    pub(crate) fn loads(&self) -> Vec<Load> {
        lock(&self.loads).clone()
    }

    /// Stems of the kernels whose passes were split.
    pub(crate) fn split_kernels(&self) -> BTreeSet<&'static str> {
        lock(&self.passes.cut).clone()
    }

    pub(crate) fn device<'a>(
        &'a self,
        slice: Duration,
        control: &'a Control,
        phases: &'a Phases,
    ) -> Device<'a> {
        Device {
            backend: self,
            budget_bytes: 1 << 40,
            slice,
            threads: None,
            control,
            phases,
        }
    }

    /// Runs `work` in slices of maximum length and again in slices so short that every pass is
    /// split to its units. In the long slices, before any was timed, only large passes are split.
    pub(crate) fn whole_and_split<T>(
        &self,
        work: impl AsyncFn(&Device<'_>) -> Result<T>,
    ) -> [T; 2] {
        let (control, phases) = (Control::default(), Phases::start());
        let [whole, cut] = [Duration::from_secs(60), Duration::from_nanos(1)].map(|slice| {
            let device = self.device(slice, &control, &phases);
            self.take_passes();
            let found = pollster::block_on(work(&device)).expect("it is found");
            (found, self.take_passes())
        });
        let ((whole, [planned, submitted]), (cut, [planned_again, parts])) = (whole, cut);
        assert!(
            planned == planned_again && planned <= submitted,
            "{submitted} of {planned} or {planned_again}"
        );
        assert!(
            submitted < parts,
            "of {planned} passes there were {parts} parts, and {submitted} in long slices"
        );
        [whole, cut]
    }

    fn take_passes(&self) -> [usize; 2] {
        [&self.passes.planned, &self.passes.submitted]
            .map(|passes| passes.swap(0, Ordering::Relaxed))
    }
}

impl Backend for RecordingBackend {
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
        let (loads, passes) = (self.loads.clone(), self.passes.clone());
        Ok(Box::new(RecordingSession {
            inner: self.gpu.open_session()?,
            loads,
            passes,
            whole: Vec::new(),
        }))
    }
}

struct RecordingSession {
    inner: Box<dyn DeviceSession>,
    loads: Arc<Mutex<Vec<Load>>>,
    passes: Arc<Passes>,
    /// Passes of the plan, with the stems of their kernels.
    whole: Vec<(&'static str, Pass)>,
}

impl DeviceSession for RecordingSession {
    fn retain(&mut self, kept: &[BufferId]) {
        self.inner.retain(kept);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        let inputs = plan
            .buffers
            .iter()
            .zip(kept)
            .filter(|(buffer, _)| buffer.input.is_some());
        let uploaded = |kept: &Option<BufferId>, contents: &Contents| {
            assert_eq!(
                kept.is_some(),
                matches!(contents, Contents::Resident),
                "nothing is made that is not needed"
            );
            kept.is_none()
        };
        let load = inputs
            .map(|(buffer, kept)| (buffer.name.clone(), uploaded(kept, &buffer.contents)))
            .collect();
        lock(&self.loads).push(load);
        assert!(
            plan.passes.iter().all(|pass| pass.cells > 0),
            "a pace sees every pass"
        );
        self.passes
            .planned
            .fetch_add(plan.passes.len(), Ordering::Relaxed);
        let whole = plan.passes.iter().chain(&plan.replays);
        self.whole = whole
            .map(|pass| (plan.kernels[pass.kernel].stem, pass.clone()))
            .collect();
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
        self.passes
            .submitted
            .fetch_add(passes.len(), Ordering::Relaxed);
        let planned = |pass: &Pass| self.whole.iter().any(|(_, whole)| whole == pass);
        let of = |pass: &Pass| {
            self.whole
                .iter()
                .find(|(_, whole)| whole.kernel == pass.kernel)
                .map(|(stem, _)| *stem)
        };
        let cut = passes.iter().filter(|pass| !planned(pass)).filter_map(of);
        lock(&self.passes.cut).extend(cut);
        self.inner.submit(passes, stamp, spans)
    }
}
