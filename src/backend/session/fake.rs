//! Test device: it computes on the host, loses chosen submissions, and reports busy times of a
//! given throughput.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crate::backend::{
    Backend, Capabilities, Completion, DeviceSession, FenceValue, Pending, Shared, Span,
    StreamedBuffer, UploadSource,
};
use crate::error::{Error, Result};
use crate::host::lock;
use crate::kernels::{Access, Kernel};
use crate::plan::{BufferId, Contents, PARAMS, Pass, Plan, params};

/// Contents of memory that no pass and no upload has written.
const GARBAGE: u32 = 0xdead_beef;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Passes, cells and read words of a submission.
    Submitted {
        passes: usize,
        cells: u64,
        words: u64,
    },
    /// A submission was awaited.
    Done,
    /// Number of streamed buffers that were filled.
    Filled(usize),
}

/// When a call learns that its device is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossReport {
    AtSubmission,
    WhenWaitedFor,
}

#[derive(Debug, Default)]
pub(super) struct Log {
    pub events: Vec<Event>,
    /// Submissions that do nothing, counted from 0.
    pub lost: BTreeSet<usize>,
    /// First submission from which all do nothing.
    pub lost_from: Option<usize>,
    /// First submission from which all are slower, and the factor.
    pub slower_from: Option<(usize, f64)>,
    /// First submission without a device, and when the call learns of it.
    pub gone_from: Option<(usize, LossReport)>,
    pub submissions: usize,
    pub uploaded_bytes: u64,
    /// Kernels and busy time of each submission.
    pub busy: Vec<(BTreeSet<usize>, Duration)>,
}

#[derive(Debug)]
pub(super) struct FakeBackend {
    shared: Arc<Shared>,
    pub capabilities: Capabilities,
    cells_per_second: f64,
    /// Cost of a cell of kernel 1 (that of replays) relative to kernel 0.
    pub replays_take: f64,
    log: Arc<Mutex<Log>>,
}

impl FakeBackend {
    pub(super) fn new(cells_per_second: f64) -> Self {
        let (shared, capabilities, log) = Default::default();
        Self {
            shared,
            capabilities,
            cells_per_second,
            replays_take: 1.0,
            log,
        }
    }

    /// Forgets the measured throughput.
    pub(super) fn forget(&mut self) {
        self.shared = Arc::default();
    }

    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }
}

impl Backend for FakeBackend {
    fn name(&self) -> &str {
        "fake"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn open_session(&self) -> Result<Box<dyn DeviceSession>> {
        let (log, cells_per_second) = (
            self.log.clone(),
            [1.0, 1.0 / self.replays_take].map(|of| of * self.cells_per_second),
        );
        Ok(Box::new(FakeSession {
            log,
            cells_per_second,
            plan: Plan::default(),
            memory: vec![],
            uploads: vec![],
            stamp: 0,
        }))
    }
}

struct FakeSession {
    log: Arc<Mutex<Log>>,
    /// By kernel.
    cells_per_second: [f64; 2],
    plan: Plan,
    memory: Vec<Vec<u32>>,
    /// Uploads that go with the next submission, and are lost with it.
    uploads: Vec<(BufferId, Vec<u32>)>,
    stamp: u32,
}

impl FakeSession {
    /// Kernel 0 changes its second buffer in place, kernel 1 fills the third one.
    fn run(&mut self, pass: &Pass) {
        let bound = &self.plan.bindings[pass.bindings];
        let (input, state, seed) = (
            self.memory[bound[0]].clone(),
            self.memory[bound[1]].clone(),
            pass.params[0],
        );
        let mix = |place: usize, word: u32| {
            let word = word.wrapping_mul(1_664_525).wrapping_add(seed);
            word ^ input[place % input.len()].rotate_left(seed % 31)
        };
        match pass.kernel {
            0 => {
                self.memory[bound[1]] = (0..)
                    .zip(state)
                    .map(|(place, word)| mix(place, word))
                    .collect()
            }
            _ => {
                let out = &mut self.memory[bound[2]];
                (0..)
                    .zip(out)
                    .for_each(|(place, word)| *word = mix(place, state[place % state.len()]));
            }
        }
    }
}

impl DeviceSession for FakeSession {
    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()> {
        lock(&self.log).events.push(Event::Filled(buffers.len()));
        let generated = |streamed: &StreamedBuffer| (streamed.id, generate(source, streamed));
        self.uploads.extend(buffers.iter().map(generated));
        Ok(())
    }

    fn retain(&mut self, kept: &[BufferId]) {
        let of_plan = self.memory.iter_mut().enumerate();
        of_plan
            .filter(|(id, _)| !kept.contains(id))
            .for_each(|(_, words)| *words = Vec::new());
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], _: u64) -> Result<()> {
        let mut before = std::mem::take(&mut self.memory);
        self.uploads.clear();
        for (id, (buffer, kept)) in plan.buffers.iter_mut().zip(kept).enumerate() {
            let garbage = vec![GARBAGE; buffer.words as usize];
            self.memory
                .push(kept.map_or(garbage, |kept| std::mem::take(&mut before[kept])));
            match std::mem::replace(&mut buffer.contents, Contents::Unspecified) {
                Contents::Words(words) if kept.is_none() => {
                    lock(&self.log).uploaded_bytes += 4 * words.len() as u64;
                    self.uploads.push((id, words.to_vec()));
                }
                Contents::Zeros => self.uploads.push((id, vec![0; buffer.words as usize])),
                Contents::Words(_)
                | Contents::Streamed(_)
                | Contents::Unspecified
                | Contents::Resident
                | Contents::ResidentBefore(_) => {}
            }
        }
        self.plan = plan.clone();
        Ok(())
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>> {
        let cells = passes.iter().map(|pass| pass.cells).sum();
        let words = spans.iter().map(|span| span.words).sum();
        let (lost, gone, times) = {
            let mut log = lock(&self.log);
            log.events.push(Event::Submitted {
                passes: passes.len(),
                cells,
                words,
            });
            log.submissions += 1;
            let number = log.submissions - 1;
            let lost =
                log.lost.contains(&number) || log.lost_from.is_some_and(|from| number >= from);
            let gone = log
                .gone_from
                .filter(|&(from, _)| number >= from)
                .map(|(_, report)| report);
            (
                lost,
                gone,
                log.slower_from
                    .filter(|&(from, _)| number >= from)
                    .map_or(1.0, |(_, times)| times),
            )
        };
        let is_gone = || Error::DeviceLost {
            device: "fake".to_string(),
            reason: "as it was told to".to_string(),
            remedy: "",
        };
        match gone {
            Some(LossReport::AtSubmission) => return Err(is_gone()),
            Some(LossReport::WhenWaitedFor) => return Ok(Box::pin(async move { Err(is_gone()) })),
            None => {}
        }
        let uploads = std::mem::take(&mut self.uploads);
        let mut found = vec![GARBAGE; words as usize];
        if !lost {
            uploads
                .into_iter()
                .for_each(|(id, words)| self.memory[id] = words);
            passes.iter().for_each(|pass| self.run(pass));
            if stamp.after.is_none_or(|after| after == self.stamp) {
                self.stamp = stamp.value;
            }
            let words = |span: &Span| {
                self.memory[span.buffer][span.first as usize..][..span.words as usize].to_vec()
            };
            found = spans.iter().flat_map(words).collect();
        }
        let seconds = |pass: &Pass| pass.cells as f64 / self.cells_per_second[pass.kernel];
        let busy = Duration::from_secs_f64(passes.iter().map(seconds).sum::<f64>() * times);
        if !passes.is_empty() {
            let kernels = passes.iter().map(|pass| pass.kernel).collect();
            lock(&self.log).busy.push((kernels, busy));
        }
        let (log, stamp) = (self.log.clone(), self.stamp);
        Ok(Box::pin(async move {
            lock(&log).events.push(Event::Done);
            Ok(Completion {
                stamp,
                busy,
                words: Box::new(found),
            })
        }))
    }
}

pub(super) fn generate(source: &dyn UploadSource, streamed: &StreamedBuffer) -> Vec<u32> {
    let mut words = vec![0; streamed.buffer.words as usize];
    source.write(&streamed.buffer, 0, &mut words);
    words
}

/// A plan for the device: an input, a state that every pass changes, and a buffer for the output of
/// replays.
pub(super) fn plan(resident: &crate::plan::Resident, cells: &[u64]) -> Plan {
    let mut plan = Plan::default();
    let input = plan.input("input", 5, vec![7], resident, || vec![3, 1, 4, 1, 5]);
    let state = plan.upload("state", vec![2, 7, 1]);
    let left = plan.buffer("left", 4, Contents::Unspecified);
    for accesses in [
        &[Access::Read, Access::ReadWrite][..],
        &[Access::Read, Access::Read, Access::ReadWrite],
    ] {
        plan.kernel(Kernel::new("fake", 1, accesses));
    }
    let (in_place, replay) = (
        plan.bind(vec![input, state]),
        plan.bind(vec![input, state, left]),
    );
    let pass = |(index, &cells): (u32, &u64)| Pass {
        kernel: 0,
        bindings: in_place,
        groups: [1; 3],
        params: params([index + 1]),
        cells,
    };
    plan.passes.extend((0..).zip(cells).map(pass));
    plan.replays.push(Pass {
        kernel: 1,
        bindings: replay,
        groups: [1; 3],
        params: [0; PARAMS],
        cells: 0,
    });
    plan
}

/// The buffer that passes change.
pub(super) const STATE: Span = Span {
    buffer: 1,
    first: 0,
    words: 3,
};
/// Output of replays.
pub(super) const LEFT: Span = Span {
    buffer: 2,
    first: 1,
    words: 3,
};
