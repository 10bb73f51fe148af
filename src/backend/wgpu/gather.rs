//! Gathered readback of spans on a wgpu device.

use wgpu::{BindGroup, Buffer, CommandEncoder, ComputePassDescriptor};

use super::commands::bind;
use super::open_device::OpenDevice;
use super::parameters::Parameters;
use super::pipelines::Pipeline;
use crate::backend::Span;
use crate::backend::gather_read::{GatherBuffers, GatherRead};
use crate::plan::BufferId;

pub(super) struct Gather {
    pipeline: Pipeline,
    parameters: Parameters,
    budget_bytes: u64,
    scratch: Option<Scratch>,
}

/// Scratch buffers, bound for spans of one buffer.
struct Scratch {
    source: BufferId,
    buffers: GatherBuffers<wgpu::Device>,
    group: BindGroup,
}

impl Gather {
    pub(super) fn new(pipeline: Pipeline, parameters: Parameters, budget_bytes: u64) -> Self {
        Self {
            pipeline,
            parameters,
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
            .is_none_or(|scratch| scratch.source != source || scratch.buffers.words < words)
        {
            // Freed before larger buffers are allocated.
            self.scratch = None;
            let buffers = GatherBuffers::new(&opened.pool, words, self.budget_bytes)?;
            let [gathered, spans] = [&buffers.buffers[0], &buffers.buffers[1]];
            let bindings = [
                (0, &**gathered, gathered.size),
                (1, buffer, bound_bytes),
                (2, &**spans, spans.size),
            ];
            let group = bind(&opened.device, &self.pipeline, &bindings);
            self.scratch = Some(Scratch {
                source,
                buffers,
                group,
            });
        }
        let scratch = self.scratch.as_ref()?;
        let [words, spans] = [0, 1].map(|buffer| &scratch.buffers.buffers[buffer]);
        let table = bytemuck::cast_slice(&gathered.table);
        opened.queue.write_buffer(spans, 0, table);
        let params = gathered.params();
        self.parameters
            .write(&opened.device, &opened.queue, &[params]);
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &scratch.group, &[]);
        self.parameters.set(&mut pass, 0, &params);
        pass.dispatch_workgroups(gathered.groups(), 1, 1);
        drop(pass);
        Some(Buffer::clone(words))
    }
}
