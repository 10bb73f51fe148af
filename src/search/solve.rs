//! Runs a search on the CPU: sweeps batches of pieces, chooses the places among their ends, finds
//! their starts, and passes them on in order.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::batch::{Cursor, Found, Piece, Unit};
use super::minima::{End, Run};
use super::patterns::{Probe, Probes};
use super::place::{Choice, Place};
use super::task::{SearchDone, SearchOptions};
use super::{nearest, starts};
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::call::phase::Phase;
use crate::edit_distance::known::{self, KnownDistance};
use crate::edit_distance::{self, EditOptions, Mode, Op};
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{Device, Engine, PlanSummary, Report, profile};
use crate::error::Result;
use crate::host::parallel::{self, Memory};
use crate::matching::Matching;
use crate::pairs::strings::List;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::cpu::text::Class;
use crate::sequences::codes::Symbol;
use crate::sequences::request::BIT_PARALLEL;
use crate::sequences::typed::Typed;

/// Minimum symbols of a unit, and in lengths of its margin, which is swept by each of 8 lanes.
pub(super) const UNIT_SYMBOLS: usize = 1 << 17;
const MARGINS: usize = 32;
const UNITS_PER_THREAD: usize = 4;
/// Ends of a batch above which the next one is shorter, and its least length in symbols.
const MAX_FOUND: usize = 1 << 22;
const MIN_SYMBOLS: usize = 1 << 10;
/// Host memory of a row of a pattern, on each thread.
const ROW_BYTES: u64 = 128;

/// Steps of an alignment along the text.
pub(super) type Ops = Vec<(Op, usize)>;

/// Places on their way to the caller.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) places: Vec<Place>,
    /// Of each place, if they are asked for.
    pub(super) alignments: Vec<Ops>,
}

/// A search, ready to run.
pub(super) struct Request<'a> {
    texts: List<'a>,
    probes: Probes<'a>,
    options: &'a SearchOptions,
    matching: Matching,
}

impl<'a> Request<'a> {
    /// # Errors
    /// Invalid patterns or options, as listed at [`Search`](super::Search).
    pub(super) fn new(
        patterns: List<'a>,
        texts: List<'a>,
        options: &'a SearchOptions,
    ) -> Result<Self> {
        Ok(Self {
            texts,
            probes: Probes::new(patterns, texts, options)?,
            options,
            matching: options.matching.as_deref().cloned().unwrap_or_default(),
        })
    }

    fn text_symbols(&self) -> u64 {
        self.texts.symbols_before(self.texts.len())
    }

    /// Symbols of a unit.
    fn unit_symbols(&self) -> usize {
        let of_margins = MARGINS.saturating_mul(self.probes.max_len);
        (self.options.unit_symbols).unwrap_or(UNIT_SYMBOLS.max(of_margins))
    }

    fn host_bytes(&self, engine: &Engine) -> u64 {
        let symbols = self.unit_symbols().min(self.text_symbols() as usize) as u64;
        // Buffers for both directions.
        let symbol_bytes = if self.probes.classes.are_bytes() {
            2
        } else {
            8
        };
        let of_units = symbols * symbol_bytes * UNITS_PER_THREAD as u64;
        let of_rows = self.probes.max_len as u64 * ROW_BYTES;
        self.probes.size_bytes + engine.threads() as u64 * (of_units + of_rows)
    }

    fn seconds(&self, engine: &Engine) -> f64 {
        let within = self.options.within;
        let rows = |probe: &Probe<'_>| nearest::rows(probe.swept.len(), within) as f64;
        let rows: f64 = self.probes.all.iter().map(rows).sum();
        let rate = profile::cpu::TEXT_CELLS_PER_SECOND * profile::speedup(engine.threads());
        rows * self.text_symbols() as f64 / rate
    }

    fn path_mode(&self) -> PathMode {
        PathMode::Table.if_path(self.options.alignments)
    }

    pub(super) fn plan(self, engine: &Engine) -> Result<PlanSummary> {
        let blocks = HandOver::default();
        placement::plan(engine, &Query::new(self, &blocks))
    }

    /// Passes all places to `consume` in order.
    pub(super) async fn solve(
        self,
        engine: &Engine,
        control: &Control,
        consume: impl FnMut(&mut Block) -> Result<ControlFlow<()>>,
    ) -> Result<Report<SearchDone>> {
        let call = Call::start(engine, control);
        control.check()?;
        let blocks = HandOver::default();
        let mut query = Query::new(self, &blocks);
        let solving = placement::run(&call, &mut query);
        let (done, run) = blocks.drive(solving, consume).await?;
        Ok(Report::new(done, run))
    }
}

struct Query<'a, 'b> {
    request: Request<'a>,
    blocks: &'b HandOver<Block>,
}

impl<'a, 'b> Query<'a, 'b> {
    fn new(request: Request<'a>, blocks: &'b HandOver<Block>) -> Self {
        Self { request, blocks }
    }
}

impl Ways for Query<'_, '_> {
    type Answer = SearchDone;

    fn cells(&self) -> u128 {
        u128::from(self.request.probes.symbols) * u128::from(self.request.text_symbols())
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        false
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 { vec![&Sweep] } else { Vec::new() }
    }
}

/// 64 positions of a text per limb, one pattern after the other.
struct Sweep;

impl Way<Query<'_, '_>> for Sweep {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_, '_>) -> Result<Option<Cost>> {
        let request = &query.request;
        let host_bytes = request.host_bytes(engine);
        engine.check_host_budget("the search", host_bytes.into())?;
        Ok(Some(Cost {
            host_bytes,
            path_mode: request.path_mode(),
            ..Cost::new(request.seconds(engine))
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        Query { request, blocks }: &'a mut Query<'_, '_>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, SearchDone> {
        Box::pin(async move {
            let mut sweeps = Sweeps {
                request,
                call,
                blocks,
                choosing: Choosing::new(request),
                held: Vec::new(),
                places: 0,
                cells: 0,
            };
            if request.probes.classes.are_bytes() {
                sweeps.all(|class| class as u8).await?;
            } else {
                sweeps.all(|class| class).await?;
            }
            Ok(Some(Answered {
                answer: SearchDone {
                    places: sweeps.places,
                },
                path_mode: request.path_mode(),
                computed_cells: sweeps.cells.into(),
            }))
        })
    }
}

/// A place with its alignment; `None` if it is too large for a band in words, or not asked for.
struct Row {
    place: Place,
    ops: Option<Ops>,
}

/// A search, as far as it has come.
struct Sweeps<'r, 'a> {
    request: &'r Request<'a>,
    call: &'r Call<'r>,
    blocks: &'r HandOver<Block>,
    choosing: Choosing<'r, 'a>,
    /// Rows that others may precede, by place.
    held: Vec<Row>,
    /// Number of places that were passed on.
    places: u64,
    cells: u64,
}

impl Sweeps<'_, '_> {
    async fn all<C: Class + Send>(&mut self, class: impl Fn(u32) -> C + Copy + Sync) -> Result<()> {
        let Call {
            engine, control, ..
        } = self.call;
        let Request { texts, probes, .. } = self.request;
        if probes.all.is_empty() {
            return Ok(());
        }
        control.set_phase(Phase::Search);
        control.add_total(self.request.text_symbols().saturating_mul(probes.symbols));
        let most = self.request.unit_symbols();
        let (mut cursor, mut of_unit) = (Cursor::default(), most);
        let units_of_batch = engine.threads() * UNITS_PER_THREAD;
        loop {
            let pieces = (0..units_of_batch).map(|_| cursor.next(*texts, of_unit));
            let pieces: Vec<_> = pieces.take_while(|pieces| !pieces.is_empty()).collect();
            let Some(last) = pieces.last().and_then(|pieces| pieces.last()).cloned() else {
                return Ok(());
            };
            let symbols: usize = pieces
                .iter()
                .flatten()
                .map(|piece| piece.positions.len())
                .sum();
            let found = engine.on_threads(|| self.sweep(pieces, class))?;
            let density = found as f64 / symbols.max(1) as f64;
            let fitting = MAX_FOUND as f64 / density / units_of_batch as f64;
            of_unit = most.min((fitting as usize).max(MIN_SYMBOLS));
            // The first position at which places are not known yet.
            let next = if last.is_last {
                Place {
                    text: last.text as u32 + 1,
                    ..Place::default()
                }
            } else {
                let position = self
                    .choosing
                    .first_position()
                    .min(last.positions.end as u64);
                Place {
                    text: last.text as u32,
                    start: position.saturating_sub(probes.max_len as u64),
                    ..Place::default()
                }
            };
            let known = self.held.partition_point(|row| row.place < next);
            let rows: Vec<_> = self.held.drain(..known).collect();
            if !rows.is_empty() && self.pass(rows).await?.is_break() {
                return Ok(());
            }
        }
    }

    /// Sweeps a batch, and adds its places to the held ones. Returns the number of ends within the
    /// bound.
    fn sweep<C: Class + Send>(
        &mut self,
        pieces: Vec<Vec<Piece>>,
        class: impl Fn(u32) -> C + Copy + Sync,
    ) -> Result<usize> {
        let Request {
            texts,
            probes,
            options,
            ..
        } = self.request;
        let control = self.call.control;
        let has = |from_end| probes.all.iter().any(|probe| probe.from_end == from_end);
        let directions = [has(false), has(true)];
        let units = parallel::map_each(pieces, |pieces| {
            let margin = probes.max_len;
            let classes = (&probes.classes, class);
            Unit::new(
                (*texts, pieces),
                classes,
                margin,
                options.within,
                directions,
            )
        });
        let threads = self.call.engine.threads();
        let groups = (threads * UNITS_PER_THREAD).div_ceil(units.len().max(1));
        let of_group = probes.all.len().div_ceil(groups).max(1);
        let groups: Vec<_> = probes.all.chunks(of_group).collect();
        let memory = Memory::new(Vec::new);
        let quiet = control.unreported();
        let swept = parallel::try_map(units.len() * groups.len(), |task| {
            let (unit, group) = (&units[task / groups.len()], task % groups.len());
            memory.with(|ends| {
                let (mut found, mut cells, mut symbols) = (Vec::new(), 0, 0);
                for (number, probe) in (group * of_group..).zip(groups[group]) {
                    control.check()?;
                    let first = found.len();
                    cells += unit.sweep((number as u32, probe), ends, &mut found, &quiet)?;
                    self.request.filter(probe, unit, &mut found, first);
                    symbols += probe.swept.len() as u64;
                }
                control.add_done(unit.positions().saturating_mul(symbols));
                Ok((found, cells))
            })
        })?;
        let mut count = 0;
        let mut swept = swept.into_iter();
        let mut chosen = Vec::new();
        for unit in &units {
            let mut of_unit = Vec::new();
            for (mut found, cells) in swept.by_ref().take(groups.len()) {
                of_unit.append(&mut found);
                self.cells += cells;
            }
            count += of_unit.len();
            parallel::sort_unstable(&mut of_unit);
            let mut rest = &of_unit[..];
            for (number, piece) in (0..).zip(&unit.pieces) {
                let of_piece = rest.partition_point(|found| found.piece == number);
                let (found, others) = rest.split_at(of_piece);
                rest = others;
                self.choosing
                    .piece(piece.text, found, piece.is_last, &mut chosen);
            }
        }
        self.locate(&chosen)?;
        Ok(count)
    }

    /// Finds the starts and alignments of chosen ends.
    fn locate(&mut self, chosen: &[Chosen]) -> Result<()> {
        let request = self.request;
        let memory = Memory::new(KnownDistance::default);
        let control = self.call.control;
        let rows = parallel::try_map(chosen.len().div_ceil(CHOSEN), |task| {
            control.check()?;
            let first = task * CHOSEN;
            let chosen = &chosen[first..chosen.len().min(first + CHOSEN)];
            memory.with(|known| {
                let rows = chosen.iter().map(|one| request.row(known, one, control));
                rows.collect::<Result<Vec<_>>>()
            })
        })?;
        self.held.extend(rows.into_iter().flatten());
        self.held.sort_by_key(|row| row.place);
        Ok(())
    }

    async fn pass(&mut self, rows: Vec<Row>) -> Result<ControlFlow<()>> {
        let mut block = Block::default();
        let has_alignments = self.request.options.alignments;
        for Row { place, ops } in rows {
            block.places.push(place);
            if has_alignments {
                block.alignments.push(match ops {
                    Some(ops) => ops,
                    None => self.align(&place).await?,
                });
            }
        }
        self.places += block.places.len() as u64;
        Ok(self.blocks.pass(block).await.1)
    }

    /// Alignment of a place whose band is too large for words.
    async fn align(&self, place: &Place) -> Result<Ops> {
        let request = self.request;
        let mut probes = request.probes.all.iter();
        let is_probe =
            |probe: &&Probe<'_>| (probe.pattern, probe.strand) == (place.pattern, place.strand);
        let Some(probe) = probes.find(is_probe) else {
            return Err(known::wrong(place.cost.into()));
        };
        let text = request.texts.string(place.text as usize);
        let piece = probe.without_exact(place.start as usize..place.end as usize);
        let ops = match (&probe.symbols, text.part(piece)) {
            (Typed::Bytes(symbols), Typed::Bytes(piece)) => {
                let body = probe.body(symbols);
                match &request.options.matching {
                    Some(matching) => {
                        let [body, piece] = [body, piece].map(|bytes| matching.letters(bytes));
                        self.align_symbols(&body, &piece).await?
                    }
                    None => self.align_symbols(body, piece).await?,
                }
            }
            (Typed::Numbers(symbols), Typed::Numbers(piece)) => {
                self.align_symbols(probe.body(symbols), piece).await?
            }
            _ => return Err(known::wrong(place.cost.into())),
        };
        Ok(probe.with_exact(ops))
    }

    async fn align_symbols<S: Symbol>(&self, body: &[S], piece: &[S]) -> Result<Ops> {
        let options = EditOptions {
            path: true,
            control: self.call.control.unreported(),
            ..EditOptions::default()
        };
        let solved = edit_distance::global(self.call, body, piece, &options).await?;
        let alignment = solved.alignment.ok_or_else(|| known::wrong(0))?;
        alignment.ops(body, piece)
    }
}

/// Chosen ends that a task locates.
const CHOSEN: usize = 64;

/// An end that is a place.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    probe: u32,
    text: u32,
    end: End,
}

/// Chooses places among the ends, piece by piece.
struct Choosing<'r, 'a> {
    request: &'r Request<'a>,
    /// By probe: its last ends in the text at hand.
    runs: Vec<Option<Run>>,
    /// Probes that have any.
    active: Vec<u32>,
    /// By pattern: the least cost in the text at hand, and the ends that have it.
    best: HashMap<u32, (u32, Vec<Chosen>)>,
}

impl<'r, 'a> Choosing<'r, 'a> {
    fn new(request: &'r Request<'a>) -> Self {
        Self {
            request,
            runs: vec![None; request.probes.all.len()],
            active: Vec::new(),
            best: HashMap::new(),
        }
    }

    /// Takes the ends in the next piece, by probe and position. Appends the places among them to
    /// `chosen`.
    fn piece(&mut self, text: usize, found: &[Found], is_last: bool, chosen: &mut Vec<Chosen>) {
        let options = self.request.options;
        let are_all = options.choice == Choice::Ends || options.no_gaps;
        for &found in found {
            let probe = found.probe;
            let end = if are_all {
                Some(found.end())
            } else {
                let run = &mut self.runs[probe as usize];
                if run.is_none() {
                    self.active.push(probe);
                }
                let keeps_first = self.request.probes.all[probe as usize].from_end;
                Run::take(run, found.end(), keeps_first)
            };
            if let Some(end) = end {
                self.choose(text, probe, end, chosen);
            }
        }
        if is_last {
            for probe in std::mem::take(&mut self.active) {
                let run = self.runs[probe as usize].take();
                if let Some(end) = run.and_then(Run::end) {
                    self.choose(text, probe, end, chosen);
                }
            }
            let best = self.best.drain();
            chosen.extend(best.flat_map(|(_, (_, of_pattern))| of_pattern));
        }
    }

    fn choose(&mut self, text: usize, probe: u32, end: End, chosen: &mut Vec<Chosen>) {
        let one = Chosen {
            probe,
            text: text as u32,
            end,
        };
        let Request {
            probes, options, ..
        } = self.request;
        if options.choice != Choice::Best {
            return chosen.push(one);
        }
        let pattern = probes.all[probe as usize].pattern;
        let (least, of_pattern) = self.best.entry(pattern).or_insert((u32::MAX, Vec::new()));
        if end.cost < *least {
            (*least, *of_pattern) = (end.cost, Vec::new());
        }
        if end.cost == *least {
            of_pattern.push(one);
        }
    }

    /// Lower bound of the positions of ends that are not yet known to be places or not.
    fn first_position(&self) -> u64 {
        let runs = self.active.iter();
        let runs = runs.filter_map(|&probe| self.runs[probe as usize].as_ref());
        let of_runs = runs.map(Run::first_position).min();
        let best = self.best.values().flat_map(|(_, of_pattern)| of_pattern);
        let of_best = best.map(|one| one.end.position).min();
        of_runs.into_iter().chain(of_best).min().unwrap_or(u64::MAX)
    }
}

impl Request<'_> {
    /// Drops the ends from `first` on that lack the exact symbols; without gaps their costs become
    /// Hamming distances.
    fn filter<C: Class>(
        &self,
        probe: &Probe<'_>,
        unit: &Unit<C>,
        found: &mut Vec<Found>,
        first: usize,
    ) {
        let options = self.options;
        if !probe.has_exact() && !options.no_gaps {
            return;
        }
        let mut kept = first;
        for index in first..found.len() {
            let mut one = found[index];
            let text = self.texts.string(unit.pieces[one.piece as usize].text);
            if !probe.is_exact_at(text, one.position) {
                continue;
            }
            if options.no_gaps {
                let found = probe.without_gaps(text, &self.matching, one.end(), options.within);
                let Some(end) = found else {
                    continue;
                };
                one.cost = end.cost;
            }
            found[kept] = one;
            kept += 1;
        }
        found.truncate(kept);
    }

    /// The place of an end.
    fn row(&self, known: &mut KnownDistance, chosen: &Chosen, control: &Control) -> Result<Row> {
        let Chosen { probe, text, end } = *chosen;
        let probe = &self.probes.all[probe as usize];
        let position = end.position as usize;
        let symbols = self.texts.string(text as usize);
        let max_len = probe.swept.len() + end.cost as usize;
        let window = if probe.from_end {
            position..symbols.len().min(position + max_len)
        } else {
            position.saturating_sub(max_len)..position
        };
        let part = symbols.part(window.clone());
        let (len, ops) = match (&probe.symbols, part) {
            (Typed::Bytes(all), Typed::Bytes(part)) => match &self.options.matching {
                Some(matching) => {
                    let [body, part] = [probe.body(all), part].map(|bytes| matching.letters(bytes));
                    self.in_window(known, probe, (&body, &part), end.cost, control)?
                }
                None => {
                    let pair = (probe.body(all), part);
                    self.in_window(known, probe, pair, end.cost, control)?
                }
            },
            (Typed::Numbers(all), Typed::Numbers(part)) => {
                let pair = (probe.body(all), part);
                self.in_window(known, probe, pair, end.cost, control)?
            }
            _ => return Err(known::wrong(end.cost.into())),
        };
        let (mut start, mut stop) = if probe.from_end {
            (position, position + len)
        } else {
            (position - len, position)
        };
        if probe.from_end {
            start -= probe.exact_len;
        } else {
            stop += probe.exact_len;
        }
        Ok(Row {
            place: Place {
                text,
                start: start as u64,
                end: stop as u64,
                pattern: probe.pattern,
                strand: probe.strand,
                cost: end.cost,
            },
            ops: ops.map(|ops| probe.with_exact(ops)),
        })
    }

    /// Length of the longest piece at one end of a window, and its alignment if it is asked for and
    /// fits a band in words.
    fn in_window<S: Symbol>(
        &self,
        known: &mut KnownDistance,
        probe: &Probe<'_>,
        (body, window): (&[S], &[S]),
        cost: u32,
        control: &Control,
    ) -> Result<(usize, Option<Ops>)> {
        let len = if self.options.no_gaps {
            body.len()
        } else {
            let control = &control.unreported();
            starts::longest_piece(
                known,
                (body, window),
                cost.into(),
                !probe.from_end,
                control,
                &mut 0,
            )?
        };
        if !self.options.alignments {
            return Ok((len, None));
        }
        let piece = if probe.from_end {
            &window[..len]
        } else {
            &window[window.len() - len..]
        };
        if self.options.no_gaps {
            return Ok((len, Some(diagonal(body, piece))));
        }
        let alignment = known.align((body, piece), 0, Mode::Global, cost.into())?;
        let ops = alignment.map(|alignment| alignment.ops(body, piece));
        Ok((len, ops.transpose()?))
    }
}

/// Steps of the alignment without gaps.
fn diagonal<S: Symbol>(body: &[S], piece: &[S]) -> Ops {
    let mut ops = Ops::new();
    for (x, y) in body.iter().zip(piece) {
        let op = if x == y { Op::Equal } else { Op::Substitute };
        push(&mut ops, op, 1);
    }
    ops
}

pub(super) fn push(ops: &mut Ops, op: Op, count: usize) {
    match ops.last_mut() {
        _ if count == 0 => {}
        Some(last) if last.0 == op => last.1 += count,
        _ => ops.push((op, count)),
    }
}
