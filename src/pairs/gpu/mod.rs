//! Values of pairs on a GPU, one pair per lane.

mod bands;
mod cross;
mod delivery;
pub(crate) mod embedded;
mod entries;
pub(super) mod traceback;

use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use crate::backend::{Capabilities, Session, Span, Words};
use crate::call::phase::Phase;
use crate::edit_distance::Mode;
use crate::engine::profile::gpu::{compute_units, pairs as figures};
use crate::engine::{Device, Engine};
use crate::error::{Error, Result};
use crate::host::{lock, parallel};
use crate::kernels::pairs::{Ends, LANES, PairTable, Recurrence};
use crate::plan::{BufferId, Plan, Resident};

use super::SHARED_CODES;
use super::bands::{Bands, PLANES_COST};
use super::output::Output;
use super::request::{Measure, Request};
use super::selection::{self, Selection};
use super::solve::Work;
use super::values::{Value, for_width};
use crate::symbols::alphabet::Alphabet;
use delivery::{Arriving, Delivery, PendingWords};

/// Columns per load of a lane.
const UNIT: usize = 16;
/// Target symbols on the device at once.
const MAX_SYMBOLS: u64 = 1 << 26;
/// Maximum bytes of the differences between strips: enough lanes for the largest GPUs.
const MAX_CARRY_BYTES: u64 = 1 << 30;
/// Sessions of a call, each with the buffers of a round.
const SESSIONS: u64 = 2;
/// Bytes of the values of a part: a readback of some megabytes.
const MAX_PART_BYTES: u64 = 64 << 20;

/// Pairs of a part of which only some values are read back.
const MAX_KEPT_PART_PAIRS: u64 = 1 << 30;

/// True if GPUs take these pairs.
pub(super) fn takes(work: &Work<'_>) -> bool {
    let codes = work.alphabet.as_ref().map(|alphabet| alphabet.codes());
    let max = if has_rectangles(work) {
        SHARED_CODES
    } else {
        entries::MAX_CODES
    };
    codes.is_some_and(|codes| codes <= max)
}

/// True if every query of a part is compared with every target.
fn has_rectangles(work: &Work<'_>) -> bool {
    let rows = matches!(work.selection, Selection::Cross | Selection::Symmetric);
    rows && work.long.is_empty()
}

/// Bands that take less time than whole tables; see [`Bands::of`].
pub(super) fn bands(
    engine: &Engine,
    work: &Work<'_>,
    caps: &Capabilities,
    budget_bytes: u64,
) -> Option<Bands> {
    let codes = work.alphabet.as_ref().filter(|_| caps.compiles)?.codes();
    let max_bytes = Room::new(caps, budget_bytes).max_bytes;
    let fits = codes <= entries::MAX_CODES && bands::bytes(work, codes, max_bytes).is_some();
    fits.then(|| Bands::of(engine, work, bands::max_limbs(codes, caps)))?
}

/// Expected time of all passes and transfers, without bands or by these.
pub(super) fn seconds(work: &Work<'_>, bands: Option<&Bands>, caps: &Capabilities) -> f64 {
    let cost = bands.map_or(1.0, |bands| bands.share * PLANES_COST);
    let rate = match work.request.measure {
        Measure::Edit => figures::EDIT_CELLS_PER_SECOND,
        Measure::Indel | Measure::Lcs => figures::LCS_CELLS_PER_SECOND,
    };
    let bytes = work.pairs() as f64 * work.request.width().bytes() as f64;
    cost * work.lane_cells() as f64 / (rate * compute_units(caps))
        + bytes / figures::VALUE_BYTES_PER_SECOND
}

/// Device memory of the largest plans, approximately.
pub(super) fn size_bytes(
    work: &Work<'_>,
    bands: Option<&Bands>,
    caps: &Capabilities,
    budget_bytes: u64,
) -> u64 {
    let sessions = if bands.is_some() { 1 } else { SESSIONS };
    let room = Room::new(caps, budget_bytes / sessions);
    let targets = work.request.targets;
    let symbols = targets.symbols_before(targets.len()).min(room.symbols);
    let strings = match (bands, &work.alphabet) {
        (Some(_), Some(alphabet)) => bands::bytes(work, alphabet.codes(), room.max_bytes),
        _ => Some(2 * symbols),
    };
    sessions * (strings.unwrap_or(0) + room.part_bytes + room.carry_bytes)
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
    /// True if all kernels can be built.
    compiles: bool,
}

impl Limbs {
    fn new(max: u32, caps: &Capabilities) -> Self {
        Self {
            rows: if caps.carry_flag { 32 } else { 31 },
            max: limbs_of_class(limbs_on(caps, max).max(1), false, caps.compiles),
            compiles: caps.compiles,
        }
    }

    /// Few shapes, so that few kernels are built.
    fn shape(&self, query_len: usize) -> Shape {
        let limbs = query_len.div_ceil(self.rows).max(1);
        let strips = limbs > self.max as usize;
        // Strips of equal heights.
        let limbs = limbs.div_ceil(limbs.div_ceil(self.max as usize));
        let limbs = limbs_of_class(limbs as u32, true, self.compiles).min(self.max);
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

/// Maximum limbs on a device: llvmpipe of Mesa 22.3, a software adapter, gives wrong values for several
/// strips of 24 limbs or more (docs/drivers.md).
fn limbs_on(caps: &Capabilities, limbs: u32) -> u32 {
    match caps.host_threads {
        Some(_) => limbs.min(20),
        None => limbs,
    }
}

/// Rounds `limbs` up or down to the limbs of a kernel: every number up to 8, then multiples of 4. A
/// device that does not compile has embedded kernels only, with [`embedded::LIMBS`].
fn limbs_of_class(limbs: u32, up: bool, compiles: bool) -> u32 {
    let embedded = || embedded::LIMBS.into_iter();
    match (limbs, up) {
        (_, true) if !compiles => embedded().find(|&of| of >= limbs).unwrap_or(limbs),
        (_, false) if !compiles => embedded().rfind(|&of| of <= limbs).unwrap_or(limbs),
        (0..=8, _) => limbs,
        (_, true) => limbs.next_multiple_of(4),
        (_, false) => limbs / 4 * 4,
    }
}

impl Request<'_> {
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

/// Runs a plan and returns its values, in memory of the driver.
async fn values_of(
    session: &Session<'_>,
    plan: &(dyn Fn(&Resident) -> ValuesPlan + Sync),
) -> Result<Box<dyn Words>> {
    started(session, plan, &|| Ok(())).await?.await
}

/// Runs a plan, and `meanwhile` while the device runs it; returns its values, which are being read.
async fn started(
    session: &Session<'_>,
    plan: &(dyn Fn(&Resident) -> ValuesPlan + Sync),
    meanwhile: &(dyn Fn() -> Result<()> + Sync),
) -> Result<PendingWords> {
    let read = |planned: &ValuesPlan| {
        let words = planned.plan.buffers[planned.values].words;
        let pending = session.read(&[Span {
            buffer: planned.values,
            first: 0,
            words,
        }])?;
        meanwhile()?;
        Ok(pending)
    };
    let (_, pending) = session.round(plan, &|_| Vec::new(), &read).await?;
    Ok(pending.unwrap_or_else(|| Box::pin(async { Ok(Box::new(Vec::new()) as Box<dyn Words>) })))
}

/// Waits for both futures, of which the first is polled first.
async fn both<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let (mut of_one, mut of_other) = (None, None);
    poll_fn(|context| {
        if of_one.is_none()
            && let Poll::Ready(found) = one.as_mut().poll(context)
        {
            of_one = Some(found);
        }
        if of_other.is_none()
            && let Poll::Ready(found) = other.as_mut().poll(context)
        {
            of_other = Some(found);
        }
        match (of_one.take(), of_other.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            (one, other) => {
                (of_one, of_other) = (one, other);
                Poll::Pending
            }
        }
    })
    .await
}

/// Computes the pairs that were not passed on yet, in order, within bands or by whole tables. Returns
/// the cells.
///
/// # Errors
/// As [`Session::run`].
pub(super) async fn solve(
    device: &Device<'_>,
    work: &Work<'_>,
    alphabet: &Alphabet,
    bands: Option<&Bands>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u128> {
    for_width!(work.request.width(), T => {
        solve_as::<T>(device, work, alphabet, bands, part_pairs, output).await
    })
}

async fn solve_as<T: Value>(
    device: &Device<'_>,
    work: &Work<'_>,
    alphabet: &Alphabet,
    bands: Option<&Bands>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u128> {
    let caps = device.backend.capabilities();
    let max_pairs = |room: &Room| part_pairs.min(room.part_bytes / size_of::<T>() as u64);
    if let Some(bands) = bands {
        let room = Room::new(caps, device.budget_bytes);
        let banded = bands::Banded::new(work, alphabet, bands, (caps, &room));
        device.phases.lap(Phase::Encode);
        return solve_banded::<T>(device, &banded, max_pairs(&room), output).await;
    }
    let room = Room::new(caps, device.budget_bytes / SESSIONS);
    let parts = Parts::new(device, work, alphabet, &room);
    device.phases.lap(Phase::Encode);
    let sessions = [device.open_session()?, device.open_session()?];
    let mut delivery = Delivery::<'_, '_, T>::new(device, work, output);
    let solved = parts
        .solve(&sessions, &mut delivery, max_pairs(&room))
        .await;
    if !delivery.is_ended() {
        solved?;
    }
    delivery.finish();
    Ok(work.cells)
}

async fn solve_banded<T: Value>(
    device: &Device<'_>,
    banded: &bands::Banded<'_>,
    max_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u128> {
    let work = banded.work();
    let session = device.open_session()?;
    let mut delivery = Delivery::<'_, '_, T>::new(device, work, output);
    let (mut next, mut cells) = (delivery.next(), 0);
    while next < work.positions.end && !delivery.is_ended() {
        let part = banded.next(next, max_pairs);
        let values = delivery.values(&part);
        cells += banded
            .solve((device, &session), part.clone(), values)
            .await?;
        next = part.end;
        delivery.pass_on_values(part).await;
    }
    delivery.finish();
    Ok(cells)
}

/// What the parts of a call share.
struct Parts<'a> {
    work: &'a Work<'a>,
    alphabet: &'a Alphabet,
    kind: Kind,
}

enum Kind {
    Cross(cross::Shapes, Vec<cross::Chunk>),
    Entries(entries::Shapes),
}

/// Consecutive pairs that are passed on together.
struct Part<'a> {
    places: Range<u64>,
    /// Targets of a rectangle.
    columns: Range<usize>,
    rounds: Vec<Round<'a>>,
}

/// A plan of a part.
enum Round<'a> {
    /// A rectangle with one chunk of the targets.
    Cross(cross::Block<'a>),
    Entries(Box<entries::Block<'a>>),
}

impl Round<'_> {
    fn plan(&self, resident: &Resident) -> ValuesPlan {
        match self {
            Self::Cross(block) => block.plan(resident),
            Self::Entries(block) => block.plan(),
        }
    }
}

impl<'a> Parts<'a> {
    fn new(device: &Device<'_>, work: &'a Work<'a>, alphabet: &'a Alphabet, room: &Room) -> Self {
        let (caps, request) = (device.backend.capabilities(), &work.request);
        let kind = if has_rectangles(work) {
            let chunks = device.on_threads(|| {
                let chunks = cross::chunks(request, room);
                parallel::map_each(chunks, |targets| cross::Chunk::new(request, targets))
            });
            let shapes = cross::Shapes::new(request.width(), alphabet.codes(), caps, room);
            Kind::Cross(shapes, chunks)
        } else {
            Kind::Entries(entries::Shapes::new(alphabet.codes(), caps, room))
        };
        Self {
            work,
            alphabet,
            kind,
        }
    }

    /// Computes all parts in two sessions by turns: the values of a round are read and passed on
    /// while the device runs the next one.
    async fn solve<T: Value>(
        &self,
        sessions: &[Session<'_>; SESSIONS as usize],
        delivery: &mut Delivery<'_, '_, T>,
        max_pairs: u64,
    ) -> Result<()> {
        let (device, end) = (&sessions[0].device, self.work.positions.end);
        let mut sends_kept = self.sends_kept() && delivery.takes_kept();
        let mut place = delivery.next();
        let ahead = Mutex::new(None);
        let (mut turn, mut arriving) = (0, None);
        'parts: while place < end {
            let next = |place, sends_kept| {
                if sends_kept {
                    self.next(device, place, MAX_KEPT_PART_PAIRS, true)
                } else {
                    self.next(device, place, max_pairs, false)
                }
            };
            let part = lock(&ahead).take();
            let Part {
                places,
                columns,
                rounds,
            } = part.unwrap_or_else(|| next(place, sends_kept));
            let last = rounds.len().saturating_sub(1);
            for (index, round) in rounds.into_iter().enumerate() {
                let meanwhile = || {
                    device.phases.lap(Phase::Sweep);
                    if index == last && places.end < end {
                        lock(&ahead).get_or_insert_with(|| next(places.end, sends_kept));
                        device.phases.lap(Phase::Plan);
                    }
                    Ok(())
                };
                let make = |resident: &Resident| round.plan(resident);
                let run = || started(&sessions[turn], &make, &meanwhile);
                let delivered = delivery::deliver(&mut *delivery, arriving.take());
                let (pending, delivered) = both(run(), delivered).await;
                delivered?;
                let pending = match pending {
                    // The buffers of the previous round, which is read by now, may be in the way.
                    Err(Error::DeviceMemory { .. }) => {
                        sessions[1 - turn].give_back();
                        run().await?
                    }
                    pending => pending?,
                };
                let arrives = Arriving {
                    places: places.clone(),
                    columns: columns.clone(),
                    round,
                    is_last: index == last,
                    is_kept: sends_kept,
                };
                if !sends_kept {
                    turn = 1 - turn;
                    arriving = Some((arrives, pending));
                    continue;
                }
                let words = pending.await?;
                if !cross::has_all_kept(words.words()) {
                    // Too many for the device.
                    sends_kept = false;
                    *lock(&ahead) = None;
                    delivery.forget_kept();
                    continue 'parts;
                }
                arriving = Some((arrives, Box::pin(async { Ok(words) })));
            }
            place = places.end;
        }
        delivery::deliver(delivery, arriving).await
    }

    /// The next part from pair `place` on.
    fn next<'p>(
        &'p self,
        device: &Device<'_>,
        place: u64,
        max_pairs: u64,
        keeps_some: bool,
    ) -> Part<'p> {
        let Work {
            request,
            selection,
            positions,
            ..
        } = self.work;
        let (targets, end) = (request.targets.len(), positions.end);
        let (rounds, columns, pairs) = match &self.kind {
            Kind::Cross(shapes, chunks) => {
                let max_pairs = max_pairs.min(shapes.max_rows(chunks) * targets as u64);
                let part = selection.part(place, end, max_pairs, targets);
                let selection::Part::Rectangle(rows, columns) = part else {
                    unreachable!("these selections have rows");
                };
                let rows = rows.start..shapes.rows_end(request, &rows);
                let part = selection::Part::Rectangle(rows.clone(), columns.clone());
                let is_upper = matches!(selection, Selection::Symmetric);
                let queries = cross::Queries::new(request, self.alphabet, shapes, rows, is_upper);
                let queries = Arc::new(queries);
                let chunks = chunks.iter().filter(|chunk| {
                    chunk.targets.end > columns.start && chunk.targets.start < columns.end
                });
                let blocks = chunks.map(|chunk| {
                    Round::Cross(cross::Block {
                        request,
                        alphabet: self.alphabet,
                        shapes,
                        queries: queries.clone(),
                        chunk,
                        is_upper,
                        keeps_some,
                    })
                });
                (blocks.collect(), columns, selection.pairs_of(&part))
            }
            Kind::Entries(shapes) => {
                let entry = |place| {
                    let pair = selection.pair(place, targets);
                    (pair, !self.work.long.contains(place))
                };
                let all = (place..end).map(entry);
                let block = device.on_threads(|| {
                    entries::Block::of_first(request, self.alphabet, shapes, (all, max_pairs))
                });
                let pairs = block.pairs();
                (vec![Round::Entries(Box::new(block))], 0..0, pairs)
            }
        };
        Part {
            places: place..place + pairs as u64,
            columns,
            rounds,
        }
    }

    /// True if the device can send back the values within the bound alone.
    fn sends_kept(&self) -> bool {
        self.work.request.within.is_some() && matches!(self.kind, Kind::Cross(..))
    }
}
