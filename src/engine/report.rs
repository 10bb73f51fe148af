//! What ran to get an answer, and what would run; `M` is the problem's methods.

use std::time::Duration;

/// What ran to get an answer, and how long it took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run<M> {
    /// The method that ran; never `Auto`.
    pub method: M,
    /// How the path was recovered: `"none"`, `"stored boundaries"`, `"hirschberg"`, `"hirschberg above stored boundaries"`,
    /// `"wavefronts"`, `"stored rows"`, `"stored anti-diagonals"`, `"pairs"` or `"table"`.
    pub path_mode: &'static str,
    /// The device that ran it, by name.
    pub device: String,
    /// Cells of the full table, `a.len() * b.len()`: the measure that speeds are stated in.
    pub cells: u128,
    /// Cells that were computed; fewer where ends were stripped, a wavefront ran or only a part was searched, more where parts were
    /// computed again for a path.
    pub computed_cells: u128,
    /// Symbols of the common prefix, paired without computing.
    pub common_prefix: u64,
    /// Symbols of the common suffix, paired without computing.
    pub common_suffix: u64,
    /// Wall time of the whole call.
    pub elapsed: Duration,
    /// Wall time by phase in the order they ran: `"strip"`, `"open device"`, `"similarity"`, `"wavefront"`, `"encode"`, `"decide"`,
    /// `"bands"`, `"plan"`, `"upload"`, `"sweep"`, `"meet"`, `"trace"`, `"readback"`, `"starts"`, `"verify"`, `"merge"`; phases
    /// that did not run are absent.
    pub phases: Vec<(&'static str, Duration)>,
}

impl<M> Run<M> {
    /// The same run under another problem's methods.
    pub(crate) fn with_method<N>(self, method: N) -> Run<N> {
        let Self { path_mode, device, cells, computed_cells, common_prefix, common_suffix, elapsed, phases, .. } = self;
        Run { method, path_mode, device, cells, computed_cells, common_prefix, common_suffix, elapsed, phases }
    }
}

/// What a call would do: the answer of the engine's plans, [`Engine::lcs_plan`](crate::Engine::lcs_plan) and so on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanSummary<M> {
    /// The method that would run; `Auto` only for several inputs, where the better of two heuristics is told by running both.
    pub method: M,
    /// The device that would run it, by name.
    pub device: String,
    /// As in [`Run::path_mode`].
    pub path_mode: &'static str,
    /// Cells of the full table.
    pub cells: u128,
    /// Rows and columns of one tile.
    pub tile: (u64, u64),
    /// Strips of the table.
    pub strips: u64,
    /// Passes, one dispatch or one wavefront of tiles each.
    pub passes: u64,
    /// Bytes held in device memory.
    pub device_bytes: u64,
    /// Bytes held in host memory for boundaries and codes.
    pub host_bytes: u64,
    /// A rough estimate of the time for the sweep.
    pub expected: Duration,
}

impl<M> PlanSummary<M> {
    /// The same plan under another problem's methods.
    pub(crate) fn with_method<N>(self, method: N) -> PlanSummary<N> {
        let Self { device, path_mode, cells, tile, strips, passes, device_bytes, host_bytes, expected, .. } = self;
        PlanSummary { method, device, path_mode, cells, tile, strips, passes, device_bytes, host_bytes, expected }
    }
}
