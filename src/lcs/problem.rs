//! The LCS as a pairwise problem. Its cost is the number of unpaired symbols.

use super::reference;
use super::wavefront::Indel;
use crate::backend::Backend;
use crate::call::control::Control;
use crate::engine::Device;
use crate::engine::report::PlanSummary;
use crate::error::Result;
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::bit_parallel::recurrence::Lcs;
use crate::pairwise::bit_parallel::shape::Shape;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::candidate::{MethodCandidate, PairContext};
use crate::pairwise::codes::Encoded;
use crate::pairwise::decision::needs_gpu;
use crate::pairwise::pair::Pair;
use crate::pairwise::problem::{OutcomeFuture, PairSolution, Problem};
use crate::pairwise::request::Strategy;
use crate::pairwise::solve_pair;
use crate::papers::conditional_sum::{self, Grid};
use crate::path_mode::PathMode;

pub(crate) struct Subsequence;

/// Unpaired symbols of both sequences for a subsequence of `length`.
fn unpaired(rows: usize, cols: usize, length: u64) -> u64 {
    (rows + cols) as u64 - 2 * length
}

impl Problem for Subsequence {
    type Sweep = Lcs;
    type Wavefront = Indel;

    fn answer<'a>(
        context: PairContext<'a>,
        candidates: Vec<MethodCandidate>,
        gpu: Option<&'a dyn Backend>,
    ) -> OutcomeFuture<'a> {
        Box::pin(solve_pair::run_candidates::<Self>(context, candidates, gpu))
    }

    fn reference<S: Eq>(
        Pair { a: rows, b: cols }: Pair<'_, S>,
        path: bool,
        _: u64,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)> {
        let (length, path) = if path {
            let found = reference::subsequence_while(rows, cols, wanted)?;
            (found.len(), Some(found.0))
        } else {
            (reference::length_while(rows, cols, wanted)?, None)
        };
        Some((unpaired(rows.len(), cols.len(), length), path))
    }

    fn baseline_plan(
        _: &'static str,
        sizing: &Sizing<'_>,
        shape: Shape,
        path: bool,
    ) -> Result<PlanSummary<Strategy>> {
        Ok(Grid::new(shape, sizing.capabilities)?.summarize(sizing.name, path))
    }

    fn baseline_plan_on_cpu(
        name: &'static str,
        _: Shape,
        _: usize,
    ) -> Result<PlanSummary<Strategy>> {
        Err(needs_gpu(name))
    }

    async fn baseline(
        device: &Device<'_>,
        _: &'static str,
        codes: &Encoded,
        path: bool,
    ) -> Result<PairSolution> {
        let (length, path, path_mode) = if path {
            let (found, mode) = conditional_sum::subsequence(device, codes).await?;
            (found.len(), Some(found.0), mode)
        } else {
            (
                conditional_sum::length(device, codes).await?,
                None,
                PathMode::None,
            )
        };
        Ok(PairSolution {
            cost: unpaired(codes.a.len(), codes.b.len(), length),
            path,
            path_mode,
        })
    }

    fn baseline_on_cpu(name: &'static str, _: &Encoded, _: &Control) -> Result<u64> {
        Err(needs_gpu(name))
    }
}
