//! A pair in codes that is to be answered, and the ways in which that is tried.

use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::pairwise::codes::Encoded;
use crate::pairwise::diagonal_transition::gpu::SearchSizes;
use crate::pairwise::request::{Request, Strategy};

/// A pair in codes, and what is asked of it.
pub(crate) struct Call<'a> {
    pub engine: &'a Engine,
    /// The pair itself, where it is of bytes, which are compared faster than codes.
    pub bytes: Option<(&'a [u8], &'a [u8])>,
    pub codes: &'a Encoded,
    pub request: Request<'a>,
    pub phases: &'a Phases,
}

/// One of the ways in which an answer is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub by: Strategy,
    pub on_gpu: bool,
    /// Cells that bands on the CPU may take.
    pub most_cells: u64,
    /// The first wavefronts on a GPU.
    pub front: Option<SearchSizes>,
}

impl Attempt {
    pub(crate) fn new(by: Strategy, on_gpu: bool) -> Self {
        Self {
            by,
            on_gpu,
            most_cells: u64::MAX,
            front: None,
        }
    }
}
