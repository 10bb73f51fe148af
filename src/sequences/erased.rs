//! The two sequences of a query, behind an interface without their symbol type: ways to answer are
//! compiled once for each problem.

use super::affixes::Stripped;
use super::bit_parallel::cpu::small;
use super::codes::{Encoded, Symbol};
use super::cost_estimate::CostEstimate;
use super::diagonal_transition::{self, SearchLimit, SearchOutcome};
use super::pair::Pair;
use super::problem::Problem;
use super::request::{Request, Solution};
use super::{reference_method, similarity};
use crate::engine::Engine;
use crate::engine::placement::Call;
use crate::error::Result;

/// Two sequences without their common affixes, the longer one as rows.
pub(crate) trait Sequences<P: Problem>: Sync {
    fn rows(&self) -> usize;

    fn cols(&self) -> usize;

    fn match_others(&self) -> bool;

    /// The symbols if they are bytes: these compare faster than codes.
    fn bytes(&self) -> Option<Pair<'_, u8>>;

    fn encode(&self, engine: &Engine) -> Encoded;

    fn estimate(&self) -> CostEstimate;

    fn wavefronts(&self, request: &Request<'_>, limit: SearchLimit) -> Result<SearchOutcome>;

    /// Last value of the table, on this thread.
    fn last_value(&self) -> i64;

    /// Least cost by the reference table, and its path if that is requested and within the limit.
    fn reference(&self, call: &Call<'_>, request: &Request<'_>) -> Result<Solution>;
}

impl<P: Problem, S: Symbol> Sequences<P> for Stripped<'_, S> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn cols(&self) -> usize {
        self.cols.len()
    }

    fn match_others(&self) -> bool {
        S::MATCHES_OTHERS
    }

    fn bytes(&self) -> Option<Pair<'_, u8>> {
        let (a, b) = (S::bytes(self.rows)?, S::bytes(self.cols)?);
        Some(Pair { a, b })
    }

    fn encode(&self, engine: &Engine) -> Encoded {
        Encoded::by(engine, self.rows, self.cols)
    }

    fn estimate(&self) -> CostEstimate {
        similarity::estimate::<P::Sweep, S>(self)
    }

    fn wavefronts(&self, request: &Request<'_>, limit: SearchLimit) -> Result<SearchOutcome> {
        let pair = Pair::new(self.rows, self.cols);
        diagonal_transition::search::<P::Wavefront, _>(pair, request.path, limit, request.control)
    }

    fn last_value(&self) -> i64 {
        small::last_value::<P::Sweep, S>(self.rows, self.cols)
    }

    fn reference(&self, call: &Call<'_>, request: &Request<'_>) -> Result<Solution> {
        let fill = |rows: &[S], cols: &[S], should_continue: &mut dyn FnMut() -> bool| {
            P::reference(
                Pair::new(rows, cols),
                request.path,
                request.max_cost,
                should_continue,
            )
        };
        let (engine, phases) = (call.engine, &call.phases);
        let (cost, path) =
            reference_method::answer(engine, self, request.path, request.control, phases, fill)?;
        Ok(Solution {
            cost,
            path_mode: crate::path_mode::PathMode::Table.if_path(path.is_some()),
            path,
        })
    }
}
