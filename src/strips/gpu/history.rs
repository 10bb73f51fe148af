//! Stored boundaries on the device: which records there are, and where each lies.

use std::ops::Range;

use super::tiling::Tiling;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Which buffer.
    pub chunk: usize,
    /// First word in it.
    pub first_word: u64,
    /// The strips that it has records of, in every direction.
    pub strips: Range<u64>,
}

impl History {
    /// Time to allocate a history of these record sizes and to walk over its tiles, and the least bytes it may take, from
    /// the sizes alone.
    ///
    /// Of each record on the path about half is recomputed, column by column; a column costs a little and its words a little.
    pub(super) fn cost(tiling: &Tiling, lanes: u32, passes: u64) -> (f64, u64) {
        let steps = passes * u64::from(tiling.steps);
        let tile_columns = (steps * u64::from(tiling.columns)) as f64;
        let crossed = tiling.shape.rows as f64 * tile_columns / tiling.lane_rows() as f64
            + tiling.shape.cols as f64 * f64::from(lanes);
        let words = (tiling.lane_rows().div_ceil(64) * u64::from(tiling.shape.table.vertical())) as f64;
        // Each direction's part of the path is walked on a thread of its own.
        let walk = 0.5 * crossed * (COLUMN_SECONDS + words * WORD_SECONDS) / f64::from(tiling.directions);
        let records = tiling.strips()
            * u64::from(tiling.lanes / lanes * tiling.directions)
            * tiling.strip_steps().div_ceil(steps);
        let bytes = records.saturating_mul(4 * Self::words(tiling, lanes, steps));
        (walk + bytes as f64 * ALLOCATION_SECONDS_PER_BYTE, bytes)
    }

    /// Record sizes to choose from: lanes and passes of one record.
    pub(super) fn choices(tiling: &Tiling) -> impl Iterator<Item = (u32, u64)> + use<> {
        let lanes = tiling.lanes.ilog2();
        (0..=lanes).flat_map(|power| [1, 2, 4, 8, 16, 32, 64].map(|passes| (1 << power, passes)))
    }

    fn slot_words(tiling: &Tiling, lanes: u32, passes: u64, strips: u64) -> u64 {
        strips
            * u64::from(tiling.lanes / lanes * tiling.directions)
            * Self::words(tiling, lanes, passes * u64::from(tiling.steps))
    }

    /// The history with these record sizes; `None` where one slot is larger than a buffer.
    pub fn new(tiling: &Tiling, lanes: u32, passes: u64, chunk_bytes: u64) -> Option<Self> {
        let mut history = Self { lanes, passes, slots: Vec::new(), chunk_words: Vec::new() };
        for first_pass in (0..tiling.passes()).step_by(passes as usize) {
            let last_pass = (first_pass + passes).min(tiling.passes()) - 1;
            let (first, last) = (tiling.wave(first_pass).first, tiling.wave(last_pass).last);
            let strips = first..(last + 1).max(first);
            let words = Self::slot_words(tiling, lanes, passes, strips.end - strips.start);
            if words * 4 > chunk_bytes {
                return None;
            }
            match history.chunk_words.last_mut() {
                Some(chunk) if (*chunk + words) * 4 <= chunk_bytes => *chunk += words,
                _ => history.chunk_words.push(words),
            }
            let chunk = history.chunk_words.len() - 1;
            history.slots.push(Slot { chunk, first_word: history.chunk_words[chunk] - words, strips });
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
        Self::words(tiling, self.lanes, self.steps(tiling))
    }

    /// Words of a record of so many lanes and steps.
    fn words(tiling: &Tiling, lanes: u32, steps: u64) -> u64 {
        u64::from(lanes * tiling.lane_words()) + steps * u64::from(tiling.shape.table.horizontal())
    }
}

/// Time to get a byte of device memory from a driver that has to clear it.
const ALLOCATION_SECONDS_PER_BYTE: f64 = 20e-12;
/// Time to recompute a column of one lane on the walk back, and every 64 rows of it.
const COLUMN_SECONDS: f64 = 2e-9;
const WORD_SECONDS: f64 = 0.6e-9;
