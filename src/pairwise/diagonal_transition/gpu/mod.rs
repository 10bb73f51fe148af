//! Wavefronts on a GPU: all diagonals of a wavefront at once, and several wavefronts a dispatch.
//!
//! The search knows a bound of the distance, so that a wavefront has only the diagonals from which the last cell is still within it.
//! Every few wavefronts one is kept. The path goes back through those: from one that is kept, the host computes the wavefronts up to the
//! next one again, on the few diagonals that the path can be on, and walks.

mod choice;
pub mod plan;
mod sizes;
mod solve;

use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use super::Recurrence;
use super::walk::{Walk, Wavefronts};
use super::wavefront::{Wavefront, slide};
use crate::backend::{Capabilities, Session, Span};
use crate::engine::profile::gpu::{compute_units, diagonal_transition as figures};
use crate::error::{Error, Result};
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::blocks::{Block, Blocks};
use crate::pairwise::codes::Encoded;
use crate::plan::Resident;
pub(crate) use choice::Choice;
use plan::{DISTANCE, NOT_FOUND, POINTS, Packed, Search};
pub(crate) use sizes::SearchSizes;
use sizes::{Kept, LANES, WAVEFRONTS};
pub(crate) use solve::solve;

/// Longest sequence: positions and diagonals are 32-bit numbers with a sign.
const LONGEST: u64 = (1 << 30) - 1;
/// Distances of the wavefronts that are read back together.
const CHUNK_DISTANCES: u64 = 512;

impl SearchSizes {
    /// Whether a device has room for it.
    ///
    /// # Errors
    /// [`Error::InputTooLong`] and [`Error::MemoryBudget`].
    fn check(&self, sizing: &Sizing<'_>, bits: u32) -> Result<()> {
        let caps = sizing.capabilities;
        let longest = u64::from(caps.groups_per_dimension) * (LANES / 2);
        for (what, actual, limit) in
            [("the longer input", self.rows.max(self.cols), LONGEST), ("a wavefront", self.widest(), longest)]
        {
            if actual > limit {
                return Err(Error::InputTooLong { what, actual, limit, remedy: "use the method 'bit-parallel'" });
            }
        }
        let buffer = caps.chunk_bytes;
        let largest = 4 * self.words().max(Packed::size(self.rows, self.cols, bits));
        let (needed, limit) = match largest > buffer {
            true => (largest, buffer),
            false => (Search::size_bytes(self, bits), sizing.budget_bytes),
        };
        if needed > limit {
            let what = format!("keeping the wavefronts of a distance of {} on a GPU", self.bound);
            return Err(Error::MemoryBudget { what, needed, limit, smallest: needed });
        }
        Ok(())
    }

    /// A rough time, from the bound alone.
    pub(crate) fn expected(&self, path: bool, caps: &Capabilities) -> Duration {
        let points_per_second = match caps.host_threads {
            Some(threads) => f64::from(threads) * figures::THREAD_POINTS_PER_SECOND,
            None => compute_units(caps) * figures::POINTS_PER_SECOND,
        };
        let wavefronts = self.bound as f64;
        // The diagonals between both ends widen and narrow again; workgroups overlap.
        let diagonals = wavefronts * wavefronts / (2 * self.spacing) as f64;
        let points = (diagonals / self.tile().1 as f64 + wavefronts) * LANES as f64;
        let alone = self.passes() as f64 * figures::PASS_SECONDS + wavefronts * figures::WAVEFRONT_SECONDS;
        let walk = if path { wavefronts * figures::WALK_SECONDS } else { 0.0 };
        Duration::from_secs_f64(alone.max(points / points_per_second) + walk)
    }
}

/// What was found, and how many furthest-reaching points it took.
type Searched = (Option<(u64, Option<Blocks>)>, u64);

/// The distance where it is at most the front's bound, and the canonical path where it is asked for.
///
/// # Errors
/// As [`Device::run`].
async fn search<R: Recurrence<SPACING>, S: PartialEq + Sync, const SPACING: i64>(
    session: &Session<'_>,
    (a, b): (&[S], &[S]),
    codes: &Encoded,
    front: &SearchSizes,
) -> Result<Searched> {
    if a.len().abs_diff(b.len()) as u64 > front.bound {
        return Ok((None, 0));
    }
    let slid = slide(a, b, 0, 0);
    if slid == a.len().max(b.len()) {
        let path = front.every.map(|_| Blocks::from_iter([Block { a: 0, b: 0, len: slid }]));
        return Ok((Some((0, path)), slid as u64));
    }
    let make = |resident: &Resident| Search::new::<R, SPACING>(front, codes, slid as u64, resident);
    let end = Span { buffer: DISTANCE, first: 0, words: 1 };
    let ((made, words), _) = session.round(&make, &|_| vec![end], &|_| Ok(())).await?;
    let distance = words.first().copied().unwrap_or(NOT_FOUND);
    let swept = u64::from(distance).div_ceil(WAVEFRONTS).min(front.passes());
    let cells = (0..swept).map(|pass| front.points(pass)).sum();
    if distance == NOT_FOUND {
        return Ok((None, cells));
    }
    let distance = u64::from(distance);
    if front.every.is_none() {
        return Ok((Some((distance, None)), cells));
    }
    let path = trace::<R, _, SPACING>(session, (a, b), &made.kept, slid, distance).await?;
    Ok((Some((distance, Some(path))), cells))
}

/// The canonical path back through the wavefronts that were kept.
async fn trace<R: Recurrence<SPACING>, S: PartialEq + Sync, const SPACING: i64>(
    session: &Session<'_>,
    (a, b): (&[S], &[S]),
    kept: &[Kept],
    slid: usize,
    distance: u64,
) -> Result<Blocks> {
    let mut walk = Walk::from_the_end(a.len(), b.len(), distance);
    // Wavefronts that the path starts from, those of the first chunk first.
    let chunks = chunks(&kept[..kept.partition_point(|kept| kept.distance < distance)]);
    let mut arriving = VecDeque::new();
    for (place, chunk) in chunks.iter().enumerate() {
        // The chunk behind this one is read while this one is walked.
        while let Some(next) = chunks.get(arriving.len() + place).filter(|_| arriving.len() < 2) {
            let corridors: Vec<_> = next.iter().map(|kept| kept.corridor::<SPACING>(&walk)).collect();
            let span = |(kept, part): (&Kept, &Range<u64>)| {
                let (first, words) = (kept.at + part.start - kept.indices.start, part.end - part.start);
                Span { buffer: POINTS, first, words }
            };
            let spans: Vec<_> = next.iter().zip(&corridors).map(span).collect();
            arriving.push_back((session.read(&spans)?, corridors));
        }
        let Some((words, corridors)) = arriving.pop_front() else { break };
        let words = words.await?;
        let words = words.words();
        session.device.phases.lap("readback");
        let mut end = words.len();
        for (kept, part) in chunk.iter().zip(corridors).rev() {
            let start = end - (part.end - part.start) as usize;
            let wavefront = match kept.distance {
                0 => Wavefront { low: 0, rows: vec![slid as u32], steps: 0 },
                distance => Wavefront {
                    low: SPACING * part.start as i64 - distance as i64,
                    // Every diagonal that is kept is reached.
                    rows: words[start..end].iter().map(|row| row.saturating_sub(1)).collect(),
                    steps: 0,
                },
            };
            end = start;
            back::<R, _, SPACING>(&mut walk, kept.distance, wavefront, a, b);
        }
        session.device.phases.lap("trace");
    }
    Ok(walk.blocks())
}

/// Wavefronts that are read back together, from the last to the first.
fn chunks(kept: &[Kept]) -> Vec<&[Kept]> {
    let alike = |x: &Kept, y: &Kept| x.distance / CHUNK_DISTANCES == y.distance / CHUNK_DISTANCES;
    kept.chunk_by(alike).rev().collect()
}

impl Kept {
    /// The indices of the diagonals that a path through a cell farther on can have come from, and their neighbours': each of its
    /// steps changes the diagonal by one at the most.
    fn corridor<const SPACING: i64>(&self, walk: &Walk) -> Range<u64> {
        let (diagonal, steps) = (walk.i as i64 - walk.j as i64, (walk.distance - self.distance) as i64);
        let index = |diagonal: i64| ((diagonal + self.distance as i64) / SPACING).max(0) as u64;
        let bounded = |index: u64| index.clamp(self.indices.start, self.indices.end);
        bounded(index(diagonal - steps))..bounded(index(diagonal + steps) + 1)
    }
}

/// Walks back to a wavefront from at most [`WAVEFRONTS`] wavefronts behind it.
fn back<R: Recurrence<SPACING>, S: PartialEq, const SPACING: i64>(
    walk: &mut Walk,
    distance: u64,
    mut wavefront: Wavefront<SPACING>,
    a: &[S],
    b: &[S],
) {
    let diagonal = walk.i as i64 - walk.j as i64;
    let mut wavefronts = Wavefronts::from(distance);
    // Each step of the path changes the diagonal by one at the most.
    let steps = (walk.distance - distance) as i64;
    wavefront.narrow(diagonal - steps..=diagonal + steps);
    for left in (0..steps).rev() {
        wavefronts.push(&wavefront);
        if left == 0 {
            break;
        }
        let next = wavefront.next_diagonals(a.len() as i64, b.len() as i64);
        let (low, high) = ((*next.start()).max(diagonal - left), (*next.end()).min(diagonal + left));
        wavefront = R::next(&wavefront, low..=high, a, b);
    }
    walk.through(&wavefronts, a, b);
}

impl<const SPACING: i64> Wavefront<SPACING> {
    /// Keeps those of its diagonals alone, the first and the last of which have its parity.
    fn narrow(&mut self, diagonals: RangeInclusive<i64>) {
        let index = |diagonal: i64| ((diagonal - self.low) / SPACING).clamp(0, self.rows.len() as i64) as usize;
        let (first, end) = (index(*diagonals.start()), index(*diagonals.end() + SPACING));
        self.rows.truncate(end);
        self.rows.drain(..first);
        self.low += SPACING * first as i64;
    }
}
