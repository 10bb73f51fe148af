//! Host memory of the methods for the longest common substring.

use super::query::SubstringQuery;
use super::search::{Tuning, host_bytes, sort_and_scan};
use super::suffix_sort::abandoned_bytes;
use super::texts::Code;
use super::{Method, suffix_array};
use crate::engine::Engine;
use crate::error::Result;

/// Name of the suffix array in error messages.
pub(super) const SUFFIX_ARRAY: &str = "the suffix array of all inputs";

/// Host memory of the method 'suffix-array', in bytes.
///
/// # Errors
/// [`Error::InputTooLong`](crate::Error::InputTooLong).
pub(super) fn suffix_array_bytes<C: Code>(texts: &[&[C]]) -> Result<u64> {
    let symbols = texts.iter().map(|text| text.len()).sum();
    suffix_array::size_bytes::<C>(symbols, suffix_array::max_code(texts))
}

/// Host memory of a method on the CPU in bytes, checked against the budget.
///
/// # Errors
/// [`Error::MemoryBudget`](crate::Error::MemoryBudget),
/// [`Error::InputTooLong`](crate::Error::InputTooLong).
pub(super) fn checked<C: Code>(
    engine: &Engine,
    method: Method,
    query: SubstringQuery<'_, C>,
    tuning: &Tuning,
) -> Result<u64> {
    let (what, bytes) = match method {
        Method::Cascade => ("the bitmaps of the search", host_bytes(&query, tuning)),
        Method::SortAndScan => (
            "the hashes of all windows",
            sort_and_scan::host_bytes(&query),
        ),
        Method::SuffixArray => (SUFFIX_ARRAY, suffix_array_bytes(query.texts)?),
        _ => return Ok(0),
    };
    engine.check_host_budget(what, u128::from(bytes) + u128::from(abandoned_bytes()))?;
    Ok(bytes)
}
