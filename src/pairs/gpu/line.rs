//! Pairs of a call, which devices take part by part: the values of a part come to the caller in its turn.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use super::delivery::{self, Arriving, Delivery, Round};
use super::kept::KeptTargets;
use super::{Room, SESSIONS, bands, cross, entries, has_rectangles, started};
use crate::backend::Session;
use crate::call::phase::Phase;
use crate::call::turns::Turns;
use crate::engine::Device;
use crate::engine::placement::Boxed;
use crate::engine::profile::gpu::compute_units;
use crate::engine::several::{is_loss, try_all};
use crate::error::{Error, Result};
use crate::host::{lock, parallel};
use crate::pairs::bands::Bands;
use crate::pairs::output::{Output, Takes};
use crate::pairs::selection::{self, Selection};
use crate::pairs::values::{Value, for_width};
use crate::pairs::work::Work;
use crate::plan::Resident;
use crate::symbols::alphabet::Alphabet;

/// Pairs of a part of which only some values are read back.
const MAX_KEPT_PART_PAIRS: u64 = 1 << 30;

/// Maximum parts of a call that several devices divide, for each of them: of values, and of pairs
/// within the bound.
const PARTS_PER_DEVICE: u64 = 8;
const KEPT_PARTS_PER_DEVICE: u64 = 4;
/// Minimum parts of a call: the host passes the values of a part on while the device computes the
/// next one. Calls have fewer parts where one would have less than `MIN_PART_BYTES`.
/// nvidia-h200/2026-11-30-lists.txt.
const MIN_PARTS: u64 = 4;
const MIN_PART_BYTES: u64 = 8 << 20;
/// Lanes of a compute unit, which a part occupies.
const LANES_PER_UNIT: f64 = 2048.0;

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
pub(in crate::pairs) async fn solve(
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
    /// Devices besides one.
    others: u64,
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
        others: devices.len() as u64 - 1,
        max_pairs: part_pairs
            .min(most(PARTS_PER_DEVICE))
            .min(((end - next) / MIN_PARTS).max(MIN_PART_BYTES / size_of::<T>() as u64)),
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
        let kept = device.on_threads(|| KeptTargets::of(work));
        let (kept, alphabet) = match &kept {
            Some((kept, all)) => (Some(&**kept), all),
            None => (None, alphabet),
        };
        let parts = Parts::new(device, work, alphabet, &room, kept);
        device.phases.lap(Phase::Encode);
        let open = || match kept {
            Some(kept) => kept.sessions.open(device),
            None => device.open_session(),
        };
        let sessions = [open()?, open()?];
        let solving = parts.solve(&sessions, self, self.max_pairs(&room));
        solving.await?;
        if let Some(kept) = kept {
            sessions
                .into_iter()
                .for_each(|session| kept.sessions.park(session));
        }
        Ok(())
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

/// The pairs of a call and the form in which a device reads their strings, for all parts.
struct Parts<'a> {
    work: &'a Work<'a>,
    alphabet: &'a Alphabet,
    kind: Kind,
}

enum Kind {
    Cross(cross::Shapes, Arc<Vec<cross::Chunk>>),
    Entries(entries::Shapes),
}

/// Consecutive pairs that are passed on together.
struct Part<'a> {
    positions: Range<u64>,
    columns: Range<usize>,
    rounds: Vec<Round<'a>>,
}

impl<'a> Parts<'a> {
    fn new(
        device: &Device<'_>,
        work: &'a Work<'a>,
        alphabet: &'a Alphabet,
        room: &Room,
        kept: Option<&KeptTargets>,
    ) -> Self {
        let (caps, request) = (device.backend.capabilities(), &work.request);
        let measure = request.measure;
        let kind = if has_rectangles(work) {
            let make = || {
                let chunks = cross::chunks(request, room);
                parallel::map_each(chunks, |targets| cross::Chunk::new(request, targets))
            };
            let chunks = device.on_threads(|| match kept {
                Some(kept) => kept.chunks(room.symbols, make),
                None => Arc::new(make()),
            });
            let shapes = cross::Shapes::new(measure, request.width(), alphabet.codes(), caps, room);
            Kind::Cross(shapes, chunks)
        } else {
            Kind::Entries(entries::Shapes::new(measure, alphabet.codes(), caps, room))
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
        // Before its turn a device takes no part that the others need.
        let next = |sends_kept, for_others: u64| {
            let mut again = lock(&again);
            if let Some(range) = again.front_mut() {
                let part = self.next(device, range.clone(), max_pairs, false);
                range.start = part.positions.end;
                if range.is_empty() {
                    again.pop_front();
                }
                return Some(part);
            }
            let mut next = lock(&line.next);
            let left = *next..line.end;
            let most = if sends_kept { line.max_kept } else { max_pairs };
            if left.end - left.start <= for_others.saturating_mul(most) {
                return None;
            }
            let part = self.next(device, left, most, sends_kept);
            *next = part.positions.end;
            Some(part)
        };
        let ahead = Mutex::new(None);
        let (mut turn, mut arriving, mut held) = (0, None, None);
        'parts: loop {
            let part = lock(&ahead).take();
            let Some(part) = part.or_else(|| next(sends_kept, 0)) else {
                return delivery::deliver(&line.delivery, &mut held, arriving).await;
            };
            let Part {
                positions,
                columns,
                rounds,
            } = part;
            let last = rounds.len().saturating_sub(1);
            for (index, round) in rounds.into_iter().enumerate() {
                let meanwhile = || {
                    device.phases.lap(Phase::Sweep);
                    let mut ahead = lock(&ahead);
                    if index == last && ahead.is_none() {
                        *ahead = next(sends_kept, line.others);
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
                    positions: positions.clone(),
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
                    let planned = lock(&ahead).take().map(|part: Part<'_>| part.positions);
                    lock(&again).extend([positions].into_iter().chain(planned));
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
        let Range {
            start: position,
            end,
        } = pairs;
        let targets = request.targets.len();
        let (rounds, columns, pairs) = match &self.kind {
            Kind::Cross(shapes, chunks) => {
                let max_pairs = max_pairs.min(shapes.max_rows(chunks) * targets as u64);
                let part = selection.part(position, end, max_pairs, targets);
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
                let entry = |position| {
                    let pair = selection.pair(position, targets);
                    (pair, !self.work.long.contains(position))
                };
                let all = (position..end).map(entry);
                let block = device.on_threads(|| {
                    entries::Block::of_first(request, self.alphabet, shapes, (all, max_pairs))
                });
                let pairs = block.pairs();
                (vec![Round::Entries(Box::new(block))], 0..0, pairs)
            }
        };
        Part {
            positions: position..position + pairs as u64,
            columns,
            rounds,
        }
    }

    /// True if the device can send back the values within the bound alone.
    fn sends_kept(&self) -> bool {
        self.work.request.within.is_some() && matches!(self.kind, Kind::Cross(..))
    }
}
