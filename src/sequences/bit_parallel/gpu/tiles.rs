//! Tiles of a lane: their records as left on the device by replays, and their conversion for the
//! traceback.

use std::ops::Range;

use super::checkpoints::CheckpointLayout;
use super::tiling::Tiling;
use crate::error::{Error, Result};
use crate::sequences::bit_parallel::recurrence::Recurrence;
use crate::sequences::bit_parallel::tile::Tile;

/// Position of a tile: its index among the tiles of a lane, and its lane, both counted through the
/// full table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TilePlace {
    pub tile: u64,
    pub lane: u64,
}

/// A lane and the step at which a path is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crossing {
    pub step: u64,
    pub lane: u64,
}

pub(super) struct Tiles<'a> {
    pub tiling: &'a Tiling,
    pub layout: &'a CheckpointLayout,
    /// Rows and columns of the part of the table that is traced.
    rows: usize,
    cols: usize,
    pub words: usize,
    carry_words: usize,
    pub in_checkpoint: u64,
    /// Padding columns in the first word.
    front: u64,
    /// Padding rows in the first strip.
    top: u64,
    lag: u64,
    spans: Vec<Range<u64>>,
}

impl<'a> Tiles<'a> {
    pub(super) fn new(
        tiling: &'a Tiling,
        layout: &'a CheckpointLayout,
        direction: u32,
        rows: usize,
        cols: usize,
    ) -> Self {
        Self {
            tiling,
            layout,
            rows,
            cols,
            words: layout.tile_words(tiling) as usize,
            carry_words: CheckpointLayout::carry_words(tiling) as usize,
            in_checkpoint: layout.tiles(tiling),
            front: tiling.front_columns(direction),
            top: tiling.top_rows(direction),
            lag: tiling.lag(),
            spans: (0..tiling.strips())
                .map(|strip| tiling.span(direction, strip))
                .collect(),
        }
    }

    /// The tile near a crossing that this direction sweeps.
    pub(super) fn nearest(&self, crossing: Crossing) -> Option<TilePlace> {
        let lanes = u64::from(self.tiling.lanes);
        let last_lane = (self.spans.len() as u64 * lanes).checked_sub(1)?;
        let lane = crossing.lane.min(last_lane);
        let words = &self.spans[(lane / lanes) as usize];
        let word = crossing.step.saturating_sub(self.lag_steps(lane));
        (!words.is_empty()).then(|| self.at(lane, word.clamp(words.start, words.end - 1)))
    }

    /// Crossing of a path through a cell; `row` and `col` are those before it.
    pub(super) fn crossing(&self, row: usize, col: usize) -> Crossing {
        let lane = (row as u64 + self.top) / self.tiling.lane_rows();
        let word = (col as u64 + self.front) / u64::from(self.tiling.columns);
        Crossing {
            step: word + self.lag_steps(lane),
            lane,
        }
    }

    /// A cell near a crossing: rows and columns up to it, at least 1.
    pub(super) fn cell(&self, Crossing { step, lane }: Crossing) -> (usize, usize) {
        let row = ((lane + 1) * self.tiling.lane_rows()).saturating_sub(self.top);
        let col = self.column(step.saturating_sub(self.lag_steps(lane)) as i64 + 1);
        ((row as usize).clamp(1, self.rows), col.clamp(1, self.cols))
    }

    fn at(&self, lane: u64, word: u64) -> TilePlace {
        TilePlace {
            tile: (word + self.lag_steps(lane)) / u64::from(self.layout.tile_steps),
            lane,
        }
    }

    /// The tile that contains row `row` and column `col`.
    pub(super) fn place(&self, row: usize, col: usize) -> Result<TilePlace> {
        let lane = (row as u64 + self.top) / self.tiling.lane_rows();
        let strip = lane / u64::from(self.tiling.lanes);
        let word = (col as u64 + self.front) / u64::from(self.tiling.columns);
        if !self
            .spans
            .get(strip as usize)
            .is_some_and(|words| words.contains(&word))
        {
            return Err(Error::CertificateFailed(format!(
                "the path leaves its band at row {row}, column {col}"
            )));
        }
        Ok(self.at(lane, word))
    }

    fn column(&self, word: i64) -> usize {
        let columns = word as usize * self.tiling.columns as usize;
        columns.saturating_sub(self.front as usize).min(self.cols)
    }

    pub(super) fn checkpoint(&self, place: TilePlace) -> u64 {
        place.tile / self.in_checkpoint
    }

    /// Steps by which a lane lags behind the first.
    fn lag_steps(&self, lane: u64) -> u64 {
        let lanes = u64::from(self.tiling.lanes);
        lane % lanes + lane / lanes * self.lag
    }

    pub(super) fn part(&self, place: TilePlace) -> TilePart {
        let tiling = self.tiling;
        let (strip, in_strip) = (
            place.lane / u64::from(tiling.lanes),
            (place.lane % u64::from(tiling.lanes)) as i64,
        );
        let steps = i64::from(self.layout.tile_steps);
        let tile_step = place.tile as i64 * steps - (strip * self.lag) as i64;
        // Words outside the strip change nothing.
        let words = &self.spans[strip as usize];
        let words = words.start as i64..words.end as i64;
        let first = (tile_step - in_strip).max(words.start);
        let end = (tile_step + steps - in_strip).min(words.end).max(first);
        let first_row = place.lane * tiling.lane_rows();
        let row = |row: u64| (row.saturating_sub(self.top) as usize).min(self.rows);
        // Padding columns precede word 0.
        let front = if first == 0 { self.front as usize } else { 0 };
        TilePart {
            rows: row(first_row)..row(first_row + tiling.lane_rows()),
            cols: self.column(first)..self.column(end),
            before: (first + in_strip - tile_step) as usize * tiling.columns as usize + front,
            begins: tile_step < words.start,
            above: self.top.saturating_sub(first_row) as usize,
        }
    }

    /// Sets `tile` to the pair of limbs of a part that contains row `row`.
    pub(super) fn fill<R: Recurrence>(
        &self,
        tile: &mut Tile,
        part: &TilePart,
        row: usize,
        record: &[u32],
    ) {
        let Tiling {
            limbs, limb_rows, ..
        } = *self.tiling;
        // Two limbs form a word of the host.
        let (limbs, pair_rows) = (limbs as usize, 2 * limb_rows as usize);
        let pair = (row - part.rows.start + part.above) / pair_rows;
        let first_row = (pair * pair_rows).saturating_sub(part.above);
        let end_row = ((pair + 1) * pair_rows).saturating_sub(part.above);
        tile.rows = part.rows.start + first_row..(part.rows.start + end_row).min(part.rows.end);
        tile.cols = part.cols.clone();
        let (v, carries) = record.split_at(limbs * R::VERTICAL);
        for (vector, words) in tile.v.iter_mut().enumerate().take(R::VERTICAL) {
            let limb = |limb: usize| {
                u64::from(v[vector * limbs + 2 * pair + limb] & self.tiling.rows_of_limb())
            };
            let rows = limb(0) | limb(1) << limb_rows | u64::MAX.unbounded_shl(2 * limb_rows);
            // Drops padding rows above the table's first.
            let above = part.above.saturating_sub(pair * pair_rows).min(63);
            words.clear();
            words.push(if part.begins {
                R::FIRST_COLUMN[vector]
            } else {
                rows >> above
            });
        }
        for (bit, words) in tile.h.iter_mut().enumerate().take(R::HORIZONTAL) {
            words.clear();
            let half = |carries: &[u32]| u64::from(carries[pair * R::HORIZONTAL + bit]);
            words.extend(carries.chunks(2 * self.carry_words).map(|columns| {
                columns
                    .chunks_exact(self.carry_words)
                    .rev()
                    .fold(0, |word, carries| word << 32 | half(carries))
            }));
            drop_bits(words, part.before);
        }
    }
}

/// Table part of a tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TilePart {
    rows: Range<usize>,
    cols: Range<usize>,
    /// Columns of the record before `cols`.
    before: usize,
    /// Whether the strip begins in this tile, so that its record holds no differences yet.
    begins: bool,
    /// Padding rows of the lane above the table's first.
    above: usize,
}

impl TilePart {
    pub(super) fn holds(&self, row: usize, col: usize) -> bool {
        self.rows.contains(&row) && self.cols.contains(&col)
    }
}

fn drop_bits(words: &mut Vec<u64>, count: usize) {
    if count == 0 {
        return;
    }
    words.drain(..(count / 64).min(words.len()));
    let shift = count % 64;
    for index in 0..words.len() {
        let next = words.get(index + 1).copied().unwrap_or_default();
        words[index] = words[index] >> shift | next.unbounded_shl(64 - shift as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::drop_bits;

    #[test]
    fn drop_bits_works_at_any_offset() {
        let words = [
            0x0123_4567_89ab_cdef,
            0xfedc_ba98_7654_3210,
            0x0f1e_2d3c_4b5a_6978,
        ];
        let bit = |place: usize| {
            words
                .get(place / 64)
                .is_some_and(|word| word >> (place % 64) & 1 == 1)
        };
        for count in 0..200 {
            let mut left = words.to_vec();
            drop_bits(&mut left, count);
            let expected: Vec<u64> = (count..192.max(count))
                .step_by(64)
                .map(|first| {
                    (0..64).fold(0, |word, place| {
                        word | u64::from(bit(first + place)) << place
                    })
                })
                .collect();
            assert_eq!(left[..expected.len()], expected, "{count}");
        }
    }
}
