//! LCS on a GPU backend: plans from [`tiling`], run in slices, read back and walked.

pub mod conditional_sum;
pub mod history;
pub mod plan;
pub mod tiling;

use std::time::Duration;

use crate::alphabet::Encoded;
use crate::backend::{Backend, Span};
use crate::control::Control;
use crate::engine::slices;
use crate::error::{Error, Result};
use crate::phases::Phases;
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
    ///
    /// # Errors
    /// As [`Backend::load`] and [`slices::run`].
    async fn columns(&self, tiling: &Tiling, a: &[u32], b: &[u32]) -> Result<Vec<Vec<u64>>> {
        let (mut loaded, sweep) = self.sweep(&|| Sweep::new(tiling, None, a, b)).await?;
        let state = loaded.read(&[Span { buffer: sweep.state, first: 0, words: tiling.state_words() }])?.await?;
        let columns = state.chunks(state.len() / tiling.directions as usize);
        Ok(columns.map(|state| column_bits(tiling, state)).collect())
    }

    fn tiling(&self, a: &[u32], b: &[u32], shared: u32, directions: Option<u32>) -> Result<Tiling> {
        let shape = Shape { rows: a.len() as u64, cols: b.len() as u64, shared };
        let tuning = Tuning { directions: directions.or(self.tuning.directions), ..self.tuning };
        Tiling::new(shape, self.backend.capabilities(), &tuning)
    }

    /// Loads and runs a plan; a missing stamp gets one more try from the start.
    async fn sweep(&self, plan: &dyn Fn() -> Sweep) -> Result<(Box<dyn crate::backend::Loaded>, Sweep)> {
        let mut tries = 0;
        loop {
            let mut sweep = plan();
            self.phases.lap("plan");
            let mut loaded = self.backend.load(&mut sweep.plan, self.budget_bytes)?;
            self.phases.lap("upload");
            let passes = &sweep.plan.passes;
            let ran = slices::run(&mut *loaded, self.backend.name(), passes, self.slice, self.control).await;
            self.phases.lap("sweep");
            match ran {
                Err(Error::MissingStamp { .. }) if tries == 0 => tries += 1,
                Err(error) => return Err(error),
                Ok(()) => return Ok((loaded, sweep)),
            }
        }
    }
}

/// Length from the vertical differences of the first `rows` rows.
pub fn length_of(column: &[u64], rows: usize) -> u64 {
    let ones: u64 = (0..rows.div_ceil(64))
        .map(|word| {
            let kept = (rows - word * 64).min(64) as u32;
            u64::from((column[word] & u64::MAX.unbounded_shr(64 - kept)).count_ones())
        })
        .sum();
    rows as u64 - ones
}

/// The state's limbs in row order, 64 rows a word.
fn column_bits(tiling: &Tiling, state: &[u32]) -> Vec<u64> {
    let (lanes, limbs) = (tiling.lanes as usize, tiling.limbs as usize);
    let strip_words = lanes * (limbs + 1);
    let in_order = state.chunks(strip_words).flat_map(|strip| {
        (0..lanes).flat_map(move |lane| (0..limbs).map(move |limb| strip[limb * lanes + lane]))
    });
    let mut packed = pack_limbs(in_order);
    packed.truncate((tiling.shape.rows as usize).div_ceil(64));
    packed
}

/// Limbs of 31 rows as words of 64 rows; padding rows are 1.
fn pack_limbs(limbs: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut packed = Vec::new();
    let (mut word, mut filled) = (0u64, 0u32);
    for limb in limbs {
        let rows = u64::from(limb & (u32::MAX >> 1));
        word |= rows << filled;
        filled += LIMB_ROWS as u32;
        if filled >= 64 {
            packed.push(word);
            filled -= 64;
            word = rows.unbounded_shr(LIMB_ROWS as u32 - filled);
        }
    }
    if filled > 0 {
        packed.push(word | u64::MAX << filled);
    }
    packed
}

/// Length by the strip sweep.
///
/// # Errors
/// As [`Tiling::new`], [`Backend::load`] and [`slices::run`].
pub async fn length(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    let tiling = device.tiling(&codes.a, &codes.b, codes.shared, None)?;
    let columns = device.columns(&tiling, &codes.a, &codes.b).await?;
    Ok(match &columns[..] {
        [above, below] => split(above, below, codes.a.len()).1,
        columns => length_of(&columns[0], codes.a.len()),
    })
}

/// The least row at which a longest common subsequence crosses the column where two sweeps met, and its length.
///
/// `above` has the differences of rows `0..rows` from the top, `below` those of the reversed rows.
pub fn split(above: &[u64], below: &[u64], rows: usize) -> (usize, u64) {
    let grows = |column: &[u64], row: usize| (column[row / 64] >> (row % 64)) & 1 ^ 1;
    let mut length = length_of(below, rows);
    let mut best = (0, length);
    for row in 0..rows {
        length = length + grows(above, row) - grows(below, rows - 1 - row);
        if length > best.1 {
            best = (row + 1, length);
        }
    }
    best
}
