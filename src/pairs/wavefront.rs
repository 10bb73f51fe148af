//! Distance of a pair of similar strings by wavefronts.

use super::bands::{WIDEST, proven};
use super::request::Request;
use crate::call::control::Control;
use crate::edit_distance::wavefront::Levenshtein;
use crate::error::Result;
use crate::sequences::diagonal_transition::{self, SearchLimit, SearchOutcome};
use crate::sequences::typed::for_type;

/// Steps after which a pair counts as unrelated unless a quarter of its strings is aligned: those of
/// 256 wavefronts.
pub(super) const PROBE: u64 = 1 << 16;

/// Greatest distance that is searched for.
pub(super) fn max_distance(request: &Request<'_>, query: usize, target: usize) -> u64 {
    let widest = proven(WIDEST, request.lens(query, target)).unwrap_or(0);
    request.within.map_or(widest, |within| within.min(widest))
}

/// Wavefronts of a pair, up to [`max_distance`].
pub(super) fn search(
    request: &Request<'_>,
    query: usize,
    target: usize,
    control: &Control,
) -> Result<SearchOutcome> {
    let limit = SearchLimit {
        wavefronts: max_distance(request, query, target),
        steps: u64::MAX,
        probe: PROBE,
        bytes: u64::MAX,
    };
    for_type!(request.pair(query, target)?.slices(), |pair| {
        diagonal_transition::search::<Levenshtein, _>(pair, false, limit, control)
    })
}
