//! Searches within a bound of the cost: what all methods for similar inputs are asked, and what they prove.

use crate::backend::Backend;
use crate::call::control::Control;
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::bit_parallel::banded;
use crate::pairwise::bit_parallel::cpu::Kernels;
use crate::pairwise::bit_parallel::gpu::tiling::Tuning;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::diagonal_transition::{self, Recurrence};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// By wavefronts of furthest-reaching points, on a GPU.
    Wavefronts,
    /// By bands of the table.
    Bands,
    /// By what is expected to be faster, if it is faster than all cells.
    Either,
}

/// What is asked of a search, in costs: a step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// What the answer probably costs at most; without a guess there are only searches that are asked for.
    pub guess: Option<u64>,
    /// The greatest cost of interest.
    pub most: u64,
    /// Whether the method is asked for, and not only taken where it is cheaper than the whole table.
    pub forced: bool,
    /// Whether the path is asked for.
    pub path: bool,
    pub tuning: Tuning,
    pub control: &'a Control,
}

impl<'a> Request<'a> {
    /// Any cost, without a path and a guess.
    pub fn of_all(control: &'a Control) -> Self {
        Self { guess: None, most: u64::MAX, forced: false, path: false, tuning: Tuning::default(), control }
    }
}

/// What a search proves.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The least cost, or `None` where it is greater than was asked for.
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
    pub path_mode: &'static str,
    pub device: String,
    pub computed_cells: u128,
}

/// The answer of a search, and how it was found; `None` where all cells are expected to be faster.
///
/// # Errors
/// What the device returns; where a search is asked for, that the device has no room for it.
pub(crate) async fn solve<R: Kernels, W: Recurrence<SPACING>, S: Symbol, const SPACING: i64>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    (rows, cols): (&[S], &[S]),
    codes: &Encoded,
    by: Strategy,
    ask: Request<'_>,
    phases: &Phases,
) -> Result<Option<(Strategy, Outcome)>> {
    if let (Strategy::Wavefronts | Strategy::Either, Some(gpu)) = (by, gpu) {
        let device = engine.device(gpu, ask.control, phases);
        if let Some(found) = diagonal_transition::gpu::solve::<W, S, SPACING>(&device, (rows, cols), codes, ask).await?
        {
            return Ok(Some((Strategy::Wavefronts, found)));
        }
    }
    if by == Strategy::Wavefronts {
        return Ok(None);
    }
    let gpu = engine.with_codes_for(codes.shared, gpu);
    let found = banded::solve::<R>(engine, gpu, codes, ask, phases).await?;
    Ok(found.map(|found| (Strategy::Bands, found)))
}
