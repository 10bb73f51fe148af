//! Pairs on their way to the caller, block by block.

use std::ops::{ControlFlow, Range};

use super::join::{Counts, Found};
use super::request::{Request, Sides};
use crate::engine::placement::Call;
use crate::error::Result;
use crate::substring::Strand;

/// Two strings and their distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Neighbor {
    /// Position of the first string.
    pub row: u32,
    /// Position of the second string; greater than `row` if both are of one list.
    pub column: u32,
    /// Their distance.
    pub distance: u32,
    /// Reverse if the reverse complement of one of them is nearer to the other.
    pub strand: Strand,
}

/// Answer of [`ForEach`](crate::neighbors::ForEach).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NeighborsDone {
    /// Number of pairs that were passed on.
    pub pairs: u64,
    /// Counts of the work.
    pub work: Work,
}

/// Pairs of distinct strings that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Work {
    /// Pairs with a key in common.
    pub candidates: u64,
    /// Candidates whose distance was computed, as their counts of symbols differ little.
    pub verified: u64,
}

impl From<Counts> for Work {
    fn from(counts: Counts) -> Self {
        Self {
            candidates: counts.candidates,
            verified: counts.verified,
        }
    }
}

/// Rows that are joined one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowsOf {
    /// All strings, whose copies are rows of their own.
    Positions,
    /// Distinct strings of one list.
    Numbers,
}

/// Neighbours of consecutive rows on their way to the caller.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    pub(super) neighbors: Vec<Neighbor>,
}

/// Found pairs of consecutive rows.
pub(super) struct FoundBlock<'b> {
    /// Positions, or numbers of distinct strings.
    pub(super) rows: Range<usize>,
    /// Place of each row in `found`.
    pub(super) places: &'b [u32],
    pub(super) found: &'b [Found],
}

/// Takes the found pairs of a join.
pub(super) trait Consumer {
    type Answer;

    const ROWS: RowsOf;

    /// Takes the distinct strings, before any other work.
    fn begin(&mut self, request: &Request<'_>, sides: &Sides<'_>) -> Result<()>;

    async fn take(
        &mut self,
        call: &Call<'_>,
        request: &Request<'_>,
        sides: &Sides<'_>,
        block: FoundBlock<'_>,
    ) -> Result<ControlFlow<()>>;

    /// Answer after the last block.
    fn finish(&mut self, sides: &Sides<'_>, counts: Counts) -> Self::Answer;
}
