//! Searches within a bound of the cost: what all methods for similar inputs are asked, and what they prove.

use crate::alphabet::{Encoded, Symbol};
use crate::backend::Backend;
use crate::blocks::Blocks;
use crate::control::Control;
use crate::engine::Engine;
use crate::error::Result;
use crate::phases::Phases;
use crate::reaches::{self, Recurrence};
use crate::strips::banded;
use crate::strips::cpu::Kernels;
use crate::strips::gpu::tiling::Tuning;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// By waves of furthest-reaching points, on a GPU.
    Waves,
    /// By bands of the table.
    Bands,
    /// By what is expected to be faster, if it is faster than all cells.
    Either,
}

/// What is asked of a search, in costs: a step off a diagonal costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
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

impl<'a> Ask<'a> {
    /// Any cost, without a path and a guess.
    pub fn of_all(control: &'a Control) -> Self {
        Self { guess: None, most: u64::MAX, forced: false, path: false, tuning: Tuning::default(), control }
    }
}

/// What a search proves.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
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
    by: By,
    ask: Ask<'_>,
    phases: &Phases,
) -> Result<Option<(By, Bounded)>> {
    if let (By::Waves | By::Either, Some(gpu)) = (by, gpu) {
        let device = engine.device(gpu, ask.control, phases);
        if let Some(found) = reaches::gpu::solve::<W, S, SPACING>(&device, (rows, cols), codes, ask).await? {
            return Ok(Some((By::Waves, found)));
        }
    }
    if by == By::Waves {
        return Ok(None);
    }
    let gpu = engine.with_codes_for(codes.shared, gpu);
    let found = banded::solve::<R>(engine, gpu, codes, ask, phases).await?;
    Ok(found.map(|found| (By::Bands, found)))
}
