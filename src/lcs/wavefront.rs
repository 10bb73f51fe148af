//! O(nd) method for similar inputs: furthest-reaching points by indel distance.
//!
//! `D(i, j) = i + j - 2 L[i][j]` counts the unpaired symbols of `a[..i]` and `b[..j]`. On diagonal
//! k = i - j, `reach(e, k)` is the greatest i with `D(i, i - k) <= e`:
//!
//! ```text
//! reach(e, k) = slide(max(reach(e - 1, k - 1) + 1, reach(e - 1, k + 1)))
//! ```
//!
//! `slide` advances along the diagonal over equal symbols (Myers 1986, doi:10.1007/BF01840446).
//! Cost for distance d: d * d / 2 furthest-reaching points. Random inputs have slides of constant
//! length; the worst case is `min(a.len(), b.len()) * d` comparisons.

use crate::kernels::diagonal_transition::Steps;
use crate::sequences::bit_parallel::shape::TableKind;
use crate::sequences::diagonal_transition::WavefrontRecurrence;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Indel;

impl WavefrontRecurrence for Indel {
    const TABLE: TableKind = TableKind::Lcs;
    const STEPS: Steps = Steps::Indel;
    const DIAGONAL_STEP: i64 = 2;

    #[inline]
    fn furthest(below: u32, _: u32, above: u32) -> u32 {
        below.max(above.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;
    use crate::call::control::{CancelHandle, Control};
    use crate::error::Result;
    use crate::lcs::subsequence::Subsequence;
    use crate::sequences::codes::Symbol;
    use crate::sequences::diagonal_transition::cases::{NO_LIMIT, for_each};
    use crate::sequences::diagonal_transition::{SearchLimit, SearchOutcome, search};
    use crate::sequences::pair::Pair;

    fn solve<S: Symbol>(
        a: &[S],
        b: &[S],
        limit: SearchLimit,
        control: &Control,
    ) -> Result<SearchOutcome> {
        search::<Indel, _>(Pair::new(a, b), true, limit, control)
    }

    #[test]
    fn wavefront_gives_the_reference_path() {
        for_each(|a, b| {
            let found = solve(a, b, NO_LIMIT, &Control::default()).expect("not cancelled");
            let SearchOutcome::Distance { distance, path, .. } = found else {
                panic!("{found:?} without a limit")
            };
            let unpaired = (a.len() + b.len()) as u64 - 2 * reference::length(a, b);
            assert_eq!(distance, unpaired, "a = {a:?}, b = {b:?}");
            assert_eq!(
                path.map(Subsequence),
                Some(reference::subsequence(a, b)),
                "a = {a:?}, b = {b:?}"
            );
        });
    }

    #[test]
    fn wavefront_gives_up_at_each_limit() {
        let (a, b) = (vec![1u8; 100], vec![2u8; 100]);
        let found = |limit| solve(&a, &b, limit, &Control::default()).expect("not cancelled");
        let within = |wavefronts| {
            found(SearchLimit {
                wavefronts,
                ..NO_LIMIT
            })
        };
        assert!(matches!(within(200), SearchOutcome::Distance { .. }));
        assert!(matches!(within(199), SearchOutcome::TooFar { .. }));
        assert_eq!(
            found(SearchLimit {
                steps: 5000,
                ..NO_LIMIT
            }),
            SearchOutcome::GaveUp
        );
        assert_eq!(
            found(SearchLimit {
                bytes: 5000,
                ..NO_LIMIT
            }),
            SearchOutcome::GaveUp
        );
    }

    #[test]
    fn wavefront_gives_up_after_a_slow_probe() {
        let (a, b) = (vec![1u8; 1000], [vec![2u8; 30], vec![1; 970]].concat());
        let found = |a, b, probe| {
            solve(a, b, SearchLimit { probe, ..NO_LIMIT }, &Control::default())
                .expect("not cancelled")
        };
        assert!(matches!(
            found(&a, &b, u64::MAX),
            SearchOutcome::Distance { distance: 60, .. }
        ));
        assert_eq!(found(&a, &b, 100), SearchOutcome::GaveUp);
        // A quarter of the way without a difference, and all of them behind it.
        let (a, b) = ([&a[..], &a].concat(), [&[1; 1000], &b[..]].concat());
        assert!(matches!(
            found(&a, &b, 100),
            SearchOutcome::Distance { distance: 60, .. }
        ));
    }

    #[test]
    fn wavefront_stops_when_cancelled() {
        let cancel = CancelHandle::new();
        cancel.cancel();
        assert!(solve(b"ab", b"ba", NO_LIMIT, &Control::new(cancel, None)).is_err());
    }
}
