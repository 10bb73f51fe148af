//! Reads stored boundaries back, a window at a time, and makes tiles of them for the walk.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::history::History;
use super::plan::Sweep;
use super::tiling::{LIMB_ROWS, Tiling};
use crate::backend::{Loaded, Pending, Span};
use crate::error::Result;
use crate::lcs::trace::{Columns, Swept, Tile, Walker, pack_rows};

/// Bytes of one readback.
const WINDOW_BYTES: u64 = 4 << 20;
/// Most slots of one readback: each is a copy command of its own.
const WINDOW_SLOTS: u64 = 64;
/// Records beside the straight path that a window takes along.
const SLACK: u64 = 6;
/// Threads from which on tiles are recomputed before it is known that the path crosses them.
const THREADS_TO_SPECULATE: usize = 4;
/// Slots that a corridor starts with.
const FIRST_DEPTH: u64 = 8;
/// Rows on either side of the expected path that a corridor takes along, and how many more for every column.
const MARGIN_ROWS: f64 = 128.0;
const MARGIN_SLOPE: f64 = 0.03;
/// Bytes of recomputed columns in one corridor.
const CORRIDOR_BYTES: u64 = 48 << 20;

/// The boundaries of a finished sweep, on the device.
pub(super) struct Boundaries<'a> {
    loaded: Box<dyn Loaded>,
    sweep: Sweep,
    records: Records<'a>,
    window: Window,
    ahead: Option<(Vec<Run>, Pending<Vec<u32>>)>,
    /// Lanes of records that have been swept again, from the first lane down.
    ready: HashMap<Place, Vec<Swept>>,
    /// Their buffers, to be used again.
    spare: Vec<Vec<Swept>>,
    corridor: Corridor,
}

/// A record: its slot and its place among the records of the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Where the path is expected to go on, for as many slots as that has come true lately.
struct Corridor {
    /// Where it was laid last.
    from: Option<Place>,
    /// Groups that the path crosses in a slot.
    slope: f64,
    /// Slots of the next corridor.
    depth: u64,
}

impl Corridor {
    /// Learns from where the last corridor was left.
    fn follow(&mut self, place: Place) {
        match self.from {
            None => self.slope = (place.group + 1) as f64 / (place.slot + 1) as f64,
            Some(from) if from.slot > place.slot => {
                let crossed = from.slot - place.slot;
                self.slope = (from.group.saturating_sub(place.group)) as f64 / crossed as f64;
                self.depth = if crossed >= self.depth { self.depth * 2 } else { (self.depth / 2).max(FIRST_DEPTH / 2) };
            }
            Some(_) => self.depth = (self.depth / 2).max(FIRST_DEPTH / 2),
        }
        self.from = Some(place);
    }

    /// Records around the straight way on from `place`, wider the farther away.
    fn places(&self, records: &Records<'_>, place: Place, most: u64) -> impl Iterator<Item = Place> + use<> {
        let slope = self.slope;
        let depth = self.depth.min((most as f64 / (slope + 2.0)) as u64).clamp(1, place.slot + 1);
        let group_rows = (u64::from(records.history.lanes) * records.tiling.lane_rows()) as f64;
        let slot_columns = (records.history.steps(records.tiling) * u64::from(records.tiling.columns)) as f64;
        (0..depth).flat_map(move |distance| {
            let margin = (MARGIN_ROWS + MARGIN_SLOPE * slot_columns * distance as f64) / group_rows;
            let nearest = place.group as f64 - slope * distance as f64 + margin;
            let farthest = place.group as f64 - slope * (distance + 1) as f64 - margin;
            let groups = farthest.max(0.0) as u64..=(nearest.max(0.0) as u64).min(place.group);
            groups.map(move |group| Place { slot: place.slot - distance, group })
        })
    }
}

/// How records become tiles.
#[derive(Clone, Copy)]
struct Records<'a> {
    tiling: &'a Tiling,
    history: &'a History,
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
        let step = col as u64 / u64::from(self.tiling.columns) + in_strip + strip * self.tiling.lag();
        let lanes = u64::from(self.history.lanes);
        let place = Place { slot: step / self.history.steps(self.tiling), group: lane / lanes };
        (place, (lane % lanes) as usize)
    }

    /// Bytes of the columns of one swept record.
    fn swept_bytes(&self) -> u64 {
        let columns = self.history.steps(self.tiling) * u64::from(self.tiling.columns);
        columns * self.tiling.lane_rows().div_ceil(64) * 8 * u64::from(self.history.lanes)
    }

    /// Sweeps lanes of a record from the first on up to column `end`: the carries into the first are
    /// stored, each lane's bottom feeds the next.
    fn sweep(&self, (place, record): (Place, &[u32]), columns: &mut Columns, end: usize, lanes: &mut [Swept]) {
        for lane in 0..lanes.len() {
            let (above, below) = lanes.split_at_mut(lane);
            let tile = self.tile(place, record, lane, above.last());
            columns.sweep(&tile, (usize::MAX, end), (self.a, self.b), &mut below[0]);
        }
    }

    /// The tile of one lane; `above` is the lane above it in the same record.
    fn tile(&self, place: Place, record: &[u32], lane: usize, above: Option<&Swept>) -> Tile {
        let (tiling, columns) = (self.tiling, self.tiling.columns);
        let strip = place.group / self.groups_per_strip();
        let slot_step = (place.slot * self.history.steps(tiling)) as i64 - (strip * tiling.lag()) as i64;
        let in_strip = (place.group % self.groups_per_strip() * u64::from(self.history.lanes)) as i64 + lane as i64;
        let lane_words = tiling.limbs as usize + 1;
        let stored = &record[self.history.lanes as usize * lane_words..];
        // Words before the table change nothing, so the state at the first of them is the state at word 0.
        let first = (slot_step - in_strip).max(0);
        let end = (slot_step + stored.len() as i64 - in_strip).min(tiling.words() as i64).max(first);
        let first_row = (strip * u64::from(tiling.lanes) + in_strip as u64) * tiling.lane_rows();
        let row = |row: u64| (row as usize).min(self.a.len());
        let column = |word: i64| (word as usize * columns as usize).min(self.b.len());
        let v = if first > 0 || slot_step == in_strip {
            let limbs = &record[lane * lane_words..][..tiling.limbs as usize];
            pack_rows(limbs.iter().map(|&limb| u64::from(limb & (u32::MAX >> 1))), LIMB_ROWS as u32)
        } else {
            vec![u64::MAX; (tiling.lane_rows() as usize).div_ceil(64)]
        };
        let mut carries = Carries::default();
        match above {
            None => (first..end).for_each(|word| {
                carries.push(u64::from(stored[(word + in_strip - slot_step) as usize]), columns);
            }),
            Some(above) => {
                if slot_step >= in_strip {
                    carries.push(u64::from(record[(lane - 1) * lane_words + tiling.limbs as usize]), columns);
                }
                above.carries.iter().for_each(|&word| carries.push(word, 64));
            }
        }
        Tile {
            rows: row(first_row)..row(first_row + tiling.lane_rows()),
            cols: column(first)..column(end),
            v,
            carries: carries.words,
        }
    }
}

impl<'a> Boundaries<'a> {
    pub(super) fn new(
        loaded: Box<dyn Loaded>,
        sweep: Sweep,
        tiling: &'a Tiling,
        history: &'a History,
        codes: (&'a [u32], &'a [u32]),
    ) -> Self {
        Self {
            loaded,
            sweep,
            records: Records { tiling, history, a: codes.0, b: codes.1 },
            window: Window::default(),
            ahead: None,
            ready: HashMap::new(),
            spare: Vec::new(),
            corridor: Corridor { from: None, slope: 0.0, depth: FIRST_DEPTH },
        }
    }

    /// Walks through the tile where the walker stands.
    pub(super) async fn advance(&mut self, walker: &mut Walker<'_>) -> Result<()> {
        let (i, j) = walker.position();
        let (place, lane) = self.records.place(i - 1, j - 1);
        loop {
            if let Some(swept) = self.ready.get(&place).and_then(|lanes| lanes.get(lane)) {
                walker.follow(swept);
                return Ok(());
            }
            self.reach(place).await?;
            self.sweep_again(place, lane, j);
        }
    }

    /// Recomputes the record at `place` as far as lane `lane` and column `end`; where there are threads for it, the records
    /// that the path is likely to cross next as well.
    fn sweep_again(&mut self, place: Place, lane: usize, end: usize) {
        let (records, window) = (self.records, &self.window);
        let shared = records.tiling.shape.shared;
        self.spare.extend(self.ready.drain().map(|(_, lanes)| lanes));
        let speculate = rayon::current_num_threads() >= THREADS_TO_SPECULATE;
        let wanted: Vec<_> = if speculate {
            self.corridor.follow(place);
            let most = CORRIDOR_BYTES / records.swept_bytes();
            let all = records.history.lanes as usize;
            let places = self.corridor.places(&records, place, most).filter(|&other| other != place);
            places.chain([place]).map(|place| (place, all, usize::MAX)).collect()
        } else {
            vec![(place, lane + 1, end)]
        };
        let mut found: Vec<_> = wanted
            .into_iter()
            .filter_map(|(place, lanes, end)| {
                let record = window.record(place, records.words())?;
                let mut buffers = self.spare.pop().unwrap_or_default();
                buffers.resize_with(lanes, Swept::default);
                Some((place, record, end, buffers))
            })
            .collect();
        found.par_iter_mut().for_each_init(
            || Columns::new(shared),
            |columns, (place, record, end, lanes)| records.sweep((*place, record), columns, *end, lanes),
        );
        self.ready.extend(found.into_iter().map(|(place, _, _, lanes)| (place, lanes)));
    }

    /// Has a window on the host that holds the record at `place`.
    async fn reach(&mut self, place: Place) -> Result<()> {
        let words = self.records.words();
        if self.window.record(place, words).is_some() {
            return Ok(());
        }
        let ahead = self.ahead.take().filter(|(runs, _)| position(runs, place, words).is_some());
        let (runs, arriving) = match ahead {
            Some(ahead) => ahead,
            None => self.fetch(place)?,
        };
        self.window = Window { words: arriving.await?, runs };
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
        let Records { tiling, history, .. } = self.records;
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
            let first = groups.start.max(strips.start * self.records.groups_per_strip());
            let end = groups.end.min(strips.end * self.records.groups_per_strip()).max(first);
            let place = history.slots[slot as usize];
            let skipped = first - strips.start * self.records.groups_per_strip();
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
