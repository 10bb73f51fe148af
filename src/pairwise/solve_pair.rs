//! Execution of the candidates for a pair.

use super::candidate::{MethodCandidate, PairContext};
use super::decision::{self, Decision, FallbackChain};
use crate::backend::Backend;
use crate::call::hand_over::ready;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine, PlanSummary};
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::banded;
use crate::pairwise::bit_parallel::cpu::{self, CpuSweep, SweepWork};
use crate::pairwise::bit_parallel::gpu::{self, GpuSweep};
use crate::pairwise::bit_parallel::hirschberg;
use crate::pairwise::bit_parallel::recurrence::Recurrence as _;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::codes::{Encoded, SetCode, Symbol};
use crate::pairwise::cost_estimate::CostEstimate;
use crate::pairwise::diagonal_transition::gpu::solve as wavefronts;
use crate::pairwise::pair::Pair;
use crate::pairwise::problem::{PairSolution, Problem};
use crate::pairwise::reference_method;
use crate::pairwise::related;
use crate::pairwise::request::{Outcome, Request, Strategy};
use crate::pairwise::tiny_pairs;
use crate::pairwise::wavefront_trial;
use crate::path_mode::PathMode;

/// Plan of a pairwise call.
///
/// # Errors
/// As [`Decision::new`], and [`Decision::summarize`].
pub(crate) fn plan<P: Problem, S: Symbol>(
    engine: &Engine,
    Pair { a, b }: Pair<'_, S>,
    request: Request<'_>,
) -> Result<PlanSummary<Strategy>> {
    let stripped = Stripped::new(a, b);
    if S::MATCHES_OTHERS && request.strategy != Strategy::Reference {
        let plan = related::plan::<P, S>(engine, &stripped, &request)?;
        let cells = a.len() as u128 * b.len() as u128;
        return Ok(PlanSummary { cells, ..plan });
    }
    let plan = if tiny_pairs::applies(engine, (a.len(), b.len()), &request)? {
        tiny_pairs::plan(&stripped, a.len() + b.len())
    } else {
        let decision = Decision::new::<P>(engine, &stripped, request, &Phases::start())?;
        decision.summarize::<P>(engine)?
    };
    Ok(PlanSummary {
        cells: a.len() as u128 * b.len() as u128,
        ..plan
    })
}

/// Answer for the table between the affixes.
///
/// # Errors
/// As [`Decision::new`] and [`Decision::fallback_chain`], and errors of the device.
pub(crate) async fn solve<P: Problem, S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    request: Request<'_>,
    phases: &Phases,
) -> Result<Outcome> {
    if request.strategy == Strategy::Reference {
        return reference::<P, S>(engine, stripped, request, phases);
    }
    if S::MATCHES_OTHERS {
        return related::solve::<P, S>(engine, stripped, request, phases).await;
    }
    let decision = Decision::new::<P>(engine, stripped, request, phases)?;
    if let Some(answer) = decision.answer {
        return Ok(answer);
    }
    if let Some(trial) = decision.trial {
        request.control.set_phase(Phase::Wavefronts);
        request.control.set_estimate(trial.expected_steps);
        let found = wavefront_trial::solve::<P, S>(stripped, decision.request, trial.limit)?;
        phases.lap(Phase::Wavefront);
        if let Some(found) = found {
            return Ok(found);
        }
    }
    if decision.takes_one_thread {
        request.control.set_phase(Phase::Sweep);
        let value = tiny_pairs::sweep::<P::Sweep, S>(stripped, request.control, phases)?;
        let cost = P::Sweep::cost(value, stripped.rows.len(), stripped.cols.len());
        return Ok(Outcome {
            strategy: Strategy::Sweep,
            cost: Some(cost).filter(|&cost| cost <= request.max_cost),
            path: None,
            path_mode: PathMode::None,
            device: CPU.to_string(),
            computed_cells: stripped.cells(),
        });
    }
    let codes = Encoded::by(engine, stripped.rows, stripped.cols);
    phases.lap(Phase::Encode);
    let plan = || {
        let chain = decision.fallback_chain::<P>(engine, &codes);
        phases.lap(Phase::Decide);
        chain
    };
    let planned = engine.plan_and_open(phases, plan, |chain| chain.device.is_some());
    let (FallbackChain { candidates, .. }, gpu) = planned.await?;
    phases.lap(Phase::OpenDevice);
    let bytes = S::bytes(stripped.rows)
        .zip(S::bytes(stripped.cols))
        .map(|(a, b)| Pair { a, b });
    let context = PairContext {
        engine,
        bytes,
        codes: &codes,
        request: decision.request,
        phases,
    };
    P::answer(
        context,
        candidates,
        gpu.as_deref().map(|gpu| gpu as &dyn Backend),
    )
    .await
}

/// Runs the forced strategy on these codes and this backend.
///
/// # Errors
/// Errors of the device.
pub(crate) async fn on_backend<P: Problem>(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    request: Request<'_>,
) -> Result<Outcome> {
    let estimate = Some(CostEstimate::from_bound(
        codes.a.len().max(codes.b.len()) as u64
    ));
    let (request, phases) = (
        Request {
            estimate,
            ..request
        },
        Phases::start(),
    );
    let context = PairContext {
        engine,
        bytes: None,
        codes,
        request,
        phases: &phases,
    };
    let candidate = MethodCandidate::new(request.strategy, true);
    P::answer(context, vec![candidate], Some(backend)).await
}

/// Answer of the first candidate that gives one, else of the full table.
///
/// # Errors
/// Errors of the device.
pub(crate) async fn run_candidates<P: Problem>(
    context: PairContext<'_>,
    candidates: Vec<MethodCandidate>,
    gpu: Option<&dyn Backend>,
) -> Result<Outcome> {
    for candidate in candidates {
        if let Some(found) = context.run_candidate::<P>(candidate, gpu).await? {
            return Ok(found);
        }
    }
    context.sweep::<P>(gpu).await
}

impl PairContext<'_> {
    /// Answer of a candidate; `None` if it gives up.
    async fn run_candidate<P: Problem>(
        &self,
        candidate: MethodCandidate,
        gpu: Option<&dyn Backend>,
    ) -> Result<Option<Outcome>> {
        let (codes, request) = (self.codes, self.request);
        let gpu = gpu.filter(|_| candidate.on_gpu);
        match (candidate.strategy, gpu) {
            (Strategy::Wavefronts, Some(gpu)) => {
                request.control.set_phase(Phase::Wavefronts);
                let device = self.engine.device(gpu, request.control, self.phases);
                let (first, of_codes) = (candidate.first_search, codes.pair());
                match self.bytes {
                    Some(bytes) => {
                        wavefronts::<P::Wavefront, _>(&device, bytes, codes, request, first).await
                    }
                    None => {
                        wavefronts::<P::Wavefront, _>(&device, of_codes, codes, request, first)
                            .await
                    }
                }
            }
            (Strategy::Bands, Some(gpu)) => {
                request.control.set_phase(Phase::Bands);
                let device = self.engine.device(gpu, request.control, self.phases);
                gpu::search::<P::Sweep>(&device, codes, request).await
            }
            (Strategy::Bands, None) => {
                request.control.set_phase(Phase::Bands);
                let found = self.engine.on_threads(|| {
                    banded::solve::<P::Sweep>(self.engine, codes, request, candidate.max_cells)
                })?;
                self.phases.lap(Phase::Bands);
                Ok(found)
            }
            (Strategy::Baseline(name), gpu) => self.baseline::<P>(name, gpu).await.map(Some),
            (_, gpu) => self.sweep::<P>(gpu).await.map(Some),
        }
    }

    fn cells(&self) -> u128 {
        self.codes.a.len() as u128 * self.codes.b.len() as u128
    }

    /// Outcome of a method that computes all cells.
    fn outcome(
        &self,
        strategy: Strategy,
        gpu: Option<&dyn Backend>,
        value: PairSolution,
    ) -> Outcome {
        let device = gpu.map_or(CPU, |gpu| gpu.name()).to_string();
        let PairSolution {
            cost,
            path,
            path_mode,
        } = value;
        let computed_cells = self.cells();
        if cost > self.request.max_cost {
            return Outcome {
                strategy,
                cost: None,
                path: None,
                path_mode: PathMode::None,
                device,
                computed_cells,
            };
        }
        Outcome {
            strategy,
            cost: Some(cost),
            path,
            path_mode,
            device,
            computed_cells,
        }
    }

    fn add_all_cells(&self) {
        self.request.control.set_phase(Phase::Sweep);
        self.request
            .control
            .add_total(u64::try_from(self.cells()).unwrap_or(u64::MAX));
    }

    async fn baseline<P: Problem>(
        &self,
        name: &'static str,
        gpu: Option<&dyn Backend>,
    ) -> Result<Outcome> {
        let (codes, request) = (self.codes, self.request);
        let value = match gpu {
            Some(gpu) => {
                request.control.set_phase(Phase::Sweep);
                let device = self.engine.device(gpu, request.control, self.phases);
                P::baseline(&device, name, codes, request.path).await?
            }
            None => {
                self.add_all_cells();
                let cost = self
                    .engine
                    .on_threads(|| P::baseline_on_cpu(name, codes, request.control))?;
                self.phases.lap(Phase::Sweep);
                PairSolution {
                    cost,
                    path: None,
                    path_mode: PathMode::None,
                }
            }
        };
        Ok(self.outcome(Strategy::Baseline(name), gpu, value))
    }

    /// Strip sweep of the full table.
    async fn sweep<P: Problem>(&self, gpu: Option<&dyn Backend>) -> Result<Outcome> {
        let (request, Encoded { a, b, shared, .. }) = (self.request, self.codes);
        let alphabet = self.codes.alphabet();
        let work = || {
            SweepWork::new(
                (a.len(), b.len()),
                *shared,
                Band::WHOLE,
                self.engine.threads(),
            )
        };
        if request.path && gpu.is_none() {
            let shares = work().path_shares::<P::Sweep>(self.engine.host_budget());
            request
                .control
                .set_estimate((self.cells() as f64 * (shares.cut + shares.kept)) as u64);
        }
        self.add_all_cells();
        let of_path = |(path, path_mode)| {
            let cost = if alphabet.sets {
                P::Sweep::path_cost(&path, &SetCode::all(a), &SetCode::all(b))
            } else {
                P::Sweep::path_cost(&path, a, b)
            };
            PairSolution {
                cost,
                path: Some(path),
                path_mode,
            }
        };
        let of_value = |value| PairSolution {
            cost: P::Sweep::cost(value, a.len(), b.len()),
            path: None,
            path_mode: PathMode::None,
        };
        let value = match gpu {
            _ if decision::nothing_pairs::<P>(*shared) => {
                request
                    .control
                    .add_done(u64::try_from(self.cells()).unwrap_or(u64::MAX));
                let path_mode = PathMode::Table.if_path(request.path);
                PairSolution {
                    cost: (a.len() + b.len()) as u64,
                    path: request.path.then(Blocks::default),
                    path_mode,
                }
            }
            Some(gpu) => {
                let device = self.engine.device(gpu, request.control, self.phases);
                let mut sweep = GpuSweep::new(&device, request.tuning);
                // Excludes the kernel builds of a first call.
                let before = self.phases.of(Phase::Sweep);
                let shape = gpu::shape(P::Sweep::TABLE, a, b, alphabet);
                if request.path && sweep.sizing().path_tiling(shape)?.is_none() {
                    // The subproblems of Hirschberg's method have as many cells again.
                    let cells = u64::try_from(2 * self.cells()).unwrap_or(u64::MAX);
                    request.control.set_estimate(cells);
                }
                let value = if request.path {
                    of_path(hirschberg::path::<P::Sweep, _>(&mut sweep, a, b, alphabet).await?)
                } else {
                    of_value(sweep.value::<P::Sweep>(a, b, alphabet).await?)
                };
                // Hirschberg's subproblems are sweeps of other tables, with up to twice as many
                // cells.
                if value.path_mode != PathMode::Hirschberg {
                    let expected = || sweep.sizing().seconds(shape);
                    self.engine.note_pace(
                        (self.phases.of(Phase::Sweep) - before).as_secs_f64(),
                        expected,
                    );
                }
                value
            }
            None => {
                let last_value = || {
                    cpu::value::<P::Sweep>(self.codes.pair(), *shared, Band::WHOLE, request.control)
                };
                let value = match request.path {
                    // Too short to be worth waking the pool.
                    false if work().is_one_tile::<P::Sweep>() => of_value(last_value()?.found),
                    false => of_value(self.engine.on_threads(last_value)?.found),
                    true => {
                        let path = || {
                            let mut sweep = CpuSweep {
                                limit_bytes: self.engine.host_budget(),
                                control: request.control,
                            };
                            let path = hirschberg::path::<P::Sweep, _>(&mut sweep, a, b, alphabet);
                            ready(path)
                        };
                        of_path(if cpu::is_serial(a.len(), b.len()) {
                            path()?
                        } else {
                            self.engine.on_threads(path)?
                        })
                    }
                };
                self.phases.lap(Phase::Sweep);
                value
            }
        };
        Ok(self.outcome(Strategy::Sweep, gpu, value))
    }
}

/// Answer of the reference table.
fn reference<P: Problem, S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    request: Request<'_>,
    phases: &Phases,
) -> Result<Outcome> {
    let fill = |rows: &[S], cols: &[S], should_continue: &mut dyn FnMut() -> bool| {
        P::reference(
            Pair::new(rows, cols),
            request.path,
            request.max_cost,
            should_continue,
        )
    };
    let (cost, path) = reference_method::answer(
        engine,
        stripped,
        request.path,
        request.control,
        phases,
        fill,
    )?;
    let cost = Some(cost).filter(|&cost| cost <= request.max_cost);
    Ok(Outcome {
        strategy: Strategy::Reference,
        cost,
        path_mode: PathMode::Table.if_path(path.is_some()),
        path,
        device: CPU.to_string(),
        computed_cells: stripped.cells(),
    })
}
