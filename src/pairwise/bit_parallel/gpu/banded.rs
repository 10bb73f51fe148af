//! The search for a band that proves its answer.
//!
//! What a band gives is the cost of a path, so it bounds the least cost from above; a band that holds every path of that cost
//! proves it. The first band is a guess, the second holds every path that is no worse than what the first one found.

use super::{GpuSweep, Stored, shape};
use crate::engine::Device;
use crate::error::Result;
use crate::pairwise::bit_parallel::hirschberg;
use crate::pairwise::bit_parallel::recurrence::Recurrence;
use crate::pairwise::codes::Encoded;
use crate::pairwise::request::{Outcome, Request, Strategy};

/// The answer of bands, the first of which holds every path of the guessed cost; `None` without a guess, and where bands are
/// expected to take as long as the whole table.
///
/// # Errors
/// As [`Tiling::new`](super::tiling::Tiling::new) and [`Device::run`].
pub(crate) async fn search<R: Recurrence>(
    device: &Device<'_>,
    codes: &Encoded,
    ask: Request<'_>,
) -> Result<Option<Outcome>> {
    let Some(guess) = ask.guess.map(|guess| guess.most) else { return Ok(None) };
    let (a, b, shared) = (&codes.a[..], &codes.b[..], codes.shared);
    let whole = shape(R::TABLE, a, b, shared);
    // No path costs less than the difference of the lengths.
    let mut bound = guess.max(whole.rows.abs_diff(whole.cols)).min(ask.most);
    let mut computed_cells = 0;
    let (cost, path) = loop {
        let sweep = GpuSweep { bound, ..GpuSweep::new(device, ask.tuning) };
        let Some(banded) = sweep.sizing().band(whole, bound, ask.forced())? else { return Ok(None) };
        let swept = banded.cells();
        ask.control.expect(u64::try_from(swept).unwrap_or(u64::MAX));
        computed_cells += swept;
        let tiling = if ask.path { sweep.sizing().path_tiling(banded)? } else { None };
        let stored = match tiling {
            Some((tiling, layout)) => Some(Stored::sweep::<R>(device, tiling, layout, a, b).await?),
            None if ask.path => {
                // What the path takes at least is told before anything is swept.
                sweep.sizing().midpoint_tiling(banded)?;
                None
            }
            None => None,
        };
        let value = match &stored {
            Some(stored) => stored.found.value,
            None => sweep.value::<R>(a, b, shared).await?,
        };
        let found = R::cost(value, a.len(), b.len());
        if found <= bound {
            let path = match stored {
                Some(stored) => Some((stored.walk::<R>(a, b)?, "stored boundaries")),
                None if ask.path => {
                    let mut sweep = GpuSweep { bound: found, ..sweep };
                    computed_cells += 2 * swept;
                    Some(hirschberg::path::<R, _>(&mut sweep, a, b, shared).await?)
                }
                None => None,
            };
            break (Some(found), path);
        }
        if bound == ask.most {
            break (None, None);
        }
        bound = found.min(ask.most);
    };
    let (path, mode) = path.unzip();
    let device = device.backend.name().to_string();
    let path_mode = mode.unwrap_or("none");
    Ok(Some(Outcome { by: Strategy::Bands, cost, path, path_mode, device, computed_cells }))
}
