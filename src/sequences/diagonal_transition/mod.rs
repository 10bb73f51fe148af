//! Diagonal transition method: furthest-reaching points per diagonal and distance. Its cost grows
//! with the distance of the inputs.

mod cost;
pub mod gpu;
mod recurrence;
mod walk;
pub(crate) mod wavefront;

use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Symbol;
use crate::sequences::equal::STRIDE;
use crate::sequences::pair::Pair;
pub(crate) use cost::{cost, seconds, steps};
pub(crate) use recurrence::WavefrontRecurrence;
use walk::{Walk, Wavefronts};
pub(crate) use wavefront::Wavefront;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimit {
    pub wavefronts: u64,
    /// Maximum steps as counted by [`steps_of`]: furthest-reaching points and comparisons.
    pub steps: u64,
    /// Step count after which the search gives up unless it has come a quarter of the way. The rest
    /// is then expected to take more than four times as many steps.
    pub probe: u64,
    pub bytes: u64,
}

impl SearchLimit {
    /// The error of a search limited only by memory. A wavefront at distance e has at most `2e + 1`
    /// points of 32 bits, and `distance` is the greatest possible distance.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchOutcome {
    Distance {
        distance: u64,
        path: Option<Blocks>,
        cells: u64,
    },
    TooFar {
        cells: u64,
    },
    /// The steps or the memory ran out, or the inputs are too long.
    GaveUp,
}

/// Cost of a search in steps. `cells` are points and comparisons; long slides compare a stride at a
/// time.
fn steps_of(points: u64, cells: u64) -> u64 {
    points + cells / STRIDE as u64
}

/// Distance of similar inputs.
pub(crate) fn search<R: WavefrontRecurrence, S: Symbol>(
    Pair { a, b }: Pair<'_, S>,
    path: bool,
    limit: SearchLimit,
    control: &Control,
) -> Result<SearchOutcome> {
    // A furthest-reaching point is a row number of 32 bits.
    if a.len().max(b.len()) >= u32::MAX as usize {
        return Ok(SearchOutcome::GaveUp);
    }
    // The distance is at least the difference of the lengths.
    if a.len().abs_diff(b.len()) as u64 > limit.wavefronts {
        return Ok(SearchOutcome::TooFar { cells: 0 });
    }
    let mut wavefronts = Wavefronts::<R>::from(0);
    let mut wavefront = Wavefront::<R>::first(a, b);
    let (mut cells, mut points) = (wavefront.steps, 0);
    let (mut distance, mut reported) = (0, 0);
    loop {
        if wavefront.reach(a.len() as i64 - b.len() as i64) == Some(a.len()) {
            let path = path.then(|| {
                let mut walk = Walk::from(a.len(), b.len(), distance);
                walk.through(&wavefronts, a, b);
                walk.blocks()
            });
            return Ok(SearchOutcome::Distance {
                distance,
                path,
                cells,
            });
        }
        if distance == limit.wavefronts {
            return Ok(SearchOutcome::TooFar { cells });
        }
        points += wavefront.rows.len() as u64;
        let steps = steps_of(points, cells);
        let probed = reported <= limit.probe && limit.probe < steps;
        if steps > limit.steps || probed && 4 * wavefront.progress() < (a.len() + b.len()) as i64 {
            return Ok(SearchOutcome::GaveUp);
        }
        control.check()?;
        control.add_done(steps - std::mem::replace(&mut reported, steps));
        let next = wavefront.next(
            wavefront.next_diagonals(a.len() as i64, b.len() as i64),
            a,
            b,
        );
        cells += next.steps;
        if path {
            wavefronts.push(&wavefront);
            if wavefronts.bytes() > limit.bytes {
                return Ok(SearchOutcome::GaveUp);
            }
        }
        (wavefront, distance) = (next, distance + 1);
    }
}

#[cfg(test)]
pub(crate) mod cases {
    use super::SearchLimit;
    use crate::sequences::bit_parallel::inputs::{self, Random};

    pub(crate) const NO_LIMIT: SearchLimit = SearchLimit {
        wavefronts: u64::MAX,
        steps: u64::MAX,
        probe: u64::MAX,
        bytes: u64::MAX,
    };

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
