//! Device state of a session: the loaded plan, filled buffers, and submissions with their stamps.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::backend::Device;
use crate::backend::memory::{Reservation, check_limit};
use crate::backend::slice_budget::SliceBudget;
use crate::backend::streaming::{DeferredUpload, StreamedBuffer, UploadSource, split_by_first_use};
use crate::backend::traits::{Completion, DeviceSession, FenceValue, Pending, Shared, Span};
use crate::error::{Error, Result};
use crate::plan::{Buffer, Pass, Plan, Resident, ResidentInput};

/// Device state of a session.
pub(super) struct Rounds {
    on_device: Box<dyn DeviceSession>,
    pub shared: Arc<Shared>,
    name: String,
    pub held: Reservation,
    pub resident: Resident,
    /// True once all work of the loaded plan has left its stamps.
    pub is_done: bool,
    /// Stamp of the last submission; `None` starts a new chain.
    last: Option<u32>,
    submissions: u32,
    /// Replays and reads whose words were not delivered yet, in order.
    open: VecDeque<Replay>,
    pub replays: SliceBudget,
    deferred: VecDeque<DeferredUpload>,
}

pub(super) struct Submission {
    /// Number in the round, from 1.
    pub slice: u32,
    pub stamp: u32,
    pub completion: Pending<Completion>,
}

/// A submission that can be retried.
struct Replay {
    slice: u32,
    /// First submission of its list of replays.
    first: u32,
    /// All passes whose output the spans read.
    passes: Vec<Pass>,
    spans: Vec<Span>,
    /// True once retried; `submission` is the retry until someone awaits it.
    again: bool,
    submission: Option<Submission>,
}

pub(super) enum Loading {
    Loaded,
    /// Others hold the memory it needs.
    NoRoom,
}

impl Rounds {
    pub(super) fn new(device: &Device<'_>) -> Result<Self> {
        let Device {
            backend, control, ..
        } = device;
        Ok(Self {
            on_device: backend.open_session()?,
            shared: backend.shared().clone(),
            name: backend.name().to_string(),
            held: backend
                .shared()
                .memory
                .empty_reservation(Some(control.call())),
            resident: Resident::default(),
            is_done: false,
            last: None,
            submissions: 0,
            open: VecDeque::new(),
            replays: first_replays(device),
            deferred: VecDeque::new(),
        })
    }

    /// Loads a plan in place of the previous one, if there is room.
    pub(super) fn load(
        &mut self,
        plan: &mut Plan,
        limit_bytes: u64,
        source: &dyn UploadSource,
    ) -> Result<Loading> {
        let needed = plan.size_bytes();
        check_limit(needed, limit_bytes)?;
        let kept = |buffer: &Buffer| {
            let input = self.resident.find(&buffer.name, buffer.input.as_ref()?)?;
            (input.words == buffer.words).then_some(input.buffer)
        };
        let kept: Vec<_> = plan.buffers.iter().map(kept).collect();
        let mut retained: Vec<_> = kept.iter().flatten().copied().collect();
        retained.sort_unstable();
        self.on_device.retain(&retained);
        self.open.clear();
        (self.last, self.submissions) = (None, 0);
        if !self.held.resize(needed, limit_bytes) {
            return Ok(Loading::NoRoom);
        }
        (self.resident, self.is_done) = Default::default();
        let mut inputs = Vec::new();
        for (id, buffer) in plan.buffers.iter().enumerate() {
            if let Some(key) = buffer.input.clone().filter(|_| !plan.writes(id)) {
                inputs.push(ResidentInput {
                    buffer: id,
                    name: buffer.name.clone(),
                    key,
                    words: buffer.words,
                    is_whole: true,
                });
            }
        }
        let streamed = StreamedBuffer::of(plan);
        let (immediate, deferred) = if self.on_device.fills_behind_passes() {
            split_by_first_use(plan, streamed)
        } else {
            (streamed, Vec::new())
        };
        self.deferred = deferred.into();
        self.on_device.load(plan, &kept, limit_bytes)?;
        self.fill(&immediate, source)?;
        self.resident = Resident(inputs);
        Ok(Loading::Loaded)
    }

    /// Number of leading passes, of `passes`, that need no deferred upload.
    pub(super) fn ready(&self, passes: usize) -> usize {
        self.deferred
            .front()
            .map_or(passes, |deferred| deferred.before)
    }

    /// Performs the next deferred upload.
    pub(super) fn fill_deferred(&mut self, source: &dyn UploadSource) -> Result<()> {
        self.deferred
            .pop_front()
            .map_or(Ok(()), |deferred| self.fill(&deferred.buffers, source))
    }

    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()> {
        if buffers.is_empty() {
            return Ok(());
        }
        self.on_device.fill(buffers, source)
    }

    /// Frees all but the inputs; false if there are none, if their upload is not known to be done, or if
    /// a call waits for memory.
    pub(super) fn park(&mut self) -> bool {
        let inputs = &self.resident.0;
        if !self.is_done || inputs.is_empty() || self.shared.memory.has_waiting() {
            return false;
        }
        let kept: Vec<_> = inputs.iter().map(|input| input.buffer).collect();
        let bytes = inputs.iter().map(|input| 4 * input.words).sum();
        self.on_device.retain(&kept);
        self.held.assign(None);
        self.held.resize(bytes, bytes)
    }

    /// Hands parked inputs to a call on `device`; false if they are on another one.
    pub(super) fn unpark(&mut self, device: &Device<'_>) -> bool {
        let Device {
            backend, control, ..
        } = device;
        if !Arc::ptr_eq(&self.shared, backend.shared()) || backend.is_lost() {
            return false;
        }
        self.held.assign(Some(control.call()));
        let inputs = self.resident.0.iter_mut();
        inputs.for_each(|input| input.is_whole = false);
        self.replays = first_replays(device);
        true
    }

    /// Frees everything; returns the bytes that others hold.
    pub(super) fn give_up(&mut self) -> u64 {
        self.resident = Resident::default();
        self.on_device.retain(&[]);
        self.held.resize(0, 0);
        self.held.held_by_others()
    }

    pub(super) fn submit(&mut self, passes: &[Pass], spans: &[Span]) -> Result<Submission> {
        self.submissions += 1;
        self.send(self.submissions, passes, spans)
    }

    fn send(&mut self, slice: u32, passes: &[Pass], spans: &[Span]) -> Result<Submission> {
        let stamp = FenceValue {
            value: self.shared.next_stamp(),
            after: self.last,
        };
        self.last = Some(stamp.value);
        Ok(Submission {
            slice,
            stamp: stamp.value,
            completion: self.on_device.submit(passes, stamp, spans)?,
        })
    }

    /// Submits replays in slices. Returns each with its cells; the last one, which brings the
    /// words, separately.
    pub(super) fn submit_replays(
        &mut self,
        passes: &[Pass],
        have_run: bool,
        spans: &[Span],
    ) -> Result<(Vec<SubmissionCells>, SubmissionCells)> {
        let (first, mut before, mut rest) = (self.submissions + 1, Vec::new(), passes);
        loop {
            let (part, later) = self.replays.take(rest);
            let spans = if later.is_empty() { spans } else { &[] };
            self.submissions += 1;
            let slice = self.submissions;
            let (run, cells) = if have_run {
                (&[][..], 0)
            } else {
                (part, cells_of(part))
            };
            let submission = (!have_run || later.is_empty())
                .then(|| self.send(slice, run, spans))
                .transpose()?;
            let (passes, spans) = (part.to_vec(), spans.to_vec());
            self.open.push_back(Replay {
                slice,
                first,
                passes,
                spans,
                again: false,
                submission: None,
            });
            match submission {
                Some(submission) if later.is_empty() => return Ok((before, (submission, cells))),
                submission => before.extend(submission.map(|submission| (submission, cells))),
            }
            rest = later;
        }
    }

    /// Retries a lost replay, together with all replays behind it.
    pub(super) fn submit_again(&mut self, slice: u32) -> Result<Submission> {
        let Some(index) = self.open.iter().position(|replay| replay.slice == slice) else {
            return Err(self.missing(slice));
        };
        if !self.open[index].again {
            self.last = None;
            let mut open = std::mem::take(&mut self.open);
            let submitted = open.iter_mut().try_for_each(|replay| {
                replay.submission = Some(self.send(replay.slice, &replay.passes, &replay.spans)?);
                replay.again = true;
                Ok(())
            });
            self.open = open;
            submitted?;
        }
        self.open[index]
            .submission
            .take()
            .ok_or_else(|| self.missing(slice))
    }

    /// Drops a replay whose words were delivered, and those that its stamp proves.
    pub(super) fn close(&mut self, slice: u32) {
        let first = self
            .open
            .iter()
            .find(|replay| replay.slice == slice)
            .map_or(slice, |replay| replay.first);
        self.open.retain(|replay| {
            replay.slice > slice || replay.slice < first && replay.submission.is_some()
        });
    }

    pub(super) fn missing(&self, slice: u32) -> Error {
        Error::MissingStamp {
            device: self.name.clone(),
            slice,
        }
    }
}

/// Budget of replays before any is timed.
fn first_replays(device: &Device<'_>) -> SliceBudget {
    let target = device.sized_for();
    let safe_cells = SliceBudget::safe_cells(device.backend.capabilities(), 1, target);
    SliceBudget::new(target, safe_cells)
}

/// A submission and its cells.
type SubmissionCells = (Submission, u64);

pub(super) fn cells_of(passes: &[Pass]) -> u64 {
    passes
        .iter()
        .fold(0, |cells, pass| cells.saturating_add(pass.cells))
}
