//! A query for two sequences, and its ways to answer.
//!
//! Wavefronts on the CPU come first if the sequences seem similar: they compare symbols, so they
//! need no codes. All other ways are placed after encoding.

use std::cell::LazyCell;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::time::Duration;

use crate::call::phase::Phase;
use crate::engine::placement::{self, AUTO, Call, Cost, Way, Ways};
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary, Run, profile};
use crate::error::Result;
use crate::host::Instant;
use crate::sequences::affixes::Stripped;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::SweepWork;
use crate::sequences::bit_parallel::recurrence::Recurrence as _;
use crate::sequences::bit_parallel::shape::Shape;
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Encoded;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::diagonal_transition::{self, SearchLimit, WavefrontRecurrence};
use crate::sequences::letters;
use crate::sequences::problem::Problem;
use crate::sequences::request::{
    BANDED, BIT_PARALLEL, Found, Outcome, REFERENCE, Request, WAVEFRONT,
};
use crate::sequences::stripped::StrippedPair;
use crate::sequences::tiny::{is_tiny, suits_one_thread};
use crate::sequences::typed::{SymbolPair, Typed};
use crate::sequences::ways::{Banded, OneThread, Reference, Sweep, Trial, Wavefronts};

/// Share of the expected time of the alternative that an unlikely trial may take.
const TRIAL_SHARE: f64 = 0.05;
/// Share of the sweep's expected time that the first few wavefronts may take, before any planning.
const FIRST_STEPS_SHARE: f64 = 0.5;
/// Divisor of that step limit: after this part the search must be on track to finish.
const PROBE_SHARE: u64 = 4;
/// Safety factor on the expected wavefront time, for searches that would be given up for a faster
/// way.
const TIME_RISK: f64 = 1.5;
/// The true cost may be a quarter of the upper estimate.
const COST_ERROR: u64 = 4;
/// Divisor of the host memory for wavefronts that the caller did not request.
const TRIAL_MEMORY_SHARE: u64 = 4;
/// Common symbols that are assumed before encoding: they hardly change an estimate.
const ASSUMED_SHARED: u32 = 4;

pub(crate) struct PairQuery<'a, P> {
    call: &'a Call<'a>,
    problem: PhantomData<P>,
    pub sequences: &'a StrippedPair<'a>,
    /// The request, with a cost estimate.
    pub request: Request<'a>,
    symbols: usize,
    all_cells: u128,
    codes: OnceLock<Encoded>,
    /// True while costs are asked for before the symbols are encoded.
    is_rough: bool,
    pub start: Start,
    /// Result of requested wavefronts that ran to find out whether they fit the memory.
    pub searched: OnceLock<Option<Found>>,
}

/// What comes before the ways that need codes.
pub(crate) enum Start {
    Tables,
    /// A table so small that nothing else is tried.
    Tiny,
    /// A table so small that the calling thread fills it.
    OneThread,
    /// The first few wavefronts have answered, within this time.
    Answered(Option<Found>, Duration),
    Trial(WavefrontTrial),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WavefrontTrial {
    pub limit: SearchLimit,
    pub likely_to_answer: bool,
    /// Expected steps of the call for progress reports: of the trial if it is likely to answer,
    /// else the equivalent of what follows it.
    pub expected_steps: u64,
}

impl<'a, P: Problem> PairQuery<'a, P> {
    /// Measures the similarity: tries the first few wavefronts; without an answer, estimates the
    /// cost from samples, and decides on a trial.
    fn new(
        call: &'a Call<'a>,
        sequences: &'a StrippedPair<'a>,
        request: Request<'a>,
    ) -> Result<Self> {
        let mut query = Self::unmeasured(call, sequences, request);
        let (a, b) = sequences.whole_lens();
        let engine = call.engine;
        if sequences.match_others() {
            letters::check(engine, request.method)?;
            if request.method == AUTO {
                query.start = Start::Trial(query.trial_of_letters(engine)?);
            }
        } else if request.method == AUTO && !request.path && is_tiny(a, b) && !engine.names_gpu()? {
            query.start = Start::Tiny;
        } else if matches!(request.method, AUTO | BANDED | WAVEFRONT) {
            query.measure(engine)?;
        }
        query.is_rough = false;
        Ok(query)
    }

    pub(crate) fn with_codes(&self, cost: Cost) -> Cost {
        let (rows, cols) = self.lens_u64();
        Cost {
            host_bytes: cost.host_bytes + 4 * (rows + cols),
            ..cost
        }
    }

    fn unmeasured(
        call: &'a Call<'a>,
        sequences: &'a StrippedPair<'a>,
        request: Request<'a>,
    ) -> Self {
        let (a, b) = sequences.whole_lens();
        Self {
            call,
            problem: PhantomData,
            sequences,
            request,
            symbols: a + b,
            all_cells: a as u128 * b as u128,
            codes: OnceLock::new(),
            is_rough: true,
            start: Start::Tables,
            searched: OnceLock::new(),
        }
    }

    /// False for an adapter that computes on the CPU, which is used only by name.
    pub(crate) fn takes(&self, engine: &Engine, device: &DeviceEstimate) -> bool {
        !engine.chooses_device() || device.capabilities.host_threads.is_none()
    }

    pub(crate) fn lens(&self) -> (usize, usize) {
        (self.sequences.rows().len(), self.sequences.cols().len())
    }

    pub(crate) fn lens_u64(&self) -> (u64, u64) {
        let (rows, cols) = self.lens();
        (rows as u64, cols as u64)
    }

    pub(crate) fn begin_sweep(&self) {
        let control = self.request.control;
        control.set_phase(Phase::Sweep);
        control.add_total(u64::try_from(self.cells()).unwrap_or(u64::MAX));
    }

    pub(crate) fn cells(&self) -> u128 {
        let (rows, cols) = self.lens();
        rows as u128 * cols as u128
    }

    pub(crate) fn codes(&self) -> &Encoded {
        let encode = || {
            let codes = self.sequences.encode(self.call.engine);
            self.call.phases.lap(Phase::Encode);
            codes
        };
        self.codes.get_or_init(encode)
    }

    /// Shape of the table, with an assumed alphabet before encoding.
    pub(crate) fn shape(&self) -> Shape {
        let kind = P::Sweep::TABLE;
        let codes = if self.is_rough {
            self.codes.get()
        } else {
            Some(self.codes())
        };
        let (rows, cols) = self.lens();
        match codes {
            Some(codes) => Shape::of(kind, codes.codes()),
            None => Shape::new(kind, rows as u64, cols as u64, ASSUMED_SHARED),
        }
    }

    pub(crate) fn work(&self, engine: &Engine) -> SweepWork {
        let alphabet = self.shape().alphabet;
        let (rows, cols) = self.lens();
        SweepWork::new(rows, cols, alphabet, Band::WHOLE, engine.threads())
    }

    /// Whether no symbols can be paired: none is common, and mismatches are not allowed.
    pub(crate) fn nothing_pairs(&self) -> bool {
        self.shape().alphabet.shared == 0 && !P::Sweep::MISMATCHES
    }

    pub(crate) fn greatest_table_cost(&self) -> u64 {
        let (rows, cols) = self.lens();
        P::Sweep::greatest_cost(rows, cols)
    }

    /// The greatest cost of interest that is possible.
    pub(crate) fn greatest_cost(&self) -> u64 {
        self.greatest_table_cost().min(self.request.max_cost)
    }

    pub(crate) fn wavefront_cost(&self, engine: &Engine, estimate: CostEstimate) -> Cost {
        let ((rows, cols), path) = (self.lens(), self.request.path);
        diagonal_transition::cost::<P::Wavefront>(engine, rows, cols, estimate, path)
    }

    /// Expected steps of wavefronts on the CPU that find this distance.
    pub(crate) fn wavefront_steps(&self, distance: u64) -> f64 {
        let (rows, cols) = self.lens();
        diagonal_transition::steps::<P::Wavefront>(rows, cols, distance)
    }

    pub(crate) fn search_limit(&self, engine: &Engine) -> SearchLimit {
        SearchLimit {
            wavefronts: self.request.max_cost,
            steps: u64::MAX,
            probe: u64::MAX,
            bytes: engine.host_budget(),
        }
    }

    fn measure(&mut self, engine: &Engine) -> Result<()> {
        let started = Instant::now();
        let (request, phases) = (self.request, &self.call.phases);
        let names_gpu = engine.names_gpu()?;
        phases.lap(Phase::OpenDevice);
        let table = self.work(engine);
        let sweep_seconds = LazyCell::new(|| table.seconds::<P::Sweep>());
        let limit = SearchLimit {
            bytes: engine.host_budget() / TRIAL_MEMORY_SHARE,
            ..self.search_limit(engine)
        };
        if request.method == AUTO {
            let (rows, cols) = self.lens();
            let one_thread = !names_gpu && !request.path && suits_one_thread(rows, cols);
            if one_thread {
                self.start = Start::OneThread;
            }
            let steps = self.few_steps(one_thread, names_gpu, || *sweep_seconds);
            let few = SearchLimit {
                steps,
                probe: steps / PROBE_SHARE,
                ..limit
            };
            let found = Trial::search(self, few)?;
            phases.lap(Phase::Wavefront);
            if found.is_some() {
                self.start = Start::Answered(found, started.elapsed());
            }
            if !matches!(self.start, Start::Tables) {
                return Ok(());
            }
        }
        request.control.set_phase(Phase::Similarity);
        let seconds = if names_gpu {
            self.cells() as f64 / profile::gpu::SWEPT_CELLS_PER_SECOND
        } else {
            *sweep_seconds
        };
        let worth = seconds >= profile::cpu::WORTH_A_GUESS_SECONDS;
        let forced = request.method == BANDED || request.method == WAVEFRONT && names_gpu;
        let sequences = self.sequences;
        let estimate = || sequences.estimate::<P>();
        let measured = (forced || worth).then(|| engine.on_threads(estimate));
        // A cost limit of the caller serves as the estimate if nothing was measured.
        let bound =
            (request.max_cost < u64::MAX).then(|| CostEstimate::from_bound(request.max_cost));
        self.request.estimate = measured
            .or(bound)
            .map(|estimate| estimate.within(request.max_cost));
        phases.lap(Phase::Similarity);
        if request.method == AUTO
            && let Some(trial) = self.worth_a_trial(engine, names_gpu, limit)?
        {
            self.start = Start::Trial(trial);
        }
        Ok(())
    }

    /// Step limit of the wavefronts before any planning: a small part of the sweep's work.
    fn few_steps(
        &self,
        one_thread: bool,
        names_gpu: bool,
        sweep_seconds: impl FnOnce() -> f64,
    ) -> u64 {
        // A submission or a path takes as long as the maximum step count.
        if names_gpu || self.request.path {
            return profile::cpu::MIN_WAVEFRONT_STEPS;
        }
        let seconds = if one_thread {
            self.cells() as f64 / profile::cpu::SMALL_CELLS_PER_SECOND
        } else {
            // Includes the waking of threads even for a single tile, which wakes none: wavefronts
            // of pairs a few percent apart take a third of its time.
            profile::cpu::THREAD_SECONDS + sweep_seconds()
        };
        profile::cpu::MIN_WAVEFRONT_STEPS
            .min((seconds * FIRST_STEPS_SHARE / profile::cpu::WAVEFRONT_STEP_SECONDS) as u64)
    }

    /// The wavefront trial on the CPU, if it is expected to be fastest, or cheap enough to risk.
    fn worth_a_trial(
        &self,
        engine: &Engine,
        names_gpu: bool,
        limit: SearchLimit,
    ) -> Result<Option<WavefrontTrial>> {
        let Some(estimate) = self.request.estimate else {
            return Ok(None);
        };
        let instead = placement::seconds(engine, self, &tables())?;
        let kept_bytes = if self.request.path {
            estimate.expected.saturating_mul(estimate.expected) * 4
                / P::Wavefront::DIAGONAL_STEP as u64
        } else {
            0
        };
        let instead = instead / profile::cpu::WAVEFRONT_STEP_SECONDS;
        let share = instead * TRIAL_SHARE;
        // With a named GPU the CPU answers only what costs next to nothing.
        let worth = if names_gpu { share } else { instead };
        let expected = self.wavefront_steps(estimate.expected);
        let likely_to_answer = expected * TIME_RISK <= worth && kept_bytes <= limit.bytes;
        let (max_steps, expected) = if likely_to_answer {
            (worth, expected)
        } else {
            (share, instead)
        };
        if self.wavefront_steps(estimate.upper / COST_ERROR) > max_steps {
            return Ok(None);
        }
        let steps = max_steps as u64;
        Ok(Some(WavefrontTrial {
            limit: SearchLimit { steps, ..limit },
            likely_to_answer,
            expected_steps: expected as u64,
        }))
    }

    /// Wavefronts of symbols that match others: as long as the fastest sweep takes. For a named GPU
    /// they answer only what costs next to nothing.
    fn trial_of_letters(&self, engine: &Engine) -> Result<WavefrontTrial> {
        let steps = if engine.names_gpu()? {
            profile::cpu::MIN_WAVEFRONT_STEPS
        } else {
            let seconds = placement::seconds(engine, self, &tables())?;
            (seconds / profile::cpu::WAVEFRONT_STEP_SECONDS) as u64
        };
        Ok(WavefrontTrial {
            limit: SearchLimit {
                steps,
                probe: steps / PROBE_SHARE,
                ..self.search_limit(engine)
            },
            likely_to_answer: false,
            expected_steps: steps,
        })
    }
}

fn tables<'w, 'q, P>() -> Vec<&'w dyn Way<PairQuery<'q, P>>>
where
    P: Problem,
    'q: 'w,
{
    vec![&Sweep, &Banded, &Wavefronts]
}

impl<'q, P: Problem> Ways for PairQuery<'q, P> {
    type Answer = Outcome;

    fn requested(&self) -> &'static str {
        self.request.method
    }

    fn cells(&self) -> u128 {
        self.all_cells
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        let all = || {
            let mut ways = tables();
            ways.push(&Reference);
            ways.extend(P::papers());
            ways
        };
        match (&self.start, round) {
            (Start::Tiny | Start::OneThread, 0) => vec![&OneThread],
            (Start::Answered(..) | Start::Trial(_), 0) => vec![&Trial],
            (Start::Trial(_), 1) | (Start::Tables, 0) => all(),
            _ => Vec::new(),
        }
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        self.request.method != REFERENCE
    }

    fn host_seconds(&self, engine: &Engine, method: &str, is_on_gpu: bool) -> f64 {
        let symbols = self.symbols as f64 * profile::cpu::SYMBOL_SECONDS;
        let threads = engine.threads();
        let threaded = profile::cpu::threaded_call_seconds(threads);
        let table = threaded + profile::cpu::TABLE_CALL_SECONDS;
        match (&self.start, self.request.estimate) {
            (Start::Answered(..), _) => 0.0,
            (Start::Tiny, _) => profile::cpu::SMALL_CALL_SECONDS + symbols,
            (Start::OneThread, _) => profile::cpu::LONE_TABLE_CALL_SECONDS + symbols,
            (_, None) => table + symbols,
            (_, Some(_)) => {
                let estimating = self.symbols as f64 * profile::cpu::GUESS_SYMBOL_SECONDS
                    / profile::speedup(threads)
                    + profile::cpu::GUESS_SECONDS
                    + profile::cpu::THREAD_SECONDS * threads as f64;
                // Wavefronts on the CPU have no table.
                let before = if method == WAVEFRONT && !is_on_gpu {
                    threaded
                } else {
                    table
                };
                before + symbols + estimating
            }
        }
    }
}

pub(crate) struct Solved {
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
    pub run: Run,
}

/// Answers a query for two sequences. The caller verifies the path.
pub(crate) async fn solve<P: Problem>(
    call: &Call<'_>,
    pair: SymbolPair<'_>,
    request: Request<'_>,
) -> Result<Solved> {
    let stripped = StrippedPair::new(pair);
    call.phases.lap(Phase::Strip);
    let mut query = PairQuery::<P>::new(call, &stripped, request)?;
    let (Outcome { cost, path }, run) = if matches!(query.start, Start::Tiny) {
        // To place the only way would take as long as the table.
        let found = OneThread::fill::<P>(call, &query)?;
        placement::report(call, &query, BIT_PARALLEL, None, found)
    } else {
        placement::run(call, &mut query).await?
    };
    Ok(Solved {
        cost,
        path: path.map(|path| stripped.with_affixes(path)),
        run: Run {
            common_prefix: stripped.prefix() as u64,
            common_suffix: stripped.suffix() as u64,
            ..run
        },
    })
}

pub(crate) fn plan<P: Problem>(
    engine: &Engine,
    pair: SymbolPair<'_>,
    request: Request<'_>,
) -> Result<PlanSummary> {
    let (stripped, call) = (
        StrippedPair::new(pair),
        Call::start(engine, request.control),
    );
    placement::plan(engine, &PairQuery::<P>::new(&call, &stripped, request)?)
}

/// Answers by the requested method on exactly these codes and this device.
pub(crate) async fn solve_on<P: Problem>(
    call: &Call<'_>,
    device: &Device<'_>,
    codes: &Encoded,
    request: Request<'_>,
) -> Result<Outcome> {
    let estimate = Some(CostEstimate::from_bound(
        codes.a.len().max(codes.b.len()) as u64
    ));
    let request = Request {
        estimate,
        ..request
    };
    let stripped = Typed::Numbers(Stripped::whole(&codes.a, &codes.b));
    let mut query = PairQuery::<P>::unmeasured(call, &stripped, request);
    query.codes = codes.clone().into();
    Ok(placement::run_on(call, &mut query, device).await?.0)
}
