//! Diagonal transition for similar inputs: furthest-reaching points by distance.
//!
//! On diagonal k = i - j, `reach(e, k)` is the greatest i with `D(i, i - k) <= e`:
//!
//! ```text
//! reach(e, k) = slide(max(reach(e - 1, k - 1) + 1, reach(e - 1, k) + 1, reach(e - 1, k + 1)))
//! ```
//!
//! `slide` advances along the diagonal over equal symbols (Ukkonen 1985,
//! doi:10.1016/S0019-9958(85)80046-2). Cost for distance d: d * d furthest-reaching points. Random
//! inputs have slides of constant length; the worst case is `min(a.len(), b.len()) * d`
//! comparisons.

use crate::engine::Device;
use crate::error::Result;
use crate::kernels::diagonal_transition::Steps;
use crate::sequences::bit_parallel::shape::TableKind;
use crate::sequences::codes::Encoded;
use crate::sequences::diagonal_transition::{self, WavefrontRecurrence};
use crate::sequences::request::{Request, WAVEFRONT};

/// Edit distance by wavefronts on this device.
///
/// # Errors
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget) and
/// [`Error::InputTooLong`](crate::Error::InputTooLong) before any work; otherwise as
/// [`Device::run`].
pub async fn distance(device: &Device<'_>, codes: &Encoded) -> Result<u64> {
    let request = Request::new(WAVEFRONT, device.control);
    let found =
        diagonal_transition::gpu::solve::<Levenshtein, _>(device, codes.pair(), codes, request)
            .await?;
    Ok(found
        .and_then(|found| found.answer.cost)
        .unwrap_or_default())
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Levenshtein;

impl WavefrontRecurrence for Levenshtein {
    const TABLE: TableKind = TableKind::Edit;
    const STEPS: Steps = Steps::Levenshtein;
    const DIAGONAL_STEP: i64 = 1;

    #[inline]
    fn furthest(below: u32, same: u32, above: u32) -> u32 {
        below.max(same).max(above.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, reference};
    use super::*;
    use crate::call::control::Control;
    use crate::sequences::codes::Symbol;
    use crate::sequences::diagonal_transition::cases::{NO_LIMIT, for_each};
    use crate::sequences::diagonal_transition::{SearchLimit, SearchOutcome, search};
    use crate::sequences::pair::Pair;

    fn solve<S: Symbol>(a: &[S], b: &[S], limit: SearchLimit) -> SearchOutcome {
        search::<Levenshtein, _>(Pair::new(a, b), true, limit, &Control::default())
            .expect("not cancelled")
    }

    #[test]
    fn wavefront_gives_the_reference_path() {
        for_each(|a, b| {
            let expected = reference::distance(a, b, Mode::Global);
            match solve(a, b, NO_LIMIT) {
                SearchOutcome::Distance { distance, path, .. } => {
                    assert_eq!(distance, expected, "a = {a:?}, b = {b:?}");
                    assert_eq!(path, Some(reference::path(a, b)), "a = {a:?}, b = {b:?}");
                }
                other => panic!("{other:?}, a = {a:?}, b = {b:?}"),
            }
        });
    }

    #[test]
    fn wavefronts_are_one_for_each_distance() {
        let (a, b) = (vec![1u8; 100], vec![2u8; 100]);
        let within = |wavefronts| {
            let limit = SearchLimit {
                wavefronts,
                ..NO_LIMIT
            };
            solve(&a, &b, limit)
        };
        assert!(matches!(
            within(100),
            SearchOutcome::Distance { distance: 100, .. }
        ));
        assert!(matches!(within(99), SearchOutcome::TooFar { .. }));
    }
}
