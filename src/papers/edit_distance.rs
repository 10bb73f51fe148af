//! The methods that fill the whole table of edit distances, as ways.

use super::{anti_diagonal, tiled};
use crate::call::phase::Phase;
use crate::edit_distance::Method;
use crate::edit_distance::problem::Distance;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::Result;
use crate::kernels::anti_diagonal::Recurrence;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{Outcome, Solution};

type Query<'a> = PairQuery<'a, Distance>;

pub(crate) enum WholeTable {
    /// One pass per anti-diagonal of cells.
    AntiDiagonal,
    /// One pass per anti-diagonal of tiles.
    Tiled,
}

impl Way<Query<'_>> for WholeTable {
    fn method(&self) -> &'static str {
        match self {
            Self::AntiDiagonal => Method::AntiDiagonal.name(),
            Self::Tiled => Method::Tiled.name(),
        }
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_>) -> Result<Option<Cost>> {
        let ((rows, cols), threads) = (query.lens_u64(), engine.threads());
        let cost = match self {
            Self::AntiDiagonal => Cost {
                strips: rows,
                passes: rows + cols + 1,
                host_bytes: anti_diagonal::cpu::size_bytes(rows, cols),
                ..Cost::new(anti_diagonal::cpu::seconds(rows, cols, threads))
            },
            Self::Tiled => {
                let tile = tiled::cpu::TILE as u64;
                Cost {
                    tile: (tile, tile),
                    strips: rows.div_ceil(tile),
                    passes: tiled::cpu::passes(rows, cols),
                    host_bytes: tiled::cpu::size_bytes(rows, cols),
                    ..Cost::new(tiled::cpu::seconds(rows, cols, threads))
                }
            }
        };
        Ok(Some(query.with_codes(cost)))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        query: &Query<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let ((rows, cols), caps) = (query.lens_u64(), &device.capabilities);
        let sizing = device.sizing(query.request.tuning);
        let (tile, passes, device_bytes, seconds) = match self {
            Self::AntiDiagonal => {
                sizing.tuning.check(caps)?;
                let grid = anti_diagonal::gpu::Grid::new(rows, cols, caps)?;
                (1, grid.passes(), grid.size_bytes(), grid.seconds(caps))
            }
            Self::Tiled => {
                let grid = tiled::gpu::Grid::new(rows, cols, caps)?;
                let (bytes, seconds) = (grid.size_bytes(), grid.seconds(caps));
                (tiled::gpu::TILE, grid.passes(), bytes, seconds)
            }
        };
        sizing.check_budget(device_bytes)?;
        Ok(Some(query.with_codes(Cost {
            tile: (tile, tile),
            strips: passes,
            passes,
            device_bytes,
            ..Cost::new(seconds)
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
            let (a, b, control) = (&codes.a, &codes.b, query.request.control);
            let recurrence = Recurrence::EditDistance;
            let cost = match (self, device) {
                (Self::AntiDiagonal, Some(device)) => {
                    let lanes = query.request.tuning.lanes;
                    anti_diagonal::last_cell(device, recurrence, a, b, lanes).await?
                }
                (Self::Tiled, Some(device)) => tiled::gpu::distance(device, a, b).await?,
                (_, None) => {
                    let cost = call.engine.on_threads(|| match self {
                        Self::AntiDiagonal => {
                            anti_diagonal::cpu::last_cell(recurrence, a, b, control)
                        }
                        Self::Tiled => tiled::cpu::distance(a, b, control),
                    })?;
                    call.phases.lap(Phase::Sweep);
                    cost
                }
            };
            let solution = Solution::of_cost(cost);
            Ok(Some(query.request.within_limit(solution, query.cells())))
        })
    }
}
