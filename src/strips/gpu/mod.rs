//! The strip sweep on a GPU: plans from [`tiling`], run in slices, read back and walked.

mod boundaries;
pub mod history;
pub mod plan;
pub mod tiling;

use std::time::Duration;

use std::sync::Mutex;

use super::hirschberg::{Sweep, crossing};
use super::recurrence::{Column, Recurrence};
use super::trace::pack_rows;
use crate::backend::{Loaded, Span};
use crate::blocks::Blocks;
use crate::engine::Device;
use crate::error::Result;
use crate::run::PlanSummary;
use boundaries::Boundaries;
use history::History;
use tiling::{LIMB_ROWS, Shape, Table, Tiling, Tuning};

/// A GPU that sweeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuSweep<'a> {
    pub device: &'a Device<'a>,
    /// Forced kernel shapes.
    pub tuning: Tuning,
}

impl GpuSweep<'_> {
    /// The last column, or with two directions the middle one from either end.
    pub(crate) async fn columns(&self, tiling: &Tiling, a: &[u32], b: &[u32]) -> Result<Vec<Column>> {
        let (mut loaded, sweep) = self.device.run(&|| plan::Sweep::new(tiling, None, a, b)).await?;
        self.read_columns(&mut *loaded, &sweep, tiling).await
    }

    async fn read_columns(&self, loaded: &mut dyn Loaded, sweep: &plan::Sweep, tiling: &Tiling) -> Result<Vec<Column>> {
        let state = loaded.read(&[Span { buffer: sweep.state, first: 0, words: tiling.state_words() }])?.await?;
        let columns = state.chunks(state.len() / tiling.directions as usize);
        Ok(columns.map(|state| column(tiling, state)).collect())
    }

    /// Sizes for the length alone.
    pub(crate) fn length_tiling(&self, shape: Shape) -> Result<Tiling> {
        Tiling::new(shape, self.device.backend.capabilities(), &self.tuning, self.device.budget_bytes)
    }

    /// Sizes for a path by stored boundaries, where the budget has room for them.
    pub(crate) fn path_tiling(&self, shape: Shape) -> Result<Option<(Tiling, History)>> {
        Tiling::for_path(shape, self.device.backend.capabilities(), &self.tuning, self.device.budget_bytes)
    }
}

/// The state's limbs in row order.
fn column(tiling: &Tiling, state: &[u32]) -> Column {
    let (lanes, limbs, lane_words) = (tiling.lanes as usize, tiling.limbs as usize, tiling.lane_words() as usize);
    Column([0, 1].map(|vector: usize| {
        if vector >= tiling.shape.table.vertical() as usize {
            return Vec::new();
        }
        let in_order = state.chunks(lanes * lane_words).flat_map(|strip| {
            (0..lanes).flat_map(move |lane| {
                let limb = move |limb| strip[(vector * limbs + limb) * lanes + lane] & (u32::MAX >> 1);
                (0..limbs).map(move |place| u64::from(limb(place)))
            })
        });
        let mut packed = pack_rows(in_order, LIMB_ROWS as u32);
        packed.truncate((tiling.shape.rows as usize).div_ceil(64));
        packed
    }))
}

/// The shape of encoded inputs.
pub(crate) fn shape(table: Table, a: &[u32], b: &[u32], shared: u32) -> Shape {
    Shape { table, rows: a.len() as u64, cols: b.len() as u64, shared }
}

impl GpuSweep<'_> {
    /// What a sweep would do on this device.
    ///
    /// # Errors
    /// As [`Tiling::new`], and [`Error::MemoryBudget`](crate::Error::MemoryBudget) where not even the smallest plan fits.
    pub(crate) fn summarize<M>(&self, method: M, shape: Shape, path: bool) -> Result<PlanSummary<M>> {
        let stored = if path { self.path_tiling(shape)? } else { None };
        let (tiling, history) = match stored {
            Some((tiling, history)) => (tiling, Some(history)),
            None => (self.length_tiling(shape)?, None),
        };
        let rounds = if path && history.is_none() { 2.0 } else { 1.0 };
        let seconds = tiling.seconds(self.device.backend.capabilities()) * rounds;
        Ok(PlanSummary {
            method,
            device: self.device.backend.name().to_string(),
            path_mode: match (&history, path) {
                (Some(_), _) => "stored boundaries",
                (None, true) => "hirschberg above stored boundaries",
                (None, false) => "none",
            },
            cells: u128::from(shape.rows) * u128::from(shape.cols),
            tile: (tiling.strip_rows(), u64::from(tiling.steps * tiling.columns)),
            strips: tiling.strips() * u64::from(tiling.directions),
            passes: tiling.passes(),
            device_bytes: tiling.size_bytes() + history.as_ref().map_or(0, |history| history.size_bytes(&tiling)),
            host_bytes: tiling.size_bytes(),
            expected: Duration::from_secs_f64(seconds),
        })
    }
}

impl<R: Recurrence> Sweep<R> for GpuSweep<'_> {
    async fn middle_columns(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(Column, Column)> {
        let tuning = Tuning { directions: Some(2), ..self.tuning };
        let tiling = Tiling::new(
            shape(R::TABLE, a, b, shared),
            self.device.backend.capabilities(),
            &tuning,
            self.device.budget_bytes,
        )?;
        let mut columns = self.columns(&tiling, a, b).await?.into_iter();
        Ok((columns.next().unwrap_or_default(), columns.next().unwrap_or_default()))
    }

    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>> {
        let Some((tiling, history)) = self.path_tiling(shape(R::TABLE, a, b, shared))? else {
            return Ok(None);
        };
        let (mut loaded, sweep) = self.device.run(&|| plan::Sweep::new(&tiling, Some(&history), a, b)).await?;
        let row = match tiling.directions {
            1 => a.len(),
            _ => {
                let columns = self.read_columns(&mut *loaded, &sweep, &tiling).await?;
                crossing::<R>(&columns[0], &columns[1], a.len()).0
            }
        };
        let (left, right) = b.split_at(b.len().min(tiling.direction_cols() as usize));
        let loaded = Mutex::new(loaded);
        let boundaries = Boundaries {
            device: self.device.backend.name(),
            loaded: &loaded,
            sweep: &sweep,
            tiling: &tiling,
            history: &history,
            control: self.device.control,
        };
        // Without a second direction there is nothing to its right.
        let (before, behind) = rayon::join(
            || boundaries.walk::<R, false>((a, left), row, (0, 0)),
            || boundaries.walk::<R, true>((&a[row..], right), a.len() - row, (a.len(), b.len())),
        );
        let ((mut path, phases), (behind, behind_phases)) = (before?, behind?);
        path.extend(behind);
        // Both ran at once: the longer one counts.
        let phases = if phases.total() < behind_phases.total() { behind_phases } else { phases };
        let path = Blocks::concat(path);
        self.device.phases.book(&phases);
        Ok(Some(path))
    }
}
