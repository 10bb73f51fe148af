//! The answer by wavefronts, bound after bound.

use super::choice::Choice;
use super::{SearchSizes, search};
use crate::engine::Device;
use crate::error::Result;
use crate::pairwise::bit_parallel::gpu::shape;
use crate::pairwise::codes::Encoded;
use crate::pairwise::diagonal_transition::Recurrence;
use crate::pairwise::request::{Outcome, Request, Strategy};

/// The answer of wavefronts on a GPU, of these first where they are chosen already; `None` where a sweep is expected to be faster, or the device has no room for them.
///
/// # Errors
/// As [`Device::run`]; where wavefronts are asked for, [`Error::MemoryBudget`](crate::Error::MemoryBudget) and
/// [`Error::InputTooLong`](crate::Error::InputTooLong) too.
pub(crate) async fn solve<R: Recurrence<SPACING>, S: PartialEq + Sync, const SPACING: i64>(
    device: &Device<'_>,
    (a, b): (&[S], &[S]),
    codes: &Encoded,
    ask: Request<'_>,
    first: Option<SearchSizes>,
) -> Result<Option<Outcome>> {
    let whole = shape(R::TABLE, &codes.a, &codes.b, codes.shared);
    let choice = Choice::<SPACING>::new(device.sizing(ask.tuning), ask, whole);
    let mut computed_cells = 0;
    let mut next = match first {
        Some(front) => Some(front),
        None => choice.first()?,
    };
    while let Some(front) = next {
        ask.control.expect(front.all_reaches());
        let (found, cells) = search::<R, S, SPACING>(device, (a, b), codes, &front).await?;
        computed_cells += u128::from(cells);
        if found.is_some() || choice.is_enough(&front) {
            let (cost, path) = found.unzip();
            let (path, device) = (path.flatten(), device.backend.name().to_string());
            let path_mode = if path.is_some() { "wavefronts" } else { "none" };
            return Ok(Some(Outcome { by: Strategy::Wavefronts, cost, path, path_mode, device, computed_cells }));
        }
        next = choice.next(&front)?;
    }
    Ok(None)
}
