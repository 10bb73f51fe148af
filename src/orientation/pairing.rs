//! Pairs of records that belong together.

use std::collections::BTreeMap;

use super::{Orientation, chain};
use crate::sequences::pair::Pair;
use crate::substring::MaximalMatch;

/// Anchors of a pair cover at least one symbol in this many of its longer record. Plasmids that
/// share a transposon are no pair.
const MIN_SHARE: usize = 20;

/// Two records that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct OrientedPair {
    /// Index of the record of `a`, from 0.
    pub a: usize,
    /// Index of the record of `b`, from 0.
    pub b: usize,
    /// How to turn the record of `a`.
    pub orientation: Orientation,
    /// Symbols of the record of `a` that are in an anchor, on either strand.
    pub anchored: usize,
    /// Total length of the collinear anchors of this orientation.
    pub collinear: usize,
}

/// Pairs each record of A with at most one of B, the pair with the most anchored symbols first.
/// Two inputs of one record each are a pair in any case.
pub(super) fn pairs(
    matches: &[MaximalMatch],
    a_records: &[&[u8]],
    b_records: &[&[u8]],
    circular: bool,
) -> Vec<OrientedPair> {
    let mut by_records: BTreeMap<(usize, usize), Vec<MaximalMatch>> = BTreeMap::new();
    if let (&[_], &[_]) = (a_records, b_records) {
        by_records.insert((0, 0), Vec::new());
    }
    for one in matches {
        let records = (one.a.record, one.b.record);
        by_records.entry(records).or_default().push(*one);
    }
    let are_single = a_records.len() == 1 && b_records.len() == 1;
    let mut candidates: Vec<_> = by_records
        .iter()
        .map(|(&records, matches)| (covered(matches), records, matches))
        .filter(|&(covered, (a, b), _)| {
            are_single || covered * MIN_SHARE >= a_records[a].len().max(b_records[b].len())
        })
        .collect();
    candidates.sort_by_key(|&(covered, records, _)| (std::cmp::Reverse(covered), records));
    let (mut a_free, mut b_free) = (vec![true; a_records.len()], vec![true; b_records.len()]);
    let mut pairs = Vec::new();
    for (anchored, (a, b), matches) in candidates {
        if a_free[a] && b_free[b] {
            (a_free[a], b_free[b]) = (false, false);
            let (orientation, collinear) =
                chain::best(matches, Pair::new(a_records[a], b_records[b]), circular);
            pairs.push(OrientedPair {
                a,
                b,
                orientation,
                anchored,
                collinear: usize::try_from(collinear)
                    .unwrap_or(usize::MAX)
                    .min(a_records[a].len()),
            });
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    pairs
}

/// Symbols of A in a match. Matches are sorted by their place in A.
fn covered(matches: &[MaximalMatch]) -> usize {
    let mut end = 0;
    let mut covered = 0;
    for one in matches {
        let next = one.a.start + one.length;
        covered += next.saturating_sub(end.max(one.a.start));
        end = end.max(next);
    }
    covered
}
