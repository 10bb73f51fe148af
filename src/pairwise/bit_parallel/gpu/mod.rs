//! The strip sweep on a GPU: plans from [`tiling`], run in slices, read back and walked.

mod banded;
mod boundaries;
pub mod checkpoints;
mod choice;
mod coding;
mod cost;
mod meeting_line;
pub mod plan;
mod tiles;
pub mod tiling;
mod traceback_chunks;
mod wavefronts;

use std::time::Duration;

use super::hirschberg::Sweep;
use super::recurrence::{Column, Recurrence};
use crate::backend::Session;
use crate::engine::Device;
use crate::engine::report::PlanSummary;
use crate::error::Result;
use crate::pairwise::blocks::Blocks;
use crate::plan::Resident;
pub(crate) use banded::search;
use boundaries::Boundaries;
use checkpoints::CheckpointLayout;
use meeting_line::Found;
use tiling::{Shape, Table, Tiling, Tuning};
use traceback_chunks::Arriving;

/// A GPU that sweeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuSweep<'a> {
    pub device: &'a Device<'a>,
    /// Forced kernel shapes.
    pub tuning: Tuning,
    /// The band that is swept holds every path of no greater cost; see [`Shape::within`].
    pub bound: u64,
}

impl<'a> GpuSweep<'a> {
    /// Sweeps whole tables.
    pub(crate) fn new(device: &'a Device<'a>, tuning: Tuning) -> Self {
        Self { device, tuning, bound: u64::MAX }
    }

    /// Where a sweep of this tiling ends.
    async fn found<R: Recurrence>(
        &self,
        session: &Session<'_>,
        tiling: &Tiling,
        a: &[u32],
        b: &[u32],
    ) -> Result<Found> {
        let make = |resident: &Resident| plan::Sweep::beside(resident, tiling, None, a, b);
        let spans = |sweep: &plan::Sweep| meeting_line::spans(tiling, sweep);
        let ((_, words), _) = session.round(&make, &spans, &|_| Ok(())).await?;
        let found = meeting_line::found::<R>(&words, tiling);
        self.device.phases.lap("meet");
        Ok(found)
    }

    /// The last value of the table, or of what its band leaves of it.
    pub(crate) async fn value<R: Recurrence>(&self, a: &[u32], b: &[u32], shared: u32) -> Result<i64> {
        self.value_in::<R>(&self.device.open_session()?, a, b, shared).await
    }

    /// The same, in a session of these sequences.
    async fn value_in<R: Recurrence>(&self, session: &Session<'_>, a: &[u32], b: &[u32], shared: u32) -> Result<i64> {
        let tiling = self.length_tiling(shape(R::TABLE, a, b, shared).within(self.bound))?;
        Ok(self.found::<R>(session, &tiling, a, b).await?.value)
    }

    /// The last column of a whole table.
    pub(crate) async fn last_column(&self, table: Table, a: &[u32], b: &[u32], shared: u32) -> Result<Column> {
        let tuning = Tuning { directions: Some(1), ..self.tuning };
        let tiling = Self { tuning, ..*self }.length_tiling(shape(table, a, b, shared))?;
        let spans = |sweep: &plan::Sweep| meeting_line::spans(&tiling, sweep);
        let ran = self.device.run(&|| plan::Sweep::new(&tiling, None, a, b), &spans).await?;
        Ok(meeting_line::last_column(&ran.words, &tiling))
    }

    /// Sizes for the length alone.
    pub(crate) fn length_tiling(&self, shape: Shape) -> Result<Tiling> {
        Tiling::new(shape, self.device.backend.capabilities(), &self.tuning, self.device.budget_bytes)
    }

    /// Sizes for where two directions meet: the least that a path takes.
    pub(crate) fn midpoint_tiling(&self, shape: Shape) -> Result<Tiling> {
        let tuning = Tuning { directions: Some(2), ..self.tuning };
        Self { tuning, ..*self }.length_tiling(shape)
    }

    /// Sizes for a path by stored boundaries, where the budget has room for them.
    pub(crate) fn path_tiling(&self, shape: Shape) -> Result<Option<(Tiling, CheckpointLayout)>> {
        Tiling::for_path(shape, self.device.backend.capabilities(), &self.tuning, self.device.budget_bytes)
    }

    /// What a sweep would do on this device.
    ///
    /// # Errors
    /// As [`Tiling::new`], and [`Error::MemoryBudget`](crate::Error::MemoryBudget) where not even the smallest plan fits.
    pub(crate) fn summarize<M>(&self, method: M, shape: Shape, path: bool) -> Result<PlanSummary<M>> {
        let stored = if path { self.path_tiling(shape)? } else { None };
        let (tiling, layout) = match stored {
            Some((tiling, layout)) => (tiling, Some(layout)),
            None if path => (self.midpoint_tiling(shape)?, None),
            None => (self.length_tiling(shape)?, None),
        };
        let rounds = if path && layout.is_none() { 2.0 } else { 1.0 };
        let seconds = tiling.seconds(self.device.backend.capabilities()) * rounds;
        Ok(PlanSummary {
            method,
            device: self.device.backend.name().to_string(),
            path_mode: match (&layout, path) {
                (Some(_), _) => "stored boundaries",
                (None, true) => "hirschberg above stored boundaries",
                (None, false) => "none",
            },
            cells: u128::from(shape.rows) * u128::from(shape.cols),
            tile: (tiling.strip_rows(), u64::from(tiling.steps * tiling.columns)),
            strips: tiling.strips() * u64::from(tiling.directions),
            passes: tiling.passes(),
            device_bytes: tiling.size_bytes() + layout.as_ref().map_or(0, |layout| layout.size_bytes(&tiling)),
            host_bytes: tiling.size_bytes(),
            expected: Duration::from_secs_f64(seconds),
        })
    }
}

/// The shape of encoded inputs.
pub(crate) fn shape(table: Table, a: &[u32], b: &[u32], shared: u32) -> Shape {
    Shape::new(table, a.len() as u64, b.len() as u64, shared)
}

impl<R: Recurrence> Sweep<R> for GpuSweep<'_> {
    async fn midpoint(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(usize, usize)> {
        let tiling = self.midpoint_tiling(shape(R::TABLE, a, b, shared).within(self.bound))?;
        Ok(self.found::<R>(&self.device.open_session()?, &tiling, a, b).await?.midpoint)
    }

    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>> {
        let Some((tiling, layout)) = self.path_tiling(shape(R::TABLE, a, b, shared).within(self.bound))? else {
            return Ok(None);
        };
        let session = self.device.open_session()?;
        Stored::sweep::<R>(&session, tiling, layout, a, b).await?.walk::<R>(a, b).map(Some)
    }
}

/// A swept table whose boundaries are on the device.
struct Stored<'a> {
    session: &'a Session<'a>,
    tiling: Tiling,
    layout: CheckpointLayout,
    sweep: plan::Sweep,
    found: Found,
    /// The first chunk of each direction.
    ahead: Vec<Option<Arriving>>,
}

impl<'a> Stored<'a> {
    async fn sweep<R: Recurrence>(
        session: &'a Session<'a>,
        tiling: Tiling,
        layout: CheckpointLayout,
        a: &[u32],
        b: &[u32],
    ) -> Result<Self> {
        let make = |resident: &Resident| plan::Sweep::beside(resident, &tiling, Some(&layout), a, b);
        // While the sweep runs, chunks are asked for where the path probably goes on from where directions meet.
        let behind = |sweep: &plan::Sweep| {
            let boundaries = Boundaries { session, sweep, tiling: &tiling, layout: &layout };
            (0..tiling.directions).map(|direction| boundaries.ahead(direction)).collect::<Result<Vec<_>>>()
        };
        let ran = session.round(&make, &|sweep| meeting_line::spans(&tiling, sweep), &behind).await?;
        let ((sweep, words), ahead) = ran;
        let found = meeting_line::found::<R>(&words, &tiling);
        session.device.phases.lap("meet");
        Ok(Self { session, tiling, layout, sweep, found, ahead: ahead.unwrap_or_default() })
    }

    /// The canonical path, which the band must hold.
    fn walk<R: Recurrence>(self, a: &[u32], b: &[u32]) -> Result<Blocks> {
        let (row, col) = self.found.midpoint;
        let mut ahead = self.ahead.into_iter();
        let (before, behind) = (ahead.next().flatten(), ahead.next().flatten());
        let (session, device) = (self.session, &self.session.device);
        let boundaries = Boundaries { session, sweep: &self.sweep, tiling: &self.tiling, layout: &self.layout };
        let path = device.on_threads(|| {
            // Without a second direction there is nothing to its right.
            let (before, behind) = rayon::join(
                || boundaries.walk::<R, false>((&a[..row], &b[..col]), (0, 0), before),
                || boundaries.walk::<R, true>((&a[row..], &b[col..]), (a.len(), b.len()), behind),
            );
            let ((before, phases), (behind, behind_phases)) = (before?, behind?);
            // Both ran at once: the longer one counts.
            device.phases.book(if phases.total() < behind_phases.total() { &behind_phases } else { &phases });
            Ok(before.join(behind))
        })?;
        device.phases.lap("trace");
        Ok(path)
    }
}
