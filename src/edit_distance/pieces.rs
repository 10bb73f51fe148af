//! Prefix and infix calls: the least distance, the ends, the starts, and the alignment to the first
//! piece.

use std::sync::OnceLock;

use super::global::global;
use super::{Alignment, Distance, EditOptions, Method, Mode, Piece, Solved, gpu, reference};
use crate::call::phase::Phase;
use crate::engine::placement::{self, AUTO, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary};
use crate::error::{Error, Result};
use crate::path_mode::PathMode;
use crate::search::column::{self, Ends};
use crate::search::sweeps::PieceSearch;
use crate::search::{filter, nearest, starts};
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::{self, SweepWork};
use crate::sequences::bit_parallel::recurrence;
use crate::sequences::codes::{Alphabet, Encoded, Symbol};
use crate::sequences::letters;
use crate::sequences::pair::Pair;
use crate::sequences::reference_method;
use crate::sequences::request::{BIT_PARALLEL, REFERENCE};

/// A search for the nearest pieces of the target.
struct PieceQuery<'a, S> {
    call: &'a Call<'a>,
    a: &'a [S],
    /// The whole target, and the part of it that a device searches.
    b: &'a [S],
    target: &'a [S],
    options: &'a EditOptions,
    codes: OnceLock<Encoded>,
}

impl<'a, S: Symbol> PieceQuery<'a, S> {
    /// # Errors
    /// [`Error::MethodUnavailable`] for symbols that match others.
    fn new(call: &'a Call<'a>, a: &'a [S], b: &'a [S], options: &'a EditOptions) -> Result<Self> {
        if S::MATCHES_OTHERS && options.method != Method::Reference {
            letters::check_pieces(call.engine, options.method.name())?;
        }
        Ok(Self {
            call,
            a,
            b,
            target: target(a, b, options),
            options,
            codes: OnceLock::new(),
        })
    }

    /// Codes of the target as rows and of the query as columns.
    fn codes(&self) -> &Encoded {
        self.codes.get_or_init(|| {
            let codes = Encoded::by(self.call.engine, self.target, self.a);
            self.call.phases.lap(Phase::Encode);
            codes
        })
    }

    /// Expected seconds of [`nearest`], if it takes the query.
    fn text_seconds(&self, engine: &Engine) -> Option<f64> {
        let Self { a, b, options, .. } = self;
        let takes = options.mode == Mode::Infix
            && (S::MATCHES_OTHERS || options.method == Method::Auto && nearest::pays(a, options));
        takes.then(|| nearest::seconds(engine, a.len(), b.len(), options))
    }

    /// Few common symbols, the best case of a sweep, if that saves the encoding.
    fn alphabet(&self, engine: &Engine) -> Alphabet {
        match self.text_seconds(engine) {
            Some(_) => ASSUMED_SHARED.into(),
            None => self.codes().alphabet(),
        }
    }

    /// Cost of sweeping the whole target on the CPU.
    fn sweep_cost(&self, engine: &Engine) -> Result<Cost> {
        let (rows, cols) = (self.target.len(), self.a.len());
        check_memory(engine, cols, rows, 0)?;
        let alphabet = self.alphabet(engine);
        let work = SweepWork {
            rows,
            cols,
            planes: alphabet.planes() as usize,
            sets: alphabet.sets,
            band: Band::WHOLE,
            threads: engine.threads(),
        };
        let budget_bytes = self.options.path.then(|| engine.host_budget());
        let cost = cpu::cost::<recurrence::Edit>(&work, budget_bytes);
        Ok(Cost {
            host_bytes: cost.host_bytes + 4 * (rows + cols) as u64,
            ..cost
        })
    }
}

impl<S: Symbol> Ways for PieceQuery<'_, S> {
    type Answer = Option<Ends>;

    fn requested(&self) -> &'static str {
        match self.options.method {
            Method::Auto => AUTO,
            Method::Reference => REFERENCE,
            _ => BIT_PARALLEL,
        }
    }

    fn cells(&self) -> u128 {
        self.a.len() as u128 * self.b.len() as u128
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        self.options.method != Method::Reference && !S::MATCHES_OTHERS
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => vec![&TextSearch, &FilteredSweeps, &ReferenceSearch],
            _ => Vec::new(),
        }
    }
}

/// Common symbols of query and target that are assumed before encoding.
const ASSUMED_SHARED: u32 = 4;

/// 64 positions of the target per limb, on the CPU.
struct TextSearch;

impl<S: Symbol> Way<PieceQuery<'_, S>> for TextSearch {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, engine: &Engine, query: &PieceQuery<'_, S>) -> Result<Option<Cost>> {
        let Some(seconds) = query.text_seconds(engine) else {
            return Ok(None);
        };
        let cost = query.sweep_cost(engine)?;
        Ok(Some(Cost { seconds, ..cost }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PieceQuery<'_, S>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Option<Ends>> {
        Box::pin(async {
            let (found, cells) = nearest::nearest(call, query.a, query.b, query.options)?;
            Ok(Some(found_ends(found, cells.into())))
        })
    }
}

/// Strip sweeps of the target, after a filter of prefixes of the query.
struct FilteredSweeps;

impl<S: Symbol> Way<PieceQuery<'_, S>> for FilteredSweeps {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, engine: &Engine, query: &PieceQuery<'_, S>) -> Result<Option<Cost>> {
        if query.text_seconds(engine).is_some() {
            return Ok(None);
        }
        query.sweep_cost(engine).map(Some)
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &PieceQuery<'_, S>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let (rows, cols) = (query.target.len(), query.a.len());
        check_memory(engine, cols, rows, 0)?;
        let sizing = device.sizing(query.options.tuning);
        let alphabet = query.alphabet(engine);
        let cost = gpu::pieces_cost(sizing, query.options, rows, cols, alphabet)?;
        Ok(Some(Cost {
            host_bytes: cost.host_bytes + 4 * (rows + cols) as u64,
            ..cost
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PieceQuery<'_, S>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Option<Ends>> {
        Box::pin(async move {
            let bound = query.options.max_distance.unwrap_or(u64::MAX);
            let codes = query.codes();
            let mut search = PieceSearch::new(call.engine, query.options, device, codes);
            let found = filter::ends(&mut search, bound.min(query.a.len() as u64)).await?;
            Ok(Some(found_ends(found, search.cells.into())))
        })
    }
}

/// Plain table.
struct ReferenceSearch;

impl<S: Symbol> Way<PieceQuery<'_, S>> for ReferenceSearch {
    fn method(&self) -> &'static str {
        REFERENCE
    }

    fn is_automatic(&self) -> bool {
        false
    }

    /// Search by the reference table, then the path to the longest piece.
    fn on_cpu(&self, engine: &Engine, query: &PieceQuery<'_, S>) -> Result<Option<Cost>> {
        let PieceQuery {
            a,
            b,
            target,
            options,
            ..
        } = query;
        let search = reference_method::cost(engine, a.len(), target.len(), false)?;
        if !options.path {
            return Ok(Some(search));
        }
        let longest = longest(a, b, options).len();
        let path = reference_method::cost(engine, a.len(), longest, true)?;
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
        query: &'a mut PieceQuery<'_, S>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Option<Ends>> {
        Box::pin(async {
            let should_continue = &mut || call.control.check().is_ok();
            let (distance, ends) =
                reference::ends_while(query.a, query.b, query.options.mode, should_continue)
                    .ok_or(Error::Cancelled)?;
            Ok(Some(found_ends(
                Some(Ends { distance, ends }),
                query.cells(),
            )))
        })
    }
}

fn found_ends(ends: Option<Ends>, computed_cells: u128) -> Answered<Option<Ends>> {
    Answered {
        answer: ends,
        path_mode: PathMode::None,
        computed_cells,
    }
}

/// Plan of a search.
///
/// # Errors
/// Those of [`placement::plan`].
pub(super) fn plan<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<PlanSummary> {
    let call = Call::start(engine, &options.control);
    placement::plan(engine, &PieceQuery::new(&call, a, b, options)?)
}

pub(super) async fn solve<S: Symbol>(
    call: &Call<'_>,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<Solved> {
    let engine = call.engine;
    let max_distance = options.max_distance.unwrap_or(u64::MAX);
    let several_starts = options.mode == Mode::Infix && options.starts;
    if several_starts {
        options.control.set_ceiling(SEARCH_SHARE);
    }
    let mut query = PieceQuery::new(call, a, b, options)?;
    let (found, mut run) = placement::run(call, &mut query).await?;
    call.phases.lap(Phase::Sweep);
    let reference = options.method == Method::Reference;
    let mut computed = 0;
    let Some(Ends { distance, ends }) = found.filter(|found| found.distance <= max_distance) else {
        return Ok(Solved {
            distance: Distance::MoreThan(max_distance),
            pieces: Vec::new(),
            alignment: None,
            run,
        });
    };
    check_memory(engine, a.len(), target(a, b, options).len(), ends.len())?;
    let known = match options.mode {
        Mode::Infix if !several_starts => &ends[..usize::from(options.path)],
        _ => &ends[..],
    };
    options.control.set_ceiling(1.0);
    let starts = match (options.mode, reference) {
        (Mode::Infix, true) => {
            let more = &mut || options.control.check().is_ok();
            let start = |&end: &usize| {
                reference::start_while(a, b, end, distance, more).ok_or(Error::Cancelled)
            };
            known.iter().map(start).collect::<Result<Vec<_>>>()?
        }
        (Mode::Infix, false) => starts::starts(
            engine,
            Pair::new(a, b),
            known,
            distance,
            &options.control,
            &mut computed,
        )?,
        _ => vec![0; known.len()],
    };
    let starts = starts.into_iter().map(Some).chain(std::iter::repeat(None));
    let pieces: Vec<_> = ends
        .iter()
        .zip(starts)
        .map(|(&end, start)| Piece { start, end })
        .collect();
    call.phases.lap(Phase::Starts);
    let mut alignment = None;
    if let (
        true,
        Some(&Piece {
            start: Some(start),
            end,
        }),
    ) = (options.path, pieces.first())
    {
        let whole = EditOptions {
            mode: Mode::Global,
            max_distance: None,
            gaps: None,
            ..options.clone()
        };
        let found = global(call, a, &b[start..end], &whole).await?;
        alignment = found.alignment.map(|found| {
            Alignment::new(
                found.blocks().iter().copied().collect(),
                a.len(),
                start..end,
            )
        });
        run.path_mode = found.run.path_mode;
        run.computed_cells += found.run.computed_cells;
    }
    run.computed_cells += u128::from(computed);
    Ok(Solved {
        distance: Distance::Exactly(distance),
        pieces,
        alignment,
        run,
    })
}

/// Fraction of a call that the search for ends may take if all starts follow.
const SEARCH_SHARE: f64 = 0.5;

/// Checks the host memory of a search that has found `pieces` nearest pieces: codes and bits of the
/// last column, ends, starts and pieces.
///
/// # Errors
/// [`Error::MemoryBudget`].
pub(super) fn check_memory(
    engine: &Engine,
    query: usize,
    target: usize,
    pieces: usize,
) -> Result<()> {
    let symbols = (query as u128 + target as u128) * 5;
    let pieces = pieces as u128 * (size_of::<Piece>() + 2 * size_of::<usize>()) as u128;
    engine.check_host_budget("the search in the target", symbols + pieces)
}

/// The part of `b` that a device searches.
pub(super) fn target<'b, S>(a: &[S], b: &'b [S], options: &EditOptions) -> &'b [S] {
    match options.mode {
        Mode::Prefix => longest(a, b, options),
        Mode::Global | Mode::Infix => b,
    }
}

/// A part of `b` as long as the longest possible piece of the answer.
pub(super) fn longest<'b, S>(a: &[S], b: &'b [S], options: &EditOptions) -> &'b [S] {
    column::within_reach(a, b, options.max_distance.unwrap_or(u64::MAX))
}
