//! Wavefronts on a GPU: all diagonals of a wavefront at once, and several wavefronts a dispatch.
//!
//! The search goes from both ends at once, until what is reached from one meets what is reached from the other, so that each direction
//! has half of the distance. It knows a bound, so that a wavefront has only the diagonals from which the last cell is still within it.
//! Every few wavefronts one is kept. The path goes back through those, from where it crosses the wavefronts that meet to either end:
//! from one that is kept, the host computes the wavefronts up to the next one again, on the few diagonals that the path can be on, and
//! walks.

mod choice;
mod meeting;
pub mod plan;
mod sizes;
mod solve;
mod trace;

use std::time::Duration;

use rayon::prelude::*;

use super::Recurrence;
use super::walk::slide_back;
use super::wavefront::slide;
use crate::backend::{Capabilities, Session, Span};
use crate::engine::profile::gpu::{compute_units, diagonal_transition as figures};
use crate::error::{Error, Result};
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::blocks::{Block, Blocks};
use crate::pairwise::codes::{Encoded, Symbol};
use crate::plan::Resident;
pub(crate) use choice::Choice;
use plan::{MET, NOT_MET, Packed, Search};
pub(crate) use sizes::SearchSizes;
use sizes::{Kept, LANES, WAVEFRONTS};
pub(crate) use solve::solve;

/// Longest sequence: positions and diagonals are 32-bit numbers with a sign.
const LONGEST: u64 = (1 << 30) - 1;

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
        let largest = 4 * (2 * self.words()).max(Packed::size(self.rows, self.cols, bits));
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
        let (bound, wavefronts) = (self.bound as f64, self.bound as f64 / 2.0);
        // Diagonals widen from both ends until they meet; workgroups overlap.
        let diagonals = bound * bound / (2 * self.spacing) as f64;
        let points = (diagonals / self.tile().1 as f64 + bound) * LANES as f64;
        let alone = self.passes() as f64 * figures::PASS_SECONDS + wavefronts * figures::WAVEFRONT_SECONDS;
        let walk = if path { wavefronts * figures::WALK_SECONDS } else { 0.0 };
        Duration::from_secs_f64(alone.max(points / points_per_second) + walk)
    }
}

/// What was found, and how many furthest-reaching points it took.
type Searched = (Option<(u64, Option<Blocks>)>, u64);

/// One direction of a search, as if it were all: the other one is that of both sequences reversed, each in the other's place. There what
/// is above is what is on the right here, so that a path which goes up before it goes anywhere else is the same path in both.
struct Side<'a, S> {
    a: &'a [S],
    b: &'a [S],
    kept: &'a [Kept],
    /// Rows that the wavefront of the distance 0 reaches.
    slid: usize,
}

/// The distance where it is at most the front's bound, or not much more, and the canonical path where it is asked for.
///
/// # Errors
/// As [`Device::run`](crate::engine::Device::run).
async fn search<R: Recurrence<SPACING>, S: Symbol, const SPACING: i64>(
    session: &Session<'_>,
    (a, b): (&[S], &[S]),
    codes: &Encoded,
    front: &SearchSizes,
) -> Result<Searched> {
    if a.len().abs_diff(b.len()) as u64 > front.bound {
        return Ok((None, 0));
    }
    let slid = [slide(a, b, 0, 0), slide_back(a, b)];
    if slid[0] == a.len().max(b.len()) {
        let path = front.every.map(|_| Blocks::from_iter([Block { a: 0, b: 0, len: slid[0] }]));
        return Ok((Some((0, path)), slid[0] as u64));
    }
    let make = |resident: &Resident| Search::new::<R, SPACING>(front, codes, slid, resident);
    let end = Span { buffer: MET, first: 0, words: 1 };
    let reverse = |_: &Search| Ok([b, a].map(|symbols| symbols.par_iter().rev().copied().collect::<Vec<_>>()));
    let ((made, words), reversed) = session.round(&make, &|_| vec![end], &reverse).await?;
    let met = words.first().copied().unwrap_or(NOT_MET);
    let passes = if met == NOT_MET { front.passes() } else { u64::from(met) / WAVEFRONTS };
    let cells = (0..passes.min(front.passes())).map(|pass| front.points(pass)).sum();
    if met == NOT_MET {
        return Ok((None, cells));
    }
    let [b_back, a_back] = match reversed {
        Some(reversed) => reversed,
        None => reverse(&made)?,
    };
    let sides = [
        Side { a, b, kept: &made.kept[0], slid: slid[0] },
        Side { a: &b_back, b: &a_back, kept: &made.kept[1], slid: slid[1] },
    ];
    let meeting = meeting::find::<R, S, SPACING>(session, &sides, u64::from(met)).await?;
    let distance = meeting.distances[0] + meeting.distances[1];
    // Paths of greater distances have diagonals that were left out.
    if distance > 2 * front.half() {
        return Ok((None, cells));
    }
    if front.every.is_none() {
        return Ok((Some((distance, None)), cells));
    }
    let path = trace::path::<R, S, SPACING>(session, &sides, &meeting).await?;
    Ok((Some((distance, Some(path))), cells))
}
