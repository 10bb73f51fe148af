//! Choice of the method and device for a pair. A call runs this choice, a dry run prints it.
//!
//! The choice is a chain of candidates. A wavefront trial on the CPU comes first if the pair seems
//! similar. It has a step limit, and compares symbols, so it needs no codes. The rest is chosen
//! after encoding: wavefronts on a GPU, then bands, then the full table, all on the device with the
//! lowest expected time.

use std::cell::LazyCell;
use std::time::{Duration, Instant};

use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::report::PlanSummary;
use crate::engine::{CPU, DeviceEstimate, Engine, profile};
use crate::error::{Error, Result};
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::banded;
use crate::pairwise::bit_parallel::cpu::{self, SweepWork};
use crate::pairwise::bit_parallel::gpu::Sizing;
use crate::pairwise::bit_parallel::gpu::tiling::Tiling;
use crate::pairwise::bit_parallel::recurrence::Recurrence as _;
use crate::pairwise::bit_parallel::shape::Shape;
use crate::pairwise::candidate::MethodCandidate;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::cost_estimate::CostEstimate;
use crate::pairwise::diagonal_transition::gpu::{SearchChoice, SearchSizes};
use crate::pairwise::diagonal_transition::{self, SearchLimit, WavefrontRecurrence};
use crate::pairwise::problem::Problem;
use crate::pairwise::reference_method;
use crate::pairwise::request::{Outcome, Request, Strategy};
use crate::pairwise::similarity;
use crate::pairwise::tiny_pairs;
use crate::pairwise::wavefront_trial::{self, WavefrontTrial};
use crate::path_mode::PathMode;

/// Share of the expected time of the alternative that an unlikely trial may take.
const TRIAL_SHARE: f64 = 0.05;
/// Share of the sweep's expected time that the first few wavefronts may take, before any planning.
const FIRST_STEPS_SHARE: f64 = 0.5;
/// Divisor of that step limit: after this part the search must be on track to finish.
const PROBE_SHARE: u64 = 4;
/// Safety factor on the expected wavefront time, for searches that would be given up for a faster
/// candidate.
const TIME_RISK: f64 = 1.5;
/// The true cost may be a quarter of the upper estimate.
const COST_ERROR: u64 = 4;
/// Above this share of the table's cells the CPU sweeps the full table at once.
const MAX_BAND_SHARE: f64 = 0.85;
/// Divisor of the host memory for wavefronts that the caller did not request.
const TRIAL_MEMORY_SHARE: u64 = 4;

/// Overhead of a call answered before planning: affixes, replay of the path, report.
const ANSWERED: Duration = Duration::from_micros(10);

/// State before symbols are encoded.
pub(crate) struct Decision<'a, S> {
    pub stripped: &'a Stripped<'a, S>,
    /// The request, with a cost estimate.
    pub request: Request<'a>,
    /// The answer, if the first few wavefronts found it.
    pub answer: Option<Outcome>,
    /// Time of those wavefronts; a repeated call takes the same.
    answered_in: Duration,
    pub trial: Option<WavefrontTrial>,
    /// Whether the calling thread fills the table if the trial fails.
    pub takes_one_thread: bool,
}

/// Candidates in order; the last one always answers.
pub(crate) struct FallbackChain {
    pub candidates: Vec<MethodCandidate>,
    /// The GPU of the candidates, if any.
    pub device: Option<DeviceEstimate>,
}

impl<'a, S: Symbol> Decision<'a, S> {
    /// Tries the first few wavefronts; without an answer, estimates the cost and decides on a
    /// trial.
    ///
    /// # Errors
    /// [`Error::Cancelled`], and errors of listing the devices.
    pub(crate) fn new<P: Problem>(
        engine: &Engine,
        stripped: &'a Stripped<'a, S>,
        request: Request<'a>,
        phases: &Phases,
    ) -> Result<Self> {
        let started = Instant::now();
        let mut decision = Self {
            stripped,
            request,
            answer: None,
            answered_in: Duration::ZERO,
            trial: None,
            takes_one_thread: false,
        };
        if !matches!(
            request.strategy,
            Strategy::Auto | Strategy::Bands | Strategy::Wavefronts
        ) {
            return Ok(decision);
        }
        let bytes = engine.host_budget();
        let search = SearchLimit {
            wavefronts: request.max_cost,
            steps: u64::MAX,
            probe: u64::MAX,
            bytes,
        };
        let trial = SearchLimit {
            bytes: bytes / TRIAL_MEMORY_SHARE,
            ..search
        };
        let named = if engine.chooses_device() {
            None
        } else {
            engine.device_estimate(0.0)?
        };
        phases.lap(Phase::OpenDevice);
        let table = decision.work(engine, stripped.shape(P::Sweep::TABLE), Band::WHOLE);
        let sweep_seconds = LazyCell::new(|| table.seconds::<P::Sweep>());
        if request.strategy == Strategy::Auto {
            decision.takes_one_thread =
                named.is_none() && tiny_pairs::takes_one_thread(decision.lens(), &request);
            let steps = decision.few_steps(|| *sweep_seconds, named.is_some());
            let few = SearchLimit {
                steps,
                probe: steps / PROBE_SHARE,
                ..trial
            };
            decision.answer = wavefront_trial::solve::<P, S>(stripped, request, few)?;
            decision.answered_in = started.elapsed();
            phases.lap(Phase::Wavefront);
            if decision.answer.is_some() || decision.takes_one_thread {
                return Ok(decision);
            }
        }
        let forced = request.strategy == Strategy::Bands
            || request.strategy == Strategy::Wavefronts && named.is_some();
        request.control.set_phase(Phase::Similarity);
        let worth = match named {
            Some(_) => stripped.cells() >= profile::gpu::WORTH_A_GUESS_CELLS,
            None => *sweep_seconds >= profile::cpu::WORTH_A_GUESS_SECONDS,
        };
        let estimate = || similarity::estimate::<P::Sweep, S>(stripped);
        let measured = (forced || worth).then(|| engine.on_threads(estimate));
        // A cost limit of the caller serves as the estimate if nothing was measured.
        let bound =
            (request.max_cost < u64::MAX).then(|| CostEstimate::from_bound(request.max_cost));
        decision.request.estimate = measured
            .or(bound)
            .map(|estimate| estimate.within(request.max_cost));
        phases.lap(Phase::Similarity);
        decision.trial = match request.strategy {
            Strategy::Auto => decision.worth_a_trial::<P>(engine, named.as_ref(), trial)?,
            Strategy::Wavefronts if !decision.wavefronts_on_gpu::<P>(engine, named.as_ref())? => {
                let expected = decision.request.estimate.map(|estimate| estimate.expected);
                let seconds = expected.map(|cost| {
                    diagonal_transition::seconds::<P::Wavefront>(decision.lens(), cost)
                });
                let expected_steps = seconds.map_or(0, |seconds| {
                    (seconds / profile::cpu::WAVEFRONT_STEP_SECONDS) as u64
                });
                Some(WavefrontTrial {
                    limit: search,
                    likely_to_answer: true,
                    expected_steps,
                })
            }
            _ => None,
        };
        Ok(decision)
    }

    /// Step limit of the wavefronts before any planning: a small part of the sweep's work.
    fn few_steps(&self, sweep_seconds: impl FnOnce() -> f64, on_gpu: bool) -> u64 {
        let seconds = match self.takes_one_thread {
            // A submission or a path takes as long as the maximum step count.
            _ if on_gpu || self.request.path => return profile::cpu::MIN_WAVEFRONT_STEPS,
            true => self.stripped.cells() as f64 / profile::cpu::SMALL_CELLS_PER_SECOND,
            // Includes the waking of threads even for a single tile, which wakes none: wavefronts
            // of pairs a few percent apart take a third of its time.
            false => profile::cpu::WAKING_SECONDS + sweep_seconds(),
        };
        profile::cpu::MIN_WAVEFRONT_STEPS
            .min((seconds * FIRST_STEPS_SHARE / profile::cpu::WAVEFRONT_STEP_SECONDS) as u64)
    }

    /// The wavefront trial on the CPU, if it is expected to be fastest, or cheap enough to risk.
    fn worth_a_trial<P: Problem>(
        &self,
        engine: &Engine,
        named: Option<&DeviceEstimate>,
        limit: SearchLimit,
    ) -> Result<Option<WavefrontTrial>> {
        let Some(estimate) = self.request.estimate else {
            return Ok(None);
        };
        let (shape, lens) = (self.stripped.shape(P::Sweep::TABLE), self.lens());
        let instead = match named {
            // A forced device is rated by its profile, not by its measured pace.
            Some(device) => {
                rough_seconds::<P::Wavefront>(device, shape, estimate, self.request.path)
            }
            None => {
                let on_cpu = self.seconds_on_cpu::<P>(engine, shape);
                let device = engine.device_estimate(on_cpu)?;
                let rough = |device: &DeviceEstimate| {
                    device.call_seconds(rough_seconds::<P::Wavefront>(
                        device,
                        shape,
                        estimate,
                        self.request.path,
                    ))
                };
                device
                    .as_ref()
                    .map_or(on_cpu, |device| on_cpu.min(rough(device)))
            }
        };
        let seconds = |cost| diagonal_transition::seconds::<P::Wavefront>(lens, cost);
        let kept_bytes = if self.request.path {
            estimate.expected.saturating_mul(estimate.expected) * 4
                / P::Wavefront::DIAGONAL_STEP as u64
        } else {
            0
        };
        let share = instead * TRIAL_SHARE;
        // With a forced GPU the CPU answers only what costs next to nothing.
        let worth = if named.is_some() { share } else { instead };
        let likely_to_answer =
            seconds(estimate.expected) * TIME_RISK <= worth && kept_bytes <= limit.bytes;
        let max_seconds = if likely_to_answer { worth } else { share };
        if seconds(estimate.upper / COST_ERROR) > max_seconds {
            return Ok(None);
        }
        let steps = (max_seconds / profile::cpu::WAVEFRONT_STEP_SECONDS) as u64;
        let expected_steps = if likely_to_answer {
            seconds(estimate.expected)
        } else {
            instead
        } / profile::cpu::WAVEFRONT_STEP_SECONDS;
        Ok(Some(WavefrontTrial {
            limit: SearchLimit { steps, ..limit },
            likely_to_answer,
            expected_steps: expected_steps as u64,
        }))
    }

    /// Whether forced wavefronts run on the GPU.
    fn wavefronts_on_gpu<P: Problem>(
        &self,
        engine: &Engine,
        named: Option<&DeviceEstimate>,
    ) -> Result<bool> {
        if !engine.chooses_device() {
            return Ok(named.is_some());
        }
        let Some(estimate) = self.request.estimate else {
            return Ok(false);
        };
        let (rows, cols) = self.lens();
        let on_cpu = diagonal_transition::seconds::<P::Wavefront>((rows, cols), estimate.expected);
        let Some(device) = engine.device_estimate(on_cpu)? else {
            return Ok(false);
        };
        let front = SearchSizes::new::<P::Wavefront>(rows, cols, estimate.upper);
        let on_gpu = front
            .expected(self.request.path, &device.capabilities)
            .as_secs_f64();
        Ok(device.call_seconds(on_gpu) < on_cpu)
    }

    fn lens(&self) -> (usize, usize) {
        (self.stripped.rows.len(), self.stripped.cols.len())
    }

    fn work(&self, engine: &Engine, shape: Shape, band: Band) -> SweepWork {
        SweepWork::new(self.lens(), shape.alphabet.shared, band, engine.threads())
    }

    /// Candidates on the CPU after the trial.
    fn on_cpu<P: Problem>(&self, engine: &Engine, shape: Shape) -> Vec<MethodCandidate> {
        let whole = MethodCandidate::new(Strategy::Sweep, false);
        let (request, work) = (self.request, self.work(engine, shape, Band::WHOLE));
        match (request.strategy, request.estimate) {
            (Strategy::Auto, Some(estimate)) => {
                let max_cells = (shape.cells() as f64 * MAX_BAND_SHARE) as u64;
                let bands = MethodCandidate {
                    max_cells,
                    ..MethodCandidate::new(Strategy::Bands, false)
                };
                let hopeful = shape.within(estimate.upper).cells() <= u128::from(max_cells);
                let seconds = |candidate| self.plan_on_cpu::<P>(engine, candidate, &work).expected;
                let worth = hopeful && seconds(&bands) < seconds(&whole);
                if worth {
                    vec![bands, whole]
                } else {
                    vec![whole]
                }
            }
            (Strategy::Auto, None) => vec![whole],
            (strategy, _) => vec![MethodCandidate::new(strategy, false)],
        }
    }

    /// Plan of a sweep or of bands on the CPU.
    fn plan_on_cpu<P: Problem>(
        &self,
        engine: &Engine,
        candidate: &MethodCandidate,
        work: &SweepWork,
    ) -> PlanSummary<Strategy> {
        let budget_bytes = engine.host_budget();
        match candidate.strategy {
            Strategy::Bands => banded::plan::<P::Sweep>(work, self.request, budget_bytes),
            strategy => cpu::summarize::<P::Sweep, _>(
                strategy,
                work,
                self.request.path.then_some(budget_bytes),
            ),
        }
    }

    fn seconds_on_cpu<P: Problem>(&self, engine: &Engine, shape: Shape) -> f64 {
        let work = self.work(engine, shape, Band::WHOLE);
        let first = self.on_cpu::<P>(engine, shape).remove(0);
        match first.strategy {
            Strategy::Baseline(name) => P::baseline_plan_on_cpu(name, shape, engine.threads())
                .map_or(f64::INFINITY, |plan| plan.expected.as_secs_f64()),
            // Forced wavefronts come here only if the CPU was slower.
            Strategy::Wavefronts => f64::INFINITY,
            _ => self
                .plan_on_cpu::<P>(engine, &first, &work)
                .expected
                .as_secs_f64(),
        }
    }

    /// Candidates on a GPU.
    ///
    /// # Errors
    /// Insufficient device memory for forced wavefronts.
    fn on_gpu<P: Problem>(&self, sizing: Sizing<'_>, whole: Shape) -> Result<Vec<MethodCandidate>> {
        let request = self.request;
        let mut candidates = Vec::new();
        if matches!(request.strategy, Strategy::Auto | Strategy::Wavefronts) {
            let front = SearchChoice::<P::Wavefront>::new(sizing, request, whole).first()?;
            candidates.extend(front.map(|front| MethodCandidate {
                first_search: Some(front),
                ..MethodCandidate::new(Strategy::Wavefronts, true)
            }));
        }
        match request.strategy {
            Strategy::Auto => {
                let band = request
                    .estimate
                    .map(|estimate| sizing.band(whole, estimate.upper, false));
                if let Some(Ok(Some(_))) = band {
                    candidates.push(MethodCandidate::new(Strategy::Bands, true));
                }
                candidates.push(MethodCandidate::new(Strategy::Sweep, true));
            }
            Strategy::Wavefronts => {}
            // Without a common symbol no band is narrower than the table.
            Strategy::Bands if whole.alphabet.shared == 0 => {
                candidates.push(MethodCandidate::new(Strategy::Sweep, true))
            }
            strategy => candidates.push(MethodCandidate::new(strategy, true)),
        }
        Ok(candidates)
    }

    /// Plan of a candidate on a GPU.
    ///
    /// # Errors
    /// Insufficient device memory.
    fn plan_on_gpu<P: Problem>(
        &self,
        candidate: &MethodCandidate,
        sizing: Sizing<'_>,
        whole: Shape,
    ) -> Result<PlanSummary<Strategy>> {
        let request = self.request;
        let plan = match (candidate.strategy, candidate.first_search) {
            (Strategy::Wavefronts, Some(front)) => {
                SearchChoice::<P::Wavefront>::new(sizing, request, whole).summarize(&front)
            }
            (Strategy::Baseline(name), _) => P::baseline_plan(name, &sizing, whole, request.path)?,
            (Strategy::Bands, _) => {
                let bound = request
                    .estimate
                    .map_or(u64::MAX, |estimate| estimate.upper)
                    .max(whole.rows.abs_diff(whole.cols));
                sizing.summarize(
                    candidate.strategy,
                    whole.within(bound.min(request.max_cost)),
                    request.path,
                )?
            }
            (strategy, _) => sizing.summarize(strategy, whole, request.path)?,
        };
        sizing.check_budget(plan.device_bytes)?;
        Ok(plan)
    }

    /// The candidates after the trial.
    ///
    /// # Errors
    /// [`Error::MethodUnavailable`] for a baseline on the wrong device, [`Error::UnknownDevice`],
    /// and errors of a forced GPU without enough memory.
    pub(crate) fn fallback_chain<P: Problem>(
        &self,
        engine: &Engine,
        codes: &Encoded,
    ) -> Result<FallbackChain> {
        let (request, shape) = (self.request, shape_of::<P>(codes));
        if request.strategy == Strategy::Reference {
            return Ok(FallbackChain {
                candidates: vec![MethodCandidate::new(request.strategy, false)],
                device: None,
            });
        }
        let chooses = engine.chooses_device();
        let on_cpu = if chooses {
            self.seconds_on_cpu::<P>(engine, shape)
        } else {
            0.0
        };
        let device = engine.device_estimate(on_cpu)?;
        if let Some(device) = device {
            let sizing = device.sizing(request.tuning);
            let candidates = self.on_gpu::<P>(sizing, shape);
            if !chooses {
                return Ok(FallbackChain {
                    candidates: candidates?,
                    device: Some(device),
                });
            }
            // The CPU answers if the GPU has too little memory or the alphabet is too large for its
            // codes.
            let seconds = |candidates: &[MethodCandidate]| {
                let plan = self.plan_on_gpu::<P>(candidates.first()?, sizing, shape);
                plan.ok()
                    .map(|plan| device.call_seconds(plan.expected.as_secs_f64()))
            };
            if let Ok(candidates) = candidates
                && device.capabilities.host_threads.is_none()
                && seconds(&candidates).is_some_and(|seconds| seconds < on_cpu)
            {
                return Ok(FallbackChain {
                    candidates,
                    device: Some(device),
                });
            }
        }
        let candidates = self.on_cpu::<P>(engine, shape);
        if let Some(MethodCandidate {
            strategy: Strategy::Baseline(name),
            ..
        }) = candidates.first()
        {
            P::baseline_plan_on_cpu(name, shape, engine.threads())?;
        }
        Ok(FallbackChain {
            candidates,
            device: None,
        })
    }

    /// Plan of the call: that of the candidate expected to answer.
    ///
    /// # Errors
    /// As [`fallback_chain`](Self::fallback_chain), and insufficient device memory.
    pub(crate) fn summarize<P: Problem>(&self, engine: &Engine) -> Result<PlanSummary<Strategy>> {
        let (lens, request) = (self.lens(), self.request);
        let wavefronts = |max_distance, expected| {
            diagonal_transition::summarize::<P::Wavefront>(
                engine,
                lens,
                (max_distance, expected),
                request.path,
            )
        };
        let greatest = P::Sweep::greatest_cost(lens.0, lens.1).min(request.max_cost);
        let symbols = (lens.0 + lens.1) as f64;
        let mut plan = match (&self.answer, &self.trial, request.strategy) {
            (Some(Outcome { cost, .. }), ..) => {
                let cost = cost.unwrap_or(request.max_cost);
                return Ok(PlanSummary {
                    expected: self.answered_in + ANSWERED,
                    ..wavefronts(cost, cost)
                });
            }
            (
                _,
                Some(WavefrontTrial {
                    likely_to_answer: true,
                    limit,
                    ..
                }),
                strategy,
            ) => {
                let estimate = request
                    .estimate
                    .unwrap_or(CostEstimate::from_bound(greatest));
                let costs = (
                    estimate.upper.min(greatest),
                    estimate.expected.min(greatest),
                );
                let plan = wavefronts(costs.0, costs.1);
                let forced = strategy == Strategy::Wavefronts;
                if forced && request.path && plan.host_bytes > limit.bytes {
                    // Only the search tells whether its wavefronts fit the memory.

                    let found = wavefront_trial::solve::<P, S>(self.stripped, request, *limit)?;
                    let cost = found.and_then(|found| found.cost).unwrap_or(costs.0);
                    wavefronts(cost, cost)
                } else {
                    plan
                }
            }
            (_, _, Strategy::Reference) => {
                reference_method::summarize(engine, Strategy::Reference, lens, request.path)?
            }
            _ => {
                let codes = Encoded::by(engine, self.stripped.rows, self.stripped.cols);
                let shape = shape_of::<P>(&codes);
                let FallbackChain { candidates, device } =
                    self.fallback_chain::<P>(engine, &codes)?;
                let first = candidates
                    .first()
                    .copied()
                    .unwrap_or(MethodCandidate::new(Strategy::Sweep, false));
                let work = self.work(engine, shape, Band::WHOLE);
                let mut plan = match (&device, first.strategy) {
                    (Some(device), _) => {
                        self.plan_on_gpu::<P>(&first, device.sizing(request.tuning), shape)?
                    }
                    (None, Strategy::Baseline(name)) => {
                        P::baseline_plan_on_cpu(name, shape, engine.threads())?
                    }
                    (None, _) => self.plan_on_cpu::<P>(engine, &first, &work),
                };
                if first.strategy == Strategy::Sweep && nothing_pairs::<P>(codes.shared) {
                    (plan.path_mode, plan.expected) =
                        (PathMode::Table.if_path(request.path), Duration::ZERO);
                }
                if let Some(device) = device {
                    plan.expected = device.expected(plan.expected.as_secs_f64());
                }
                plan.host_bytes += 4 * (shape.rows + shape.cols);
                plan
            }
        };
        let threaded = profile::cpu::threaded_call_seconds(engine.threads());
        let tabled = threaded + profile::cpu::TABLE_CALL_SECONDS;
        let around = match request.estimate {
            None if self.takes_one_thread => {
                profile::cpu::LONE_TABLE_CALL_SECONDS + symbols * profile::cpu::SYMBOL_SECONDS
            }
            None => tabled + symbols * profile::cpu::SYMBOL_SECONDS,
            Some(_) => {
                let threads = engine.threads();
                let estimating = symbols * profile::cpu::GUESS_SYMBOL_SECONDS
                    / profile::speedup(threads)
                    + profile::cpu::GUESS_SECONDS
                    + profile::cpu::GUESS_THREAD_SECONDS * threads as f64;
                // Wavefronts on the CPU have no table.
                let tableless = plan.method == Strategy::Wavefronts && plan.device == CPU;
                let before = if tableless { threaded } else { tabled };
                before + symbols * profile::cpu::SYMBOL_SECONDS + estimating
            }
        };
        plan.expected += Duration::from_secs_f64(around);
        Ok(plan)
    }
}

fn shape_of<P: Problem>(codes: &Encoded) -> Shape {
    Shape::new(
        P::Sweep::TABLE,
        codes.a.len() as u64,
        codes.b.len() as u64,
        codes.shared,
    )
}

/// Whether no symbols can be paired: none is common, and mismatches are not allowed.
pub(super) fn nothing_pairs<P: Problem>(shared: u32) -> bool {
    shared == 0 && !P::Sweep::MISMATCHES
}

/// Rough time of the fastest GPU method, without choosing sizes.
fn rough_seconds<R: WavefrontRecurrence>(
    device: &DeviceEstimate,
    shape: Shape,
    estimate: CostEstimate,
    path: bool,
) -> f64 {
    let caps = &device.capabilities;
    let front = SearchSizes::new::<R>(shape.rows as usize, shape.cols as usize, estimate.upper);
    let swept = Tiling::rough_seconds(shape, caps);
    front.expected(path, caps).as_secs_f64().min(swept)
}

/// The error of a GPU-only method on the CPU.
pub(crate) fn needs_gpu(method: &'static str) -> Error {
    let reason =
        "it is a GPU kernel; name a GPU with the device option, or take the method 'bit-parallel'"
            .to_string();
    Error::MethodUnavailable {
        method,
        device: CPU.to_string(),
        reason,
    }
}
