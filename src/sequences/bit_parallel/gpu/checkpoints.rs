//! Layout of the stored boundaries on the device.

use std::ops::Range;

use super::tiling::Tiling;
use crate::engine::profile::gpu::stored_boundaries;

/// Layout of the stored boundaries.
///
/// A checkpoint covers `passes` consecutive passes. It has a record per strip that those passes
/// touch: limbs and carries in flight of each lane at the checkpoint's first step, and the carries
/// into the first lane. A replay recomputes a strip from its record and stores the boundaries of
/// each lane's tiles of `tile_steps` steps, which are few enough to be read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointLayout {
    pub passes: u64,
    /// Steps per tile; divides the steps of a checkpoint.
    pub tile_steps: u32,
    /// Maximum strips per replay: tile records that the device holds per direction.
    pub replay_records: u64,
    /// Approximate bytes of tiles per readback.
    pub chunk_bytes_read: u64,
    pub checkpoints: Vec<Checkpoint>,
    pub chunk_words: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    pub chunk: usize,
    pub first_word: u64,
    /// Strips with a record, in every direction.
    pub strips: Range<u64>,
}

impl CheckpointLayout {
    /// Seconds to allocate a layout with this many passes per checkpoint and to wait for its first
    /// replay, and a lower bound of its bytes. Computed from the sizes alone.
    pub(super) fn cost(tiling: &Tiling, passes: u64) -> (f64, u64) {
        let steps = passes * u64::from(tiling.steps);
        let records = tiling.strips()
            * u64::from(tiling.directions)
            * tiling.mean_strip_steps().div_ceil(steps);
        let bytes = records.saturating_mul(4 * Self::words(tiling, steps));
        let columns = (steps + u64::from(tiling.lanes)) * u64::from(tiling.columns);
        let long = (tiling.shape.cols as f64 / stored_boundaries::WAITED_COLUMNS).max(1.0);
        let replay = columns as f64 * stored_boundaries::REPLAY_SECONDS_PER_COLUMN
            + columns.saturating_sub(stored_boundaries::HIDDEN_COLUMNS) as f64
                * stored_boundaries::WAIT_SECONDS_PER_COLUMN
                * long;
        (
            replay + bytes as f64 * stored_boundaries::ALLOCATION_SECONDS_PER_BYTE,
            bytes,
        )
    }

    pub(super) const PASSES: [u64; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

    /// Layout with these passes per checkpoint and bytes per replay; `None` if a checkpoint exceeds
    /// a buffer.
    pub fn new(tiling: &Tiling, passes: u64, replay_bytes: u64, chunk_bytes: u64) -> Option<Self> {
        let steps = passes * u64::from(tiling.steps);
        let tile_columns = if tiling.lane_rows() < MIN_FULL_WIDTH_ROWS {
            TILE_COLUMNS / 2
        } else {
            TILE_COLUMNS
        };
        let tile_steps = (tile_columns / tiling.columns).min(1 << steps.trailing_zeros().min(16));
        let (checkpoints, chunk_words) = (Vec::new(), Vec::new());
        let chunk_bytes_read = replay_bytes / CHUNKS_A_REPLAY;
        let mut layout = Self {
            passes,
            tile_steps,
            replay_records: 1,
            chunk_bytes_read,
            checkpoints,
            chunk_words,
        };
        let wavefronts: Vec<_> = tiling.wavefronts().collect();
        for wavefronts in wavefronts.chunks(passes as usize) {
            let (first, last) = (wavefronts[0].first, wavefronts[wavefronts.len() - 1].last);
            let strips = first..(last + 1).max(first);
            let words = (strips.end - strips.start)
                * u64::from(tiling.directions)
                * Self::words(tiling, steps);
            if words * 4 > chunk_bytes {
                return None;
            }
            match layout.chunk_words.last_mut() {
                Some(chunk) if (*chunk + words) * 4 <= chunk_bytes => *chunk += words,
                _ => layout.chunk_words.push(words),
            }
            let chunk = layout.chunk_words.len() - 1;
            layout.checkpoints.push(Checkpoint {
                chunk,
                first_word: layout.chunk_words[chunk] - words,
                strips,
            });
        }
        // One record per direction.
        let records_bytes = 4 * layout.replay_record_words(tiling) * u64::from(tiling.directions);
        if records_bytes > chunk_bytes {
            return None;
        }
        let max_records = tiling
            .strips()
            .saturating_mul(layout.checkpoints.len() as u64)
            .max(1);
        layout.replay_records =
            (replay_bytes.min(chunk_bytes) / records_bytes).clamp(1, max_records);
        Some(layout)
    }

    /// Caps the bytes per readback. A single checkpoint may still exceed the cap.
    pub(super) fn reading_at_most(self, bytes: u64) -> Self {
        Self {
            chunk_bytes_read: self.chunk_bytes_read.min(bytes),
            ..self
        }
    }

    pub fn size_bytes(&self, tiling: &Tiling) -> u64 {
        let words = self.chunk_words.iter().sum::<u64>() + self.replay_words(tiling);
        4 * (words + self.checkpoints.len() as u64 * CHECKPOINT_WORDS)
    }

    pub fn steps(&self, tiling: &Tiling) -> u64 {
        self.passes * u64::from(tiling.steps)
    }

    /// Cells of a strip in a checkpoint: the work of one replayed record.
    pub fn record_cells(&self, tiling: &Tiling) -> u64 {
        tiling.strip_rows() * self.steps(tiling) * u64::from(tiling.columns)
    }

    pub fn record_words(&self, tiling: &Tiling) -> u64 {
        Self::words(tiling, self.steps(tiling))
    }

    fn words(tiling: &Tiling, steps: u64) -> u64 {
        u64::from(tiling.lanes * tiling.lane_words())
            + steps * u64::from(tiling.shape.table.horizontal())
    }

    /// Steps whose carries share a word of a tile.
    pub fn packed(&self, tiling: &Tiling) -> u32 {
        self.tile_steps.min(32 / tiling.columns)
    }

    /// Words of a tile's record: limbs, then the incoming carries of each pair of limbs, by word of
    /// columns.
    pub fn tile_words(&self, tiling: &Tiling) -> u64 {
        let carries = self.tile_steps / self.packed(tiling) * Self::carry_words(tiling);
        u64::from(tiling.limbs * tiling.shape.table.vertical() + carries)
    }

    /// Carry words of all pairs of limbs for the same columns.
    pub fn carry_words(tiling: &Tiling) -> u32 {
        tiling.limbs / 2 * tiling.shape.table.horizontal()
    }

    /// Words per store of a replay: 1, 2 or 4.
    pub(super) fn vector(tiling: &Tiling) -> u32 {
        1 << Self::carry_words(tiling).trailing_zeros().min(2)
    }

    pub fn tiles(&self, tiling: &Tiling) -> u64 {
        self.steps(tiling) / u64::from(self.tile_steps)
    }

    /// Words of all tiles of a strip in a checkpoint.
    pub fn replay_record_words(&self, tiling: &Tiling) -> u64 {
        u64::from(tiling.lanes) * self.tiles(tiling) * self.tile_words(tiling)
    }

    /// Words of the tile buffer: one replay per direction.
    pub fn replay_words(&self, tiling: &Tiling) -> u64 {
        u64::from(tiling.directions) * self.replay_records * self.replay_record_words(tiling)
    }

    /// Offset and strips of each checkpoint, for the replay kernel.
    pub(super) fn table(&self) -> Vec<u32> {
        let words = |checkpoint: &Checkpoint| {
            [
                checkpoint.first_word,
                checkpoint.strips.start,
                checkpoint.strips.end,
                0,
            ]
            .map(|word| word as u32)
        };
        self.checkpoints.iter().flat_map(words).collect()
    }
}

/// Words per checkpoint in [`CheckpointLayout::table`]: three values and padding.
const CHECKPOINT_WORDS: u64 = 4;
/// Columns per tile, the unit of recomputation on the host. Halved for lanes of few rows, which
/// have few incoming carries.
const TILE_COLUMNS: u32 = 128;
const MIN_FULL_WIDTH_ROWS: u64 = 100;
/// Bytes of replayed tiles on the device.
pub const REPLAY_BYTES: u64 = 256 << 20;
/// Chunks per replay. More chunks are read closer to the path, but more often.
const CHUNKS_A_REPLAY: u64 = 16;
