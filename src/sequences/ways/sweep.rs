//! Strip sweep of the full table.

use crate::call::hand_over::ready;
use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::{self, CpuSweep};
use crate::sequences::bit_parallel::gpu::GpuSweep;
use crate::sequences::bit_parallel::hirschberg;
use crate::sequences::bit_parallel::recurrence::Recurrence as _;
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::{Encoded, SetCode};
use crate::sequences::letters;
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;
use crate::sequences::request::{BIT_PARALLEL, Outcome, Solution};

pub(crate) struct Sweep;

impl<P: Problem> Way<PairQuery<'_, P>> for Sweep {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, engine: &Engine, query: &PairQuery<'_, P>) -> Result<Option<Cost>> {
        let path = query.request.path;
        let budget_bytes = path.then_some(engine.host_budget());
        let cost = cpu::cost::<P::Sweep>(&query.work(engine), budget_bytes);
        Ok(Some(if_nothing_pairs(query, query.with_codes(cost))))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &PairQuery<'_, P>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let request = query.request;
        if !query.takes(engine, device) {
            return Ok(None);
        }
        if query.shape().alphabet.number_bits > 0 {
            return Err(letters::too_many_sets(&device.name));
        }
        let (shape, sizing) = (query.shape(), device.sizing(request.tuning));
        let cost = sizing.cost(shape, request.path)?;
        sizing.check_budget(cost.device_bytes)?;
        Ok(Some(if_nothing_pairs(query, query.with_codes(cost))))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PairQuery<'_, P>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async move {
            let request = query.request;
            request.control.set_phase(Phase::Sweep);
            let solution = match device {
                Some(device) => on_gpu(call, query, device).await?,
                None => on_cpu(call, query)?,
            };
            Ok(Some(request.within_limit(solution, query.cells())))
        })
    }
}

fn if_nothing_pairs<P: Problem>(query: &PairQuery<'_, P>, cost: Cost) -> Cost {
    if !query.nothing_pairs() {
        return cost;
    }
    Cost {
        seconds: 0.0,
        path_mode: PathMode::Table.if_path(query.request.path),
        ..cost
    }
}

fn unpaired<P: Problem>(query: &PairQuery<'_, P>, cells: u64) -> Option<Solution> {
    if !query.nothing_pairs() {
        return None;
    }
    let (rows, cols) = query.lens();
    query.request.control.add_done(cells);
    Some(Solution {
        cost: (rows + cols) as u64,
        path: query.request.path.then(Blocks::default),
        path_mode: PathMode::Table.if_path(query.request.path),
    })
}

fn with_path<P: Problem>(codes: &Encoded, path: Blocks, path_mode: PathMode) -> Solution {
    let Encoded { a, b, alphabet } = codes;
    let cost = if alphabet.sets {
        let [a, b] = [a, b].map(|codes| SetCode::all(codes, *alphabet));
        P::Sweep::path_cost(&path, &a, &b)
    } else {
        P::Sweep::path_cost(&path, a, b)
    };
    Solution {
        cost,
        path: Some(path),
        path_mode,
    }
}

async fn on_gpu<P: Problem>(
    call: &Call<'_>,
    query: &PairQuery<'_, P>,
    device: &Device<'_>,
) -> Result<Solution> {
    let request = query.request;
    let codes = query.codes();
    let cells = u64::try_from(query.cells()).unwrap_or(u64::MAX);
    request.control.add_total(cells);
    if let Some(solution) = unpaired(query, cells) {
        return Ok(solution);
    }
    let mut sweep = GpuSweep::new(device, request.tuning);
    // Excludes the kernel builds of a first call.
    let before = call.phases.of(Phase::Sweep);
    let shape = query.shape();
    if request.path {
        let stored = sweep.sizing().path_tiling(shape)?;
        let work = sweep.sizing().path_work(shape, stored.as_ref());
        request.control.set_estimate(work);
    }
    let solution = if request.path {
        let (path, mode) = hirschberg::path::<P::Sweep, _>(&mut sweep, codes.codes()).await?;
        with_path::<P>(codes, path, mode)
    } else {
        let value = sweep.value::<P::Sweep>(codes.codes()).await?;
        Solution::of_cost(P::Sweep::cost(value, codes.a.len(), codes.b.len()))
    };
    // Hirschberg's subproblems are sweeps of other tables, with up to twice as many cells.
    if solution.path_mode != PathMode::Hirschberg {
        let took = (call.phases.of(Phase::Sweep) - before).as_secs_f64();
        call.engine
            .note_pace(took, || sweep.sizing().seconds(shape));
    }
    Ok(solution)
}

fn on_cpu<P: Problem>(call: &Call<'_>, query: &PairQuery<'_, P>) -> Result<Solution> {
    let (engine, request) = (call.engine, query.request);
    let control = request.control;
    let cells = u64::try_from(query.cells()).unwrap_or(u64::MAX);
    let codes = query.codes();
    let (rows, cols) = query.lens();
    let work = query.work(engine);
    if request.path {
        let shares = work.path_shares::<P::Sweep>(engine.host_budget());
        let swept = (cells as f64 * (shares.cut + shares.kept)) as u64;
        control.set_estimate(swept.saturating_add(cpu::walk_work(cols)));
    }
    control.add_total(cells);
    if let Some(solution) = unpaired(query, cells) {
        return Ok(solution);
    }
    let solution = if request.path {
        let path = || {
            let mut sweep = CpuSweep {
                limit_bytes: engine.host_budget(),
                control,
            };
            ready(hirschberg::path::<P::Sweep, _>(&mut sweep, codes.codes()))
        };
        let (path, mode) = if cpu::is_serial(rows, cols) {
            path()?
        } else {
            engine.on_threads(path)?
        };
        with_path::<P>(codes, path, mode)
    } else {
        let value = || cpu::value::<P::Sweep>(codes.codes(), Band::WHOLE, control);
        // A single tile is too short to be worth waking the pool.
        let value = if work.is_one_tile::<P::Sweep>() {
            value()?
        } else {
            engine.on_threads(value)?
        };
        Solution::of_cost(P::Sweep::cost(value.found, rows, cols))
    };
    call.phases.lap(Phase::Sweep);
    Ok(solution)
}
