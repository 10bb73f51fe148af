//! Wavefronts of furthest-reaching points: on the CPU if they are requested, on a GPU also if they
//! are expected to be fastest. [`Trial`](super::Trial) is the limited search on the CPU.

use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::Result;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::diagonal_transition::gpu;
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{Outcome, WAVEFRONT};
use crate::sequences::ways::Trial;

pub(crate) struct Wavefronts;

impl<P: Problem> Way<PairQuery<'_, P>> for Wavefronts {
    fn method(&self) -> &'static str {
        WAVEFRONT
    }

    fn on_cpu(&self, engine: &Engine, query: &PairQuery<'_, P>) -> Result<Option<Cost>> {
        let request = query.request;
        if !request.forced() {
            return Ok(None);
        }
        let greatest = query.greatest_cost();
        let estimate = request
            .estimate
            .unwrap_or(CostEstimate::from_bound(greatest));
        let cost = |estimate| query.wavefront_cost(engine, estimate);
        let expected = cost(estimate.within(greatest));
        let limit = query.search_limit(engine);
        if !request.path || expected.host_bytes <= limit.bytes {
            return Ok(Some(expected));
        }
        // Only the search tells whether its wavefronts fit the memory.
        if query.searched.get().is_none() {
            let found = Trial::search(query, limit)?;
            query.searched.get_or_init(|| found);
        }
        let Some(Some(found)) = query.searched.get() else {
            return Err(limit.memory_error(query.greatest_table_cost()));
        };
        let found = found.answer.cost.unwrap_or(request.max_cost);
        Ok(Some(cost(CostEstimate::from_bound(found))))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &PairQuery<'_, P>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let request = query.request;
        // Requested wavefronts leave the CPU only if their cost was estimated.
        let is_unknown = engine.chooses_device() && request.estimate.is_none();
        if query.sequences.match_others() || is_unknown || !query.takes(engine, device) {
            return Ok(None);
        }
        let shape = query.shape();
        let sizing = device.sizing(request.tuning);
        let choice = gpu::SearchChoice::<P::Wavefront>::new(sizing, request, shape);
        let Some(sizes) = choice.first()? else {
            return Ok(None);
        };
        let cost = choice.cost(&sizes);
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
            request.control.set_phase(Phase::Wavefronts);
            let Some(device) = device else {
                let limit = query.search_limit(call.engine);
                if let Some(estimate) = request.estimate {
                    let steps = query.wavefront_steps(estimate.expected);
                    request.control.set_estimate(steps as u64);
                }
                let found = match query.searched.take() {
                    Some(found) => found,
                    None => Trial::search(query, limit)?,
                };
                call.phases.lap(Phase::Wavefront);
                return match found {
                    Some(found) => Ok(Some(found)),
                    None => Err(limit.memory_error(query.greatest_table_cost())),
                };
            };
            let codes = query.codes();
            match query.sequences.bytes() {
                Some(bytes) => gpu::solve::<P::Wavefront, _>(device, bytes, codes, request).await,
                None => gpu::solve::<P::Wavefront, _>(device, codes.pair(), codes, request).await,
            }
        })
    }
}
