//! A plan on the device: its buffers, submissions with their stamps, and readback through staging
//! buffers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_channel::oneshot;
use wgpu::{BindGroup, BufferUsages, BufferView, CommandEncoder, ComputePassDescriptor, MapMode};

use super::commands::{bind, dispatch, poison};
use super::errors::caught;
use super::gather::Gather;
use super::memory::{PooledBuffer, ScratchBuffer, buffer};
use super::open_device::OpenDevice;
use super::owner::Owner;
use super::parameters::Parameters;
use super::pipelines::Pipeline;
use super::readback::{AwaitedReadback, PendingReadback};
use super::timestamps::{self, Timestamps};
use crate::backend::buffers::PlanBudget;
use crate::backend::kernel_cache::build_kernels;
use crate::backend::{
    Completion, DeviceSession, FenceValue, Pending, Shared, Span, StreamedBuffer, UploadSource,
    Words,
};
use crate::error::Result;
use crate::host::Instant;
use crate::kernels::readback;
use crate::plan::{BufferId, Contents, Pass, Plan, params};

mod upload;

pub(super) struct LoadedPlan {
    opened: Arc<OpenDevice>,
    shared: Arc<Shared>,
    pipelines: Vec<Pipeline>,
    /// Bind groups by set of bindings; `None` if no pass uses the set.
    groups: Vec<Option<BindGroup>>,
    stamps: Option<Stamps>,
    parameters: Parameters,
    gather: Option<Gather>,
    /// Buffers by number in the plan; `None` if freed by `retain`.
    buffers: Vec<Option<PooledBuffer>>,
    /// Clears to submit before all other commands.
    clears: Option<CommandEncoder>,
    pending_uploads: PendingUploads,
    budget: PlanBudget,
}

/// Uploads submitted in pieces before the first slice.
#[derive(Debug, Default)]
struct PendingUploads {
    /// Stamp of the last piece.
    stamp: Option<u32>,
    /// Bytes of the next piece so far.
    begun_bytes: u64,
}

impl PendingUploads {
    /// Returns the stamp that the first slice must follow, if any. The unfinished piece goes with
    /// that slice.
    fn end(&mut self) -> Option<u32> {
        std::mem::take(self).stamp
    }
}

/// The word to which submissions write their stamps, and the kernel that writes them.
#[derive(Clone)]
struct Stamps {
    pipeline: Pipeline,
    memory: Arc<ScratchBuffer>,
    group: BindGroup,
}

/// Words before the requested ones: the stamp, and the timestamps if there are any.
const HEADER_WORDS: usize = 1 + timestamps::WORDS;
const HEADER_BYTES: u64 = 4 * HEADER_WORDS as u64;

impl Stamps {
    fn new(opened: &OpenDevice) -> Result<Self> {
        let pipeline = opened.pipeline(&readback::stamp())?;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let descriptor = buffer("stamp", 4, usage);
        let memory = ScratchBuffer::new(&opened.device, opened.pool.account(), &descriptor);
        let group = bind(&opened.device, &pipeline, &[(0, &memory.buffer, 4)]);
        Ok(Self {
            pipeline,
            memory: Arc::new(memory),
            group,
        })
    }
}

impl LoadedPlan {
    pub(super) fn empty(opened: Arc<OpenDevice>, shared: Arc<Shared>) -> Self {
        let (pipelines, groups, buffers, pending_uploads) = Default::default();
        let parameters = Parameters::new(&opened.parameters, opened.pool.account());
        Self {
            opened,
            shared,
            pipelines,
            groups,
            stamps: None,
            parameters,
            gather: None,
            buffers,
            clears: None,
            pending_uploads,
            budget: PlanBudget::default(),
        }
    }

    fn stamps(&mut self) -> Result<Stamps> {
        match &self.stamps {
            Some(stamps) => Ok(stamps.clone()),
            None => Ok(self.stamps.insert(Stamps::new(&self.opened)?).clone()),
        }
    }

    fn buffer(&self, buffer: BufferId) -> Result<&PooledBuffer> {
        let found = self.buffers.get(buffer).and_then(Option::as_ref);
        found.ok_or_else(|| self.opened.failure("a buffer was used that is not there"))
    }

    /// Fills the buffers that were not taken over.
    fn fill_whole(&mut self, plan: &mut Plan, pooled: &[PooledBuffer]) -> Result<()> {
        let opened = self.opened.clone();
        // Drop clears recorded for a plan that never ran: its buffers may have been reused.
        self.clears = None;
        for (buffer, allocated) in plan.buffers.iter_mut().zip(pooled) {
            match std::mem::replace(&mut buffer.contents, Contents::Unspecified) {
                Contents::Words(words) => {
                    self.upload(allocated, &words)?;
                }
                Contents::Zeros => self.clear(allocated, 0..buffer.size_bytes())?,
                // A checked run must fail if a pass reads words that none wrote, so memory starts
                // with a value that no state has.
                Contents::Unspecified if opened.checked => {
                    poison(&opened.queue, allocated, buffer.size_bytes())
                }
                // Clear the never-used tail now; otherwise wgpu zero-initialises it inside the
                // first slice.
                Contents::Unspecified => {
                    self.clear(allocated, allocated.used..buffer.size_bytes())?
                }
                Contents::Streamed(_) | Contents::Resident | Contents::ResidentBefore(_) => {}
            }
        }
        Ok(())
    }

    /// Allocates, fills and binds the buffers of a plan whose kernels are built.
    fn place(&mut self, plan: &mut Plan, kept: &[Option<BufferId>]) -> Result<()> {
        let (opened, budget) = (&self.opened, self.budget);
        let pooled = opened
            .pool
            .for_plan(plan, &mut self.buffers, kept, budget.limit_bytes)
            .map_err(|_| opened.pool.no_room(&opened.name, budget.plan_bytes, budget))?;
        self.fill_whole(plan, &pooled)?;
        let group = |set: usize| {
            let (kernel, bound) = plan.bound(set)?;
            let bound: Vec<_> = bound
                .map(|(number, id)| (number, &*pooled[id], pooled[id].size))
                .collect();
            Some(bind(&self.opened.device, &self.pipelines[kernel], &bound))
        };
        self.groups = (0..plan.bindings.len()).map(group).collect();
        self.buffers = pooled.into_iter().map(Some).collect();
        Ok(())
    }

    fn record(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<(Mapped, Duration)>> {
        let after = self.pending_uploads.end();
        let commands = self.stamped(
            passes,
            FenceValue {
                after: stamp.after.or(after),
                ..stamp
            },
        )?;
        self.finish(commands, passes, spans)
    }

    fn stamped(&mut self, passes: &[Pass], stamp: FenceValue) -> Result<CommandEncoder> {
        let stamps = self.stamps()?;
        let value = params([stamp.value, stamp.after.unwrap_or(stamp.value)]);
        let all: Vec<_> = passes
            .iter()
            .map(|pass| pass.params)
            .chain([value])
            .collect();
        self.parameters
            .write(&self.opened.device, &self.opened.queue, &all);
        let mut commands = self
            .opened
            .device
            .create_command_encoder(&Default::default());
        let timestamp_writes = self.opened.timestamps(passes).map(Timestamps::writes);
        let mut compute = commands.begin_compute_pass(&ComputePassDescriptor {
            label: None,
            timestamp_writes,
        });
        dispatch(
            &mut compute,
            passes,
            &self.pipelines,
            &self.groups,
            &self.parameters,
        );
        compute.set_pipeline(&stamps.pipeline.pipeline);
        compute.set_bind_group(0, &stamps.group, &[]);
        self.parameters
            .set(&mut compute, passes.len(), &all[passes.len()]);
        compute.dispatch_workgroups(1, 1, 1);
        drop(compute);
        Ok(commands)
    }

    /// Submits recorded passes and copies their stamp and the words of `spans` to a staging buffer.
    /// The buffer is mapped on completion.
    fn finish(
        &mut self,
        mut commands: CommandEncoder,
        passes: &[Pass],
        spans: &[Span],
    ) -> Result<Pending<(Mapped, Duration)>> {
        let stamps = self.stamps()?;
        let size = read_bytes(spans);
        let staging = self.opened.staging.take(&self.opened.device, size);
        commands.copy_buffer_to_buffer(&stamps.memory.buffer, 0, &staging, 0, 4);
        let timestamps = self.opened.timestamps(passes).cloned();
        if let Some(timestamps) = &timestamps {
            timestamps.copy(&mut commands, &staging, 4);
        }
        let source = spans
            .first()
            .map(|span| self.buffer(span.buffer))
            .transpose()?;
        let source = source.map(|buffer| (wgpu::Buffer::clone(buffer), buffer.size));
        let gather = self.gather.as_mut().zip(source);
        match gather.and_then(|(gather, (buffer, bytes))| {
            gather.gather(&self.opened, &mut commands, spans, &buffer, bytes)
        }) {
            Some(gathered) => {
                commands.copy_buffer_to_buffer(
                    &gathered,
                    0,
                    &staging,
                    HEADER_BYTES,
                    size - HEADER_BYTES,
                );
            }
            None => {
                let mut position = HEADER_BYTES;
                for span in spans {
                    let source = self.buffer(span.buffer)?;
                    commands.copy_buffer_to_buffer(
                        source,
                        span.first * 4,
                        &staging,
                        position,
                        span.words * 4,
                    );
                    position += span.words * 4;
                }
            }
        }
        let submitted = Instant::now();
        let commands = self.clears.take().into_iter().chain([commands]);
        let index = self.opened.submit(commands.map(CommandEncoder::finish));
        let (sender, receiver) = oneshot::channel();
        let buffer = staging.clone();
        let awaited = AwaitedReadback {
            sender,
            staging,
            submitted,
            clock: self.opened.clock.clone(),
        };
        let pending = Arc::new(PendingReadback(Mutex::new(Some(awaited))));
        let awaited = pending.clone();
        buffer.map_async(MapMode::Read, ..size, move |mapped| {
            match mapped {
                Ok(()) => pending.deliver(),
                // A buffer that a lost device failed to unmap holds the words of an earlier
                // submission.
                Err(_) => pending.give_up(),
            }
        });
        self.opened.waiter.wait_for(index, awaited);
        let opened = self.opened.clone();
        Ok(Box::pin(async move {
            let failed = || opened.failure("reading back failed");
            let (staging, times) = receiver.await.map_err(|_| failed())?;
            // Mapped unless the device was lost.
            let view = staging.get_mapped_range(..size).map_err(|_| failed())?;
            let mapped = Mapped {
                view: Some(view),
                staging: Some(staging),
                opened: opened.clone(),
            };
            let [_, timestamp_words @ ..] = mapped.header();
            let by_its_clock = timestamps
                .and_then(|of| timestamps::between(timestamp_words, of.tick_ns, times.elapsed));
            Ok((mapped, by_its_clock.unwrap_or(times.busy)))
        }))
    }
}

/// Bytes of the header and of the words of `spans`.
fn read_bytes(spans: &[Span]) -> u64 {
    HEADER_BYTES + spans.iter().map(|span| span.words * 4).sum::<u64>()
}

/// A mapped staging buffer, header first. Dropping it returns it to the pool.
struct Mapped {
    view: Option<BufferView>,
    /// `None` only during drop.
    staging: Option<wgpu::Buffer>,
    opened: Arc<OpenDevice>,
}

impl Mapped {
    fn all(&self) -> &[u32] {
        self.view
            .as_deref()
            .map(bytemuck::cast_slice)
            .unwrap_or_default()
    }

    fn header(&self) -> [u32; HEADER_WORDS] {
        self.all().first_chunk().copied().unwrap_or_default()
    }
}

impl Words for Mapped {
    fn words(&self) -> &[u32] {
        &self.all()[HEADER_WORDS..]
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.view = None;
        let Some(staging) = self.staging.take() else {
            return;
        };
        // A buffer of a lost device is not reused.
        if caught(&self.opened.device, || staging.unmap()).is_ok() {
            self.opened.staging.give_back(staging);
        }
    }
}

impl DeviceSession for LoadedPlan {
    fn retain(&mut self, kept: &[BufferId]) {
        (self.groups, self.gather) = Default::default();
        let of_plan = self.buffers.iter_mut().enumerate();
        of_plan
            .filter(|(id, _)| kept.binary_search(id).is_err())
            .for_each(|(_, buffer)| *buffer = None);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        let opened = self.opened.clone();
        let (pipelines, gather) = build_kernels(plan, |kernel| opened.pipeline(kernel))?;
        self.pipelines = pipelines;
        self.gather = gather.map(|pipeline| {
            Gather::new(
                pipeline,
                Parameters::new(&opened.parameters, opened.pool.account()),
                limit_bytes,
            )
        });
        self.budget = PlanBudget {
            plan_bytes: plan.size_bytes(),
            limit_bytes,
        };
        opened.caught(self.budget.plan_bytes, self.budget, || {
            self.place(plan, kept)
        })
    }

    /// False on an application's device: the stamps of pieces must precede those of all passes.
    fn fills_behind_passes(&self) -> bool {
        self.opened.owner == Owner::Swath
    }

    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()> {
        self.fill_streamed(buffers, source)
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>> {
        let opened = self.opened.clone();
        let mapped = opened.caught(read_bytes(spans), self.budget, || {
            self.record(passes, stamp, spans)
        })?;
        Ok(Box::pin(async move {
            let (words, busy) = mapped.await?;
            Ok(Completion {
                stamp: words.header()[0],
                busy,
                words: Box::new(words),
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::wgpu::{Gpu, adapter};
    use crate::backend::{Backend, FenceValue};
    use crate::error::Error;

    #[test]
    fn submission_to_a_lost_device_fails_instead_of_returning_stale_words() {
        let Some(candidate) = adapter::of_tests() else {
            return;
        };
        let gpu = Gpu::open(&candidate, false, false).expect("the adapter opens");
        let mut session = gpu.open_session().expect("it opens");
        let stamp = || FenceValue {
            value: gpu.shared().next_stamp(),
            after: None,
        };
        let arriving = session.submit(&[], stamp(), &[]).expect("it is submitted");
        let read = pollster::block_on(arriving).expect("it comes");
        gpu.lose();
        // The staging buffer returns to the pool although the device has not unmapped it.
        drop(read);
        let arriving = session.submit(&[], stamp(), &[]);
        let found = arriving.and_then(pollster::block_on).map(|done| done.stamp);
        assert!(matches!(found, Err(Error::DeviceLost { .. })), "{found:?}");
    }
}
