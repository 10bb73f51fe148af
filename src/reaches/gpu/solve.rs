//! The answer by waves, bound after bound.

use super::choice::Choice;
use super::search;
use crate::alphabet::Encoded;
use crate::bounded::{Ask, Bounded};
use crate::engine::Device;
use crate::error::Result;
use crate::reaches::Recurrence;

/// The answer of waves on a GPU; `None` where a sweep is expected to be faster, or the device has no room for them.
///
/// # Errors
/// As [`Device::run`]; where waves are asked for, [`Error::MemoryBudget`](crate::Error::MemoryBudget) and
/// [`Error::InputTooLong`](crate::Error::InputTooLong) too.
pub(crate) async fn solve<R: Recurrence<SPACING>, S: PartialEq + Sync, const SPACING: i64>(
    device: &Device<'_>,
    (a, b): (&[S], &[S]),
    codes: &Encoded,
    ask: Ask<'_>,
) -> Result<Option<Bounded>> {
    let choice = Choice::<SPACING>::new(device, ask, R::TABLE, codes);
    let mut computed_cells = 0;
    let mut next = choice.first()?;
    while let Some(front) = next {
        ask.control.expect(front.all_reaches());
        let (found, cells) = search::<R, S, SPACING>(device, (a, b), codes, &front).await?;
        computed_cells += u128::from(cells);
        if found.is_some() || choice.is_enough(&front) {
            let (cost, path) = found.unzip();
            let (path, device) = (path.flatten(), device.backend.name().to_string());
            let path_mode = if path.is_some() { "wavefronts" } else { "none" };
            return Ok(Some(Bounded { cost, path, path_mode, device, computed_cells }));
        }
        next = choice.next(&front)?;
    }
    Ok(None)
}
