//! Midpoints: crossings of the canonical path with the stored layers, from the last layer to the
//! first.

use super::LayeredTable;
use crate::backend::Span;
use crate::engine::Device;
use crate::engine::profile::gpu::MIDPOINT_CELLS;
use crate::error::Result;
use crate::kernels;
use crate::plan::{BufferId, Contents, Pass, Plan, params};

/// Result of a table sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swept {
    pub length: u64,
    /// Positions of the midpoints, from the first stored layer to the last; empty without a path.
    pub places: Vec<u32>,
}

/// Plan of a sweep and the spans to read back.
pub(crate) struct SweepPlan {
    plan: Plan,
    /// The last cell, then the midpoints.
    spans: Vec<Span>,
}

impl AsMut<Plan> for SweepPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl SweepPlan {
    /// `last` is the span of the last cell.
    pub(crate) fn new(plan: Plan, last: Span) -> Self {
        Self {
            plan,
            spans: vec![last],
        }
    }

    /// Appends the pass that follows the origins through `stored` layers.
    pub(crate) fn follow(&mut self, table: &LayeredTable, origins: BufferId, stored: u64) {
        let plan = &mut self.plan;
        let buffer = plan.buffer("midpoints", stored, Contents::Unspecified);
        let kernel = plan.kernel(kernels::supersequence::midpoints());
        let bindings = plan.bind(vec![origins, buffer]);
        let params =
            params([stored, table.stored_words, table.last_place()].map(|word| word as u32));
        let cells = stored * MIDPOINT_CELLS / plan.cell_cost.max(1);
        plan.passes.push(Pass {
            kernel,
            bindings,
            groups: [1; 3],
            params,
            cells,
        });
        self.spans.push(Span {
            buffer,
            first: 0,
            words: stored,
        });
    }
}

/// Runs the plan; returns the last cell and the midpoints.
pub(crate) async fn on_device(
    device: &Device<'_>,
    make: &(dyn Fn() -> SweepPlan + Sync),
) -> Result<(u32, Vec<u32>)> {
    let mut words = device
        .run(make, &|planned| planned.spans.clone())
        .await?
        .words;
    let last = words.remove(0);
    Ok((last, words))
}

/// Follows origins on the host. `origin(segment, place)` is the origin at the end of a segment,
/// counted from 0 for the second segment.
pub(crate) fn on_host(
    table: &LayeredTable,
    stored: u64,
    origin: impl Fn(usize, u32) -> u32,
) -> Vec<u32> {
    let mut index = table.last_place() as u32;
    let mut places = vec![0; stored as usize];
    for (segment, midpoint) in places.iter_mut().enumerate().rev() {
        index = origin(segment, index);
        *midpoint = index;
    }
    places
}
