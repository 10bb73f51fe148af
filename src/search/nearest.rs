//! Finds the prefixes or substrings of a target that have the least edit distance to a query.
//!
//! On the CPU short queries and bounds are searched without a column of the table, 64 positions of the
//! target per limb, see [`text`]. Other queries, prefixes and GPUs take strip sweeps, see
//! [`filter`](super::filter).

use std::sync::OnceLock;

use super::column::reach;
use super::filter;
use super::sweeps::{PieceSearch, work};
use crate::call::phase::Phase;
use crate::edit_distance::{EditOptions, Method, Mode, Piece, gpu, reference};
use crate::engine::placement::{self, AUTO, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary, Run, profile};
use crate::error::{Error, Result};
use crate::matching::Letter;
use crate::sequences::bit_parallel::cpu::text::{self, Class, Ends, Pattern, Text};
use crate::sequences::bit_parallel::cpu::{self, Computed};
use crate::sequences::bit_parallel::recurrence::Edit;
use crate::sequences::codes::{Alphabet, Encoded};
use crate::sequences::request::{BIT_PARALLEL, REFERENCE};
use crate::sequences::typed::{SymbolPair, Typed, for_type};
use crate::sequences::{letters, reference_method};

/// Rows per unit of the bound that are swept in a text unrelated to the pattern, of few symbols; and
/// rows in addition.
const ROWS_PER_EDIT: u64 = 3;
const MIN_ROWS: u64 = 32;
/// Maximum rows swept, so that their edges stay in a cache.
const MAX_ROWS: u64 = 1 << 12;
/// Common symbols of query and target that are assumed before encoding.
const ASSUMED_SHARED: u32 = 4;

/// Expected rows that are swept for a bound.
pub(super) fn rows(pattern: usize, bound: u64) -> u64 {
    let rows = bound.saturating_mul(ROWS_PER_EDIT).saturating_add(MIN_ROWS);
    rows.min(pattern as u64)
}

pub(super) fn seconds(engine: &Engine, cells: f64) -> f64 {
    cells / (profile::cpu::TEXT_CELLS_PER_SECOND * profile::speedup(engine.threads()))
}

/// Finds where the substrings of `b` with the least distance to `a` end, or its prefixes. Returns no
/// ends if that distance exceeds `max_distance` of the options.
pub(crate) async fn nearest(
    call: &Call<'_>,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<(Ends, Run)> {
    let mut query = Query::new(call, pair, options)?;
    let (mut found, run) = placement::run(call, &mut query).await?;
    call.phases.lap(Phase::Sweep);
    if found.distance > query.bound {
        found.ends.clear();
    }
    query.check_memory(found.ends.len())?;
    Ok((found, run))
}

pub(crate) fn plan(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<PlanSummary> {
    let call = Call::start(engine, &options.control);
    placement::plan(engine, &Query::new(&call, pair, options)?)
}

struct Query<'a> {
    call: &'a Call<'a>,
    /// The query, and the part of the target that is searched.
    pair: SymbolPair<'a>,
    /// Cells of the table with the whole target.
    cells: u128,
    bound: u64,
    options: &'a EditOptions,
    codes: OnceLock<Encoded>,
}

impl<'a> Query<'a> {
    /// # Errors
    /// [`Error::MethodUnavailable`] for symbols that match others.
    fn new(call: &'a Call<'a>, pair: SymbolPair<'a>, options: &'a EditOptions) -> Result<Self> {
        if pair.match_others() && options.method != Method::Reference {
            letters::check_pieces(call.engine, options.method.name())?;
        }
        let bound = options.max_distance.unwrap_or(u64::MAX);
        let (query, target) = pair.lens();
        Ok(Self {
            call,
            pair: match options.mode {
                Mode::Prefix => pair.with_part(0..reach(query, target, bound)),
                Mode::Global | Mode::Infix => pair,
            },
            cells: query as u128 * target as u128,
            bound,
            options,
            codes: OnceLock::new(),
        })
    }

    /// Codes of the target as rows and of the query as columns.
    fn codes(&self) -> &Encoded {
        self.codes.get_or_init(|| {
            let codes = self.pair.encode_swapped(self.call.engine);
            self.call.phases.lap(Phase::Encode);
            codes
        })
    }

    /// Expected seconds of the search of a text on the CPU, if that is faster than sweeps.
    fn text_seconds(&self, engine: &Engine) -> Option<f64> {
        let (query, target) = self.pair.lens();
        let rows = rows(query, self.bound);
        let is_auto = self.options.method == Method::Auto;
        let takes = self.options.mode == Mode::Infix
            && (self.pair.match_others() || is_auto && rows <= MAX_ROWS);
        let positions = target as f64 + text::LEAST_POSITIONS;
        takes.then(|| seconds(engine, rows as f64 * positions))
    }

    /// Few common symbols, the best case of a sweep, if that saves the encoding.
    fn alphabet(&self, engine: &Engine) -> Alphabet {
        match self.text_seconds(engine) {
            Some(_) => ASSUMED_SHARED.into(),
            None => self.codes().alphabet,
        }
    }

    /// Checks the host memory of a search that has found `pieces` nearest pieces: codes and bits of
    /// the last column, ends, starts and pieces.
    fn check_memory(&self, pieces: usize) -> Result<()> {
        let symbols = self.symbols() as u128 * 5;
        let pieces = pieces as u128 * (size_of::<Piece>() + 2 * size_of::<usize>()) as u128;
        let engine = self.call.engine;
        engine.check_host_budget("the search in the target", symbols + pieces)
    }

    fn symbols(&self) -> usize {
        let (query, target) = self.pair.lens();
        query + target
    }

    /// Adds the codes to the cost of a sweep.
    fn with_codes(&self, cost: Cost) -> Cost {
        let codes = 4 * self.symbols() as u64;
        Cost {
            host_bytes: cost.host_bytes + codes,
            ..cost
        }
    }

    /// As [`nearest`], in the text itself.
    fn in_text(&self) -> Result<Computed<Ends>> {
        match self.pair {
            Typed::Bytes(pair) => self.sweep_text(pair.b, &Pattern::of_bytes(pair.a)),
            Typed::Letters(pair) => {
                let bytes: Vec<u8> = pair.b.iter().map(|letter| letter.byte()).collect();
                self.call.phases.lap(Phase::Encode);
                self.sweep_text(&bytes, &of_letters(pair.a, pair.b))
            }
            Typed::Numbers(_) => {
                let codes = self.codes();
                let pattern = Pattern::of_codes(&codes.b, codes.alphabet.shared + 1);
                self.sweep_text(&codes.a[..], &pattern)
            }
        }
    }

    fn sweep_text<C: Class>(&self, symbols: &[C], pattern: &Pattern) -> Result<Computed<Ends>> {
        let text = &Text { symbols, pattern };
        let search = || text::nearest(text, self.bound, self.call.control);
        if cpu::is_serial(symbols.len(), pattern.len()) {
            search()
        } else {
            self.call.engine.on_threads(search)
        }
    }
}

/// A pattern of letters, for the bytes of the letters of a text.
fn of_letters(pattern: &[Letter], text: &[Letter]) -> Pattern {
    let by_byte = |letters: &[Letter]| {
        let mut by_byte = [None; 256];
        for &letter in letters {
            by_byte[usize::from(letter.byte())] = Some(letter);
        }
        by_byte
    };
    let (of_pattern, of_text) = (by_byte(pattern), by_byte(text));
    let matched = |byte: u8| {
        let matches = |other: &u32| {
            let other = of_text[*other as usize];
            other.is_some() && other == of_pattern[usize::from(byte)]
        };
        (0..256).filter(matches).collect()
    };
    Pattern::of_symbols::<u8, _>(pattern.iter().map(|letter| letter.byte()), matched, 256)
}

impl Ways for Query<'_> {
    /// If the distance exceeds the bound, the ends are of no meaning.
    type Answer = Ends;

    fn requested(&self) -> &'static str {
        match self.options.method {
            Method::Auto => AUTO,
            Method::Reference => REFERENCE,
            _ => BIT_PARALLEL,
        }
    }

    fn cells(&self) -> u128 {
        self.cells
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        self.options.method != Method::Reference && !self.pair.match_others()
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => vec![&Sweep, &ReferenceSearch],
            _ => Vec::new(),
        }
    }
}

/// The search of a text on the CPU, or strip sweeps of the target after a filter of prefixes of the
/// query.
struct Sweep;

impl Way<Query<'_>> for Sweep {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_>) -> Result<Option<Cost>> {
        query.check_memory(0)?;
        let alphabet = query.alphabet(engine);
        let (cols, rows) = query.pair.lens();
        let work = work(engine, rows, cols, alphabet);
        let budget_bytes = query.options.path.then(|| engine.host_budget());
        let cost = cpu::cost::<Edit>(&work, budget_bytes);
        let seconds = query.text_seconds(engine).unwrap_or(cost.seconds);
        Ok(Some(query.with_codes(Cost { seconds, ..cost })))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &Query<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        query.check_memory(0)?;
        let sizing = device.sizing(query.options.tuning);
        let (cols, rows) = query.pair.lens();
        let alphabet = query.alphabet(engine);
        let cost = gpu::pieces_cost(sizing, query.options, rows, cols, alphabet)?;
        Ok(Some(query.with_codes(cost)))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Ends> {
        Box::pin(async move {
            if device.is_none() && query.text_seconds(call.engine).is_some() {
                let Computed { found, cells } = query.in_text()?;
                return Ok(Some(Answered::without_path(found, cells.into())));
            }
            let codes = query.codes();
            let mut search = PieceSearch::new(call.engine, query.options, device, codes);
            let found =
                filter::ends(&mut search, query.bound.min(query.pair.lens().0 as u64)).await?;
            Ok(Some(Answered::without_path(found, search.cells.into())))
        })
    }
}

struct ReferenceSearch;

impl Way<Query<'_>> for ReferenceSearch {
    fn method(&self) -> &'static str {
        REFERENCE
    }

    fn is_automatic(&self) -> bool {
        false
    }

    /// Search by the reference table, then the path to the longest piece.
    fn on_cpu(&self, engine: &Engine, query: &Query<'_>) -> Result<Option<Cost>> {
        let (rows, cols) = query.pair.lens();
        let search = reference_method::cost(engine, rows, cols, false)?;
        if !query.options.path {
            query.check_memory(0)?;
            return Ok(Some(search));
        }
        let longest = reach(rows, cols, query.bound);
        let path = reference_method::cost(engine, rows, longest, true)?;
        query.check_memory(0)?;
        Ok(Some(Cost {
            path_mode: path.path_mode,
            host_bytes: path.host_bytes.max(search.host_bytes),
            seconds: path.seconds + search.seconds,
            ..search
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Ends> {
        Box::pin(async {
            let more = &mut || call.control.check().is_ok();
            let mode = query.options.mode;
            let found = for_type!(query.pair, |pair| {
                reference::ends_while(pair.a, pair.b, mode, more)
            });
            let (distance, ends) = found.ok_or(Error::Cancelled)?;
            Ok(Some(Answered::without_path(
                Ends { distance, ends },
                query.cells,
            )))
        })
    }
}
