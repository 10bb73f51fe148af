//! Gathered readback of spans on a wgpu device.

use wgpu::{BindGroup, Buffer, CommandEncoder, ComputePassDescriptor};

use super::commands::bind;
use super::memory::{BufferPool, PooledBuffer};
use super::open_device::OpenDevice;
use super::parameters::Parameters;
use super::pipelines::Pipeline;
use crate::backend::Span;
use crate::backend::gather_read::GatherRead;
use crate::backend::memory::Reservation;
use crate::plan::BufferId;

/// Gathers spans of the buffers of one plan.
pub(super) struct Gather {
    pipeline: Pipeline,
    parameters: Parameters,
    pool: BufferPool,
    budget_bytes: u64,
    scratch: Option<GatherBuffers>,
}

/// Scratch buffers for spans of one buffer.
struct GatherBuffers {
    source: BufferId,
    words: u64,
    /// The gathered words, and the table of spans.
    buffers: Vec<PooledBuffer>,
    group: BindGroup,
    _held: Reservation,
}

impl Gather {
    pub(super) fn new(
        pipeline: Pipeline,
        parameters: Parameters,
        pool: BufferPool,
        budget_bytes: u64,
    ) -> Self {
        Self {
            pipeline,
            parameters,
            pool,
            budget_bytes,
            scratch: None,
        }
    }

    /// Gathers spans of a buffer of which `bound_bytes` are bound, and returns the buffer of gathered
    /// words; `None` if separate copies are as fast or memory is short.
    pub(super) fn gather(
        &mut self,
        opened: &OpenDevice,
        commands: &mut CommandEncoder,
        spans: &[Span],
        buffer: &Buffer,
        bound_bytes: u64,
    ) -> Option<Buffer> {
        let gathered = GatherRead::of(spans)?;
        let (source, words) = (gathered.source, gathered.words);
        if self
            .scratch
            .as_ref()
            .is_none_or(|scratch| scratch.source != source || scratch.words < words)
        {
            // Freed before larger buffers are allocated.
            self.scratch = None;
            let words = words.next_power_of_two();
            self.scratch = Some(self.scratch(opened, source, buffer, bound_bytes, words)?);
        }
        let scratch = self.scratch.as_ref()?;
        opened.queue.write_buffer(
            &scratch.buffers[1],
            0,
            bytemuck::cast_slice(&gathered.table),
        );
        let params = gathered.params();
        self.parameters
            .write(&opened.device, &opened.queue, &[params]);
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &scratch.group, &[]);
        self.parameters.set(&mut pass, 0, &params);
        pass.dispatch_workgroups(gathered.groups(), 1, 1);
        drop(pass);
        Some(scratch.buffers[0].clone())
    }

    /// Allocates buffers for `words` gathered words, if the budget allows.
    fn scratch(
        &self,
        opened: &OpenDevice,
        source: BufferId,
        buffer: &Buffer,
        bound_bytes: u64,
        words: u64,
    ) -> Option<GatherBuffers> {
        let sizes = GatherRead::sizes(words);
        let held = self
            .pool
            .account()
            .try_reserve(sizes[0].1 + sizes[1].1, self.budget_bytes)?;
        let buffers = self.pool.allocate(&sizes, self.budget_bytes).ok()?;
        let bindings = [
            (0, &*buffers[0], buffers[0].size),
            (1, buffer, bound_bytes),
            (2, &*buffers[1], buffers[1].size),
        ];
        let group = bind(&opened.device, &self.pipeline, &bindings);
        Some(GatherBuffers {
            source,
            words,
            buffers,
            group,
            _held: held,
        })
    }
}
