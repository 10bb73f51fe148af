//! Anchors: maximal matches that are too long to be due to chance.

use crate::call::control::Control;
use crate::engine::task::Task;
use crate::engine::{Engine, Report};
use crate::error::{Error, Result};
use crate::substring::{Matches, MaximalMatches, Substring};

/// Symbols beyond the expected longest chance match of random DNA: one of 4^8 pairs of random
/// sequences has an anchor.
const MARGIN: u64 = 8;
/// The same if there is no anchor with [`MARGIN`].
const LEAST_MARGIN: u64 = 1;

/// The search for maximal matches of at least `length` symbols.
pub(super) fn search<'a>(
    a: &[&'a [u8]],
    b: &[&'a [u8]],
    both_strands: bool,
    length: u64,
) -> Matches<'a> {
    let search = Substring::of_records([a.to_vec(), b.to_vec()]).min_length(length);
    if both_strands {
        search.both_strands()
    } else {
        search
    }
}

/// Least length of an anchor: the expected length of the longest match of random DNA, and a margin.
pub(super) fn min_length(a: &[&[u8]], b: &[&[u8]], margin: u64) -> u64 {
    let symbols = |records: &[&[u8]]| records.iter().map(|record| record.len()).sum::<usize>();
    let pairs = symbols(a).max(1) as f64 * symbols(b).max(1) as f64;
    (pairs.log2() / 2.0).ceil() as u64 + margin
}

pub(super) fn first_length(a: &[&[u8]], b: &[&[u8]]) -> u64 {
    min_length(a, b, MARGIN)
}

/// Finds the anchors. Where there are none, looks for shorter ones; where repeats make too many,
/// for longer ones.
///
/// # Errors
/// [`Error::NotDna`] if both strands are searched, [`Error::MemoryBudget`] and
/// [`Error::Cancelled`].
pub(super) async fn find(
    engine: &Engine,
    a: &[&[u8]],
    b: &[&[u8]],
    both_strands: bool,
    control: &Control,
) -> Result<Report<MaximalMatches>> {
    let mut length = first_length(a, b);
    loop {
        match search(a, b, both_strands, length)
            .solve(engine, control)
            .await
        {
            Err(Error::TooManyMatches { remedy, .. }) => length = remedy.max(length + 1),
            Ok(found) if found.matches.is_empty() && length == first_length(a, b) => {
                let length = min_length(a, b, LEAST_MARGIN);
                return search(a, b, both_strands, length)
                    .solve(engine, control)
                    .await;
            }
            found => return found,
        }
    }
}
