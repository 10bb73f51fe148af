//! The methods 'anti-diagonal' and 'tiled' as ways to the edit distance.

use super::problem::Distance;
use super::{Method, tiled, tiled_cpu};
use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::Result;
use crate::pairwise::anti_diagonal::{self, Recurrence};
use crate::pairwise::query::PairQuery;
use crate::pairwise::request::{Outcome, Solution};

type Query<'a> = PairQuery<'a, Distance>;

fn rows_and_cols(query: &Query<'_>) -> (u64, u64) {
    let (rows, cols) = query.lens();
    (rows as u64, cols as u64)
}

/// One pass per anti-diagonal of cells.
pub(super) struct AntiDiagonal;

impl Way<Query<'_>> for AntiDiagonal {
    fn method(&self) -> &'static str {
        Method::AntiDiagonal.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_>) -> Result<Option<Cost>> {
        let (rows, cols) = rows_and_cols(query);
        let expected = anti_diagonal::cpu::expected(rows, cols, engine.threads());
        Ok(Some(Cost {
            strips: rows,
            passes: rows + cols + 1,
            host_bytes: anti_diagonal::cpu::size_bytes(rows, cols) + 4 * (rows + cols),
            ..Cost::new(expected.as_secs_f64())
        }))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        query: &Query<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let ((rows, cols), caps) = (rows_and_cols(query), &device.capabilities);
        let grid = anti_diagonal::gpu::Grid::new(rows, cols, caps)?;
        device
            .sizing(query.request.tuning)
            .check_budget(grid.size_bytes())?;
        Ok(Some(Cost {
            strips: grid.passes(),
            passes: grid.passes(),
            device_bytes: grid.size_bytes(),
            host_bytes: 4 * (rows + cols),
            ..Cost::new(grid.expected(caps).as_secs_f64())
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async move {
            add_cells(query);
            let codes = query.known_codes()?;
            let (a, b, recurrence) = (&codes.a, &codes.b, Recurrence::EditDistance);
            let cost = match device {
                Some(device) => anti_diagonal::last_cell(device, recurrence, a, b).await?,
                None => {
                    let control = query.request.control;
                    let last_cell = || anti_diagonal::cpu::last_cell(recurrence, a, b, control);
                    let cost = call.engine.on_threads(last_cell)?;
                    call.phases.lap(Phase::Sweep);
                    cost
                }
            };
            let solution = Solution::of_cost(cost);
            Ok(Some(query.request.within_limit(solution, query.cells())))
        })
    }
}

/// One pass per anti-diagonal of tiles.
pub(super) struct Tiled;

impl Way<Query<'_>> for Tiled {
    fn method(&self) -> &'static str {
        Method::Tiled.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_>) -> Result<Option<Cost>> {
        let (rows, cols) = rows_and_cols(query);
        let tile = tiled_cpu::TILE as u64;
        let expected = tiled_cpu::expected(rows, cols, engine.threads());
        Ok(Some(Cost {
            tile: (tile, tile),
            strips: rows.div_ceil(tile),
            passes: tiled_cpu::passes(rows, cols),
            host_bytes: tiled_cpu::size_bytes(rows, cols) + 4 * (rows + cols),
            ..Cost::new(expected.as_secs_f64())
        }))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        query: &Query<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let ((rows, cols), caps) = (rows_and_cols(query), &device.capabilities);
        let grid = tiled::Grid::new(rows, cols, caps)?;
        device
            .sizing(query.request.tuning)
            .check_budget(grid.size_bytes())?;
        Ok(Some(Cost {
            tile: (tiled::TILE, tiled::TILE),
            strips: grid.passes(),
            passes: grid.passes(),
            device_bytes: grid.size_bytes(),
            host_bytes: 4 * (rows + cols),
            ..Cost::new(grid.expected(caps).as_secs_f64())
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async move {
            add_cells(query);
            let codes = query.known_codes()?;
            let cost = match device {
                Some(device) => tiled::distance(device, &codes.a, &codes.b).await?,
                None => {
                    let control = query.request.control;
                    let distance = || tiled_cpu::distance(&codes.a, &codes.b, control);
                    let cost = call.engine.on_threads(distance)?;
                    call.phases.lap(Phase::Sweep);
                    cost
                }
            };
            let solution = Solution::of_cost(cost);
            Ok(Some(query.request.within_limit(solution, query.cells())))
        })
    }
}

fn add_cells(query: &Query<'_>) {
    let control = query.request.control;
    control.set_phase(Phase::Sweep);
    control.add_total(u64::try_from(query.cells()).unwrap_or(u64::MAX));
}
