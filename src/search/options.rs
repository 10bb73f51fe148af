//! Options and bounds of a search.

use super::place::{Choice, Exact, Strands};
use crate::matching::Matching;

/// Options of [`Search`](super::Search), for a [query](crate::query).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SearchOptions {
    /// Greatest number of edits; 0 by default.
    pub within: u64,
    /// Strands of the patterns; [`Strands::Forward`] by default.
    pub strands: Strands,
    /// Ends that count as places; [`Choice::Minima`] by default.
    pub choice: Choice,
    /// Part of each pattern that matches without an edit.
    pub exact: Option<Exact>,
    /// Letters that follow a place, as in [`Search::motif`](super::Search::motif).
    pub motif: Vec<u8>,
    /// Bytes that match others; by default each matches itself alone.
    pub matching: Option<Box<Matching>>,
    /// Greatest number of substitutions; `within` by default.
    pub max_substitutions: Option<u64>,
    /// Greatest number of inserted and deleted symbols; `within` by default.
    pub max_gaps: Option<u64>,
    /// Cost of a symbol that sticks out of the text, in thousandths of an edit; `None` if none may.
    pub overhang: Option<u32>,
    /// True if places have alignments.
    pub alignments: bool,
    /// Symbols of a unit of work, for tests.
    pub(super) unit_symbols: Option<usize>,
    /// Symbols of the texts for which a search by words is planned, for tests.
    pub(super) planned_symbols: Option<u64>,
}
