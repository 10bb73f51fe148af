//! Reads stored boundaries back, a window at a time, and makes tiles of them for the walk.

use std::ops::Range;

use super::history::History;
use super::plan::Sweep;
use super::tiling::{LIMB_ROWS, Tiling};
use crate::backend::{Loaded, Pending, Span};
use crate::error::Result;
use crate::lcs::trace::{Tile, carries_below, pack_rows};

/// Bytes of one readback.
const WINDOW_BYTES: u64 = 4 << 20;
/// Most slots of one readback: each is a copy command of its own.
const WINDOW_SLOTS: u64 = 64;

/// The boundaries of a finished sweep, on the device.
pub(super) struct Boundaries<'a> {
    loaded: Box<dyn Loaded>,
    sweep: Sweep,
    tiling: &'a Tiling,
    history: &'a History,
    a: &'a [u32],
    b: &'a [u32],
    window: Option<Window>,
    ahead: Option<(Vec<Run>, Pending<Vec<u32>>)>,
    /// Tiles of one record from its first lane down, and which record.
    lanes: (Option<Place>, Vec<Tile>),
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
struct Window {
    runs: Vec<Run>,
    words: Vec<u32>,
}

impl<'a> Boundaries<'a> {
    pub(super) fn new(
        loaded: Box<dyn Loaded>,
        sweep: Sweep,
        tiling: &'a Tiling,
        history: &'a History,
        codes: (&'a [u32], &'a [u32]),
    ) -> Self {
        let (a, b) = codes;
        Self { loaded, sweep, tiling, history, a, b, window: None, ahead: None, lanes: (None, Vec::new()) }
    }

    /// The tile that holds row `row` and column `col`.
    pub(super) async fn tile(&mut self, row: usize, col: usize) -> Result<&Tile> {
        let lane = row as u64 / self.tiling.lane_rows();
        let (strip, in_strip) = (lane / u64::from(self.tiling.lanes), lane % u64::from(self.tiling.lanes));
        let step = col as u64 / u64::from(self.tiling.columns) + in_strip + strip * self.tiling.lag();
        let place = Place { slot: step / self.history.steps(self.tiling), group: lane / u64::from(self.history.lanes) };
        let in_group = (lane % u64::from(self.history.lanes)) as usize;
        if self.lanes.0 != Some(place) || self.lanes.1.len() <= in_group {
            let record = self.record(place).await?;
            self.lanes = (Some(place), self.lane_tiles(place, &record, in_group));
        }
        Ok(&self.lanes.1[in_group])
    }

    fn groups_per_strip(&self) -> u64 {
        u64::from(self.tiling.lanes / self.history.lanes)
    }

    /// Tiles of a record's lanes `0..=last`: the carries into the first are stored, each tile's bottom feeds the next.
    fn lane_tiles(&self, place: Place, record: &[u32], last: usize) -> Vec<Tile> {
        let (tiling, columns) = (self.tiling, self.tiling.columns);
        let strip = place.group / self.groups_per_strip();
        let slot_step = (place.slot * self.history.steps(tiling)) as i64 - (strip * tiling.lag()) as i64;
        let first_lane = place.group % self.groups_per_strip() * u64::from(self.history.lanes);
        let lane_words = tiling.limbs as usize + 1;
        let stored = &record[self.history.lanes as usize * lane_words..];
        let mut tiles: Vec<Tile> = Vec::with_capacity(last + 1);
        for lane in 0..=last {
            let in_strip = first_lane as i64 + lane as i64;
            // Words before the table change nothing, so the state at the first of them is the state at word 0.
            let first = (slot_step - in_strip).max(0);
            let end = (slot_step + stored.len() as i64 - in_strip).min(tiling.words() as i64).max(first);
            let first_row = (strip * u64::from(tiling.lanes) + in_strip as u64) * tiling.lane_rows();
            let rows = first_row as usize..(first_row + tiling.lane_rows()).min(self.a.len() as u64) as usize;
            let column = |word: i64| (word as usize * columns as usize).min(self.b.len());
            let cols = column(first)..column(end);
            let v = if first > 0 || slot_step == in_strip {
                let limbs = &record[lane * lane_words..][..tiling.limbs as usize];
                pack_rows(limbs.iter().map(|&limb| u64::from(limb & (u32::MAX >> 1))), LIMB_ROWS as u32)
            } else {
                vec![u64::MAX; (tiling.lane_rows() as usize).div_ceil(64)]
            };
            let mut carries = Carries::default();
            match tiles.last() {
                None => (first..end).for_each(|word| {
                    carries.push(u64::from(stored[(word + in_strip - slot_step) as usize]), columns);
                }),
                Some(above) => {
                    if slot_step - in_strip >= 0 {
                        carries.push(u64::from(record[(lane - 1) * lane_words + tiling.limbs as usize]), columns);
                    }
                    let below = carries_below(above, self.a, self.b, tiling.shape.shared);
                    below.into_iter().for_each(|word| carries.push(word, 64));
                }
            }
            tiles.push(Tile { rows, cols, v, carries: carries.words });
        }
        tiles
    }

    /// The record at `place`, from the window, or from a window that ends there.
    async fn record(&mut self, place: Place) -> Result<Vec<u32>> {
        let words = self.history.record_words(self.tiling) as usize;
        loop {
            if let Some(first) = self.window.as_ref().and_then(|window| position(&window.runs, place, words)) {
                let window = self.window.as_ref().map_or(&[][..], |window| &window.words);
                return Ok(window[first..first + words].to_vec());
            }
            let ahead = self.ahead.take().filter(|(runs, _)| position(runs, place, words).is_some());
            let (runs, arriving) = match ahead {
                Some(ahead) => ahead,
                None => self.fetch(place)?,
            };
            let words = arriving.await?;
            // The path goes on towards the first cell about as straight as it has to: fetch there while this window is walked.
            let end = Place { slot: runs[0].slot, group: runs[runs.len() - 1].groups.end - 1 };
            self.window = Some(Window { runs, words });
            if end.slot > 0 {
                let ratio = (place.group + 1) as f64 / (place.slot + 1) as f64;
                let group = place.group.saturating_sub(((place.slot - end.slot) as f64 * ratio) as u64) + SLACK;
                self.ahead = Some(self.fetch(Place { slot: end.slot.saturating_sub(1), group })?);
            }
        }
    }

    /// Starts reading the records before `place`, those that a straight path to the first cell comes by and some around.
    fn fetch(&mut self, place: Place) -> Result<(Vec<Run>, Pending<Vec<u32>>)> {
        let (tiling, history) = (self.tiling, self.history);
        let record = history.record_words(tiling);
        let ratio = (place.group + 1) as f64 / (place.slot + 1) as f64;
        let across = |slots: u64| (slots as f64 * ratio * 1.25) as u64 + 2 * SLACK;
        let fits = |&slots: &u64| slots * across(slots) * record * 4 <= WINDOW_BYTES;
        let slots = (1..=WINDOW_SLOTS.min(place.slot + 1)).rev().find(fits).unwrap_or(1);
        let groups = (place.group + 1).saturating_sub(across(slots))..place.group + 1;
        let mut runs = Vec::new();
        let mut spans = Vec::new();
        for slot in place.slot + 1 - slots..place.slot + 1 {
            let (first_pass, last_pass) =
                (slot * history.passes, ((slot + 1) * history.passes).min(tiling.passes()) - 1);
            let strips = tiling.wave(first_pass).first..tiling.wave(last_pass).last + 1;
            let first = groups.start.max(strips.start * self.groups_per_strip());
            let end = groups.end.min(strips.end * self.groups_per_strip()).max(first);
            let place = history.slots[slot as usize];
            let skipped = first - strips.start * self.groups_per_strip();
            spans.push(Span {
                buffer: self.sweep.history[place.chunk],
                first: place.first_word + skipped * record,
                words: (end - first) * record,
            });
            runs.push(Run { slot, groups: first..end });
        }
        spans.retain(|span| span.words > 0);
        Ok((runs, self.loaded.read(&spans)?))
    }
}

/// Records beside the straight path that a window takes along.
const SLACK: u64 = 6;

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
}

impl Carries {
    fn push(&mut self, word: u64, bits: u32) {
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
