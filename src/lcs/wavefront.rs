//! The O(nd) method for inputs that differ little: furthest-reaching points by indel distance.
//!
//! `D(i, j) = i + j - 2 L[i][j]` counts the symbols of `a[..i]` and `b[..j]` that stay unpaired. On diagonal k = i - j let
//! `reach(e, k)` be the greatest i with `D(i, i - k) <= e`; then
//!
//! ```text
//! reach(e, k) = slide(max(reach(e - 1, k - 1) + 1, reach(e - 1, k + 1)))
//! ```
//!
//! where `slide` goes on while the symbols are equal (Myers 1986, doi:10.1007/BF01840446). Cost for the distance d: d * d / 2
//! furthest-reaching points and on random inputs as many slides of constant length, at worst `min(a.len(), b.len()) * d` comparisons.

use std::ops::RangeInclusive;

use crate::engine::profile;
use crate::kernels::diagonal_transition::Steps;
use crate::pairwise::bit_parallel::shape::Table;
use crate::pairwise::diagonal_transition::{Recurrence, Wavefront};

pub(crate) struct Indel;

impl Recurrence<2> for Indel {
    const TABLE: Table = Table::Lcs;
    const STEPS: Steps = Steps::Indel;

    const STEP_SECONDS: f64 = profile::cpu::INDEL_STEP_SECONDS;
    const LEAST_STEPS: u64 = 10_000;

    /// Every comparison counts, and each furthest-reaching point is one.
    fn weigh(_: u64, cells: u64) -> u64 {
        cells
    }

    fn next<S: PartialEq>(wavefront: &Wavefront<2>, diagonals: RangeInclusive<i64>, a: &[S], b: &[S]) -> Wavefront<2> {
        Wavefront::slid(diagonals, a, b, |diagonal| {
            let down = wavefront.reach(diagonal - 1).map(|i| i + 1);
            let right = wavefront.reach(diagonal + 1);
            down.max(right).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;
    use crate::call::control::{CancelHandle, Control};
    use crate::error::Result;
    use crate::lcs::subsequence::Subsequence;
    use crate::pairwise::diagonal_transition::cases::{NO_LIMIT, for_each};
    use crate::pairwise::diagonal_transition::{Found, Limit, search};

    fn solve<S: PartialEq>(a: &[S], b: &[S], limit: Limit, control: &Control) -> Result<Found> {
        search::<Indel, _, 2>((a, b), true, limit, control)
    }

    #[test]
    fn wavefront_gives_the_reference_path() {
        for_each(|a, b| {
            let found = solve(a, b, NO_LIMIT, &Control::default()).expect("not cancelled");
            let Found::Distance { distance, path, .. } = found else { panic!("{found:?} without a limit") };
            let unpaired = (a.len() + b.len()) as u64 - 2 * reference::length(a, b);
            assert_eq!(distance, unpaired, "a = {a:?}, b = {b:?}");
            assert_eq!(path.map(Subsequence), Some(reference::subsequence(a, b)), "a = {a:?}, b = {b:?}");
        });
    }

    #[test]
    fn wavefront_gives_up_at_each_limit() {
        let (a, b) = (vec![1u8; 100], vec![2u8; 100]);
        let found = |limit| solve(&a, &b, limit, &Control::default()).expect("not cancelled");
        assert!(matches!(found(Limit { wavefronts: 200, ..NO_LIMIT }), Found::Distance { .. }));
        assert!(matches!(found(Limit { wavefronts: 199, ..NO_LIMIT }), Found::TooFar { .. }));
        assert_eq!(found(Limit { steps: 5000, ..NO_LIMIT }), Found::GaveUp);
        assert_eq!(found(Limit { bytes: 5000, ..NO_LIMIT }), Found::GaveUp);
    }

    #[test]
    fn wavefront_stops_when_cancelled() {
        let cancel = CancelHandle::new();
        cancel.cancel();
        assert!(solve(b"ab", b"ba", NO_LIMIT, &Control::new(cancel, None)).is_err());
    }
}
