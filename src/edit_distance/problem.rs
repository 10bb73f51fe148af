//! The edit distance as a pairwise problem, with its baselines.

use super::wavefront::Levenshtein;
use super::{Method, Mode, reference};
use crate::backend::Backend;
use crate::call::control::Control;
use crate::engine::report::PlanSummary;
use crate::engine::{CPU, Device};
use crate::error::Result;
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::bit_parallel::recurrence::Edit;
use crate::pairwise::bit_parallel::shape::Shape;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::candidate::{MethodCandidate, PairContext};
use crate::pairwise::codes::Encoded;
use crate::pairwise::pair::Pair;
use crate::pairwise::problem::{OutcomeFuture, PairSolution, Problem};
use crate::pairwise::request::Strategy;
use crate::pairwise::solve_pair;
use crate::papers::anti_diagonal::{self, Recurrence};
use crate::papers::tiled;
use crate::path_mode::PathMode;

pub(super) struct Distance;

/// True for the tiled baseline, false for the one of cell anti-diagonals.
fn tiled(name: &str) -> bool {
    name == Method::Tiled.name()
}

impl Problem for Distance {
    type Sweep = Edit;
    type Wavefront = Levenshtein;

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
        max: u64,
        wanted: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)> {
        let (distance, _) = reference::ends_while(rows, cols, Mode::Global, wanted)?;
        let path = if path && distance <= max {
            Some(reference::path_while(rows, cols, wanted)?)
        } else {
            None
        };
        Some((distance, path))
    }

    fn baseline_plan(
        name: &'static str,
        sizing: &Sizing<'_>,
        shape: Shape,
        _: bool,
    ) -> Result<PlanSummary<Strategy>> {
        let (rows, cols, caps) = (shape.rows, shape.cols, sizing.capabilities);
        let (tile, passes, device_bytes, expected) = if tiled(name) {
            let grid = tiled::gpu::Grid::new(rows, cols, caps)?;
            (
                tiled::gpu::TILE,
                grid.passes(),
                grid.size_bytes(),
                grid.expected(caps),
            )
        } else {
            let grid = anti_diagonal::gpu::Grid::new(rows, cols, caps)?;
            (1, grid.passes(), grid.size_bytes(), grid.expected(caps))
        };
        let device = sizing.name.to_string();
        let (tile, strips) = ((tile, tile), passes);
        Ok(PlanSummary {
            device,
            tile,
            strips,
            passes,
            device_bytes,
            expected,
            ..blank(name, shape)
        })
    }

    fn baseline_plan_on_cpu(
        name: &'static str,
        shape: Shape,
        threads: usize,
    ) -> Result<PlanSummary<Strategy>> {
        let (rows, cols) = (shape.rows, shape.cols);
        let (tile, passes, host_bytes, expected) = if tiled(name) {
            let (passes, bytes) = (
                tiled::cpu::passes(rows, cols),
                tiled::cpu::size_bytes(rows, cols),
            );
            (
                tiled::cpu::TILE as u64,
                passes,
                bytes,
                tiled::cpu::expected(rows, cols, threads),
            )
        } else {
            let bytes = anti_diagonal::cpu::size_bytes(rows, cols);
            (
                1,
                rows + cols + 1,
                bytes,
                anti_diagonal::cpu::expected(rows, cols, threads),
            )
        };
        let (tile, strips) = ((tile, tile), rows.div_ceil(tile));
        Ok(PlanSummary {
            tile,
            strips,
            passes,
            host_bytes,
            expected,
            ..blank(name, shape)
        })
    }

    async fn baseline(
        device: &Device<'_>,
        name: &'static str,
        codes: &Encoded,
        _: bool,
    ) -> Result<PairSolution> {
        device
            .control
            .add_total((codes.a.len() as u64).saturating_mul(codes.b.len() as u64));
        let cost = if tiled(name) {
            tiled::gpu::distance(device, &codes.a, &codes.b).await?
        } else {
            anti_diagonal::last_cell(device, Recurrence::EditDistance, &codes.a, &codes.b).await?
        };
        Ok(PairSolution {
            cost,
            path: None,
            path_mode: PathMode::None,
        })
    }

    fn baseline_on_cpu(name: &'static str, codes: &Encoded, control: &Control) -> Result<u64> {
        if tiled(name) {
            tiled::cpu::distance(&codes.a, &codes.b, control)
        } else {
            anti_diagonal::cpu::last_cell(Recurrence::EditDistance, &codes.a, &codes.b, control)
        }
    }
}

/// A CPU plan with no passes.
fn blank(name: &'static str, shape: Shape) -> PlanSummary<Strategy> {
    PlanSummary {
        method: Strategy::Baseline(name),
        device: CPU.to_string(),
        path_mode: PathMode::None,
        cells: u128::from(shape.rows) * u128::from(shape.cols),
        tile: (1, 1),
        strips: 0,
        passes: 0,
        device_bytes: 0,
        host_bytes: 0,
        expected: std::time::Duration::ZERO,
    }
}
