//! Stored boundaries on the device: which records there are, and where each lies.

use super::tiling::{Tiling, WALK_CELLS_PER_SECOND};
use crate::plan::CHUNK_BYTES;

/// Where the boundaries of each pass are kept.
///
/// A slot covers `passes` neighbouring passes. It has a record for every `lanes` neighbouring lanes of the strips that those
/// passes touch: limbs and carry in flight of each lane at the slot's first step, and the carries into the first lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Lanes of one record.
    pub lanes: u32,
    /// Passes of one slot.
    pub passes: u64,
    /// Slots in order.
    pub slots: Vec<Slot>,
    /// Words of each buffer.
    pub chunk_words: Vec<u64>,
}

/// The boundaries of some passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Which buffer.
    pub chunk: usize,
    /// First word in it.
    pub first_word: u64,
    /// The strip of its first record.
    pub first_strip: u64,
}

impl History {
    /// The history that costs least to store and walk among those that fit in `budget_bytes`, if any does.
    pub fn within(tiling: &Tiling, budget_bytes: u64, chunk_limit: u64) -> Option<Self> {
        let lanes = (0..).map(|power| 1 << power).take_while(|&lanes| lanes <= tiling.lanes);
        let choices = lanes.flat_map(|lanes| [1, 2, 4, 8, 16, 32, 64].map(|passes| (lanes, passes)));
        let chunk_bytes = CHUNK_BYTES.min(chunk_limit);
        let fitting = choices
            .filter(|&(lanes, passes)| Self::least_bytes(tiling, lanes, passes) <= budget_bytes)
            .filter_map(|(lanes, passes)| Self::new(tiling, lanes, passes, chunk_bytes))
            .filter(|history| history.size_bytes() <= budget_bytes);
        fitting.min_by(|x, y| x.seconds(tiling).total_cmp(&y.seconds(tiling)))
    }

    /// Time to allocate it and to walk over its tiles: of each tile on the path about half is recomputed.
    fn seconds(&self, tiling: &Tiling) -> f64 {
        let tile_columns = (self.passes * u64::from(tiling.steps * tiling.columns)) as f64;
        let tile_rows = (u64::from(self.lanes) * tiling.lane_rows()) as f64;
        let cells = 0.5 * (tiling.shape.rows as f64 * tile_columns + tiling.shape.cols as f64 * tile_rows);
        cells / WALK_CELLS_PER_SECOND + self.size_bytes() as f64 * ALLOCATION_SECONDS_PER_BYTE
    }

    /// Bytes of the boundaries of the table alone, without the slots' margins: a bound that costs nothing.
    fn least_bytes(tiling: &Tiling, lanes: u32, passes: u64) -> u64 {
        let tiles = tiling.shape.rows / (u64::from(lanes) * tiling.lane_rows());
        let slots = tiling.words() / (passes * u64::from(tiling.steps));
        let record = u64::from(lanes * (tiling.limbs + 1)) + passes * u64::from(tiling.steps);
        tiles.saturating_mul(slots).saturating_mul(record * 4)
    }

    fn slot_words(tiling: &Tiling, lanes: u32, passes: u64, strips: u64) -> u64 {
        let record = u64::from(lanes * (tiling.limbs + 1)) + passes * u64::from(tiling.steps);
        strips * u64::from(tiling.lanes / lanes) * record
    }

    /// The history with these record sizes; `None` where one slot is larger than a buffer.
    pub fn new(tiling: &Tiling, lanes: u32, passes: u64, chunk_bytes: u64) -> Option<Self> {
        let mut history = Self { lanes, passes, slots: Vec::new(), chunk_words: Vec::new() };
        for first_pass in (0..tiling.passes()).step_by(passes as usize) {
            let last_pass = (first_pass + passes).min(tiling.passes()) - 1;
            let (first, last) = (tiling.wave(first_pass).first, tiling.wave(last_pass).last);
            let words = Self::slot_words(tiling, lanes, passes, (last + 1).saturating_sub(first));
            if words * 4 > chunk_bytes {
                return None;
            }
            match history.chunk_words.last_mut() {
                Some(chunk) if (*chunk + words) * 4 <= chunk_bytes => *chunk += words,
                _ => history.chunk_words.push(words),
            }
            let chunk = history.chunk_words.len() - 1;
            history.slots.push(Slot { chunk, first_word: history.chunk_words[chunk] - words, first_strip: first });
        }
        Some(history)
    }

    /// Bytes of all its buffers.
    pub fn size_bytes(&self) -> u64 {
        self.chunk_words.iter().sum::<u64>() * 4
    }

    /// Steps of one slot.
    pub fn steps(&self, tiling: &Tiling) -> u64 {
        self.passes * u64::from(tiling.steps)
    }

    /// Words of one record.
    pub fn record_words(&self, tiling: &Tiling) -> u64 {
        u64::from(self.lanes * (tiling.limbs + 1)) + self.steps(tiling)
    }
}

/// Time to get a byte of device memory from a driver that has to clear it.
const ALLOCATION_SECONDS_PER_BYTE: f64 = 25e-12;
