//! The pairs of a call, and the codes of their symbols.

use std::ops::Range;
use std::sync::OnceLock;

use super::long::LongPairs;
use super::request::Request;
use super::sample::Sample;
use super::selection::Selection;
use crate::engine::Engine;
use crate::symbols::alphabet::Alphabet;

/// Minimum cells per pair of a call whose distances are sampled: narrower tables have hardly more rows than a window, and
/// their wavefronts take about as long.
const MIN_TABLE_CELLS: u128 = 1 << 18;

pub(super) struct Work<'a> {
    pub(super) request: Request<'a>,
    /// Codes of the symbols of all queries, if they are few.
    pub(super) alphabet: Option<Alphabet>,
    pub(super) selection: &'a Selection<'a>,
    pub(super) positions: Range<u64>,
    /// Cells of all pairs; an empty query counts as one symbol.
    pub(super) cells: u128,
    /// Pairs that are computed one at a time.
    pub(super) long: LongPairs,
    sample: OnceLock<Sample>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        request: Request<'a>,
        alphabet: Option<Alphabet>,
        selection: &'a Selection<'a>,
        positions: Range<u64>,
    ) -> Self {
        let (queries, targets) = (request.queries, request.targets);
        Self {
            request,
            alphabet,
            selection,
            cells: selection.cells(positions.clone(), queries, targets),
            long: LongPairs::of(&request, selection, &positions),
            positions,
            sample: OnceLock::new(),
        }
    }

    pub(super) fn targets(&self) -> usize {
        self.request.targets.len()
    }

    /// Cells of the pairs that are not computed alone.
    pub(super) fn lane_cells(&self) -> u128 {
        self.cells.saturating_sub(self.long.cells)
    }

    pub(super) fn pairs(&self) -> u64 {
        self.positions.end - self.positions.start
    }

    pub(super) fn sample(&self, engine: &Engine) -> &Sample {
        let make = || {
            engine.on_threads(|| {
                Sample::of(&self.request, self.selection, &self.positions, &self.long)
            })
        };
        self.sample.get_or_init(make)
    }

    /// True if bands or wavefronts may take less time than the tables of a call.
    pub(super) fn has_large_tables(&self) -> bool {
        self.lane_cells() / u128::from(self.pairs().max(1)) >= MIN_TABLE_CELLS
    }
}
