//! Bands of diagonals that prove their own answer.

use super::sweep::Sweep;
use crate::call::phase::Phase;
use crate::engine::placement::{AUTO, Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::Result;
use crate::sequences::bit_parallel::{banded, gpu};
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{BANDED, Outcome};

/// Above this share of the table's cells the CPU sweeps the full table at once.
const MAX_SHARE: f64 = 0.85;

pub(crate) struct Banded;

impl Banded {
    /// Maximum cells of bands on the CPU; no limit for requested ones.
    fn max_cells<P: Problem>(query: &PairQuery<'_, P>) -> u64 {
        if query.request.method == AUTO {
            (query.cells() as f64 * MAX_SHARE) as u64
        } else {
            u64::MAX
        }
    }
}

impl<P: Problem> Way<PairQuery<'_, P>> for Banded {
    fn method(&self) -> &'static str {
        BANDED
    }

    fn on_cpu(&self, engine: &Engine, query: &PairQuery<'_, P>) -> Result<Option<Cost>> {
        if query.sequences.match_others() {
            return Ok(None);
        }
        let (request, shape) = (query.request, query.shape());
        if request.method == AUTO {
            let max_cells = u128::from(Self::max_cells(query));
            let is_hopeful = request
                .estimate
                .is_some_and(|estimate| shape.within(estimate.upper).cells() <= max_cells);
            if !is_hopeful {
                return Ok(None);
            }
        }
        let cost = banded::cost::<P::Sweep>(&query.work(engine), request, engine.host_budget());
        Ok(Some(query.with_codes(cost)))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &PairQuery<'_, P>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        if query.sequences.match_others() || !query.takes(engine, device) {
            return Ok(None);
        }
        let (request, shape) = (query.request, query.shape());
        let sizing = device.sizing(request.tuning);
        let upper = request.estimate.map(|estimate| estimate.upper);
        if request.method == AUTO {
            let Some(upper) = upper else {
                return Ok(None);
            };
            if sizing.band(shape, upper, false)?.is_none() {
                return Ok(None);
            }
        } else if shape.alphabet.shared == 0 {
            // Without a common symbol no band is narrower than the table.
            return Sweep.on_gpu(engine, query, device);
        }
        let bound = upper
            .unwrap_or(u64::MAX)
            .max(shape.rows.abs_diff(shape.cols));
        let cost = sizing.cost(shape.within(bound.min(request.max_cost)), request.path)?;
        sizing.check_budget(cost.device_bytes)?;
        Ok(Some(query.with_codes(cost)))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PairQuery<'_, P>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async move {
            let request = query.request;
            request.control.set_phase(Phase::Bands);
            let max_cells = Self::max_cells(query);
            let codes = query.codes().codes();
            let Some(device) = device else {
                let engine = call.engine;
                let solve = || banded::solve::<P::Sweep>(engine, codes, request, max_cells);
                let found = engine.on_threads(solve)?;
                call.phases.lap(Phase::Bands);
                return Ok(found);
            };
            let found = gpu::search::<P::Sweep>(device, codes, request).await?;
            if found.is_none() && request.forced() {
                return Sweep.run(call, query, Some(device)).await;
            }
            Ok(found)
        })
    }
}
