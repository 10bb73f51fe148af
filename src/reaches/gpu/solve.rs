//! Waves where they are asked for, or expected to be faster than every sweep.

use super::plan::Packed;
use super::{Front, search};
use crate::alphabet::Encoded;
use crate::bounded::{Ask, Bounded};
use crate::engine::Device;
use crate::error::{Error, Result};
use crate::reaches::Recurrence;
use crate::strips::gpu::GpuSweep;
use crate::strips::gpu::tiling::Shape;

/// The first bound without a guess.
const FIRST_BOUND: u64 = 256;
/// How much greater the next bound is.
const GROWTH: u64 = 2;
/// By which part of a guess the first bound is greater: waves past the distance cost little, a search again costs all.
const MARGIN: u64 = 4;

/// The answer of waves on a GPU; `None` where a sweep is expected to be faster, or the device has no room for them.
///
/// # Errors
/// As [`Device::run`]; where waves are asked for, [`Error::MemoryBudget`] and [`Error::InputTooLong`] too.
pub(crate) async fn solve<R: Recurrence<SPACING>, S: PartialEq + Sync, const SPACING: i64>(
    device: &Device<'_>,
    (a, b): (&[S], &[S]),
    codes: &Encoded,
    ask: Ask<'_>,
) -> Result<Option<Bounded>> {
    let skew = a.len().abs_diff(b.len()) as u64;
    let bits = Packed::bits(codes).1;
    let within = |bound: u64| {
        let front = Front::new::<SPACING>(a.len(), b.len(), bound);
        if ask.path { front.for_path(|front| front.check(front, device, bits).is_ok()) } else { front }
    };
    let worst = within(ask.most);
    let whole = Shape::new(R::TABLE, a.len() as u64, b.len() as u64, codes.shared);
    let mut bound = match ask.guess {
        Some(guess) => guess.saturating_add(guess / MARGIN),
        None if ask.forced => FIRST_BOUND,
        None => return Ok(None),
    };
    let mut computed_cells = 0;
    loop {
        bound = bound.max(skew).min(ask.most);
        let front = within(bound);
        if !ask.forced && !faster(device, &front, whole, ask)? {
            return Ok(None);
        }
        match front.check(&worst, device, bits) {
            Err(Error::MemoryBudget { .. } | Error::InputTooLong { .. }) if !ask.forced => return Ok(None),
            checked => checked?,
        }
        ask.control.expect(front.all_reaches());
        let (found, cells) = search::<R, S, SPACING>(device, (a, b), codes, &front).await?;
        computed_cells += u128::from(cells);
        let device = device.backend.name().to_string();
        let (cost, path) = match found {
            Some((distance, path)) => (Some(distance), path),
            None if bound >= worst.bound => (None, None),
            None => {
                bound = bound.saturating_mul(GROWTH);
                continue;
            }
        };
        let path_mode = if path.is_some() { "wavefronts" } else { "none" };
        return Ok(Some(Bounded { cost, path, path_mode, device, computed_cells }));
    }
}

/// Whether waves are expected to be faster than a sweep of the whole table and of a band.
fn faster(device: &Device<'_>, front: &Front, whole: Shape, ask: Ask<'_>) -> Result<bool> {
    let caps = device.backend.capabilities();
    let sweep = GpuSweep::new(device, ask.tuning);
    let shape = sweep.band(whole, front.bound, false).map(|band| band.unwrap_or(whole));
    match shape.and_then(|shape| sweep.length_tiling(shape)) {
        Ok(tiling) => Ok(front.expected(caps).as_secs_f64() < tiling.seconds(caps)),
        // Waves compare symbols, however many there are, and take memory by what inputs differ in.
        Err(Error::TooManySymbols { .. } | Error::MemoryBudget { .. } | Error::InputTooLong { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}
