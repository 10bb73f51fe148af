//! The search for a band that proves its answer.
//!
//! What a band gives is the cost of a path, so it bounds the least cost from above; a band that holds every path of that cost
//! proves it. The first band is a guess, the second holds every path that is no worse than what the first one found.

use super::tiling::Shape;
use super::{GpuSweep, Stored, shape};
use crate::blocks::Blocks;
use crate::error::Result;
use crate::strips::hirschberg;
use crate::strips::recurrence::Recurrence;

/// What a search found.
#[derive(Clone, Debug)]
pub(crate) enum Banded {
    /// The least cost, and where asked for the canonical path and how it was found.
    Within { cost: u64, path: Option<(Blocks, &'static str)> },
    /// The least cost is greater than the greatest that was asked for.
    TooFar,
    /// Bands are expected to take as long as the whole table.
    NotWorth,
}

/// What is known of an answer before it is searched for, in costs: a step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    /// The first band holds every path of this cost.
    pub first: u64,
    /// No greater cost is of interest.
    pub most: u64,
    /// Whether bands are swept however long they take.
    pub forced: bool,
}

/// A band's share of the whole table's expected time, and of its cells, above which the whole table is swept at once.
const WORTH: f64 = 0.8;

impl GpuSweep<'_> {
    /// The band that holds every path of no greater cost; `None` where the whole table is expected to be swept about as fast.
    ///
    /// # Errors
    /// As [`Tiling::new`](super::tiling::Tiling::new).
    pub(crate) fn band(&self, whole: Shape, cost: u64, forced: bool) -> Result<Option<Shape>> {
        let banded = whole.within(cost);
        if whole.shared == 0 {
            return Ok(None);
        }
        let few = banded.cells() as f64 <= WORTH * whole.cells() as f64;
        let caps = self.device.backend.capabilities();
        let seconds = |shape| self.length_tiling(shape).map(|tiling| tiling.seconds(caps));
        Ok((forced || few && seconds(banded)? <= WORTH * seconds(whole)?).then_some(banded))
    }
}

/// The least cost of codes `a` against `b`, and their path where it is asked for.
///
/// Adds the cells that were swept to `cells`.
///
/// # Errors
/// As [`Tiling::new`](super::tiling::Tiling::new) and [`Device::run`](crate::engine::Device::run).
pub(crate) async fn search<R: Recurrence>(
    sweep: GpuSweep<'_>,
    (a, b, shared): (&[u32], &[u32], u32),
    (guess, path): (Guess, bool),
    cells: &mut u128,
) -> Result<Banded> {
    let whole = shape(R::TABLE, a, b, shared);
    // No path costs less than the difference of the lengths.
    let mut bound = guess.first.max(whole.rows.abs_diff(whole.cols)).min(guess.most);
    loop {
        let sweep = GpuSweep { bound, ..sweep };
        let Some(banded) = sweep.band(whole, bound, guess.forced)? else { return Ok(Banded::NotWorth) };
        let swept = banded.cells();
        sweep.device.control.expect(u64::try_from(swept).unwrap_or(u64::MAX));
        *cells += swept;
        let stored = match sweep.path_tiling(banded)? {
            Some((tiling, history)) if path => Some(Stored::sweep::<R>(sweep.device, tiling, history, a, b).await?),
            _ => None,
        };
        let value = match &stored {
            Some(stored) => stored.found.value,
            None => sweep.value::<R>(a, b, shared).await?,
        };
        let found = R::cost(value, a.len(), b.len());
        if found <= bound {
            let path = match stored {
                Some(stored) => Some((stored.walk::<R>(a, b)?, "stored boundaries")),
                None if path => {
                    let mut sweep = GpuSweep { bound: found, ..sweep };
                    *cells += 2 * swept;
                    Some(hirschberg::path::<R, _>(&mut sweep, a, b, shared).await?)
                }
                None => None,
            };
            return Ok(Banded::Within { cost: found, path });
        }
        if bound == guess.most {
            return Ok(Banded::TooFar);
        }
        bound = found.min(guess.most);
    }
}
