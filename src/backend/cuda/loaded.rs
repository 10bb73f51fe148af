//! A plan on the device: its buffers, submissions with their stamps, and readback through staging
//! memory.

use std::sync::Arc;
use std::time::Duration;

use futures_channel::oneshot;

use super::arguments::{Arguments, Bound, workgroups_of};
use super::driver::{self, Event, Stream};
use super::gather::Gather;
use super::memory::PooledBuffer;
use super::open_device::OpenDevice;
use super::pipelines::Pipeline;
use super::scratch_buffer::ScratchBuffer;
use super::source::MAX_LAUNCH_PASSES;
use super::staging::{PART_WORDS, Readback};
use super::upload_stream::UploadStream;
use crate::backend::buffers::PlanBudget;
use crate::backend::gather_read::GatherRead;
use crate::backend::kernel_cache::build_kernels;
use crate::backend::streaming::upload_tasks;
use crate::backend::{
    Completion, DeviceSession, FenceValue, Pending, Span, StreamedBuffer, UploadSource, Words,
};
use crate::error::{Error, Result};
use crate::host::parallel::try_for_each;
use crate::host::threads::threads;
use crate::kernels::{Launch, readback};
use crate::plan::{BufferId, Contents, PARAMS, Pass, Plan, params};

pub(super) struct LoadedPlan {
    opened: Arc<OpenDevice>,
    budget: PlanBudget,
    stream: Stream,
    pipelines: Vec<Pipeline>,
    /// Addresses per set of bindings that a pass uses.
    bindings: Vec<Arguments>,
    stamps: Option<Stamps>,
    tickets: Option<TicketCounter>,
    gather: Option<Gather>,
    uploads: Option<UploadStream>,
    /// Buffers by number in the plan; `None` if freed by `retain`.
    buffers: Vec<Option<PooledBuffer>>,
    /// Reusable pairs of events for the start and the end of submissions.
    events: Vec<(Arc<Event>, Arc<Event>)>,
}

/// The word to which submissions write their stamps, and the kernel that writes them.
struct Stamps {
    pipeline: Pipeline,
    word: ScratchBuffer,
}

/// Ticket counter: chained workgroups draw tickets from it, and cooperative ones meet at it.
struct TicketCounter {
    word: ScratchBuffer,
    /// Its value behind all work in the stream so far, modulo 2^32.
    drawn: u32,
}

impl Stream {
    /// Launches a kernel.
    ///
    /// # Safety
    /// The kernel stays within the buffers.
    pub(super) unsafe fn launch<const PASSES: usize>(
        &self,
        pipeline: &Pipeline,
        groups: [u32; 3],
        arguments: &Arguments<PASSES>,
    ) -> driver::Result<()> {
        // SAFETY: every kernel has one parameter of this type.
        unsafe { self.call(pipeline.function, groups, pipeline.lanes, arguments) }
    }
}

impl LoadedPlan {
    pub(super) fn empty(opened: Arc<OpenDevice>) -> Result<Self> {
        let budget = PlanBudget::default();
        let stream =
            Stream::new(&opened.context).map_err(|failure| opened.refused(failure, budget))?;
        let (pipelines, bindings, buffers, events) = Default::default();
        Ok(Self {
            opened,
            budget,
            stream,
            pipelines,
            bindings,
            stamps: None,
            tickets: None,
            gather: None,
            uploads: None,
            buffers,
            events,
        })
    }

    fn check<T>(&self, result: driver::Result<T>) -> Result<T> {
        result.map_err(|failure| self.opened.refused(failure, self.budget))
    }

    fn buffer(&self, buffer: BufferId) -> Result<&PooledBuffer> {
        let found = self.buffers.get(buffer).and_then(Option::as_ref);
        found.ok_or_else(|| self.opened.failure("a buffer was used that is not there"))
    }

    /// Returns buffers to the pool, to be reused behind the stream's work so far.
    fn give_back(&self, mut buffers: Vec<PooledBuffer>) {
        let left = self
            .opened
            .context
            .enter()
            .and_then(|_entered| self.stream.leave(&mut buffers));
        let _: Result<()> = self.check(left);
    }

    /// Takes over kept buffers and allocates the others.
    fn allocate(&mut self, plan: &Plan, kept: &[Option<BufferId>]) -> Result<Vec<PooledBuffer>> {
        let (opened, budget) = (&self.opened, self.budget);
        let allocated = opened
            .pool
            .for_plan(plan, &mut self.buffers, kept, budget.limit_bytes);
        allocated.map_err(|failure| match opened.refused(failure, budget) {
            // The missing memory is that of the whole plan, not of one buffer.
            Error::DeviceMemory { .. } => {
                opened.pool.no_room(&opened.name, budget.plan_bytes, budget)
            }
            error => error,
        })
    }

    /// Fills the buffers that were neither taken over nor are streamed.
    fn fill_whole(&self, plan: &mut Plan, pooled: &[PooledBuffer]) -> driver::Result<()> {
        let mut uploads = Vec::new();
        for (buffer, allocated) in plan.buffers.iter_mut().zip(pooled) {
            match std::mem::replace(&mut buffer.contents, Contents::Unspecified) {
                Contents::Words(words) => uploads.push((words, &allocated.memory)),
                // SAFETY: the buffer has the words.
                Contents::Zeros => unsafe {
                    self.stream.fill(&allocated.memory, 0, allocated.size / 4)?
                },
                // A checked run must fail if a pass reads words that none wrote, so memory starts
                // with a value that no state has.
                Contents::Unspecified if self.opened.checked => {
                    // SAFETY: as above.
                    unsafe {
                        self.stream
                            .fill(&allocated.memory, 0xdead_beef, allocated.size / 4)?
                    };
                }
                Contents::Unspecified
                | Contents::Resident
                | Contents::ResidentBefore(_)
                | Contents::Streamed(_) => {}
            }
        }
        let uploads: Vec<_> = uploads
            .iter()
            .map(|(words, memory)| (&words[..], *memory))
            .collect();
        self.opened.staging.upload(&self.stream, &uploads)
    }

    /// Allocates, fills and binds the buffers of a plan whose kernels are built.
    fn place(&mut self, plan: &mut Plan, kept: &[Option<BufferId>]) -> Result<()> {
        let mut pooled = self.allocate(plan, kept)?;
        let is_streamed = !StreamedBuffer::of(plan).is_empty();
        let filled = self
            .stream
            .take_over(&mut pooled)
            .and_then(|()| self.fill_whole(plan, &pooled));
        let filled = filled.and_then(|()| {
            if is_streamed {
                self.begin_uploads()
            } else {
                Ok(())
            }
        });
        let arguments = |set: usize| {
            let bound = plan.bound(set).into_iter().flat_map(|(_, bound)| bound);
            let bound = bound.map(|(number, id)| {
                let words = plan.buffers[id].words;
                (number, Bound::new(&pooled[id].memory, words))
            });
            Arguments::new(bound, [0; PARAMS])
        };
        self.bindings = (0..plan.bindings.len()).map(arguments).collect();
        self.buffers = pooled.into_iter().map(Some).collect();
        self.check(filled)
    }

    /// Makes streamed uploads wait for the work in the stream so far, but not for the passes.
    fn begin_uploads(&mut self) -> driver::Result<()> {
        if self.uploads.is_none() {
            self.uploads = Some(UploadStream::new(&self.opened.context)?);
        }
        self.uploads
            .iter()
            .try_for_each(|uploads| uploads.begin_behind(&self.stream))
    }

    /// Writes a stamp behind all work in the stream.
    fn stamp(&mut self, stamp: FenceValue) -> Result<()> {
        if self.stamps.is_none() {
            let pipeline = self.opened.pipeline(&readback::stamp())?;
            let word = self.check(ScratchBuffer::new("stamp", &self.opened.pool, &self.stream))?;
            self.stamps = Some(Stamps { pipeline, word });
        }
        let Some(stamps) = &self.stamps else {
            return Ok(());
        };
        let value = params([stamp.value, stamp.after.unwrap_or(stamp.value)]);
        let stamp = Bound::new(&stamps.word.buffer().memory, 1);
        let arguments = Arguments::new([(0, stamp)], value);
        // SAFETY: the kernel reads and writes one word.
        self.check(unsafe { self.stream.launch(&stamps.pipeline, [1; 3], &arguments) })
    }

    /// Launches passes. Consecutive chained or cooperative passes share a launch.
    fn launch(&mut self, passes: &[Pass]) -> driver::Result<()> {
        let mut rest = passes;
        while let Some(pass) = rest.first() {
            let alike = |next: &&Pass| (next.kernel, next.bindings) == (pass.kernel, pass.bindings);
            let needs = self.pipelines[pass.kernel].passes;
            let max = if needs == Launch::Separate {
                1
            } else {
                MAX_LAUNCH_PASSES
            };
            let (together, later) = rest.split_at(rest.iter().take(max).take_while(alike).count());
            rest = later;
            match needs {
                Launch::Chained => self.launch_chain(together)?,
                Launch::Cooperative => self.launch_in_step(together)?,
                Launch::Separate if pass.groups.contains(&0) => {}
                Launch::Separate => {
                    let arguments = Arguments {
                        params: [pass.params],
                        ..self.bindings[pass.bindings]
                    };
                    // SAFETY: all of the source is the library's, and it stays within the buffers
                    // of the plan; tests on other devices run every such kernel with bounds checks.
                    // Other sources have checks, or their author vouches for them.
                    unsafe {
                        self.stream
                            .launch(&self.pipelines[pass.kernel], pass.groups, &arguments)?
                    };
                }
            }
        }
        Ok(())
    }

    /// Launches at most [`MAX_LAUNCH_PASSES`] cooperative passes: in one launch if all workgroups
    /// fit the device at once, else one by one.
    fn launch_in_step(&mut self, passes: &[Pass]) -> driver::Result<()> {
        let Some(first) = passes.first() else {
            return Ok(());
        };
        let (kernel, bound) = (
            self.pipelines[first.kernel].clone(),
            self.bindings[first.bindings],
        );
        let widest = passes.iter().map(workgroups_of).max().unwrap_or(0);
        let together = if widest <= kernel.at_once {
            passes.len()
        } else {
            1
        };
        for passes in passes.chunks(together) {
            let meetings = widest * (passes.len() as u32 - 1);
            let (turns, taken) = self.draw_tickets(meetings)?;
            let arguments = Arguments {
                turns,
                taken,
                ..bound.of_many(passes)
            };
            // SAFETY: as for one pass. All workgroups that wait for each other run at once.
            match passes {
                [pass] => unsafe { self.stream.launch(&kernel, pass.groups, &arguments)? },
                _ => unsafe {
                    self.stream
                        .call_at_once(kernel.function, widest, kernel.lanes, &arguments)?
                },
            }
        }
        Ok(())
    }

    /// Launches at most [`MAX_LAUNCH_PASSES`] chained passes as one.
    fn launch_chain(&mut self, passes: &[Pass]) -> driver::Result<()> {
        let bounds = passes.iter().map(|pass| (pass.params[0], pass.params[1]));
        let (first, last) = bounds
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
            .unwrap_or((1, 0));
        let Some(pass) = passes.first().filter(|_| first <= last) else {
            return Ok(());
        };
        let groups = (last - first + 1) * pass.groups[2];
        let (turns, taken) = self.draw_tickets(groups)?;
        let arguments = Arguments {
            turns,
            taken,
            first,
            ..self.bindings[pass.bindings].of_many(passes)
        };
        // SAFETY: as for one pass. A workgroup waits only for workgroups with lower tickets.
        unsafe {
            self.stream
                .launch(&self.pipelines[pass.kernel], [groups, 1, 1], &arguments)
        }
    }

    /// Reserves `groups` tickets; returns the address of the counter and its value before.
    fn draw_tickets(&mut self, groups: u32) -> driver::Result<(u64, u32)> {
        if self.tickets.is_none() {
            let word = ScratchBuffer::new("turns", &self.opened.pool, &self.stream)?;
            self.tickets = Some(TicketCounter { word, drawn: 0 });
        }
        let Some(tickets) = &mut self.tickets else {
            return Ok((0, 0));
        };
        let drawn = tickets.drawn;
        tickets.drawn = drawn.wrapping_add(groups);
        Ok((tickets.word.buffer().memory.address(), drawn))
    }

    /// Copies the stamp and the words to staging memory behind all work in the stream. `staged`
    /// owns that memory until the copies are done, even after an error.
    fn read(&mut self, spans: &[Span], words: usize, staged: &mut Option<Readback>) -> Result<()> {
        let mut gathered = GatherRead::of(spans);
        if let (Some(gather), Some(wanted)) = (&mut self.gather, &gathered) {
            let has_room = gather.make_room(&self.stream, wanted.words);
            if !self.check(has_room)? {
                gathered = None;
            }
        } else {
            gathered = None;
        }
        let table = gathered
            .as_ref()
            .map_or(&[][..], |gathered| &gathered.table);
        let to = staged
            .insert(self.check(self.opened.staging.readback(words + table.len()))?)
            .words();
        if let Some(stamps) = &self.stamps {
            let stamp = &stamps.word.buffer().memory;
            // SAFETY: the memory has room for a stamp, the words and the table, and is not accessed
            // before the end.
            self.check(unsafe { self.stream.download(stamp, 0, to, 1) })?;
        }
        if let (Some(gather), Some(gathered)) = (&self.gather, &gathered) {
            let source = self.buffer(gathered.source)?;
            // SAFETY: as above; the table lies behind the words and is not overwritten.
            let copied = unsafe {
                let staged = to.add(words);
                staged.copy_from_nonoverlapping(table.as_ptr(), table.len());
                let staged = std::slice::from_raw_parts(staged, table.len());
                gather
                    .gather(&self.stream, gathered, &source.memory, staged)
                    .and_then(|from| match from {
                        Some(from) => self.stream.download(from, 0, to.add(1), gathered.words),
                        None => Ok(()),
                    })
            };
            return self.check(copied);
        }
        let mut index = 1;
        for span in spans.iter().filter(|span| span.words > 0) {
            let source = self.buffer(span.buffer)?;
            // SAFETY: as above; the span is one of the buffer.
            let copied = unsafe {
                self.stream
                    .download(&source.memory, 4 * span.first, to.add(index), span.words)
            };
            self.check(copied)?;
            index += span.words as usize;
        }
        Ok(())
    }

    /// Takes a pair of idle events for the start and the end of a submission.
    fn events(&mut self) -> driver::Result<(Arc<Event>, Arc<Event>)> {
        // Events without another owner have completed.
        let idle =
            |(start, end): &(Arc<Event>, Arc<Event>)| [start, end].map(Arc::strong_count) == [1, 1];
        if let Some(events) = self.events.iter().find(|events| idle(events)) {
            return Ok(events.clone());
        }
        let event = || Event::new(&self.opened.context).map(Arc::new);
        let events = (event()?, event()?);
        self.events.push(events.clone());
        Ok(events)
    }
}

/// Staging memory of a completed readback, stamp first. Dropping it returns it to the pool.
struct StagedWords {
    readback: Option<Readback>,
    words: usize,
    opened: Arc<OpenDevice>,
}

impl StagedWords {
    fn all(&self) -> &[u32] {
        let Some(readback) = &self.readback else {
            return &[];
        };
        // SAFETY: that many words were written, and the copies are done.
        unsafe { std::slice::from_raw_parts(readback.words(), self.words) }
    }
}

impl Words for StagedWords {
    fn words(&self) -> &[u32] {
        &self.all()[1..]
    }
}

impl Drop for StagedWords {
    fn drop(&mut self) {
        self.readback
            .take()
            .into_iter()
            .for_each(|readback| self.opened.staging.give_back(readback));
    }
}

impl DeviceSession for LoadedPlan {
    fn retain(&mut self, kept: &[BufferId]) {
        self.bindings.clear();
        let gathering = self
            .gather
            .take()
            .map(Gather::into_buffers)
            .unwrap_or_default();
        let of_plan = self.buffers.iter_mut().enumerate();
        let given_back = of_plan
            .filter(|(id, _)| kept.binary_search(id).is_err())
            .filter_map(|(_, buffer)| buffer.take());
        let given_back = given_back.chain(gathering).collect();
        self.give_back(given_back);
    }

    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()> {
        let opened = self.opened.clone();
        let (pipelines, gather) = build_kernels(plan, |kernel| opened.pipeline(kernel))?;
        self.pipelines = pipelines;
        self.gather =
            gather.map(|pipeline| Gather::new(pipeline, opened.pool.clone(), limit_bytes));
        self.budget = PlanBudget {
            plan_bytes: plan.size_bytes(),
            limit_bytes,
        };
        let _entered = opened.enter()?;
        self.place(plan, kept)
    }

    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()> {
        let Some(uploads) = &self.uploads else {
            return Err(self.opened.failure("a plan was filled that is not loaded"));
        };
        let tasks = upload_tasks(buffers, threads(None), PART_WORDS as u64);
        let filled = try_for_each(tasks.len(), |task| {
            let task = tasks[task];
            let write =
                |first, words: &mut [u32]| source.write(&task.streamed.buffer, first, words);
            self.check(self.opened.staging.fill(
                uploads.stream(),
                &self.buffer(task.streamed.id)?.memory,
                task,
                write,
            ))
        });
        let _entered = self.opened.enter()?;
        let filled = filled.and_then(|()| self.check(uploads.end_before(&self.stream)));
        if filled.is_err() {
            // The next owner of the buffers waits only for the passes.
            let _ = uploads.stream().wait_until_done();
        }
        filled
    }

    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>> {
        let opened = self.opened.clone();
        let _entered = opened.enter()?;
        let words = 1 + spans.iter().map(|span| span.words as usize).sum::<usize>();
        let events = self.events();
        let (start, end) = self.check(events)?;
        let mut staged = None;
        let launched = start
            .record(&self.stream)
            .and_then(|()| self.launch(passes));
        let enqueued = self.check(launched).and_then(|()| self.stamp(stamp));
        let enqueued = enqueued.and_then(|()| self.read(spans, words, &mut staged));
        if let Err(error) = enqueued.and_then(|()| self.check(end.record(&self.stream))) {
            // No event marks the end of the work already in the stream, which uses the staging
            // memory.
            let _ = self.stream.wait_until_done();
            return Err(error);
        }
        let (sender, receiver) = oneshot::channel();
        let arrived = {
            let end = end.clone();
            move |come: driver::Result<()>| {
                let busy = come.and_then(|()| end.since(&start));
                // The receiver is gone if the caller gave up; the memory is freed then.
                let _ = sender.send((busy, staged));
            }
        };
        opened.waiter.wait_for(end, arrived);
        Ok(Box::pin(async move {
            let (busy, readback) = receiver
                .await
                .map_err(|_| opened.failure("reading back failed"))?;
            let busy: Duration = busy.map_err(|failure| opened.failure(failure))?;
            let words = StagedWords {
                readback,
                words,
                opened,
            };
            Ok(Completion {
                stamp: words.all()[0],
                busy,
                words: Box::new(words),
            })
        }))
    }
}

impl Drop for LoadedPlan {
    fn drop(&mut self) {
        self.retain(&[]);
        let stamps = self.stamps.take().map(|stamps| stamps.word);
        let scratch = stamps
            .into_iter()
            .chain(self.tickets.take().map(|tickets| tickets.word));
        self.give_back(scratch.flat_map(ScratchBuffer::into_buffers).collect());
    }
}
