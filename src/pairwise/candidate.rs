//! Encoded pair, and the candidate strategies for it.

use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::pairwise::codes::Encoded;
use crate::pairwise::diagonal_transition::gpu::SearchSizes;
use crate::pairwise::pair::Pair;
use crate::pairwise::request::{Request, Strategy};

pub(crate) struct PairContext<'a> {
    pub engine: &'a Engine,
    /// The original symbols if they are bytes: these compare faster than codes.
    pub bytes: Option<Pair<'a, u8>>,
    pub codes: &'a Encoded,
    pub request: Request<'a>,
    pub phases: &'a Phases,
}

/// A candidate way to compute the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodCandidate {
    pub strategy: Strategy,
    pub on_gpu: bool,
    /// Cell limit of bands on the CPU.
    pub max_cells: u64,
    /// Sizes of the first wavefront search on a GPU.
    pub first_search: Option<SearchSizes>,
}

impl MethodCandidate {
    pub(crate) fn new(strategy: Strategy, on_gpu: bool) -> Self {
        Self {
            strategy,
            on_gpu,
            max_cells: u64::MAX,
            first_search: None,
        }
    }
}
