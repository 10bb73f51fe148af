//! Tiles of a lane, as replays leave them on the device and as the walk takes them on the host.

use std::ops::Range;

use super::history::History;
use super::tiling::{LIMB_ROWS, Shape, Tiling};
use crate::error::{Error, Result};
use crate::strips::bits::Bits;
use crate::strips::recurrence::Recurrence;
use crate::strips::trace::{Tile, pack_rows_into};

/// A tile: its place among the tiles of a lane and its lane, both counted through the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub tile: u64,
    pub lane: u64,
}

/// Rows of a tile: two limbs are a word of the host.
const PAIR_ROWS: u64 = 2 * LIMB_ROWS;

/// How records of tiles become tiles.
pub(super) struct Tiles<'a> {
    pub tiling: &'a Tiling,
    pub history: &'a History,
    a: &'a [u32],
    b: &'a [u32],
    /// Words of a record.
    pub words: usize,
    /// Words of a record for each pair of limbs: the carries that entered it.
    pair_words: usize,
    /// Tiles of one lane in a slot.
    pub in_slot: u64,
    /// Columns of the first word that are not the table's.
    front: u64,
    /// Rows of the first strip that are not the table's.
    top: u64,
    /// Steps that a strip runs behind the one above it.
    lag: u64,
    /// Column words of each strip.
    spans: Vec<Range<u64>>,
}

impl<'a> Tiles<'a> {
    pub fn new(tiling: &'a Tiling, history: &'a History, direction: u32, (a, b): (&'a [u32], &'a [u32])) -> Self {
        Self {
            tiling,
            history,
            a,
            b,
            words: history.tile_words(tiling) as usize,
            pair_words: history.carry_words(tiling) as usize,
            in_slot: history.tiles(tiling),
            front: tiling.front_columns(direction),
            top: tiling.top_rows(direction),
            lag: tiling.lag(),
            spans: (0..tiling.strips()).map(|strip| tiling.span(direction, strip)).collect(),
        }
    }

    /// The tile where a straight path from the first cell ends, about.
    pub fn last(&self) -> Option<Place> {
        let Shape { rows, cols, .. } = self.tiling.shape;
        let (row, col) = match self.tiling.directions {
            1 => (rows, cols),
            _ => (rows / 2, cols / 2),
        };
        let lane = (row.checked_sub(1)? + self.top) / self.tiling.lane_rows();
        let words = self.spans.get((lane / u64::from(self.tiling.lanes)) as usize)?;
        let word = (col.checked_sub(1)? + self.front) / u64::from(self.tiling.columns);
        (!words.is_empty()).then(|| self.at(lane, word.clamp(words.start, words.end - 1)))
    }

    /// The tile of a lane that holds a word.
    fn at(&self, lane: u64, word: u64) -> Place {
        let lanes = u64::from(self.tiling.lanes);
        let step = word + lane % lanes + lane / lanes * self.lag;
        Place { tile: step / u64::from(self.history.tile_steps), lane }
    }

    /// The tile that holds row `row` and column `col`.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] where it is outside of the band.
    pub fn place(&self, row: usize, col: usize) -> Result<Place> {
        let lane = (row as u64 + self.top) / self.tiling.lane_rows();
        let strip = lane / u64::from(self.tiling.lanes);
        let word = (col as u64 + self.front) / u64::from(self.tiling.columns);
        if !self.spans.get(strip as usize).is_some_and(|words| words.contains(&word)) {
            return Err(Error::CertificateFailed(format!("the path leaves its band at row {row}, column {col}")));
        }
        Ok(self.at(lane, word))
    }

    /// The first column of a word.
    fn column(&self, word: i64) -> usize {
        let columns = word as usize * self.tiling.columns as usize;
        columns.saturating_sub(self.front as usize).min(self.b.len())
    }

    pub fn slot(&self, place: Place) -> u64 {
        place.tile / self.in_slot
    }

    /// Lanes from the table's first row to a tile.
    pub fn lanes_to(&self, place: Place) -> f64 {
        (place.lane + 1 - self.top / self.tiling.lane_rows()) as f64
    }

    /// The lane where a straight path from the first cell to `place` is in step `step`: from lane to lane it has as many words to
    /// cross, and from strip to strip it waits.
    pub fn straight(&self, place: Place, step: u64) -> u64 {
        let lanes = u64::from(self.tiling.lanes);
        let before = place.lane % lanes + place.lane / lanes * self.lag;
        let words = (place.tile * u64::from(self.history.tile_steps)).saturating_sub(before);
        let (first, words) = (self.top / self.tiling.lane_rows(), words as f64);
        let lane_words = words / (place.lane - first).max(1) as f64;
        // As if it came from the first lane.
        let step = step as f64 + first as f64 * lane_words;
        let lane_steps = 1.0 + lane_words;
        let in_lanes = lanes as f64 * lane_steps;
        let strip_steps = in_lanes + (self.lag - lanes) as f64;
        let strip = (step / strip_steps).floor();
        let lane = (step - strip * strip_steps).min(in_lanes) / lane_steps;
        (strip * lanes as f64 + lane) as u64
    }

    /// Makes `tile` the pair of limbs at `place` that holds row `row`.
    pub fn fill<R: Recurrence>(&self, tile: &mut Tile, place: Place, row: usize, record: &[u32]) {
        let (tiling, columns) = (self.tiling, self.tiling.columns);
        let lanes = u64::from(tiling.lanes);
        let (strip, in_strip) = (place.lane / lanes, (place.lane % lanes) as i64);
        let steps = self.history.tile_steps as usize;
        let tile_step = (place.tile * steps as u64) as i64 - (strip * self.lag) as i64;
        let (v, carries) = record.split_at(tiling.limbs as usize * R::VERTICAL);
        let pair = ((row as u64 + self.top - place.lane * tiling.lane_rows()) / PAIR_ROWS) as usize;
        let carries = &carries[pair * self.pair_words..][..self.pair_words];
        // Words outside of the strip change nothing.
        let words = &self.spans[strip as usize];
        let words = words.start as i64..words.end as i64;
        let first = (tile_step - in_strip).max(words.start);
        let end = (tile_step + steps as i64 - in_strip).min(words.end).max(first);
        let first_row = place.lane * tiling.lane_rows() + pair as u64 * PAIR_ROWS;
        let row = |row: u64| (row.saturating_sub(self.top) as usize).min(self.a.len());
        tile.rows = row(first_row)..row(first_row + PAIR_ROWS);
        tile.cols = self.column(first)..self.column(end);
        for (vector, limbs_of) in tile.v.iter_mut().enumerate().take(R::VERTICAL) {
            if tile_step < words.start {
                limbs_of.clear();
                limbs_of.push(R::FIRST_COLUMN[vector]);
            } else {
                let limbs = &v[vector * tiling.limbs as usize + 2 * pair..][..2];
                let rows = limbs.iter().map(|&limb| u64::from(limb & (u32::MAX >> 1)));
                pack_rows_into(limbs_of, rows, LIMB_ROWS as u32);
                // Rows above the table's first.
                limbs_of.iter_mut().for_each(|word| *word >>= self.top.saturating_sub(first_row).min(63));
            }
        }
        let packed = self.history.packed(tiling) as usize;
        for (bit, words) in tile.h.iter_mut().enumerate().take(R::HORIZONTAL) {
            let carries = &carries[bit * (steps / packed)..];
            let mut bits = Bits::over(std::mem::take(words));
            let (mut step, last) = ((first + in_strip - tile_step) as usize, (end + in_strip - tile_step) as usize);
            // Columns before the table's first stand in front of word 0.
            let mut skipped = if first == 0 { self.front as u32 } else { 0 };
            while step < last {
                let part = step % packed;
                let parts = (packed - part).min(last - step);
                let word = u64::from(carries[step / packed] >> (part as u32 * columns));
                let count = parts as u32 * columns;
                let word = word & !(!0 << count);
                bits.push(word.checked_shr(skipped).unwrap_or(0), (count - skipped) as usize);
                skipped = 0;
                step += parts;
            }
            *words = bits.into_words();
        }
    }
}
