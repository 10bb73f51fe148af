//! Furthest-reaching points: how far each diagonal gets at each distance, for the methods whose cost is what inputs differ by.

pub mod gpu;
mod recurrence;
mod summary;
mod walk;
pub(crate) mod wavefront;

use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::pairwise::blocks::Blocks;
use crate::pairwise::codes::Symbol;
use crate::pairwise::equal::STRIDE;
pub(crate) use recurrence::Recurrence;
pub(crate) use summary::{seconds, summarize};
use walk::{Walk, Wavefronts};
pub(crate) use wavefront::Wavefront;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The greatest distance to try.
    pub wavefronts: u64,
    /// The most furthest-reaching points and comparisons, as [`steps_of`] counts them.
    pub steps: u64,
    /// Steps after which a search ends that has not come a quarter of the way: what is left is expected to take more than four times
    /// as many.
    pub probe: u64,
    /// The most bytes of wavefronts kept for the path.
    pub bytes: u64,
}

impl Limit {
    /// The error of a search that only its memory could end: at the distance e a wavefront has at most `2e + 1` points of 32
    /// bits, and no distance is greater than `distance`.
    pub(crate) fn memory_error(&self, distance: u64) -> Error {
        let needed = (distance + 1)
            .saturating_mul(distance + 1)
            .saturating_mul(4);
        let what = "keeping every wavefront, at worst,".to_string();
        Error::MemoryBudget {
            what,
            needed,
            limit: self.bytes,
            smallest: needed,
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The distance.
    Distance {
        distance: u64,
        /// The canonical path, where it was asked for.
        path: Option<Blocks>,
        /// Cells looked at: furthest-reaching points and comparisons.
        cells: u64,
    },
    /// The distance is greater than the limit's.
    TooFar { cells: u64 },
    /// Steps or memory ran out, or the inputs are too long.
    GaveUp,
}

/// What a search has cost after so many points and, with them, comparisons: long slides go by strides.
fn steps_of(points: u64, cells: u64) -> u64 {
    points + cells / STRIDE as u64
}

/// The distance of inputs that differ little.
///
/// # Errors
/// [`Error::Cancelled`] after the caller has cancelled.
pub(crate) fn search<R: Recurrence<SPACING>, S: Symbol, const SPACING: i64>(
    (a, b): (&[S], &[S]),
    path: bool,
    limit: Limit,
    control: &Control,
) -> Result<Found> {
    // A furthest-reaching point is its row, in 32 bits.
    if a.len().max(b.len()) >= u32::MAX as usize {
        return Ok(Found::GaveUp);
    }
    // The distance is at least the difference of the lengths.
    if a.len().abs_diff(b.len()) as u64 > limit.wavefronts {
        return Ok(Found::TooFar { cells: 0 });
    }
    let mut wavefronts = Wavefronts::from(0);
    let mut wavefront = Wavefront::first(a, b);
    let (mut cells, mut points) = (wavefront.steps, 0);
    let (mut distance, mut told) = (0, 0);
    loop {
        if wavefront.reach(a.len() as i64 - b.len() as i64) == Some(a.len()) {
            let path = path.then(|| {
                let mut walk = Walk::from((a.len(), b.len()), distance);
                walk.through(&wavefronts, a, b);
                walk.blocks()
            });
            return Ok(Found::Distance {
                distance,
                path,
                cells,
            });
        }
        if distance == limit.wavefronts {
            return Ok(Found::TooFar { cells });
        }
        points += wavefront.rows.len() as u64;
        let steps = steps_of(points, cells);
        let probed = told <= limit.probe && limit.probe < steps;
        if steps > limit.steps || probed && 4 * wavefront.progress() < (a.len() + b.len()) as i64 {
            return Ok(Found::GaveUp);
        }
        control.check()?;
        control.add_done(steps - std::mem::replace(&mut told, steps));
        let next = wavefront.next::<R, S>(
            wavefront.next_diagonals(a.len() as i64, b.len() as i64),
            a,
            b,
        );
        cells += next.steps;
        if path {
            wavefronts.push(&wavefront);
            if wavefronts.bytes() > limit.bytes {
                return Ok(Found::GaveUp);
            }
        }
        (wavefront, distance) = (next, distance + 1);
    }
}

/// Small inputs for the tests of every recurrence.
#[cfg(test)]
pub(crate) mod cases {
    use super::Limit;
    use crate::pairwise::bit_parallel::inputs::{self, Random};

    pub(crate) const NO_LIMIT: Limit = Limit {
        wavefronts: u64::MAX,
        steps: u64::MAX,
        probe: u64::MAX,
        bytes: u64::MAX,
    };

    /// Many random pairs and one of every kind.
    pub(crate) fn for_each(check: impl Fn(&[u32], &[u32])) {
        let mut random = Random::new(1);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let (rows, cols) = (random.below(24), random.below(17));
            check(&random.codes(rows, letters), &random.codes(cols, letters));
        }
        inputs::pairs(130, 141)
            .into_iter()
            .for_each(|(a, b)| check(&a, &b));
    }
}
