//! Waves on a GPU: all diagonals of a wave at once, and several waves a dispatch.
//!
//! The search knows a bound of the distance, so that a wave has only the diagonals from which the last cell is still within it.
//! Every few waves one is kept. The path goes back through those: from one that is kept, the host computes the waves up to the
//! next one again, on the few diagonals that the path can be on, and walks.

mod front;
pub mod plan;
mod solve;

use std::ops::Range;
use std::time::Duration;

use super::walk::{Walk, Waves};
use super::{Recurrence, Wave, slide};
use crate::alphabet::Encoded;
use crate::backend::{Capabilities, Loaded, Span};
use crate::blocks::{Block, Blocks};
use crate::engine::{Device, Ran};
use crate::error::{Error, Result};
use crate::plan::CHUNK_BYTES;
use front::{Front, Kept, LANES, WAVES};
use plan::{DISTANCE, NOT_FOUND, Packed, REACHES, Search};
pub(crate) use solve::solve;

/// Longest sequence: positions and diagonals are 32-bit numbers with a sign.
const LONGEST: u64 = (1 << 30) - 1;
/// Words of waves that are read back at a time.
const FRAME_WORDS: u64 = 1 << 24;
/// Time of a pass beside its waves.
const PASS_SECONDS: f64 = 5e-6;
/// Time of a wave where every workgroup runs at once.
const WAVE_SECONDS: f64 = 1.2e-6;
/// Reaches a second of one compute unit.
const REACHES_PER_SECOND: f64 = 1e9;
/// Time of the host for each wave of a path.
const WALK_SECONDS: f64 = 0.5e-6;
/// Compute units assumed where the driver does not say.
const DEFAULT_UNITS: u32 = 32;

impl Front {
    /// The search for a distance of at most `bound`, which is not less than the difference of the lengths.
    fn new<const SPACING: i64>(rows: usize, cols: usize, bound: u64) -> Self {
        let (rows, cols) = (rows as u64, cols as u64);
        // A path of unequal pairs and gaps, or of gaps alone, is always there.
        let bound = bound.min(if SPACING == 1 { rows.max(cols) } else { rows + cols });
        let odd = SPACING == 2 && !(bound - rows.abs_diff(cols)).is_multiple_of(2);
        Self { rows, cols, bound: bound - u64::from(odd), spacing: SPACING as u64 }
    }

    /// Whether a device has room for it; it always does where it has room for `worst`.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] and [`Error::MemoryBudget`].
    fn check(&self, worst: &Self, device: &Device<'_>, path: bool, bits: u32) -> Result<()> {
        let caps = device.backend.capabilities();
        let longest = u64::from(caps.groups_per_dimension) * (LANES / 2);
        for (what, actual, limit) in
            [("the longer input", self.rows.max(self.cols), LONGEST), ("a wave", self.widest(), longest)]
        {
            if actual > limit {
                return Err(Error::InputTooLong { what, actual, limit, remedy: "use the method 'bit-parallel'" });
            }
        }
        let buffer = caps.binding_bytes.min(CHUNK_BYTES);
        let largest = 4 * self.words(path).max(Packed::size(self.rows, self.cols, bits));
        let (needed, limit) = match largest > buffer {
            true => (largest, buffer),
            false => (Search::size_bytes(self, path, bits), device.budget_bytes),
        };
        if needed > limit {
            let what = format!("keeping the waves of a distance of {} on a GPU", self.bound);
            return Err(Error::MemoryBudget { what, needed, limit, smallest: Search::size_bytes(worst, path, bits) });
        }
        Ok(())
    }

    /// Reaches of all passes.
    fn all_reaches(&self) -> u64 {
        (0..self.passes()).map(|pass| self.reaches(pass)).sum()
    }

    /// A rough time.
    fn expected(&self, path: bool, caps: &Capabilities) -> Duration {
        let units = f64::from(caps.compute_units.unwrap_or(DEFAULT_UNITS));
        let reaches = self.all_reaches();
        let waves = self.bound as f64;
        let alone = self.passes() as f64 * PASS_SECONDS + waves * WAVE_SECONDS;
        let walk = if path { waves * WALK_SECONDS } else { 0.0 };
        Duration::from_secs_f64(alone.max(reaches as f64 / units / REACHES_PER_SECOND) + walk)
    }
}

/// What was found, and how many reaches it took.
type Searched = (Option<(u64, Option<Blocks>)>, u64);

/// The distance where it is at most the front's bound, and the canonical path where it is asked for.
///
/// # Errors
/// As [`Device::run`].
async fn search<R: Recurrence<SPACING>, S: PartialEq + Sync, const SPACING: i64>(
    device: &Device<'_>,
    (a, b): (&[S], &[S]),
    codes: &Encoded,
    path: bool,
    front: &Front,
) -> Result<Searched> {
    if a.len().abs_diff(b.len()) as u64 > front.bound {
        return Ok((None, 0));
    }
    let slid = slide(a, b, 0, 0);
    if slid == a.len().max(b.len()) {
        let path = path.then(|| Blocks::from_iter([Block { a: 0, b: 0, len: slid }]));
        return Ok((Some((0, path)), slid as u64));
    }
    let make = || Search::new::<R, SPACING>(front, path, codes, slid as u64);
    let end = Span { buffer: DISTANCE, first: 0, words: 1 };
    let Ran { mut loaded, made, words } = device.run(&make, &|_| vec![end]).await?;
    let distance = words.first().copied().unwrap_or(NOT_FOUND);
    let swept = u64::from(distance).div_ceil(WAVES).min(front.passes());
    let cells = (0..swept).map(|pass| front.reaches(pass)).sum();
    if distance == NOT_FOUND {
        return Ok((None, cells));
    }
    let distance = u64::from(distance);
    if !path {
        return Ok((Some((distance, None)), cells));
    }
    let mut walk = Walk::from_the_end(a.len(), b.len(), distance);
    // Of each pass that the path goes through, the wave that it starts from.
    let kept = &made.kept[..swept as usize];
    let mut end = kept.len();
    let mut arriving = read(&mut *loaded, kept, end)?;
    while end > 0 {
        let (waves, words) = (arriving.0, arriving.1.await?);
        end = waves.start;
        arriving = read(&mut *loaded, kept, end)?;
        device.phases.lap("readback");
        let first = kept[waves.start].at;
        for kept in kept[waves].iter().rev() {
            device.control.check()?;
            let wave = match kept.distance {
                0 => Wave { low: 0, rows: vec![slid as u32], steps: 0 },
                _ => kept.wave((kept.at - first) as usize, &words),
            };
            back::<R, _, SPACING>(&mut walk, kept.distance, wave, a, b);
        }
        device.phases.lap("trace");
    }
    Ok((Some((distance, Some(walk.blocks()))), cells))
}

/// Starts reading the last of these waves before `end`.
type Reading = (Range<usize>, crate::backend::Pending<Vec<u32>>);

fn read(loaded: &mut dyn Loaded, kept: &[Kept], end: usize) -> Result<Reading> {
    let past = |wave: usize| kept[wave].at + kept[wave].indices.end - kept[wave].indices.start;
    let Some(last) = end.checked_sub(1) else { return Ok((0..0, Box::pin(async { Ok(Vec::new()) }))) };
    let start = (0..last).rev().take_while(|&wave| past(last) - kept[wave].at <= FRAME_WORDS).last().unwrap_or(last);
    let span = Span { buffer: REACHES, first: kept[start].at, words: past(last) - kept[start].at };
    Ok((start..end, loaded.read(&[span])?))
}

impl Kept {
    /// The wave, whose words begin at a place.
    fn wave<const SPACING: i64>(&self, first: usize, words: &[u32]) -> Wave<SPACING> {
        let low = SPACING * self.indices.start as i64 - self.distance as i64;
        let words = &words[first..][..(self.indices.end - self.indices.start) as usize];
        // Every diagonal that is kept is reached.
        Wave { low, rows: words.iter().map(|row| row.saturating_sub(1)).collect(), steps: 0 }
    }
}

/// Walks back to a wave from at most [`WAVES`] waves behind it.
fn back<R: Recurrence<SPACING>, S: PartialEq, const SPACING: i64>(
    walk: &mut Walk,
    distance: u64,
    mut wave: Wave<SPACING>,
    a: &[S],
    b: &[S],
) {
    let diagonal = walk.i as i64 - walk.j as i64;
    let mut waves = Waves::from(distance);
    // Each step of the path changes the diagonal by one at the most.
    let steps = (walk.distance - distance) as i64;
    wave.narrow(diagonal - steps..=diagonal + steps);
    for left in (0..steps).rev() {
        waves.push(&wave);
        if left == 0 {
            break;
        }
        let next = wave.next_diagonals(a.len() as i64, b.len() as i64);
        let (low, high) = ((*next.start()).max(diagonal - left), (*next.end()).min(diagonal + left));
        wave = R::next(&wave, low..=high, a, b);
    }
    walk.through(&waves, a, b);
}

impl<const SPACING: i64> Wave<SPACING> {
    /// Keeps those of its diagonals alone, the first and the last of which have its parity.
    fn narrow(&mut self, diagonals: std::ops::RangeInclusive<i64>) {
        let index = |diagonal: i64| ((diagonal - self.low) / SPACING).clamp(0, self.rows.len() as i64) as usize;
        let (first, end) = (index(*diagonals.start()), index(*diagonals.end() + SPACING));
        self.rows.truncate(end);
        self.rows.drain(..first);
        self.low += SPACING * first as i64;
    }
}
