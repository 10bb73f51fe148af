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
//! reaches and on random inputs as many slides of constant length, at worst `min(a.len(), b.len()) * d` comparisons.

use std::ops::RangeInclusive;

use crate::call::control::Control;
use crate::error::Result;
use crate::kernels::diagonal_transition::Steps;
use crate::pairwise::bit_parallel::gpu::tiling::Table;
use crate::pairwise::diagonal_transition::{self, Limit, Recurrence, Wavefront};

use super::subsequence::Subsequence;

/// What the wavefront found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Length of the longest common subsequence.
    pub length: u64,
    /// The canonical path, where it was asked for.
    pub subsequence: Option<Subsequence>,
    /// Cells looked at: reaches and comparisons.
    pub cells: u64,
}

/// The longest common subsequence of inputs that differ little; `None` where `limit` ends the search.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn solve<S: PartialEq>(
    a: &[S],
    b: &[S],
    path: bool,
    limit: Limit,
    control: &Control,
) -> Result<Option<Found>> {
    Ok(match diagonal_transition::search::<Indel, _, 2>((a, b), path, limit, control)? {
        diagonal_transition::Found::Distance { distance, path, cells } => {
            let length = (a.len() as u64 + b.len() as u64 - distance) / 2;
            Some(Found { length, subsequence: path.map(Subsequence), cells })
        }
        diagonal_transition::Found::TooFar { .. } | diagonal_transition::Found::GaveUp => None,
    })
}

pub(crate) struct Indel;

impl Recurrence<2> for Indel {
    const TABLE: Table = Table::Lcs;
    const STEPS: Steps = Steps::Indel;

    /// Every comparison counts, and each reach is one.
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
    use crate::call::control::CancelHandle;
    use crate::pairwise::diagonal_transition::cases::{NO_LIMIT, for_each};

    #[test]
    fn wavefront_gives_the_reference_path() {
        for_each(|a, b| {
            let found = solve(a, b, true, NO_LIMIT, &Control::default()).expect("not cancelled").expect("no limit");
            assert_eq!(found.length, reference::length(a, b), "a = {a:?}, b = {b:?}");
            assert_eq!(found.subsequence, Some(reference::subsequence(a, b)), "a = {a:?}, b = {b:?}");
        });
    }

    #[test]
    fn wavefront_gives_up_at_each_limit() {
        let (a, b) = (vec![1u8; 100], vec![2u8; 100]);
        let give_up = |limit| solve(&a, &b, true, limit, &Control::default()).expect("not cancelled").is_none();
        assert!(!give_up(Limit { wavefronts: 200, ..NO_LIMIT }));
        assert!(give_up(Limit { wavefronts: 199, ..NO_LIMIT }));
        assert!(give_up(Limit { steps: 5000, ..NO_LIMIT }));
        assert!(give_up(Limit { bytes: 5000, ..NO_LIMIT }));
    }

    #[test]
    fn wavefront_stops_when_cancelled() {
        let cancel = CancelHandle::new();
        cancel.cancel();
        assert!(solve(b"ab", b"ba", false, NO_LIMIT, &Control::new(cancel, None)).is_err());
    }
}
