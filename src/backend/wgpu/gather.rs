//! Gathered readback of spans on a wgpu device.

use wgpu::{BindGroup, Buffer, CommandEncoder, ComputePassDescriptor};

use super::commands::bind;
use super::memory::{Lent, Memory};
use super::opened::Opened;
use super::parameters::Parameters;
use super::pipelines::Pipeline;
use crate::backend::Span;
use crate::backend::gathered::Gathered;
use crate::backend::memory::Reservation;
use crate::plan::BufferId;

/// Gathers spans of the buffers of one plan.
pub(super) struct Gather {
    pipeline: Pipeline,
    parameters: Parameters,
    memory: Memory,
    budget_bytes: u64,
    room: Option<Room>,
}

/// Scratch buffers for spans of one buffer.
struct Room {
    source: BufferId,
    words: u64,
    /// The gathered words, and the table of spans.
    buffers: Vec<Lent>,
    group: BindGroup,
    _held: Reservation,
}

impl Gather {
    pub(super) fn new(
        pipeline: Pipeline,
        parameters: Parameters,
        memory: Memory,
        budget_bytes: u64,
    ) -> Self {
        Self {
            pipeline,
            parameters,
            memory,
            budget_bytes,
            room: None,
        }
    }

    /// Gathers spans of a buffer, given with its bound bytes, and returns the buffer of gathered
    /// words; `None` if separate copies are as fast or memory is short.
    pub(super) fn gather(
        &mut self,
        opened: &Opened,
        commands: &mut CommandEncoder,
        spans: &[Span],
        source_buffer: (Buffer, u64),
    ) -> Option<Buffer> {
        let gathered = Gathered::of(spans)?;
        let (source, words) = (gathered.source, gathered.words);
        if self
            .room
            .as_ref()
            .is_none_or(|room| room.source != source || room.words < words)
        {
            // Freed before larger buffers are allocated.
            self.room = None;
            self.room =
                Some(self.room(opened, (source, source_buffer), words.next_power_of_two())?);
        }
        let room = self.room.as_ref()?;
        opened
            .queue
            .write_buffer(&room.buffers[1], 0, bytemuck::cast_slice(&gathered.table));
        let params = gathered.params();
        self.parameters
            .write(&opened.device, &opened.queue, &[params]);
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &room.group, &[]);
        self.parameters.set(&mut pass, 0, &params);
        pass.dispatch_workgroups(gathered.groups(), 1, 1);
        drop(pass);
        Some(room.buffers[0].clone())
    }

    /// Allocates buffers for `words` gathered words, if the budget allows.
    fn room(
        &self,
        opened: &Opened,
        (source, buffer): (BufferId, (Buffer, u64)),
        words: u64,
    ) -> Option<Room> {
        let sizes = Gathered::sizes(words);
        let held = self
            .memory
            .try_reserve(sizes[0].1 + sizes[1].1, self.budget_bytes)?;
        let buffers = self.memory.allocate(&sizes, self.budget_bytes).ok()?;
        let bindings = [
            (0, &*buffers[0], buffers[0].size),
            (1, &buffer.0, buffer.1),
            (2, &*buffers[1], buffers[1].size),
        ];
        let group = bind(&opened.device, &self.pipeline, &bindings);
        Some(Room {
            source,
            words,
            buffers,
            group,
            _held: held,
        })
    }
}
