//! The task [`Alignments`].

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::alphabet::Alphabet;
use super::gpu::traceback::{self, KnownPair, Limits};
use super::strings::{Sides, TypedSides};
use super::{Measure, PairValue, Strings};
use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::edit_distance::known::KnownDistance;
use crate::edit_distance::{self, Alignment, EditOptions, Mode};
use crate::engine::profile::cpu::PAIR_CELLS_PER_SECOND;
use crate::engine::profile::gpu::SUBMISSION_SECONDS;
use crate::engine::task::{Sealed, Task};
use crate::engine::{CPU, Device, DeviceEstimate, Engine, PlanSummary, Report, Run, profile};
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::pairwise::codes::Symbol;
use crate::pairwise::typed::for_type;
use crate::path_mode::PathMode;

/// Minimum pairs that a thread takes at once.
const CHUNK: usize = 32;
/// Symbols of pairs that the calling thread aligns before a thread of the pool has woken up.
const SYMBOLS_OF_ONE_THREAD: u64 = 1 << 12;

/// Method in reports.
const METHOD: &str = "banded";

/// Alignments of pairs whose edit distances are known, from [`Pairs::alignments`](super::Pairs).
///
/// The answer has one [`Alignment`] per pair, the one that [`Edit`](crate::Edit) finds; in the mode
/// `infix` the alignment of an empty query is empty. GPUs take pairs in the mode `global`, of up to
/// 992 edits for alphabets of a few symbols; all others are aligned on the CPU.
///
/// # Errors
/// [`Error::OutOfRange`] for strings that are not there, [`Error::CertificateFailed`] for values
/// that are not the distance of their pair, such as those above a bound,
/// [`Error::MethodUnavailable`] for another measure than the edit distance.
///
/// # Example
/// ```
/// use swath::pairs::{PairValue, Pairs, Strings};
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let (a, b) = (Strings::<u8>::from_slices(["kitten"]), Strings::from_slices(["sitting"]));
/// let kept = [PairValue { query: 0, target: 0, value: 3 }];
/// let report = engine.run(&Pairs::cross(&a, &b).alignments(&kept))?;
/// assert_eq!(report.answer[0].cigar_extended(&a[0], &b[0])?, "1X3=1X1=1D");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Alignments<'a, S: Symbol = u8> {
    queries: Strings<'a, S>,
    targets: Strings<'a, S>,
    known: Known<'a>,
}

/// The pairs and how they are compared, without their strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) pairs: &'a [PairValue],
    pub(super) offsets: Option<&'a [u32]>,
    pub(super) measure: Measure,
    pub(super) mode: Mode,
}

impl<'a> Known<'a> {
    fn of<'b, S: Symbol>(self, (queries, targets): &'b Sides<'_, S>) -> KnownPairs<'b, S>
    where
        'a: 'b,
    {
        KnownPairs {
            queries,
            targets: targets.as_ref().unwrap_or(queries),
            known: self,
        }
    }

    fn solve(
        self,
        sides: &TypedSides<'_>,
        engine: &Engine,
        control: &Control,
    ) -> Result<Report<Vec<Alignment>>> {
        for_type!(sides, |sides| {
            pollster::block_on(self.of(sides).solve(engine, control))
        })
    }

    fn decide(self, sides: &TypedSides<'_>, engine: &Engine) -> Result<PlanSummary> {
        for_type!(sides, |sides| self.of(sides).decide(engine))
    }
}

/// Strings, and pairs of them whose values are known.
struct KnownPairs<'a, S: Symbol> {
    queries: &'a Strings<'a, S>,
    targets: &'a Strings<'a, S>,
    known: Known<'a>,
}

impl<'a, S: Symbol> Alignments<'a, S> {
    /// Symbols at the start of the target of each pair in which no best piece lies, so that they are
    /// not searched for its end; from [`KeptBlock::offsets`](super::KeptBlock::offsets). With other
    /// offsets the piece is a later one, or the call fails.
    pub fn offsets(mut self, offsets: &'a [u32]) -> Self {
        self.known.offsets = Some(offsets);
        self
    }

    pub(super) fn new(
        queries: &'a Strings<'_, S>,
        targets: &'a Strings<'_, S>,
        known: Known<'a>,
    ) -> Self {
        Self {
            queries: queries.borrowed(),
            targets: targets.borrowed(),
            known,
        }
    }

    fn sides(&self) -> Result<TypedSides<'_>> {
        TypedSides::of(&self.queries, Some(&self.targets))
    }
}

impl<S: Symbol> KnownPairs<'_, S> {
    fn check(&self) -> Result<()> {
        if self.known.measure != Measure::Edit {
            return Err(Error::MethodUnavailable {
                method: self.known.measure.name(),
                device: CPU.to_string(),
                reason: "only the measure 'edit' has alignments".to_string(),
            });
        }
        if let Some(offsets) = self
            .known
            .offsets
            .filter(|list| list.len() != self.known.pairs.len())
        {
            return Err(Error::OutOfRange {
                what: "the number of offsets",
                given: offsets.len() as u64,
                allowed: format!("{}, that of the pairs", self.known.pairs.len()),
            });
        }
        for pair in self.known.pairs {
            for (what, given, strings) in [
                ("the query of a pair", pair.query, &self.queries),
                ("the target of a pair", pair.target, &self.targets),
            ] {
                if given >= strings.len() {
                    return Err(Error::OutOfRange {
                        what,
                        given: given as u64,
                        allowed: format!("less than {}, the number of strings", strings.len()),
                    });
                }
            }
        }
        Ok(())
    }

    fn lens(&self, pair: &PairValue) -> (u64, u64) {
        let query = self.queries.len_of(pair.query) as u64;
        (query, self.targets.len_of(pair.target) as u64)
    }

    fn strings(&self, pair: &PairValue) -> (&[S], &[S]) {
        (&self.queries[pair.query], &self.targets[pair.target])
    }

    fn cells_of(&self, pair: &PairValue) -> u128 {
        let (query, target) = self.lens(pair);
        u128::from(query) * u128::from(target)
    }

    fn cells(&self) -> u128 {
        self.known
            .pairs
            .iter()
            .map(|pair| self.cells_of(pair))
            .sum()
    }

    fn symbols(&self) -> u64 {
        let symbols = |pair| {
            let (query, target) = self.lens(pair);
            query + target
        };
        self.known.pairs.iter().map(symbols).sum()
    }

    /// Expected time of the bands on the CPU.
    fn cpu_seconds(&self, engine: &Engine) -> f64 {
        let cells = |pair: &PairValue| {
            let (query, target) = self.lens(pair);
            let words = u64::from(pair.value).min(query.max(target)).div_ceil(64);
            query.min(target) as f64 * f64::from(u64::BITS) * words.max(1) as f64
        };
        let cells: f64 = self.known.pairs.iter().map(cells).sum();
        cells / PAIR_CELLS_PER_SECOND / profile::speedup(engine.threads())
    }

    /// Work of devices with these limits; `None` if they take no pair.
    fn on_gpu(&self, engine: &Engine, limits: &Limits) -> Option<traceback::Work> {
        let of_pair = |pair: &PairValue| {
            let (query, target) = self.lens(pair);
            let lens = (query.max(target), query.min(target));
            limits.work(lens, pair.value)
        };
        engine.on_threads(|| {
            let of_range = parallel::range_len(self.known.pairs.len(), CHUNK);
            let parts = parallel::map_ranges(self.known.pairs.len(), of_range, |range| {
                let pairs = self.known.pairs[range].iter();
                pairs.filter_map(of_pair).reduce(|a, b| a + b)
            });
            parts.into_iter().flatten().reduce(|a, b| a + b)
        })
    }

    /// Alphabet of the queries of all pairs, if they have few symbols.
    fn alphabet(&self, engine: &Engine) -> Option<Alphabet<S>> {
        let query = |place: usize| &self.queries[self.known.pairs[place].query];
        engine.on_threads(|| Alphabet::shared_by_threads(self.known.pairs.len(), query))
    }

    fn choose(
        &self,
        engine: &Engine,
        alphabet: &OnceLock<Option<Alphabet<S>>>,
    ) -> Result<Decision> {
        self.check()?;
        let cpu_seconds = self.cpu_seconds(engine);
        let is_worthwhile = !engine.chooses_device() || cpu_seconds > SUBMISSION_SECONDS;
        let is_taken = is_worthwhile && self.known.mode == Mode::Global && !S::MATCHES_OTHERS;
        let on_gpu = |caps: &Capabilities, budget_bytes| {
            let alphabet = alphabet.get_or_init(|| self.alphabet(engine)).as_ref()?;
            let limits = Limits::new(alphabet.codes(), caps, budget_bytes)?;
            self.on_gpu(engine, &limits)
        };
        let seconds = |caps: &Capabilities| {
            let work = on_gpu(caps, u64::MAX);
            work.map_or(f64::INFINITY, |work| work.seconds(caps))
        };
        let device = if is_taken {
            engine.faster_device(cpu_seconds, seconds)?
        } else {
            None
        };
        let on_gpu = device.and_then(|device| {
            let work = on_gpu(&device.capabilities, device.budget_bytes)?;
            Some(OnGpu { device, work })
        });
        Ok(Decision {
            cpu_seconds,
            on_gpu,
        })
    }

    /// Aligns pairs on a GPU. Returns the cells.
    async fn by_gpu(
        &self,
        device: &Device<'_>,
        alphabet: &Alphabet<S>,
        found: &mut [Option<Alignment>],
    ) -> Result<u128> {
        let caps = device.backend.capabilities();
        let Some(limits) = Limits::new(alphabet.codes(), caps, device.budget_bytes) else {
            return Ok(0);
        };
        let add = |place: usize, pairs: &mut Vec<_>| {
            let pair = &self.known.pairs[place];
            let strings = self.strings(pair);
            pairs.extend(KnownPair::new(place, strings, pair.value, &limits));
        };
        let mut pairs = Vec::new();
        device.on_threads(|| {
            let of_range = parallel::range_len(self.known.pairs.len(), 1);
            parallel::extend(&mut pairs, self.known.pairs.len(), of_range, add);
        });
        device.phases.lap(Phase::Strip);
        traceback::solve(device, alphabet, &limits, pairs, found).await
    }

    /// Aligns the short ones of the pairs that are not aligned yet on the CPU.
    fn short(
        &self,
        engine: &Engine,
        control: &Control,
        found: &mut [Option<Alignment>],
    ) -> Result<()> {
        let align = |known: &mut KnownDistance<S>, place: usize, found: &mut Option<_>| {
            if found.is_none() {
                control.check()?;
                let pair = &self.known.pairs[place];
                let offset = self
                    .known
                    .offsets
                    .map_or(0, |offsets| offsets[place] as usize);
                *found = known.align(
                    self.strings(pair),
                    offset,
                    self.known.mode,
                    pair.value.into(),
                )?;
            }
            Ok(())
        };
        if self.symbols() <= SYMBOLS_OF_ONE_THREAD {
            let mut known = KnownDistance::new();
            let mut found = found.iter_mut().enumerate();
            return found.try_for_each(|(place, found)| align(&mut known, place, found));
        }
        engine.on_threads(|| {
            let of_task = parallel::range_len(found.len(), CHUNK);
            let mut tasks: Vec<_> = found.chunks_mut(of_task).collect();
            parallel::try_map_mut(&mut tasks, |task, found| {
                let mut known = KnownDistance::new();
                let mut found = (task * of_task..).zip(found.iter_mut());
                found.try_for_each(|(place, found)| align(&mut known, place, found))
            })
        })?;
        Ok(())
    }

    /// The alignment by a call of its own.
    async fn long(
        &self,
        engine: &Engine,
        pair: &PairValue,
        control: &Control,
    ) -> Result<Alignment> {
        let options = EditOptions {
            mode: self.known.mode,
            path: true,
            control: control.clone(),
            ..EditOptions::default()
        };
        let (query, target) = self.strings(pair);
        let solved = edit_distance::solve(engine, query, target, &options).await?;
        let is_known = solved.distance.exactly() == Some(pair.value.into());
        let alignment = solved.alignment.filter(|_| is_known);
        alignment.ok_or_else(|| {
            let (query, target, value) = (pair.query, pair.target, pair.value);
            Error::CertificateFailed(format!(
                "query {query} and target {target} do not have distance {value}"
            ))
        })
    }

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Vec<Alignment>>> {
        let (started, phases) = (Instant::now(), Phases::start());
        let alphabet = OnceLock::new();
        let (_, gpu) = engine
            .plan_and_open(
                &phases,
                || self.choose(engine, &alphabet),
                |decision| decision.on_gpu.is_some(),
            )
            .await?;
        phases.lap(Phase::Decide);
        let mut found = vec![None; self.known.pairs.len()];
        let (mut device, mut computed_cells) = (CPU.to_string(), 0);
        if let (Some(gpu), Some(Some(alphabet))) = (gpu, alphabet.get()) {
            let of_call = engine.device(&*gpu, control, &phases);
            computed_cells = self.by_gpu(&of_call, alphabet, &mut found).await?;
            if computed_cells > 0 {
                device = gpu.name().to_string();
            }
        }
        let left = self.known.pairs.iter().zip(&found);
        let left = left.filter(|(_, alignment)| alignment.is_none());
        computed_cells += left.map(|(pair, _)| self.cells_of(pair)).sum::<u128>();
        self.short(engine, control, &mut found)?;
        let mut alignments = Vec::with_capacity(found.len());
        for (pair, alignment) in self.known.pairs.iter().zip(found) {
            alignments.push(match alignment {
                Some(alignment) => alignment,
                None => self.long(engine, pair, control).await?,
            });
        }
        phases.lap(Phase::Trace);
        let run = Run {
            method: METHOD,
            path_mode: PathMode::Table,
            device,
            cells: self.cells(),
            computed_cells,
            common_prefix: 0,
            common_suffix: 0,
            elapsed: started.elapsed(),
            phases: phases.totals(),
        };
        Ok(Report::new(alignments, run))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        let alphabet = OnceLock::new();
        let decision = self.choose(engine, &alphabet)?;
        let (device, expected, device_bytes) = match decision.on_gpu {
            Some(OnGpu { device, work }) => {
                let seconds = work.seconds(&device.capabilities);
                let expected = device.expected(seconds);
                (device.name, expected, work.device_bytes)
            }
            None => (
                CPU.to_string(),
                Duration::from_secs_f64(decision.cpu_seconds),
                0,
            ),
        };
        Ok(PlanSummary {
            method: METHOD,
            device,
            path_mode: PathMode::Table,
            cells: self.cells(),
            tile: (1, 1),
            strips: 1,
            passes: self.known.pairs.len() as u64,
            device_bytes,
            host_bytes: 0,
            expected,
        })
    }
}

/// Devices of a call.
struct Decision {
    cpu_seconds: f64,
    /// `None` for the CPU.
    on_gpu: Option<OnGpu>,
}

struct OnGpu {
    device: DeviceEstimate,
    work: traceback::Work,
}

impl<S: Symbol> Sealed for Alignments<'_, S> {}

impl<S: Symbol> Task for Alignments<'_, S> {
    type Answer = Vec<Alignment>;

    fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Vec<Alignment>>> {
        self.known.solve(&self.sides()?, engine, control)
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.known.decide(&self.sides()?, engine)
    }
}
