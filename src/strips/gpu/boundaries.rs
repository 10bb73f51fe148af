//! Reads stored boundaries back, a window at a time, and makes tiles of them for the walk.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::history::History;
use super::plan::Sweep;
use super::tiling::{LIMB_ROWS, Tiling};
use crate::backend::{Loaded, Pending, Span};
use crate::blocks::Blocks;
use crate::control::Control;
use crate::error::Result;
use crate::phases::Phases;
use crate::strips::recurrence::Recurrence;
use crate::strips::trace::{Columns, Swept, Tile, Walker, pack_rows};

/// Bytes of one readback.
const WINDOW_BYTES: u64 = 4 << 20;
/// Most slots of one readback: each is a copy command of its own.
const WINDOW_SLOTS: u64 = 64;
/// Records beside the straight path that a window takes along.
const SLACK: u64 = 6;

/// The boundaries of a finished sweep, on the device.
#[derive(Clone, Copy)]
pub(super) struct Boundaries<'a> {
    pub loaded: &'a Mutex<Box<dyn Loaded>>,
    pub sweep: &'a Sweep,
    pub tiling: &'a Tiling,
    pub history: &'a History,
    pub control: &'a Control,
}

/// One direction's walk over them; that of the second is `TURNED`.
struct Walk<'a, R, const TURNED: bool> {
    boundaries: Boundaries<'a>,
    records: Records<'a>,
    phases: Phases,
    window: Window,
    ahead: Option<(Vec<Run>, Pending<Vec<u32>>)>,
    /// The record that was swept again last.
    swept: Option<Place>,
    /// Its lanes from the first down, and buffers of lanes that are not in use.
    lanes: Vec<Swept>,
    lanes_swept: usize,
    columns: Columns<R, TURNED>,
}

/// A record: its slot and its place among the records of the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    slot: u64,
    group: u64,
}

/// Neighbouring records of one slot.
#[derive(Clone, Debug)]
struct Run {
    slot: u64,
    groups: Range<u64>,
}

/// Records on the host.
#[derive(Default)]
struct Window {
    runs: Vec<Run>,
    words: Vec<u32>,
}

/// How records become tiles.
#[derive(Clone, Copy)]
struct Records<'a> {
    tiling: &'a Tiling,
    history: &'a History,
    direction: u32,
    a: &'a [u32],
    b: &'a [u32],
}

impl Records<'_> {
    fn groups_per_strip(&self) -> u64 {
        u64::from(self.tiling.lanes / self.history.lanes)
    }

    fn words(&self) -> usize {
        self.history.record_words(self.tiling) as usize
    }

    /// The record that holds row `row` and column `col`, and the lane in it.
    fn place(&self, row: usize, col: usize) -> (Place, usize) {
        let lane = row as u64 / self.tiling.lane_rows();
        let (strip, in_strip) = (lane / u64::from(self.tiling.lanes), lane % u64::from(self.tiling.lanes));
        let word = (col as u64 + self.front()) / u64::from(self.tiling.columns);
        let step = word + in_strip + strip * self.tiling.lag();
        let lanes = u64::from(self.history.lanes);
        let place = Place { slot: step / self.history.steps(self.tiling), group: lane / lanes };
        (place, (lane % lanes) as usize)
    }

    /// Sweeps lanes of a record from the first on up to column `end`: the carries into the first are
    /// stored, each lane's bottom feeds the next.
    fn sweep<R: Recurrence, const TURNED: bool>(
        &self,
        (place, record): (Place, &[u32]),
        columns: &mut Columns<R, TURNED>,
        end: usize,
        lanes: &mut [Swept],
    ) {
        for lane in 0..lanes.len() {
            let (above, below) = lanes.split_at_mut(lane);
            let tile = self.tile::<R>(place, record, lane, above.last());
            columns.sweep(&tile, (usize::MAX, end), (self.a, self.b), &mut below[0]);
        }
    }

    /// Columns of the first word that are not the table's.
    fn front(&self) -> u64 {
        self.tiling.front_columns(self.b.len() as u64)
    }

    /// The tile of one lane; `above` is the lane above it in the same record.
    fn tile<R: Recurrence>(&self, place: Place, record: &[u32], lane: usize, above: Option<&Swept>) -> Tile {
        let (tiling, columns) = (self.tiling, self.tiling.columns);
        let strip = place.group / self.groups_per_strip();
        let slot_step = (place.slot * self.history.steps(tiling)) as i64 - (strip * tiling.lag()) as i64;
        let in_strip = (place.group % self.groups_per_strip() * u64::from(self.history.lanes)) as i64 + lane as i64;
        let (limbs, lane_words) = (tiling.limbs as usize, tiling.lane_words() as usize);
        let stored = &record[self.history.lanes as usize * lane_words..];
        let steps = stored.len() / R::HORIZONTAL;
        // Words before the table change nothing, so the state at the first of them is the state at word 0.
        let first = (slot_step - in_strip).max(0);
        let end = (slot_step + steps as i64 - in_strip).min(tiling.words() as i64).max(first);
        let first_row = (strip * u64::from(tiling.lanes) + in_strip as u64) * tiling.lane_rows();
        let row = |row: u64| (row as usize).min(self.a.len());
        let front = self.front() as usize;
        let column = |word: i64| (word as usize * columns as usize).saturating_sub(front).min(self.b.len());
        let v = |vector: usize| {
            if vector >= R::VERTICAL {
                return Vec::new();
            }
            if first == 0 && slot_step != in_strip {
                return vec![R::FIRST_COLUMN[vector]; (tiling.lane_rows() as usize).div_ceil(64)];
            }
            let limbs = &record[lane * lane_words + vector * limbs..][..limbs];
            pack_rows(limbs.iter().map(|&limb| u64::from(limb & (u32::MAX >> 1))), LIMB_ROWS as u32)
        };
        let h = |bit: usize| {
            let mut carries = Carries { skip: if first == 0 { front as u32 } else { 0 }, ..Carries::default() };
            match above {
                _ if bit >= R::HORIZONTAL => {}
                None => (first..end).for_each(|word| {
                    let step = (word + in_strip - slot_step) as usize;
                    carries.push(u64::from(stored[bit * steps + step]), columns);
                }),
                Some(above) => {
                    if slot_step >= in_strip {
                        let in_flight = record[(lane - 1) * lane_words + limbs * R::VERTICAL + bit];
                        carries.push(u64::from(in_flight), columns);
                    } else {
                        // The lane above starts at the same column.
                        carries.skip = 0;
                    }
                    above.h[bit].iter().for_each(|&word| carries.push(word, 64));
                }
            }
            carries.words
        };
        Tile {
            rows: row(first_row)..row(first_row + tiling.lane_rows()),
            cols: column(first)..column(end),
            v: [0, 1].map(v),
            h: [0, 1].map(h),
        }
    }
}

impl Boundaries<'_> {
    /// The path of `codes` from the first cell to the one with `i` rows above it, itself included, behind the last column;
    /// and where the time went.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled), and what reading from the device returns.
    pub(super) fn walk<R: Recurrence, const TURNED: bool>(
        &self,
        (a, b): (&[u32], &[u32]),
        i: usize,
    ) -> Result<(Blocks, Phases)> {
        let mut walk = Walk::<R, TURNED> {
            boundaries: *self,
            records: Records { tiling: self.tiling, history: self.history, direction: u32::from(TURNED), a, b },
            phases: Phases::start(),
            window: Window::default(),
            ahead: None,
            swept: None,
            lanes: Vec::new(),
            lanes_swept: 0,
            columns: Columns::new(self.tiling.shape.shared),
        };
        let mut walker = Walker::new(a, b, i, self.tiling.shape.shared);
        while let (1.., 1..) = walker.position() {
            self.control.check()?;
            walk.advance(&mut walker)?;
        }
        walk.phases.lap("trace");
        Ok((walker.finish(), walk.phases))
    }
}

impl<R: Recurrence, const TURNED: bool> Walk<'_, R, TURNED> {
    /// Walks through the tile where the walker stands.
    fn advance(&mut self, walker: &mut Walker<'_, R, TURNED>) -> Result<()> {
        let (i, j) = walker.position();
        let (place, lane) = self.records.place(i - 1, j - 1);
        // Columns behind the walker are not swept, and it never turns back to them.
        if self.swept != Some(place) || lane >= self.lanes_swept {
            self.phases.lap("trace");
            self.reach(place)?;
            self.phases.lap("readback");
            if let Some(record) = self.window.record(place, self.records.words()) {
                self.lanes_swept = lane + 1;
                self.lanes.resize_with(self.lanes.len().max(self.lanes_swept), Swept::default);
                let lanes = &mut self.lanes[..self.lanes_swept];
                self.records.sweep((place, record), &mut self.columns, j, lanes);
                self.swept = Some(place);
            }
            self.phases.lap("recompute");
        }
        walker.follow(&self.lanes[lane]);
        Ok(())
    }

    /// Has a window on the host that holds the record at `place`.
    fn reach(&mut self, place: Place) -> Result<()> {
        let words = self.records.words();
        if self.window.record(place, words).is_some() {
            return Ok(());
        }
        let ahead = self.ahead.take().filter(|(runs, _)| position(runs, place, words).is_some());
        let (runs, arriving) = match ahead {
            Some(ahead) => ahead,
            None => self.fetch(place)?,
        };
        self.window = Window { words: pollster::block_on(arriving)?, runs };
        // The path goes on towards the first cell about as straight as it has to: fetch there while this window is walked.
        let first_slot = self.window.runs.first().map_or(0, |run| run.slot);
        if first_slot > 0 {
            let ratio = (place.group + 1) as f64 / (place.slot + 1) as f64;
            let group = place.group.saturating_sub(((place.slot - first_slot) as f64 * ratio) as u64) + SLACK;
            self.ahead = Some(self.fetch(Place { slot: first_slot - 1, group })?);
        }
        Ok(())
    }

    /// Starts reading the records before `place`, those that a straight path to the first cell comes by and some around.
    fn fetch(&mut self, place: Place) -> Result<(Vec<Run>, Pending<Vec<u32>>)> {
        let Records { tiling, history, direction, .. } = self.records;
        let record = history.record_words(tiling);
        let ratio = (place.group + 1) as f64 / (place.slot + 1) as f64;
        let across = |slots: u64| (slots as f64 * ratio * 1.25) as u64 + 2 * SLACK;
        let fits = |&slots: &u64| slots * across(slots) * record * 4 <= WINDOW_BYTES;
        let slots = (1..=WINDOW_SLOTS.min(place.slot + 1)).rev().find(fits).unwrap_or(1);
        let groups = (place.group + 1).saturating_sub(across(slots))..place.group + 1;
        let mut runs = Vec::new();
        let mut spans = Vec::new();
        for slot in place.slot + 1 - slots..place.slot + 1 {
            let place = &history.slots[slot as usize];
            let per_strip = self.records.groups_per_strip();
            let (start, groups_end) = (place.strips.start * per_strip, place.strips.end * per_strip);
            let first = groups.start.max(start);
            let end = groups.end.min(groups_end).max(first);
            let skipped = first - start + u64::from(direction) * (groups_end - start);
            spans.push(Span {
                buffer: self.boundaries.sweep.history[place.chunk],
                first: place.first_word + skipped * record,
                words: (end - first) * record,
            });
            runs.push(Run { slot, groups: first..end });
        }
        spans.retain(|span| span.words > 0);
        let mut loaded = self.boundaries.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((runs, loaded.read(&spans)?))
    }
}

impl Window {
    fn record(&self, place: Place, words: usize) -> Option<&[u32]> {
        let first = position(&self.runs, place, words)?;
        self.words.get(first..first + words)
    }
}

/// Where the record at `place` starts among the words of these runs.
fn position(runs: &[Run], place: Place, record_words: usize) -> Option<usize> {
    let mut before = 0;
    for run in runs {
        if run.slot == place.slot && run.groups.contains(&place.group) {
            return Some((before + place.group - run.groups.start) as usize * record_words);
        }
        before += run.groups.end - run.groups.start;
    }
    None
}

/// A bit string that grows by some bits at a time.
#[derive(Default)]
struct Carries {
    words: Vec<u64>,
    bits: u32,
    /// Bits to leave out before the first.
    skip: u32,
}

impl Carries {
    fn push(&mut self, word: u64, bits: u32) {
        let skipped = std::mem::take(&mut self.skip);
        let (word, bits) = (word.checked_shr(skipped).unwrap_or(0), bits - skipped);
        if bits == 0 {
            return;
        }
        let place = self.bits % 64;
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
        self.bits += bits;
    }
}
