//! Reads stored boundaries back, a window at a time, and makes tiles of them for the walk.
//!
//! A window is a part of the table around the straight path: its strips are swept again on the device, all at once, each from
//! its own record, and leave the boundaries of small tiles; those near the path are read back while the window before is
//! walked.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::history::History;
use super::plan::{Frame, Sweep};
use super::tiling::{LIMB_ROWS, Shape, Table, Tiling};
use crate::backend::{Loaded, Pending, Span};
use crate::blocks::Blocks;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::phases::Phases;
use crate::strips::recurrence::Recurrence;
use crate::strips::trace::{Tile, Walker, pack_rows_into};

/// Bytes of one readback.
const READBACK_BYTES: u64 = 8 << 20;
/// Most slots of one window.
const WINDOW_SLOTS: u64 = 512;
/// Lanes beside the straight path that a window takes along at least.
const SLACK: u64 = 6;
/// Lanes beside the straight path that are read back at least.
const MARGIN: u64 = 2;
/// Nearly no path strays further than paths of so many times its length do on average.
const STRAY_LENGTHS: f64 = 2.0;
/// How many times a path's cost a row is its share of how far costly paths stray.
const STRAY_BY_COST: f64 = 4.0;

/// The boundaries of a finished sweep, on the device.
#[derive(Clone, Copy)]
pub(super) struct Boundaries<'a> {
    pub device: &'a str,
    pub loaded: &'a Mutex<Box<dyn Loaded>>,
    pub sweep: &'a Sweep,
    pub tiling: &'a Tiling,
    pub history: &'a History,
    pub control: &'a Control,
}

impl Boundaries<'_> {
    /// Starts fetching the first window of a direction, which sweeps `a` against `b`, before it is known where the path begins:
    /// about where a straight path would.
    ///
    /// # Errors
    /// What replaying on the device and reading from it return.
    pub(super) fn ahead(&self, (a, b): (&[u32], &[u32]), direction: u32) -> Result<Option<Arriving>> {
        let (rows, cols) = (a.len() as f64, self.tiling.shape.cols as f64);
        let row = (rows * b.len() as f64 / cols) as usize;
        if row == 0 || b.is_empty() {
            return Ok(None);
        }
        let tiles = Tiles::new(self.tiling, self.history, a, b);
        let spread = 2 * stray(rows, self.tiling);
        let place = tiles.place(row - 1, b.len() - 1)?;
        let windows = Windows { spread, ..Windows::new(*self, &tiles, direction) };
        windows.fetch(place, tiles.slot(place)).map(Some)
    }

    /// The path of `codes` from the first cell to the one with `i` rows above it, itself included, behind the last column;
    /// and where the time went. A `TURNED` path is that of the second direction. For `origin` and what comes back see
    /// [`Walker::finish`].
    ///
    /// # Errors
    /// [`Error::Cancelled`], and what replaying on the device and reading from it return.
    pub(super) fn walk<R: Recurrence, const TURNED: bool>(
        &self,
        (a, b): (&[u32], &[u32]),
        i: usize,
        origin: (usize, usize),
        ahead: Option<Arriving>,
    ) -> Result<(Vec<Blocks>, Phases)> {
        let phases = Phases::start();
        let tiles = Tiles::new(self.tiling, self.history, a, b);
        let mut windows = Windows { ahead, ..Windows::new(*self, &tiles, u32::from(TURNED)) };
        let mut walker = Walker::<R, TURNED>::new(a, b, i, self.tiling.shape.shared);
        let mut tile = Tile::default();
        while let (i @ 1.., j @ 1..) = walker.position() {
            let place = tiles.place(i - 1, j - 1)?;
            let Some(first) = windows.window.position(place, &tiles) else {
                self.control.check()?;
                phases.lap("trace");
                windows.reach(place)?;
                phases.lap("readback");
                continue;
            };
            let record = &windows.window.words[first..][..tiles.words];
            tiles.fill::<R>(&mut tile, place, i - 1, record);
            walker.walk(&tile);
        }
        let path = walker.finish(origin);
        phases.lap("trace");
        Ok((path, phases))
    }
}

/// A tile: its place among the tiles of a lane and its lane, both counted through the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    tile: u64,
    lane: u64,
}

/// Rows of a tile: two limbs are a word of the host.
const PAIR_ROWS: usize = 2 * LIMB_ROWS as usize;

/// How records of tiles become tiles.
struct Tiles<'a> {
    tiling: &'a Tiling,
    history: &'a History,
    a: &'a [u32],
    b: &'a [u32],
    /// Words of a record.
    words: usize,
    /// Words of a record for each pair of limbs: the carries that entered it.
    pair_words: usize,
    /// Tiles of one lane in a slot.
    in_slot: u64,
    /// Columns of the first word that are not the table's.
    front: u64,
    /// Steps that a strip runs behind the one above it.
    lag: u64,
    /// Column words of each strip.
    spans: Vec<Range<u64>>,
}

impl<'a> Tiles<'a> {
    fn new(tiling: &'a Tiling, history: &'a History, a: &'a [u32], b: &'a [u32]) -> Self {
        let words = history.tile_words(tiling) as usize;
        let (in_slot, front, lag) = (history.tiles(tiling), tiling.front_columns(b.len() as u64), tiling.lag());
        let spans = (0..tiling.strips()).map(|strip| tiling.span(strip)).collect();
        let pair_words = history.carry_words(tiling) as usize;
        Self { tiling, history, a, b, words, pair_words, in_slot, front, lag, spans }
    }

    /// The tile that holds row `row` and column `col`.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] where it is outside of the band.
    fn place(&self, row: usize, col: usize) -> Result<Place> {
        let lane = row as u64 / self.tiling.lane_rows();
        let (strip, in_strip) = (lane / u64::from(self.tiling.lanes), lane % u64::from(self.tiling.lanes));
        let word = (col as u64 + self.front) / u64::from(self.tiling.columns);
        if !self.spans.get(strip as usize).is_some_and(|words| words.contains(&word)) {
            return Err(Error::CertificateFailed(format!("the path leaves its band at row {row}, column {col}")));
        }
        let step = word + in_strip + strip * self.lag;
        Ok(Place { tile: step / u64::from(self.history.tile_steps), lane })
    }

    /// The first column of a word.
    fn column(&self, word: i64) -> usize {
        let columns = word as usize * self.tiling.columns as usize;
        columns.saturating_sub(self.front as usize).min(self.b.len())
    }

    fn slot(&self, place: Place) -> u64 {
        place.tile / self.in_slot
    }

    /// The lane where a straight path from the first cell to `place` is in step `step`: from lane to lane it has as many words to
    /// cross, and from strip to strip it waits.
    fn straight(&self, place: Place, step: u64) -> u64 {
        let lanes = u64::from(self.tiling.lanes);
        let before = place.lane % lanes + place.lane / lanes * self.lag;
        let words = (place.tile * u64::from(self.history.tile_steps)).saturating_sub(before);
        let lane_steps = 1.0 + words as f64 / place.lane.max(1) as f64;
        let in_lanes = lanes as f64 * lane_steps;
        let strip_steps = in_lanes + (self.lag + 1 - lanes) as f64;
        let strip = (step as f64 / strip_steps).floor();
        let lane = (step as f64 - strip * strip_steps).min(in_lanes) / lane_steps;
        (strip * lanes as f64 + lane) as u64
    }

    /// Makes `tile` the pair of limbs at `place` that holds row `row`.
    fn fill<R: Recurrence>(&self, tile: &mut Tile, place: Place, row: usize, record: &[u32]) {
        let (tiling, columns) = (self.tiling, self.tiling.columns);
        let lanes = u64::from(tiling.lanes);
        let (strip, in_strip) = (place.lane / lanes, (place.lane % lanes) as i64);
        let steps = self.history.tile_steps as usize;
        let tile_step = (place.tile * steps as u64) as i64 - (strip * self.lag) as i64;
        let (v, carries) = record.split_at(tiling.limbs as usize * R::VERTICAL);
        let pair = (row - place.lane as usize * tiling.lane_rows() as usize) / PAIR_ROWS;
        let carries = &carries[pair * self.pair_words..][..self.pair_words];
        // Words outside of the strip change nothing.
        let words = &self.spans[strip as usize];
        let words = words.start as i64..words.end as i64;
        let first = (tile_step - in_strip).max(words.start);
        let end = (tile_step + steps as i64 - in_strip).min(words.end).max(first);
        let first_row = place.lane as usize * tiling.lane_rows() as usize + pair * PAIR_ROWS;
        tile.rows = first_row..(first_row + PAIR_ROWS).min(self.a.len());
        tile.cols = self.column(first)..self.column(end);
        for (vector, limbs_of) in tile.v.iter_mut().enumerate().take(R::VERTICAL) {
            if tile_step < words.start {
                limbs_of.clear();
                limbs_of.push(R::FIRST_COLUMN[vector]);
            } else {
                let limbs = &v[vector * tiling.limbs as usize + 2 * pair..][..2];
                let rows = limbs.iter().map(|&limb| u64::from(limb & (u32::MAX >> 1)));
                pack_rows_into(limbs_of, rows, LIMB_ROWS as u32);
            }
        }
        let packed = self.history.packed(tiling) as usize;
        for (bit, words) in tile.h.iter_mut().enumerate().take(R::HORIZONTAL) {
            let carries = &carries[bit * (steps / packed)..];
            let mut bits = Bits::over(words);
            let (mut step, last) = ((first + in_strip - tile_step) as usize, (end + in_strip - tile_step) as usize);
            // Columns before the table's first stand in front of word 0.
            let mut skipped = if first == 0 { self.front as u32 } else { 0 };
            while step < last {
                let part = step % packed;
                let parts = (packed - part).min(last - step);
                let word = u64::from(carries[step / packed] >> (part as u32 * columns));
                let count = parts as u32 * columns;
                let word = word & !(!0 << count);
                bits.push(word.checked_shr(skipped).unwrap_or(0), count - skipped);
                skipped = 0;
                step += parts;
            }
        }
    }
}

/// Neighbouring lanes of one slot, all their tiles.
#[derive(Clone, Debug)]
struct Run {
    slot: u64,
    lanes: Range<u64>,
    first_word: usize,
}

/// Tiles on the host.
#[derive(Default)]
struct Window {
    /// In the order of slots.
    runs: Vec<Run>,
    words: Vec<u32>,
}

impl Window {
    /// Where the record of a tile starts.
    fn position(&self, place: Place, tiles: &Tiles<'_>) -> Option<usize> {
        position(&self.runs, place, tiles)
    }
}

fn position(runs: &[Run], place: Place, tiles: &Tiles<'_>) -> Option<usize> {
    let slot = tiles.slot(place);
    let of_slot = &runs[runs.partition_point(|run| run.slot < slot)..];
    let run = of_slot.iter().take_while(|run| run.slot == slot).find(|run| run.lanes.contains(&place.lane))?;
    let before = (place.lane - run.lanes.start) * tiles.in_slot + place.tile % tiles.in_slot;
    Some(run.first_word + before as usize * tiles.words)
}

/// Lanes by which best paths through random symbols stray: about the power 2/3 of their length, less where they cost little.
fn stray(rows: f64, tiling: &Tiling) -> u64 {
    let Shape { rows: all, cols, band, .. } = tiling.shape;
    let cost = band.width(all as usize, cols as usize) as f64 - all.abs_diff(cols) as f64;
    let cost = cost / all.max(1) as f64;
    (rows.powf(2.0 / 3.0) / tiling.lane_rows() as f64 * (cost * STRAY_BY_COST).min(1.0)) as u64
}

/// A window on its way.
pub(super) struct Arriving {
    runs: Vec<Run>,
    stamp: Pending<u32>,
    words: JoinHandle<Result<Vec<u32>>>,
}

/// The windows of one direction's walk.
struct Windows<'a> {
    boundaries: Boundaries<'a>,
    tiles: &'a Tiles<'a>,
    direction: u32,
    /// How many lanes beside the path may be where a window is fetched.
    spread: u64,
    window: Window,
    ahead: Option<Arriving>,
}

/// The stamp that replays leave; the sweep's own count slices from 1.
const REPLAY_STAMP: u32 = u32::MAX;

impl<'a> Windows<'a> {
    fn new(boundaries: Boundaries<'a>, tiles: &'a Tiles<'a>, direction: u32) -> Self {
        Self { boundaries, tiles, direction, spread: 0, window: Window::default(), ahead: None }
    }

    /// Has a window on the host that holds the tile at `place`.
    fn reach(&mut self, place: Place) -> Result<()> {
        let ahead = self.ahead.take().filter(|ahead| position(&ahead.runs, place, self.tiles).is_some());
        let slot = self.tiles.slot(place);
        let arriving = match ahead {
            Some(ahead) => ahead,
            None => self.fetch(place, slot)?,
        };
        if pollster::block_on(arriving.stamp)? != REPLAY_STAMP {
            return Err(Error::MissingStamp { device: self.boundaries.device.to_string(), slice: REPLAY_STAMP });
        }
        let words = arriving.words.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        self.window = Window { words, runs: arriving.runs };
        // The path goes on towards the first cell about as straight as it has to: replay there while this window is walked.
        let first_slot = self.window.runs.first().map_or(0, |run| run.slot);
        if first_slot > 0 {
            self.ahead = Some(self.fetch(place, first_slot - 1)?);
        }
        Ok(())
    }

    /// The lanes that a path from `place` may cross in slot `slot`, going straight to the first cell or some way beside.
    fn corridor(&self, place: Place, slot: u64) -> Range<u64> {
        let (tiling, from) = (self.tiles.tiling, self.tiles.slot(place));
        let lanes_per_slot = (place.lane + 1) as f64 / (from + 1) as f64;
        let distance = (from - slot) as f64 * lanes_per_slot;
        // From strip to strip the steps jump, by less than a slot.
        let jump = lanes_per_slot as u64 + 1;
        let slack = SLACK + jump + self.spread + stray((distance + lanes_per_slot) * tiling.lane_rows() as f64, tiling);
        let exact = slot == from && self.spread == 0;
        let last = place.lane.saturating_sub(distance as u64) + if exact { 0 } else { slack };
        let first = place.lane.saturating_sub((distance + lanes_per_slot) as u64 + slack);
        let strips = &self.tiles.history.slots[slot as usize].strips;
        let lanes = u64::from(tiling.lanes);
        let first = first.max(strips.start * lanes);
        first..(last + 1).min(strips.end * lanes).max(first)
    }

    /// Of the corridor's lanes those that are worth reading back: where the straight path is in the steps of the slot, and as
    /// far beside as nearly no path through random symbols strays.
    fn near(&self, place: Place, slot: u64) -> Range<u64> {
        let (tiling, corridor) = (self.tiles.tiling, self.corridor(place, slot));
        let (pass, steps) = (u64::from(tiling.steps), self.tiles.history.steps(tiling));
        // A path that has strayed to another strip is in its steps sooner or later, by less than a pass.
        let steps = [(slot * steps).saturating_sub(pass), (slot + 1) * steps + pass];
        let [first, last] = steps.map(|step| self.tiles.straight(place, step).min(place.lane));
        // Where unequal symbols never match, paths stray further the rarer equal ones are.
        let lengths = match tiling.shape.table {
            Table::Lcs => STRAY_LENGTHS * f64::from(tiling.shape.shared).sqrt(),
            Table::Edit | Table::EditInfix => STRAY_LENGTHS,
        };
        let rows = ((place.lane - first) * tiling.lane_rows()) as f64;
        let slack = MARGIN + self.spread + stray(lengths * rows, tiling);
        let first = first.saturating_sub(slack).clamp(corridor.start, corridor.end);
        first..(last + slack + 1).clamp(first, corridor.end)
    }

    /// The strips of the slots up to `last` that a path from `place` may cross, as many slots as a window holds; at least the
    /// tile where the walk stands.
    fn frame(&self, place: Place, last: u64) -> Frame {
        let Tiles { tiling, history, .. } = *self.tiles;
        let (lanes, from) = (u64::from(tiling.lanes), self.tiles.slot(place));
        let per_lane = history.tiles(tiling) * history.tile_words(tiling) * 4;
        let strips_per_slot = (place.lane + 1) as f64 / lanes as f64 / (from + 1) as f64;
        let skew = (strips_per_slot * 65536.0).min(f64::from(u32::MAX >> 7)) as u32;
        let chunk = history.slots[last as usize].chunk;
        let only = Frame { slots: last..last + 1, first_strip: place.lane / lanes, skew, strips: 1 };
        let mut found = only.clone();
        let mut bytes = 0;
        for slot in (0..=last).rev().take(WINDOW_SLOTS as usize) {
            let corridor = self.corridor(place, slot);
            let near = self.near(place, slot);
            bytes += (near.end - near.start) * per_lane;
            // The frame whose strips are just enough for the first and the last slot's corridor.
            let first_strip = corridor.start / lanes;
            let mut frame = Frame { slots: slot..last + 1, first_strip, skew, strips: 1 };
            let needed = |slot| self.corridor(place, slot).end.div_ceil(lanes).saturating_sub(frame.strips(slot).start);
            let strips = needed(slot).max(needed(last)).max(1) + 1;
            frame.strips = strips;
            let records = (last + 1 - slot) * strips;
            if history.slots[slot as usize].chunk != chunk || records > history.window_records || bytes > READBACK_BYTES
            {
                break;
            }
            found = frame;
        }
        found
    }

    /// Starts replaying the slots up to `last` and reading back what a path from `place` may cross there.
    fn fetch(&self, place: Place, last: u64) -> Result<Arriving> {
        let Tiles { tiling, history, .. } = *self.tiles;
        let (lanes, per_lane) = (u64::from(tiling.lanes), history.tiles(tiling) * history.tile_words(tiling));
        let frame = self.frame(place, last);
        let (mut runs, mut spans) = (Vec::new(), Vec::new());
        let mut first_word = 0;
        for slot in frame.slots.clone() {
            let mut near = self.near(place, slot);
            if slot == self.tiles.slot(place) {
                near = near.start.min(place.lane)..near.end.max(place.lane + 1);
            }
            for (index, strip) in frame.strips(slot).enumerate() {
                let lanes_held = near.start.max(strip * lanes)..near.end.min((strip + 1) * lanes);
                if lanes_held.is_empty() {
                    continue;
                }
                let record = (slot - frame.slots.start) * frame.strips + index as u64;
                let first =
                    record * history.window_record_words(tiling) + (lanes_held.start - strip * lanes) * per_lane;
                let words = (lanes_held.end - lanes_held.start) * per_lane;
                spans.push(Span { buffer: self.boundaries.sweep.tiles, first, words });
                runs.push(Run { slot, lanes: lanes_held, first_word });
                first_word += words as usize;
            }
        }
        let replay = self.boundaries.sweep.replay(tiling, history, self.direction, &frame);
        let mut loaded = self.boundaries.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = loaded.submit(&[replay], REPLAY_STAMP)?;
        let words = loaded.read(&spans)?;
        // A thread of its own copies the words while the walk goes on.
        let arriving = std::thread::Builder::new().spawn(move || pollster::block_on(words));
        let words = arriving.map_err(|error| Error::DeviceUnavailable {
            device: self.boundaries.device.to_string(),
            reason: format!("no thread for reading back: {error}"),
        })?;
        Ok(Arriving { runs, stamp, words })
    }
}

/// A bit string that grows by some bits at a time.
struct Bits<'a> {
    words: &'a mut Vec<u64>,
    count: u32,
}

impl<'a> Bits<'a> {
    /// In place of what `words` held.
    fn over(words: &'a mut Vec<u64>) -> Self {
        words.clear();
        Self { words, count: 0 }
    }

    fn push(&mut self, word: u64, bits: u32) {
        if bits == 0 {
            return;
        }
        let place = self.count % 64;
        if place == 0 {
            self.words.push(word);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= word << place;
            }
            if place + bits > 64 {
                self.words.push(word >> (64 - place));
            }
        }
        self.count += bits;
    }
}
