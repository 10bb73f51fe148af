//! Values of pairs on a GPU, one pair per lane.

mod bands;
mod cross;
mod delivery;
pub(crate) mod embedded;
mod entries;
pub(super) mod traceback;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use crate::backend::{Capabilities, Session, Span, Words};
use crate::call::phase::Phase;
use crate::call::turns::Turns;
use crate::edit_distance::Mode;
use crate::engine::placement::Boxed;
use crate::engine::profile::gpu::{compute_units, pairs as figures};
use crate::engine::several::{is_loss, try_all};
use crate::engine::{Device, Engine};
use crate::error::{Error, Result};
use crate::host::{lock, parallel};
use crate::kernels::pairs::{Ends, LANES, PairTable, Recurrence};
use crate::plan::{BufferId, Plan, Resident};

use super::SHARED_CODES;
use super::bands::{Bands, PLANES_COST};
use super::output::{Output, Takes};
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

/// Maximum parts of a call that several devices divide, for each of them: of values, and of pairs
/// within the bound.
const PARTS_PER_DEVICE: u64 = 8;
const KEPT_PARTS_PER_DEVICE: u64 = 4;
/// Lanes of a compute unit, which a part occupies.
const LANES_PER_UNIT: f64 = 2048.0;

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

/// Computes the pairs that were not passed on yet, in order, within bands or by whole tables. The
/// devices take the next pairs by turns; if one is lost, the others go on. Returns the cells.
///
/// # Errors
/// As [`Session::run`].
pub(super) async fn solve(
    mut devices: Vec<Device<'_>>,
    work: &Work<'_>,
    alphabet: &Alphabet,
    bands: Option<&Bands>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u128> {
    loop {
        let solved = for_width!(work.request.width(), T => {
            solve_as::<T>(&devices, work, alphabet, bands, part_pairs, output).await
        });
        match solved {
            Err((index, error)) if devices.len() > 1 && is_loss(&error) => {
                devices.remove(index);
            }
            solved => return solved.map_err(|(_, error)| error),
        }
    }
}

/// Pairs that no device has taken, and the way of values to the caller in their order.
struct Line<'d, 'o, T> {
    next: Mutex<u64>,
    end: u64,
    /// Maximum pairs of a part, and of one of which those within the bound come back.
    max_pairs: u64,
    max_kept: u64,
    takes_kept: bool,
    delivery: Turns<Delivery<'d, 'o, T>>,
}

/// As [`solve`]; an error comes with the index of its device.
async fn solve_as<T: Value>(
    devices: &[Device<'_>],
    work: &Work<'_>,
    alphabet: &Alphabet,
    bands: Option<&Bands>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u128, (usize, Error)> {
    let (next, end) = (output.next, work.positions.end);
    let takes_kept = output.takes == Takes::Kept;
    // Long strings take as long in few lanes as in all.
    let lanes = compute_units(devices[0].backend.capabilities()) * LANES_PER_UNIT;
    let most = |max_parts: u64| match devices.len() as u64 {
        1 => u64::MAX,
        count => {
            let of_device = (end - next) / count;
            let parts = (of_device / lanes as u64).clamp(1, max_parts);
            of_device / parts + 1
        }
    };
    let line = Line {
        next: Mutex::new(next),
        end,
        max_pairs: part_pairs.min(most(PARTS_PER_DEVICE)),
        max_kept: MAX_KEPT_PART_PAIRS.min(most(KEPT_PARTS_PER_DEVICE)),
        takes_kept,
        delivery: Turns::new(next, Delivery::<'_, '_, T>::new(&devices[0], work, output)),
    };
    let taking = &line;
    let run = |device| -> Boxed<'_, _> {
        Box::pin(async move {
            match bands {
                Some(bands) => taking.take_banded(device, work, alphabet, bands).await,
                None => taking.take_parts(device, work, alphabet).await.map(|()| 0),
            }
        })
    };
    let solved = try_all(devices.iter().map(run).collect()).await;
    let delivery = line.delivery.into_value();
    if delivery.as_ref().is_some_and(Delivery::is_ended) {
        // The caller takes no more.
        return Ok(work.cells);
    }
    let within_bands: u128 = solved?.into_iter().sum();
    delivery.into_iter().for_each(Delivery::finish);
    Ok(bands.map_or(work.cells, |_| within_bands))
}

impl<T: Value> Line<'_, '_, T> {
    /// Maximum pairs of a part on a device with this room.
    fn max_pairs(&self, room: &Room) -> u64 {
        self.max_pairs.min(room.part_bytes / size_of::<T>() as u64)
    }

    /// Computes parts by whole tables on a device, until none is left.
    async fn take_parts(
        &self,
        device: &Device<'_>,
        work: &Work<'_>,
        alphabet: &Alphabet,
    ) -> Result<()> {
        let room = Room::new(
            device.backend.capabilities(),
            device.budget_bytes / SESSIONS,
        );
        let parts = Parts::new(device, work, alphabet, &room);
        device.phases.lap(Phase::Encode);
        let sessions = [device.open_session()?, device.open_session()?];
        parts.solve(&sessions, self, self.max_pairs(&room)).await
    }

    /// Computes parts within bands on a device, until none is left. Returns the cells.
    async fn take_banded(
        &self,
        device: &Device<'_>,
        work: &Work<'_>,
        alphabet: &Alphabet,
        bands: &Bands,
    ) -> Result<u128> {
        let caps = device.backend.capabilities();
        let room = Room::new(caps, device.budget_bytes);
        let banded = bands::Banded::new(work, alphabet, bands, (caps, &room));
        device.phases.lap(Phase::Encode);
        let session = device.open_session()?;
        let claim = || {
            let mut next = lock(&self.next);
            let part = banded.next(*next, self.max_pairs(&room));
            *next = part.end;
            part
        };
        let mut cells = 0;
        loop {
            let part = claim();
            if part.is_empty() {
                return Ok(cells);
            }
            let mut values = vec![T::default(); (part.end - part.start) as usize];
            let solved = banded.solve((device, &session), part.clone(), &mut values);
            cells += solved.await?;
            let mut delivery = self.delivery.take(part.start).await;
            delivery.values(&part).copy_from_slice(&values);
            delivery.pass_on_values(part.clone()).await;
            let is_ended = delivery.is_ended();
            self.delivery.give(part.end, delivery);
            if is_ended {
                return Err(Error::Cancelled);
            }
        }
    }
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

    /// Computes parts in two sessions by turns, until none is left: the values of a round are read and
    /// passed on while the device runs the next one.
    async fn solve<T: Value>(
        &self,
        sessions: &[Session<'_>; SESSIONS as usize],
        line: &Line<'_, '_, T>,
        max_pairs: u64,
    ) -> Result<()> {
        let device = &sessions[0].device;
        let mut sends_kept = self.sends_kept() && line.takes_kept;
        // Taken pairs that have too many within the bound to send these alone.
        let again = Mutex::new(VecDeque::<Range<u64>>::new());
        let next = |sends_kept| {
            let mut again = lock(&again);
            if let Some(range) = again.front_mut() {
                let part = self.next(device, range.clone(), max_pairs, false);
                range.start = part.places.end;
                if range.is_empty() {
                    again.pop_front();
                }
                return Some(part);
            }
            let mut next = lock(&line.next);
            let left = *next..line.end;
            if left.is_empty() {
                return None;
            }
            let most = if sends_kept { line.max_kept } else { max_pairs };
            let part = self.next(device, left, most, sends_kept);
            *next = part.places.end;
            Some(part)
        };
        let ahead = Mutex::new(None);
        let (mut turn, mut arriving, mut held) = (0, None, None);
        'parts: loop {
            let part = lock(&ahead).take();
            let Some(part) = part.or_else(|| next(sends_kept)) else {
                return delivery::deliver(&line.delivery, &mut held, arriving).await;
            };
            let Part {
                places,
                columns,
                rounds,
            } = part;
            let last = rounds.len().saturating_sub(1);
            for (index, round) in rounds.into_iter().enumerate() {
                let meanwhile = || {
                    device.phases.lap(Phase::Sweep);
                    let mut ahead = lock(&ahead);
                    if index == last && ahead.is_none() {
                        *ahead = next(sends_kept);
                        device.phases.lap(Phase::Plan);
                    }
                    Ok(())
                };
                let make = |resident: &Resident| round.plan(resident);
                let run = || started(&sessions[turn], &make, &meanwhile);
                let delivered = delivery::deliver(&line.delivery, &mut held, arriving.take());
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
                    let planned = lock(&ahead).take().map(|part: Part<'_>| part.places);
                    lock(&again).extend([places].into_iter().chain(planned));
                    held.iter_mut().for_each(Delivery::forget_kept);
                    continue 'parts;
                }
                arriving = Some((arrives, Box::pin(async { Ok(words) })));
            }
        }
    }

    /// The first part of these pairs.
    fn next<'p>(
        &'p self,
        device: &Device<'_>,
        pairs: Range<u64>,
        max_pairs: u64,
        keeps_some: bool,
    ) -> Part<'p> {
        let Work {
            request, selection, ..
        } = self.work;
        let Range { start: place, end } = pairs;
        let targets = request.targets.len();
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
