//! Two sequences without their common affixes, in symbols of one of the three types: ways to answer
//! are compiled once for each problem.

use super::affixes::Stripped;
use super::bit_parallel::cpu::small;
use super::blocks::Blocks;
use super::codes::Encoded;
use super::cost_estimate::CostEstimate;
use super::diagonal_transition::{self, SearchLimit, SearchOutcome};
use super::pair::Pair;
use super::problem::Problem;
use super::request::{Request, Solution};
use super::typed::{SymbolPair, SymbolSlice, Typed, for_type, map_type};
use super::{reference_method, similarity};
use crate::engine::Engine;
use crate::engine::placement::Call;
use crate::error::Result;
use crate::matching::Letter;
use crate::path_mode::PathMode;

pub(crate) type StrippedPair<'a> = Typed<Stripped<'a, u8>, Stripped<'a, u32>, Stripped<'a, Letter>>;

impl<'a> StrippedPair<'a> {
    pub(crate) fn new(pair: SymbolPair<'a>) -> Self {
        map_type!(pair, |pair| Stripped::new(pair.a, pair.b))
    }

    pub(crate) fn rows(&self) -> SymbolSlice<'a> {
        map_type!(self, |stripped| stripped.rows)
    }

    pub(crate) fn cols(&self) -> SymbolSlice<'a> {
        map_type!(self, |stripped| stripped.cols)
    }

    pub(crate) fn prefix(&self) -> usize {
        for_type!(self, |stripped| stripped.prefix)
    }

    pub(crate) fn suffix(&self) -> usize {
        for_type!(self, |stripped| stripped.suffix)
    }

    /// Lengths with the affixes, the longer one first.
    pub(crate) fn whole_lens(&self) -> (usize, usize) {
        let affixes = self.prefix() + self.suffix();
        (self.rows().len() + affixes, self.cols().len() + affixes)
    }

    /// Extends a path of the table between the affixes to the full sequences.
    pub(crate) fn with_affixes(&self, path: Blocks) -> Blocks {
        for_type!(self, |stripped| stripped.with_affixes(path))
    }

    /// The symbols if they are bytes: these compare faster than codes.
    pub(crate) fn bytes(&self) -> Option<Pair<'a, u8>> {
        match self {
            Self::Bytes(bytes) => Some(Pair::new(bytes.rows, bytes.cols)),
            _ => None,
        }
    }

    pub(crate) fn encode(&self, engine: &Engine) -> Encoded {
        for_type!(self, |stripped| {
            Encoded::by(engine, stripped.rows, stripped.cols)
        })
    }

    pub(crate) fn estimate<P: Problem>(&self) -> CostEstimate {
        for_type!(self, |stripped| similarity::estimate::<P::Sweep, _>(
            stripped
        ))
    }

    pub(crate) fn wavefronts<P: Problem>(
        &self,
        request: &Request<'_>,
        limit: SearchLimit,
    ) -> Result<SearchOutcome> {
        for_type!(self, |stripped| {
            let pair = Pair::new(stripped.rows, stripped.cols);
            let &Request { path, control, .. } = request;
            diagonal_transition::search::<P::Wavefront, _>(pair, path, limit, control)
        })
    }

    /// Last value of the table, on this thread.
    pub(crate) fn last_value<P: Problem>(&self) -> i64 {
        for_type!(self, |stripped| {
            small::last_value::<P::Sweep, _>(stripped.rows, stripped.cols)
        })
    }

    /// Least cost by the reference table, and its path if that is requested and within the limit.
    pub(crate) fn reference<P: Problem>(
        &self,
        call: &Call<'_>,
        request: &Request<'_>,
    ) -> Result<Solution> {
        let (rows, cols) = (self.rows().len(), self.cols().len());
        let (cost, path) = reference_method::answer(call, rows, cols, request.path, |more| {
            for_type!(self, |stripped| {
                let pair = Pair::new(stripped.rows, stripped.cols);
                P::reference(pair, request.path, request.max_cost, more)
            })
        })?;
        Ok(Solution {
            cost,
            path_mode: PathMode::Table.if_path(path.is_some()),
            path,
        })
    }
}
