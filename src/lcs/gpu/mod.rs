//! LCS on a GPU backend: plans from [`tiling`], run in slices, read back and walked.

mod boundaries;
pub mod conditional_sum;
pub mod history;
pub mod plan;
pub mod tiling;

use std::time::Duration;

use crate::alphabet::Encoded;
use crate::backend::{Backend, Loaded, Span};
use crate::control::Control;
use crate::engine::slices;
use crate::error::{Error, Result};
use crate::lcs::subsequence::Subsequence;
use crate::lcs::trace::{Walker, pack_rows};
use crate::lcs::{LcsOptions, Method, PlanSummary, hirschberg};
use crate::phases::Phases;
use crate::plan::Plan;
use boundaries::Boundaries;
use history::History;
use plan::Sweep;
use tiling::{LIMB_ROWS, Shape, Tiling, Tuning};

/// A device with what it may use for one call.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    /// Runs the plans.
    pub backend: &'a dyn Backend,
    /// Device memory allowed.
    pub budget_bytes: u64,
    /// Longest submission.
    pub slice: Duration,
    /// Forced kernel shapes.
    pub tuning: Tuning,
    /// Progress and cancel.
    pub control: &'a Control,
    /// Where the time goes.
    pub phases: &'a Phases,
}

impl Device<'_> {
    /// Columns of vertical differences: one at the last column, or with two directions one at the middle from either end.
    ///
    /// Bit `i % 64` of word `i / 64` is 0 where row `i` (counted from that end) adds to the length.
    async fn columns(&self, tiling: &Tiling, a: &[u32], b: &[u32]) -> Result<Vec<Vec<u64>>> {
        let (mut loaded, sweep) = self.run(&|| Sweep::new(tiling, None, a, b)).await?;
        let state = loaded.read(&[Span { buffer: sweep.state, first: 0, words: tiling.state_words() }])?.await?;
        let columns = state.chunks(state.len() / tiling.directions as usize);
        Ok(columns.map(|state| column_bits(tiling, state)).collect())
    }

    /// Sizes for the length alone.
    pub fn length_tiling(&self, shape: Shape) -> Result<Tiling> {
        Tiling::new(shape, self.backend.capabilities(), &self.tuning, self.budget_bytes)
    }

    /// Sizes for a path by stored boundaries, where the budget has room for them.
    pub fn path_tiling(&self, shape: Shape) -> Result<Option<(Tiling, History)>> {
        Tiling::for_path(shape, self.backend.capabilities(), &self.tuning, self.budget_bytes)
    }

    /// Loads and runs the plan that `make` makes; a missing stamp gets one more try from the start.
    async fn run<T: AsMut<Plan>>(&self, make: &(dyn Fn() -> T + Sync)) -> Result<(Box<dyn Loaded>, T)> {
        let mut tries = 0;
        loop {
            let mut made = make();
            self.phases.lap("plan");
            let mut loaded = self.backend.load(made.as_mut(), self.budget_bytes)?;
            self.phases.lap("upload");
            let passes = &made.as_mut().passes;
            let ran = slices::run(&mut *loaded, self.backend.name(), passes, self.slice, self.control).await;
            self.phases.lap("sweep");
            match ran {
                Err(Error::MissingStamp { .. }) if tries == 0 => tries += 1,
                Err(error) => return Err(error),
                Ok(()) => return Ok((loaded, made)),
            }
        }
    }
}

/// The state's limbs in row order, 64 rows a word.
fn column_bits(tiling: &Tiling, state: &[u32]) -> Vec<u64> {
    let (lanes, limbs) = (tiling.lanes as usize, tiling.limbs as usize);
    let in_order = state.chunks(lanes * (limbs + 1)).flat_map(|strip| {
        (0..lanes)
            .flat_map(move |lane| (0..limbs).map(move |limb| u64::from(strip[limb * lanes + lane] & (u32::MAX >> 1))))
    });
    let mut packed = pack_rows(in_order, LIMB_ROWS as u32);
    packed.truncate((tiling.shape.rows as usize).div_ceil(64));
    packed
}

/// Length by the strip sweep.
///
/// # Errors
/// As [`Tiling::new`], [`Backend::load`] and [`slices::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    let tiling = device.length_tiling(shape(&codes.a, &codes.b, codes.shared))?;
    let columns = device.columns(&tiling, &codes.a, &codes.b).await?;
    Ok(match &columns[..] {
        [before, behind] => hirschberg::crossing(before, behind, codes.a.len()).1,
        columns => hirschberg::zeros(&columns[0], codes.a.len()),
    })
}

/// The canonical path, and how it was recovered.
///
/// # Errors
/// As [`Tiling::new`], [`Backend::load`] and [`slices::run`].
pub async fn subsequence(device: &Device<'_>, codes: &Encoded) -> Result<(Subsequence, &'static str)> {
    hirschberg::path(&mut device.clone(), &codes.a, &codes.b, codes.shared).await
}

fn shape(a: &[u32], b: &[u32], shared: u32) -> Shape {
    Shape { rows: a.len() as u64, cols: b.len() as u64, shared }
}

impl hirschberg::Sweep for Device<'_> {
    async fn middle_columns(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(Vec<u64>, Vec<u64>)> {
        let tuning = Tuning { directions: Some(2), ..self.tuning };
        let tiling = Tiling::new(shape(a, b, shared), self.backend.capabilities(), &tuning, self.budget_bytes)?;
        let mut columns = self.columns(&tiling, a, b).await?.into_iter();
        Ok((columns.next().unwrap_or_default(), columns.next().unwrap_or_default()))
    }

    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Subsequence>> {
        let Some((tiling, history)) = self.path_tiling(shape(a, b, shared))? else {
            return Ok(None);
        };
        let (loaded, sweep) = self.run(&|| Sweep::new(&tiling, Some(&history), a, b)).await?;
        let mut boundaries = Boundaries::new(loaded, sweep, &tiling, &history, (a, b), self.phases);
        let mut walker = Walker::new(a, b, shared);
        while let (1.., 1..) = walker.position() {
            self.control.check()?;
            boundaries.advance(&mut walker).await?;
        }
        self.phases.lap("trace");
        Ok(Some(walker.finish()))
    }
}

/// What a call would do on this device.
///
/// # Errors
/// As [`Tiling::new`], and [`Error::MemoryBudget`] where not even the smallest plan fits.
pub fn summarize(device: &Device<'_>, shape: Shape, options: &LcsOptions) -> Result<PlanSummary> {
    let caps = device.backend.capabilities();
    let mut summary = PlanSummary {
        method: Method::BitParallel,
        device: device.backend.name().to_string(),
        path_mode: "none",
        cells: u128::from(shape.rows) * u128::from(shape.cols),
        tile: (0, 0),
        strips: 0,
        passes: 0,
        device_bytes: 0,
        host_bytes: 0,
        expected: Duration::ZERO,
    };
    if options.method == Method::ConditionalSum {
        let blocks = conditional_sum::Blocks::new(shape, caps)?;
        summary.method = Method::ConditionalSum;
        summary.path_mode = if options.path { "hirschberg" } else { "none" };
        summary.tile = (conditional_sum::STEP, conditional_sum::STEP);
        (summary.strips, summary.passes, summary.device_bytes) =
            (blocks.blocks(), blocks.passes(), blocks.size_bytes());
        summary.expected = blocks.expected();
    } else {
        let stored = if options.path { device.path_tiling(shape)? } else { None };
        let (tiling, history) = match stored {
            Some((tiling, history)) => (tiling, Some(history)),
            None => (device.length_tiling(shape)?, None),
        };
        summary.path_mode = match (&history, options.path) {
            (Some(_), _) => "stored boundaries",
            (None, true) => "hirschberg above stored boundaries",
            (None, false) => "none",
        };
        summary.tile = (tiling.strip_rows(), u64::from(tiling.steps * tiling.columns));
        (summary.strips, summary.passes) = (tiling.strips() * u64::from(tiling.directions), tiling.passes());
        summary.device_bytes = tiling.size_bytes() + history.as_ref().map_or(0, History::size_bytes);
        summary.host_bytes = tiling.size_bytes();
        let rounds = if options.path && history.is_none() { 2.0 } else { 1.0 };
        summary.expected = Duration::from_secs_f64(tiling.seconds(caps) * rounds);
    }
    if summary.device_bytes > device.budget_bytes {
        return Err(Error::MemoryBudget {
            what: "this plan".to_string(),
            needed: summary.device_bytes,
            limit: device.budget_bytes,
            smallest: summary.device_bytes,
        });
    }
    Ok(summary)
}
