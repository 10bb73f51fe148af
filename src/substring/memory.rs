//! What the methods for the longest common substring take of the host's memory.

use super::question::Question;
use super::search::{Tuning, host_bytes, sort_and_scan};
use super::suffix_sort::left_behind_bytes;
use super::texts::Code;
use super::{Method, suffix_array};
use crate::engine::Engine;
use crate::error::Result;

/// What messages call the memory of the method 'suffix-array'.
pub(super) const SUFFIX_ARRAY: &str = "the suffix array of all inputs";

/// Bytes that the method 'suffix-array' takes.
///
/// # Errors
/// [`Error::InputTooLong`](crate::Error::InputTooLong).
pub(super) fn suffix_array_bytes<C: Code>(texts: &[&[C]]) -> Result<u64> {
    let symbols = texts.iter().map(|text| text.len()).sum();
    suffix_array::size_bytes::<C>(symbols, suffix_array::greatest(texts))
}

/// Bytes that a method takes on the host where that is what runs it, once they are known to be there.
///
/// # Errors
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget), [`Error::InputTooLong`](crate::Error::InputTooLong).
pub(super) fn checked<C: Code>(
    engine: &Engine,
    method: Method,
    question: Question<'_, C>,
    tuning: &Tuning,
) -> Result<u64> {
    let (what, bytes) = match method {
        Method::Cascade => ("the bitmaps of the search", host_bytes(&question, tuning)),
        Method::SortAndScan => (
            "the hashes of all windows",
            sort_and_scan::host_bytes(&question),
        ),
        Method::SuffixArray => (SUFFIX_ARRAY, suffix_array_bytes(question.texts)?),
        _ => return Ok(0),
    };
    engine.check_host_budget(what, u128::from(bytes) + u128::from(left_behind_bytes()))?;
    Ok(bytes)
}
