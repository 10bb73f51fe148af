//! The method as a way to the edit distance.

use super::{cpu, gpu};
use crate::call::phase::Phase;
use crate::edit_distance::Method;
use crate::edit_distance::problem::Distance;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::Result;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{Outcome, Solution};

type Query<'a> = PairQuery<'a, Distance>;

/// One pass per anti-diagonal of tiles.
pub(crate) struct Tiled;

impl Way<Query<'_>> for Tiled {
    fn method(&self) -> &'static str {
        Method::Tiled.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_>) -> Result<Option<Cost>> {
        let (rows, cols) = query.lens_u64();
        let tile = cpu::TILE as u64;
        let expected = cpu::expected(rows, cols, engine.threads());
        Ok(Some(query.with_codes(Cost {
            tile: (tile, tile),
            strips: rows.div_ceil(tile),
            passes: cpu::passes(rows, cols),
            host_bytes: cpu::size_bytes(rows, cols),
            ..Cost::new(expected.as_secs_f64())
        })))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        query: &Query<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let ((rows, cols), caps) = (query.lens_u64(), &device.capabilities);
        let grid = gpu::Grid::new(rows, cols, caps)?;
        device
            .sizing(query.request.tuning)
            .check_budget(grid.size_bytes())?;
        Ok(Some(query.with_codes(Cost {
            tile: (gpu::TILE, gpu::TILE),
            strips: grid.passes(),
            passes: grid.passes(),
            device_bytes: grid.size_bytes(),
            ..Cost::new(grid.expected(caps).as_secs_f64())
        })))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async move {
            query.begin_sweep();
            let codes = query.codes();
            let cost = match device {
                Some(device) => gpu::distance(device, &codes.a, &codes.b).await?,
                None => {
                    let control = query.request.control;
                    let distance = || cpu::distance(&codes.a, &codes.b, control);
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
