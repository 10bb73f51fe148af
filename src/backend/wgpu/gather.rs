//! Many small spans of a buffer, brought together on the device: a copy of its own costs each of them microseconds.

use wgpu::{BindGroup, Buffer, CommandEncoder, ComputePassDescriptor};

use super::memory::{Lease, Memory};
use super::parameters::Parameters;
use super::{Pipeline, Shared, bind};
use crate::backend::Span;
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
    lease: Lease,
    group: BindGroup,
}

impl Gather {
    pub fn new(pipeline: Pipeline, parameters: Parameters, memory: Memory, budget_bytes: u64) -> Self {
        Self { pipeline, parameters, memory, budget_bytes, room: None }
    }

    /// Has the spans gathered where that is worth it and there is room; the buffer that has them then.
    pub fn gather(
        &mut self,
        shared: &Shared,
        commands: &mut CommandEncoder,
        spans: &[Span],
        plan: &Lease,
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
            self.room = Some(self.room(shared, (source, plan), words.next_power_of_two())?);
        }
        let room = self.room.as_ref()?;
        let mut before = 0;
        let mut table = Vec::with_capacity(2 * spans.len());
        for span in spans {
            table.extend([span.first as u32, before]);
            before += span.words as u32;
        }
        shared.queue.write_buffer(&room.lease.buffers[1], 0, bytemuck::cast_slice(&table));
        let params = params([spans.len() as u32, words as u32]);
        self.parameters.write(&shared.device, &shared.queue, &[params]);
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &room.group, &[]);
        self.parameters.set(&mut pass, 0, &params);
        pass.dispatch_workgroups(words.div_ceil(u64::from(GATHER_LANES)) as u32, 1, 1);
        drop(pass);
        Some(room.lease.buffers[0].clone())
    }

    /// Room for so many words of a buffer, if the budget has it.
    fn room(&self, shared: &Shared, (source, plan): (BufferId, &Lease), words: u64) -> Option<Room> {
        let sizes = [("gathered".to_string(), 4 * words), ("gathered spans".to_string(), 8 * MOST_SPANS as u64)];
        let lease = self.memory.allocate(&shared.device, &sizes, self.budget_bytes).ok()?;
        let bindings = [
            (0, &lease.buffers[0], sizes[0].1),
            (1, &plan.buffers[source], plan.sizes[source]),
            (2, &lease.buffers[1], sizes[1].1),
        ];
        let group = bind(&shared.device, &self.pipeline, &bindings);
        Some(Room { source, words, lease, group })
    }
}
