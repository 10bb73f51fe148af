//! The task [`Alignments`].

use std::sync::OnceLock;

use super::gpu::traceback::{self, KnownPair, Limits};
use super::request::PairLens;
use super::strings::{List, TypedSides};
use super::{Measure, PairValue, SHARED_CODES, Strings};
use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::edit_distance::known::KnownDistance;
use crate::edit_distance::{self, Alignment, EditOptions, Mode};
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::profile::cpu::SMALL_CELLS_PER_SECOND;
use crate::engine::profile::gpu::SUBMISSION_SECONDS;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{CPU, Device, DeviceEstimate, Engine, PlanSummary, Report, profile};
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::path_mode::PathMode;
use crate::query;
use crate::sequences::codes::Symbol;
use crate::sequences::pair::Pair;
use crate::sequences::typed::{SymbolPair, Typed, for_type, map_type};
use crate::symbols::alphabet::Alphabet;

/// Minimum pairs that a thread takes at once.
const CHUNK: usize = 32;
/// Symbols of pairs that the calling thread aligns before a thread of the pool has woken up.
const SYMBOLS_OF_ONE_THREAD: u64 = 1 << 12;

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
pub(crate) struct Known<'a> {
    pub(crate) pairs: &'a [PairValue],
    pub(crate) offsets: Option<&'a [u32]>,
    pub(crate) measure: Measure,
    pub(crate) mode: Mode,
}

/// Strings, and pairs of them whose values are known.
struct KnownPairs<'a> {
    sides: &'a TypedSides<'a>,
    queries: List<'a>,
    targets: List<'a>,
    known: Known<'a>,
    /// Alphabet of the queries of all pairs, if they have few symbols.
    alphabet: OnceLock<Option<Alphabet>>,
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
}

impl KnownPairs<'_> {
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
                ("the query of a pair", pair.query, self.queries),
                ("the target of a pair", pair.target, self.targets),
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

    fn lens(&self, pair: &PairValue) -> PairLens {
        PairLens {
            query: self.queries.len_of(pair.query) as u64,
            target: self.targets.len_of(pair.target) as u64,
        }
    }

    fn strings(&self, pair: &PairValue) -> SymbolPair<'_> {
        map_type!(self.sides, |(queries, targets)| {
            let targets = targets.as_ref().unwrap_or(queries);
            Pair::new(&queries[pair.query], &targets[pair.target])
        })
    }

    fn cost(&self, seconds: f64) -> Cost {
        Cost {
            path_mode: PathMode::Table,
            passes: self.known.pairs.len() as u64,
            ..Cost::new(seconds)
        }
    }

    fn symbols(&self) -> u64 {
        let symbols = |pair| {
            let PairLens { query, target } = self.lens(pair);
            query + target
        };
        self.known.pairs.iter().map(symbols).sum()
    }

    fn cpu_seconds(&self, engine: &Engine) -> f64 {
        let cells = |pair: &PairValue| {
            let lens = self.lens(pair);
            let words = u64::from(pair.value).min(lens.longer()).div_ceil(64);
            lens.shorter() as f64 * f64::from(u64::BITS) * words.max(1) as f64
        };
        let cells: f64 = self.known.pairs.iter().map(cells).sum();
        cells / SMALL_CELLS_PER_SECOND / profile::speedup(engine.threads())
    }

    /// Work of such a device; `None` if it takes no pair.
    fn work(
        &self,
        engine: &Engine,
        caps: &Capabilities,
        budget_bytes: u64,
    ) -> Option<traceback::Work> {
        let alphabet = self.alphabet(engine)?;
        let limits = Limits::new(alphabet.codes(), caps, budget_bytes)?;
        let of_pair = |pair: &PairValue| {
            let lens = self.lens(pair);
            let longest_first = PairLens {
                query: lens.longer(),
                target: lens.shorter(),
            };
            limits.work(longest_first, pair.value)
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

    fn alphabet(&self, engine: &Engine) -> Option<&Alphabet> {
        let query = |index: usize| self.queries.string(self.known.pairs[index].query);
        let make = || Alphabet::few_by_threads(self.known.pairs.len(), query, SHARED_CODES);
        let alphabet = self.alphabet.get_or_init(|| engine.on_threads(make));
        alphabet.as_ref()
    }

    /// Aligns pairs on a GPU. Returns the cells.
    async fn by_gpu(
        &self,
        engine: &Engine,
        device: &Device<'_>,
        found: &mut [Option<Alignment>],
    ) -> Result<u128> {
        let Some(alphabet) = self.alphabet(engine) else {
            return Ok(0);
        };
        let caps = device.backend.capabilities();
        let Some(limits) = Limits::new(alphabet.codes(), caps, device.budget_bytes) else {
            return Ok(0);
        };
        let add = |index: usize, pairs: &mut Vec<_>| {
            let pair = &self.known.pairs[index];
            let strings = self.strings(pair);
            pairs.extend(KnownPair::new(index, strings, pair.value, &limits));
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
        let align = |known: &mut KnownDistance, index: usize, found: &mut Option<_>| {
            if found.is_none() {
                control.check()?;
                let pair = &self.known.pairs[index];
                let offset = self
                    .known
                    .offsets
                    .map_or(0, |offsets| offsets[index] as usize);
                let (mode, distance) = (self.known.mode, pair.value.into());
                *found = for_type!(self.strings(pair), |strings| {
                    known.align(strings.a, strings.b, offset, mode, distance)?
                });
            }
            Ok(())
        };
        if self.symbols() <= SYMBOLS_OF_ONE_THREAD {
            let mut known = KnownDistance::default();
            let mut found = found.iter_mut().enumerate();
            return found.try_for_each(|(index, found)| align(&mut known, index, found));
        }
        engine.on_threads(|| {
            let of_task = parallel::range_len(found.len(), CHUNK);
            let mut tasks: Vec<_> = found.chunks_mut(of_task).collect();
            parallel::try_map_mut(&mut tasks, |task, found| {
                let mut known = KnownDistance::default();
                let mut found = (task * of_task..).zip(found.iter_mut());
                found.try_for_each(|(index, found)| align(&mut known, index, found))
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
        let solved = edit_distance::solve(engine, self.strings(pair), &options).await?;
        let is_known = solved.distance.exactly() == Some(pair.value.into());
        let alignment = solved.answer.alignment.filter(|_| is_known);
        alignment.ok_or_else(|| {
            let (query, target, value) = (pair.query, pair.target, pair.value);
            Error::CertificateFailed(format!(
                "query {query} and target {target} do not have distance {value}"
            ))
        })
    }
}

impl Ways for KnownPairs<'_> {
    type Answer = Vec<Alignment>;

    fn cells(&self) -> u128 {
        let cells = self.known.pairs.iter().map(|pair| self.lens(pair).cells());
        cells.sum()
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 {
            vec![&Banded]
        } else {
            Vec::new()
        }
    }
}

/// Bands that the known distances bound. A GPU leaves some pairs to the CPU.
struct Banded;

impl Way<KnownPairs<'_>> for Banded {
    fn method(&self) -> &'static str {
        "banded"
    }

    fn on_cpu(&self, engine: &Engine, query: &KnownPairs<'_>) -> Result<Option<Cost>> {
        Ok(Some(query.cost(query.cpu_seconds(engine))))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &KnownPairs<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let is_taken =
            query.known.mode == Mode::Global && !matches!(query.queries, Typed::Letters(_));
        let is_worthwhile =
            || !engine.chooses_device() || query.cpu_seconds(engine) > SUBMISSION_SECONDS;
        if !is_taken || !is_worthwhile() {
            return Ok(None);
        }
        let caps = &device.capabilities;
        let work = query.work(engine, caps, device.budget_bytes);
        Ok(work.map(|work| Cost {
            device_bytes: work.device_bytes,
            ..query.cost(work.seconds(caps))
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut KnownPairs<'_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Vec<Alignment>> {
        Box::pin(async move {
            let Call {
                engine, control, ..
            } = call;
            let mut found = vec![None; query.known.pairs.len()];
            let mut computed_cells = match device {
                Some(device) => query.by_gpu(engine, device, &mut found).await?,
                None => 0,
            };
            let left = query.known.pairs.iter().zip(&found);
            let left = left.filter(|(_, alignment)| alignment.is_none());
            computed_cells += left.map(|(pair, _)| query.lens(pair).cells()).sum::<u128>();
            query.short(engine, control, &mut found)?;
            let mut alignments = Vec::with_capacity(found.len());
            for (pair, alignment) in query.known.pairs.iter().zip(found) {
                alignments.push(match alignment {
                    Some(alignment) => alignment,
                    None => query.long(engine, pair, control).await?,
                });
            }
            call.phases.lap(Phase::Trace);
            Ok(Some(Answered {
                answer: alignments,
                path_mode: PathMode::Table,
                computed_cells,
            }))
        })
    }
}

impl<S: Symbol> Erased for Alignments<'_, S> {
    type Answer = Vec<Alignment>;
    type Query<'q>
        = query::Alignments<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Alignments<'_>> {
        Ok(query::Alignments {
            lists: TypedSides::of(&self.queries, Some(&self.targets))?,
            known: self.known,
        })
    }
}

impl query::Alignments<'_> {
    fn pairs(&self) -> Result<KnownPairs<'_>> {
        let pairs = KnownPairs {
            sides: &self.lists,
            queries: map_type!(&self.lists, |(queries, _)| queries),
            targets: map_type!(&self.lists, |(queries, targets)| {
                targets.as_ref().unwrap_or(queries)
            }),
            known: self.known,
            alphabet: OnceLock::new(),
        };
        pairs.check()?;
        Ok(pairs)
    }
}

impl Sealed for query::Alignments<'_> {}

impl Task for query::Alignments<'_> {
    type Answer = Vec<Alignment>;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Vec<Alignment>>> {
        let call = Call::start(engine, control);
        let (found, run) = placement::run(&call, &mut self.pairs()?).await?;
        Ok(Report::new(found, run))
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        placement::plan(engine, &self.pairs()?)
    }
}
