//! The task [`Alignments`].

use std::time::Instant;

use rayon::prelude::*;

use super::{Measure, PairValue, Strings};
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::edit_distance::known::KnownDistance;
use crate::edit_distance::{self, Alignment, EditOptions, Mode};
use crate::engine::task::{Sealed, Task};
use crate::engine::{CPU, Engine, PlanSummary, Report, Run};
use crate::error::{Error, Result};
use crate::pairwise::codes::Symbol;
use crate::path_mode::PathMode;

/// Pairs that a thread takes at once.
const CHUNK: usize = 32;
/// Symbols of pairs that the calling thread aligns before a thread of the pool has woken up.
const SYMBOLS_OF_ONE_THREAD: usize = 1 << 12;

/// Method in reports.
const METHOD: &str = "banded";

/// Alignments of pairs whose edit distances are known, from [`Pairs::alignments`](super::Pairs).
///
/// Runs on the CPU. The answer has one [`Alignment`] per pair, the one that [`Edit`](crate::Edit)
/// finds; in the mode `infix` the alignment of an empty query is empty.
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
    pub(super) queries: Strings<'a, S>,
    pub(super) targets: Strings<'a, S>,
    pub(super) pairs: &'a [PairValue],
    pub(super) offsets: Option<&'a [u32]>,
    pub(super) measure: Measure,
    pub(super) mode: Mode,
}

impl<'a, S: Symbol> Alignments<'a, S> {
    /// Symbols at the start of the target of each pair in which no best piece lies, so that they are
    /// not searched for its end; from [`KeptBlock::offsets`](super::KeptBlock::offsets). With other
    /// offsets the piece is a later one, or the call fails.
    pub fn offsets(mut self, offsets: &'a [u32]) -> Self {
        self.offsets = Some(offsets);
        self
    }

    fn check(&self) -> Result<()> {
        if self.measure != Measure::Edit {
            return Err(Error::MethodUnavailable {
                method: self.measure.name(),
                device: CPU.to_string(),
                reason: "only the measure 'edit' has alignments".to_string(),
            });
        }
        if let Some(offsets) = self.offsets.filter(|list| list.len() != self.pairs.len()) {
            return Err(Error::OutOfRange {
                what: "the number of offsets",
                given: offsets.len() as u64,
                allowed: format!("{}, that of the pairs", self.pairs.len()),
            });
        }
        for pair in self.pairs {
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

    fn cells(&self) -> u128 {
        let cells = |pair: &PairValue| {
            self.queries.len_of(pair.query) as u128 * self.targets.len_of(pair.target) as u128
        };
        self.pairs.iter().map(cells).sum()
    }

    /// Alignments of short pairs; `None` for others.
    fn short(&self, engine: &Engine, control: &Control) -> Result<Vec<Option<Alignment>>> {
        let align = |known: &mut KnownDistance<S>, (place, pair): (usize, &PairValue)| {
            control.check()?;
            let offset = self.offsets.map_or(0, |offsets| offsets[place]);
            let (query, target) = (&self.queries[pair.query], &self.targets[pair.target]);
            known.align(
                (query, target),
                offset as usize,
                self.mode,
                pair.value.into(),
            )
        };
        let symbols: usize = self
            .pairs
            .iter()
            .map(|pair| self.queries.len_of(pair.query) + self.targets.len_of(pair.target))
            .sum();
        if symbols <= SYMBOLS_OF_ONE_THREAD {
            let mut known = KnownDistance::new();
            let pairs = self.pairs.iter().enumerate();
            let aligned = pairs.map(|pair| align(&mut known, pair));
            return aligned.collect();
        }
        engine.on_threads(|| {
            let pairs = self.pairs.par_iter().enumerate();
            let pairs = pairs.with_min_len(CHUNK);
            pairs.map_init(KnownDistance::new, align).collect()
        })
    }
}

impl<S: Symbol> Sealed for Alignments<'_, S> {}

impl<S: Symbol> Task for Alignments<'_, S> {
    type Answer = Vec<Alignment>;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<Vec<Alignment>>> {
        let (started, phases) = (Instant::now(), Phases::start());
        self.check()?;
        let short = self.short(engine, control)?;
        let mut alignments = Vec::with_capacity(short.len());
        for (pair, alignment) in self.pairs.iter().zip(short) {
            if let Some(alignment) = alignment {
                alignments.push(alignment);
                continue;
            }
            let options = EditOptions {
                mode: self.mode,
                path: true,
                control: control.clone(),
                ..EditOptions::default()
            };
            let (query, target) = (&self.queries[pair.query], &self.targets[pair.target]);
            let solved = edit_distance::solve(engine, query, target, &options).await?;
            let is_known = solved.distance.exactly() == Some(pair.value.into());
            let alignment = solved.alignment.filter(|_| is_known);
            alignments.push(alignment.ok_or_else(|| {
                let (query, target, value) = (pair.query, pair.target, pair.value);
                Error::CertificateFailed(format!(
                    "query {query} and target {target} do not have distance {value}"
                ))
            })?);
        }
        phases.lap(Phase::Trace);
        let cells = self.cells();
        let run = Run {
            method: METHOD,
            path_mode: PathMode::Table,
            device: CPU.to_string(),
            cells,
            computed_cells: cells,
            common_prefix: 0,
            common_suffix: 0,
            elapsed: started.elapsed(),
            phases: phases.totals(),
        };
        Ok(Report::new(alignments, run))
    }

    fn decide(&self, _: &Engine) -> Result<PlanSummary> {
        self.check()?;
        let cells = self.cells();
        Ok(PlanSummary {
            method: METHOD,
            device: CPU.to_string(),
            path_mode: PathMode::Table,
            cells,
            tile: (1, 1),
            strips: 1,
            passes: self.pairs.len() as u64,
            device_bytes: 0,
            host_bytes: 0,
            expected: std::time::Duration::ZERO,
        })
    }
}
