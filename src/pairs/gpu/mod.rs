//! Values of pairs on a GPU, one pair per lane.

mod bands;
mod cross;
mod entries;

use std::ops::Range;

use rayon::prelude::*;

use crate::backend::{Capabilities, Session, Span, Words};
use crate::call::phase::Phase;
use crate::edit_distance::Mode;
use crate::engine::Device;
use crate::engine::profile::gpu::{compute_units, pairs as figures};
use crate::error::Result;
use crate::kernels::pairs::{Ends, LANES, PairTable, Recurrence};
use crate::pairwise::codes::Symbol;
use crate::plan::{BufferId, Plan, Resident};

use super::alphabet::{Alphabet, SHARED_CODES};
use super::bands::{Bands, PLANES_COST, Sample};
use super::request::{Measure, Request};
use super::selection::{self, Selection};
use super::solve::{Output, Work};
use super::task::PairValue;
use super::values::{Value, Width};

/// Columns per load of a lane.
const UNIT: usize = 16;
/// Target symbols on the device at once.
const MAX_SYMBOLS: u64 = 1 << 26;
/// Maximum bytes of the differences between strips: enough lanes for the largest GPUs.
const MAX_CARRY_BYTES: u64 = 1 << 30;
/// Bytes of the values of a part: a readback of some megabytes.
const MAX_PART_BYTES: u64 = 64 << 20;

/// Pairs of a part of which only some values are read back.
const MAX_KEPT_PART_PAIRS: u64 = 1 << 30;

/// True if GPUs take these pairs.
pub(super) fn takes<S: Symbol>(work: &Work<'_, '_, S>) -> bool {
    let codes = work.alphabet.as_ref().map(|alphabet| alphabet.codes);
    let max = match has_rectangles(work) {
        true => SHARED_CODES,
        false => entries::MAX_CODES,
    };
    codes.is_some_and(|codes| codes <= max)
}

/// True if every query of a part is compared with every target.
fn has_rectangles<S: Symbol>(work: &Work<'_, '_, S>) -> bool {
    let rows = matches!(work.selection, Selection::Cross | Selection::Symmetric);
    rows && work.long.is_empty()
}

/// Bands that take less time than whole tables; see [`Bands::of`].
pub(super) fn bands<'s, S: Symbol>(
    work: &Work<'_, '_, S>,
    cells: u128,
    (caps, budget): (&Capabilities, u64),
    sample: impl FnOnce() -> &'s Sample,
) -> Option<Bands> {
    let codes = work.alphabet.as_ref()?.codes;
    let max_bytes = Room::new(caps, budget).max_bytes;
    let fits = codes <= entries::MAX_CODES && 4 * bands::words(work.request, codes) <= max_bytes;
    let limits = (cells, bands::max_limbs(codes, caps));
    fits.then(|| Bands::of(work, limits, sample))?
}

/// Expected time of all passes and transfers, without bands or by these.
pub(super) fn seconds<S: Symbol>(
    work: &Work<'_, '_, S>,
    (cells, bands): (u128, Option<&Bands>),
    caps: &Capabilities,
) -> f64 {
    if !caps.compiles {
        return f64::INFINITY;
    }
    let cost = bands.map_or(1.0, |bands| bands.share * PLANES_COST);
    let rate = match work.request.measure {
        Measure::Edit => figures::EDIT_CELLS_PER_SECOND,
        Measure::Indel | Measure::Lcs => figures::LCS_CELLS_PER_SECOND,
    };
    let pairs = (work.places.end - work.places.start) as f64;
    let bytes = pairs * work.request.width().bytes() as f64;
    cost * cells as f64 / (rate * compute_units(caps)) + bytes / figures::VALUE_BYTES_PER_SECOND
}

/// Device memory of the largest plan, approximately.
pub(super) fn size_bytes<S: Symbol>(
    work: &Work<'_, '_, S>,
    bands: Option<&Bands>,
    (caps, budget): (&Capabilities, u64),
) -> u64 {
    let room = Room::new(caps, budget);
    let targets = work.request.targets;
    let symbols = targets.symbols_before(targets.len()).min(room.symbols);
    let strings = match (bands, &work.alphabet) {
        (Some(_), Some(alphabet)) => 4 * bands::words(work.request, alphabet.codes),
        _ => 2 * symbols,
    };
    strings + room.part_bytes + room.carry_bytes
}

/// Shares of the device memory.
struct Room {
    /// Bytes of the largest buffer of strings.
    max_bytes: u64,
    /// Symbols on the device at once.
    symbols: u64,
    part_bytes: u64,
    carry_bytes: u64,
}

impl Room {
    fn new(caps: &Capabilities, budget: u64) -> Self {
        let share = |parts: u64| caps.chunk_bytes.min(budget / parts);
        Self {
            max_bytes: share(4),
            symbols: MAX_SYMBOLS.min(share(4) / 2),
            part_bytes: MAX_PART_BYTES.min(share(8) / 2),
            carry_bytes: MAX_CARRY_BYTES.min(share(4)),
        }
    }
}

/// Shape of the kernel for a query: limbs per strip, and whether it has several strips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    limbs: u32,
    strips: bool,
}

/// Limbs of the kernels on a device.
#[derive(Clone, Copy)]
struct Limbs {
    /// Rows per limb.
    rows: usize,
    /// Maximum limbs of a strip.
    max: u32,
}

impl Limbs {
    fn new(max: u32, caps: &Capabilities) -> Self {
        Self {
            rows: if caps.carry_flag { 32 } else { 31 },
            max: limbs_of_class(max.max(1), false),
        }
    }

    /// Few shapes, so that few kernels are built.
    fn shape(&self, query_len: usize) -> Shape {
        let limbs = query_len.div_ceil(self.rows).max(1);
        let strips = limbs > self.max as usize;
        // Strips of equal heights.
        let limbs = limbs.div_ceil(limbs.div_ceil(self.max as usize));
        let limbs = limbs_of_class(limbs as u32, true).min(self.max);
        Shape { limbs, strips }
    }

    /// Strips of a query.
    fn strips(&self, shape: Shape, query_len: usize) -> u32 {
        let rows = shape.limbs as usize * self.rows;
        query_len.div_ceil(rows).max(1) as u32
    }

    /// Rows of one strip.
    fn strip_rows(&self, shape: Shape) -> u64 {
        u64::from(shape.limbs) * self.rows as u64
    }
}

/// Limbs of a kernel for queries of `limbs` limbs: every number up to 8, then multiples of 4,
/// rounded up or down.
fn limbs_of_class(limbs: u32, up: bool) -> u32 {
    match limbs {
        0..=8 => limbs,
        _ if up => limbs.next_multiple_of(4),
        _ => limbs / 4 * 4,
    }
}

impl<S: Symbol> Request<'_, S> {
    fn table(&self, shape: Shape) -> PairTable {
        PairTable {
            recurrence: match self.measure {
                Measure::Edit => Recurrence::Edit,
                Measure::Indel => Recurrence::Indel,
                Measure::Lcs => Recurrence::Lcs,
            },
            ends: match self.mode {
                Mode::Global => Ends::Whole,
                Mode::Prefix => Ends::Prefix,
                Mode::Infix => Ends::Piece,
            },
            limbs: shape.limbs,
            strips: shape.strips,
            limited: self.scoring().limit.is_some() && self.mode == Mode::Global,
        }
    }

    /// Words per unit of the differences below a strip.
    fn carry_words(&self) -> u64 {
        let vectors = match self.measure {
            Measure::Edit => 2,
            Measure::Indel | Measure::Lcs => 1,
        };
        vectors * u64::from(LANES)
    }
}

/// A plan and its buffer of values.
struct ValuesPlan {
    plan: Plan,
    values: BufferId,
}

impl AsMut<Plan> for ValuesPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// Runs a plan; returns its values, in memory of the driver.
async fn values_of(
    session: &Session<'_>,
    plan: &(dyn Fn(&Resident) -> ValuesPlan + Sync),
) -> Result<Box<dyn Words>> {
    let read = |planned: &ValuesPlan| {
        let words = planned.plan.buffers[planned.values].words;
        session.read(&[Span {
            buffer: planned.values,
            first: 0,
            words,
        }])
    };
    let (_, pending) = session.round(plan, &|_| Vec::new(), &read).await?;
    match pending {
        Some(pending) => pending.await,
        None => Ok(Box::new(Vec::new())),
    }
}

/// Pairs that were passed on, and the cells that were computed for them by bands.
pub(super) struct Solved {
    pub(super) pairs: u64,
    pub(super) banded_cells: u128,
}

/// Computes all pairs in order.
///
/// # Errors
/// As [`Session::run`].
pub(super) async fn solve<S: Symbol>(
    device: &Device<'_>,
    (work, bands): (&Work<'_, '_, S>, Option<&Bands>),
    alphabet: &Alphabet<S>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<Solved> {
    let work = (work, bands);
    match work.0.request.width() {
        Width::U8 => solve_as::<u8, S>(device, work, alphabet, part_pairs, output).await,
        Width::U16 => solve_as::<u16, S>(device, work, alphabet, part_pairs, output).await,
        Width::U32 => solve_as::<u32, S>(device, work, alphabet, part_pairs, output).await,
    }
}

async fn solve_as<T: Value, S: Symbol>(
    device: &Device<'_>,
    (work, bands): (&Work<'_, '_, S>, Option<&Bands>),
    alphabet: &Alphabet<S>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<Solved> {
    let room = Room::new(device.backend.capabilities(), device.budget_bytes);
    let parts = Parts::new(device, (work, bands), alphabet, &room);
    device.phases.lap(Phase::Encode);
    let session = device.open_session()?;
    let max_pairs = part_pairs.min(room.part_bytes / size_of::<T>() as u64);
    let all = (work.places.end - work.places.start) as usize;
    // All values, or those of one part.
    let keeps_all = matches!(output, Output::All(_));
    let mut values = vec![T::default(); if keeps_all { all } else { 0 }];
    let (mut place, mut done, mut banded_cells) = (work.places.start, 0, 0);
    let mut sends_kept = parts.sends_kept();
    while place < work.places.end {
        if let (Output::Kept(sink), true) = (&mut *output, sends_kept) {
            let part = parts.next(device, place, MAX_KEPT_PART_PAIRS);
            let next = place + part.pairs(work) as u64;
            let Some(kept) = parts.kept((device, &session), &part).await? else {
                // Too many for the device.
                sends_kept = false;
                continue;
            };
            let flow = sink(place..next, &kept);
            done += (next - place) as usize;
            place = next;
            if flow.is_break() {
                break;
            }
            continue;
        }
        let part = parts.next(device, place, max_pairs);
        let pairs = part.pairs(work);
        let of_part = match keeps_all {
            true => &mut values[done..done + pairs],
            false => {
                values.resize(pairs, T::default());
                &mut values[..]
            }
        };
        banded_cells += parts.run((device, &session), part, of_part).await?;
        work.long.write(place, of_part);
        let first = place;
        place += pairs as u64;
        done += pairs;
        if !keeps_all {
            let block = T::values(std::mem::take(&mut values));
            if output.pass(work, first, &block).is_break() {
                break;
            }
            values = T::vec(block);
        }
    }
    if let Output::All(all) = output {
        *all = T::values(values);
    }
    Ok(Solved {
        pairs: done as u64,
        banded_cells,
    })
}

/// What the parts of a call share.
struct Parts<'a, 'r, S: Symbol> {
    work: &'a Work<'a, 'r, S>,
    alphabet: &'a Alphabet<S>,
    kind: Kind<'a, 'r, S>,
}

enum Kind<'a, 'r, S: Symbol> {
    Cross(cross::Shapes, Vec<cross::Chunk>),
    Entries(entries::Shapes),
    Bands(bands::Banded<'a, 'r, S>),
}

enum Part<'a, 'r, S: Symbol> {
    Rectangle(Range<usize>, Range<usize>),
    Entries(entries::Block<'a, 'r, S>),
    Bands(Range<u64>),
}

impl<S: Symbol> Part<'_, '_, S> {
    fn pairs(&self, work: &Work<'_, '_, S>) -> usize {
        match self {
            Self::Rectangle(rows, columns) => {
                let part = selection::Part::Rectangle(rows.clone(), columns.clone());
                work.selection.pairs_of(&part)
            }
            Self::Entries(block) => block.pairs(),
            Self::Bands(places) => (places.end - places.start) as usize,
        }
    }
}

impl<'a, 'r, S: Symbol> Parts<'a, 'r, S> {
    fn new(
        device: &Device<'_>,
        (work, bands): (&'a Work<'a, 'r, S>, Option<&'a Bands>),
        alphabet: &'a Alphabet<S>,
        room: &Room,
    ) -> Self {
        let (caps, request) = (device.backend.capabilities(), work.request);
        let kind = match (bands, has_rectangles(work)) {
            (Some(bands), _) => {
                Kind::Bands(bands::Banded::new(work, alphabet, bands, (caps, room)))
            }
            (None, true) => {
                let chunks = device.on_threads(|| {
                    let chunks = cross::chunks(request, room).into_par_iter();
                    chunks
                        .map(|targets| cross::Chunk::new(request, targets))
                        .collect()
                });
                let shapes = cross::Shapes::new(request.width(), alphabet.codes, caps, room);
                Kind::Cross(shapes, chunks)
            }
            (None, false) => Kind::Entries(entries::Shapes::new(alphabet.codes, caps, room)),
        };
        Self {
            work,
            alphabet,
            kind,
        }
    }

    /// The next part from pair `place` on.
    fn next<'p>(&'p self, device: &Device<'_>, place: u64, max_pairs: u64) -> Part<'p, 'r, S> {
        let Work {
            request,
            selection,
            places,
            ..
        } = self.work;
        let targets = request.targets.len();
        match &self.kind {
            Kind::Cross(shapes, chunks) => {
                let max_pairs = max_pairs.min(shapes.max_rows(chunks) * targets as u64);
                let part = selection.part(place, places.end, max_pairs, targets);
                let selection::Part::Rectangle(rows, columns) = part else {
                    unreachable!("these selections have rows");
                };
                let end = shapes.rows_end(request, &rows);
                Part::Rectangle(rows.start..end, columns)
            }
            Kind::Bands(banded) => Part::Bands(banded.next(place, max_pairs)),
            Kind::Entries(shapes) => {
                let entry = |place| {
                    let pair = selection.pair(place, targets);
                    (pair, !self.work.long.contains(place))
                };
                let all = (place..places.end).map(entry);
                Part::Entries(device.on_threads(|| {
                    entries::Block::of_first(request, self.alphabet, shapes, (all, max_pairs))
                }))
            }
        }
    }

    /// True if the device can send back the values within the bound alone.
    fn sends_kept(&self) -> bool {
        self.work.request.within.is_some() && matches!(self.kind, Kind::Cross(..))
    }

    /// The pairs of a part within the bound, in order; `None` if there are too many.
    async fn kept(
        &self,
        (device, session): (&Device<'_>, &Session<'_>),
        part: &Part<'_, 'r, S>,
    ) -> Result<Option<Vec<PairValue>>> {
        let mut all = Vec::new();
        for block in self.blocks(part, true) {
            let words = values_of(session, &|resident| block.plan(resident)).await?;
            let Some(kept) = block.kept(words.words()) else {
                return Ok(None);
            };
            all.extend(kept);
            device.phases.lap(Phase::Readback);
        }
        if let Part::Rectangle(_, columns) = part {
            all.retain(|pair| columns.contains(&pair.target));
        }
        device.on_threads(|| all.par_sort_unstable_by_key(|pair| (pair.query, pair.target)));
        Ok(Some(all))
    }

    /// The blocks of a rectangle, one per chunk of the targets.
    fn blocks<'p>(
        &'p self,
        part: &'p Part<'_, 'r, S>,
        keeps_some: bool,
    ) -> impl Iterator<Item = cross::Block<'p, 'r, S>> {
        let rectangle = match (part, &self.kind) {
            (Part::Rectangle(rows, columns), Kind::Cross(shapes, chunks)) => {
                Some((rows, columns, shapes, chunks))
            }
            _ => None,
        };
        rectangle
            .into_iter()
            .flat_map(move |(rows, columns, shapes, chunks)| {
                let chunks = chunks.iter().filter(|chunk| {
                    chunk.targets.end > columns.start && chunk.targets.start < columns.end
                });
                chunks.map(move |chunk| cross::Block {
                    request: self.work.request,
                    alphabet: self.alphabet,
                    shapes,
                    rows: rows.clone(),
                    chunk,
                    is_upper: self.is_upper(),
                    keeps_some,
                })
            })
    }

    fn is_upper(&self) -> bool {
        matches!(self.work.selection, Selection::Symmetric)
    }

    /// Computes the values of a part; returns the cells of bands.
    async fn run<T: Value>(
        &self,
        (device, session): (&Device<'_>, &Session<'_>),
        part: Part<'_, 'r, S>,
        values: &mut [T],
    ) -> Result<u128> {
        match &part {
            Part::Bands(places) => {
                if let Kind::Bands(banded) = &self.kind {
                    return banded
                        .solve((device, session), places.clone(), values)
                        .await;
                }
            }
            Part::Rectangle(rows, columns) => {
                let mut of_rows = cross::rows_of(values, (rows.len(), columns), self.is_upper());
                for block in self.blocks(&part, false) {
                    let words = values_of(session, &|resident| block.plan(resident)).await?;
                    let found = words.words();
                    device.on_threads(|| block.unpack(found, &mut of_rows));
                    device.phases.lap(Phase::Readback);
                }
            }
            Part::Entries(block) => {
                let words = values_of(session, &|_| block.plan()).await?;
                block.unpack(words.words(), values);
                device.phases.lap(Phase::Readback);
            }
        }
        Ok(0)
    }
}
