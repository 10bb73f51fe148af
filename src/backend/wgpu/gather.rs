//! Many small spans of a buffer, brought together on the device: a copy of its own costs each of them microseconds.

use wgpu::{BindGroup, Buffer, CommandEncoder, ComputePassDescriptor};

use super::memory::{Lent, Memory};
use super::parameters::Parameters;
use super::{Opened, Pipeline, bind};
use crate::backend::Span;
use crate::backend::memory::Reservation;
use crate::kernels::common::GATHER_LANES;
use crate::plan::{BufferId, params};

/// Fewer spans are copied one by one.
const FEWEST_SPANS: usize = 8;
/// Room for spans.
const MOST_SPANS: usize = 1024;
/// Spans that are larger on average are copied as fast one by one.
const MOST_MEAN_WORDS: u64 = 1 << 16;
/// Words of all spans.
const MOST_WORDS: u64 = 1 << 22;

/// Gathers spans of the buffers of one plan.
pub(super) struct Gather {
    pipeline: Pipeline,
    parameters: Parameters,
    memory: Memory,
    budget_bytes: u64,
    room: Option<Room>,
}

/// Where spans of one buffer are brought together.
struct Room {
    source: BufferId,
    words: u64,
    /// The gathered words, and where they come from.
    buffers: Vec<Lent>,
    group: BindGroup,
    _held: Reservation,
}

impl Gather {
    pub fn new(pipeline: Pipeline, parameters: Parameters, memory: Memory, budget_bytes: u64) -> Self {
        Self { pipeline, parameters, memory, budget_bytes, room: None }
    }

    /// Has spans of a buffer, with the bytes of it that are bound, gathered where that is worth it and there is room; the buffer that
    /// has them then.
    pub fn gather(
        &mut self,
        opened: &Opened,
        commands: &mut CommandEncoder,
        spans: &[Span],
        source_buffer: (Buffer, u64),
    ) -> Option<Buffer> {
        let words = spans.iter().map(|span| span.words).sum::<u64>();
        let source = spans.first()?.buffer;
        let most = MOST_WORDS.min(spans.len() as u64 * MOST_MEAN_WORDS);
        let worth = (FEWEST_SPANS..=MOST_SPANS).contains(&spans.len()) && (1..=most).contains(&words);
        if !worth || spans.iter().any(|span| span.buffer != source) {
            return None;
        }
        if self.room.as_ref().is_none_or(|room| room.source != source || room.words < words) {
            // What there was is given back first.
            self.room = None;
            self.room = Some(self.room(opened, (source, source_buffer), words.next_power_of_two())?);
        }
        let room = self.room.as_ref()?;
        let mut before = 0;
        let mut table = Vec::with_capacity(2 * spans.len());
        for span in spans {
            table.extend([span.first as u32, before]);
            before += span.words as u32;
        }
        opened.queue.write_buffer(&room.buffers[1].buffer, 0, bytemuck::cast_slice(&table));
        let params = params([spans.len() as u32, words as u32]);
        self.parameters.write(&opened.device, &opened.queue, &[params]);
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &room.group, &[]);
        self.parameters.set(&mut pass, 0, &params);
        pass.dispatch_workgroups(words.div_ceil(u64::from(GATHER_LANES)) as u32, 1, 1);
        drop(pass);
        Some(room.buffers[0].buffer.clone())
    }

    /// Room for so many words of a buffer, if the budget has it.
    fn room(&self, opened: &Opened, (source, buffer): (BufferId, (Buffer, u64)), words: u64) -> Option<Room> {
        let sizes = [("gathered", 4 * words), ("gathered spans", 8 * MOST_SPANS as u64)];
        let held = self.memory.try_reserve(sizes[0].1 + sizes[1].1, self.budget_bytes)?;
        let buffers = self.memory.allocate(&sizes, self.budget_bytes).ok()?;
        let bindings = [
            (0, &buffers[0].buffer, buffers[0].size),
            (1, &buffer.0, buffer.1),
            (2, &buffers[1].buffer, buffers[1].size),
        ];
        let group = bind(&opened.device, &self.pipeline, &bindings);
        Some(Room { source, words, buffers, group, _held: held })
    }
}
