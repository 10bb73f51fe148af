//! Tiles, recomputed column by column for the walk: where a path leaves each column.

use std::marker::PhantomData;
use std::ops::Range;

use super::recurrence::Recurrence;
use super::trace::Tile;
use crate::alphabet::NONE_IN_B;

/// Recomputes tiles; its buffers last from tile to tile.
pub(crate) struct Columns<R, const TURNED: bool = false> {
    /// [`Recurrence::leaving`] by column and word of 64 rows, of the last tile.
    pub leaving: Vec<[u64; 2]>,
    /// By code: where the match mask of these rows starts, 0 for none.
    slots: Vec<u32>,
    /// The codes that have a mask.
    codes: Vec<u32>,
    /// Match masks of these rows; the first matches nothing.
    masks: Vec<u64>,
    /// The rows that the masks are of, those of the last tile.
    rows: Range<usize>,
    recurrence: PhantomData<R>,
}

impl<R: Recurrence, const TURNED: bool> Columns<R, TURNED> {
    pub(crate) fn new(shared: u32) -> Self {
        let slots = vec![0; shared as usize + 1];
        Self { leaving: Vec::new(), slots, codes: Vec::new(), masks: Vec::new(), rows: 0..0, recurrence: PhantomData }
    }

    /// Computes the tile as far as row `end.0` and column `end.1`, which lie in it or right behind.
    pub(crate) fn sweep(&mut self, tile: &Tile, end: (usize, usize), codes: (&[u32], &[u32])) {
        let b = part::<TURNED>(codes.1, tile.cols.start..end.1);
        if self.rows != tile.rows {
            self.match_masks(codes.0, tile.rows.clone());
        }
        let words = (end.0 - tile.rows.start).div_ceil(64);
        self.leaving.resize(b.len() * words, [0; 2]);
        match words {
            1 => self.sweep_words::<1>(tile, b),
            2 => self.sweep_words::<2>(tile, b),
            3 => self.sweep_words::<3>(tile, b),
            4 => self.sweep_words::<4>(tile, b),
            5 => self.sweep_words::<5>(tile, b),
            6 => self.sweep_words::<6>(tile, b),
            7 => self.sweep_words::<7>(tile, b),
            8 => self.sweep_words::<8>(tile, b),
            _ => self.sweep_any(tile, words, b),
        }
    }

    /// With the number of words known the differences stay in registers.
    fn sweep_words<const WORDS: usize>(&mut self, tile: &Tile, b: &[u32]) {
        let mut v = [[0; 2]; WORDS];
        for (vector, words) in tile.v.iter().enumerate().take(R::VERTICAL) {
            v.iter_mut().zip(&words[..WORDS]).for_each(|(v, &word)| v[vector] = word);
        }
        let mut columns = self.leaving.as_chunks_mut::<WORDS>().0.iter_mut();
        for (block, columns_left) in (0..b.len()).step_by(64).enumerate() {
            let mut entering = [0; 2];
            (0..R::HORIZONTAL).for_each(|bit| entering[bit] = tile.h[bit][block]);
            for (place, leaving) in (columns_left..b.len()).zip(columns.by_ref().take(64)) {
                let code = b[if TURNED { b.len() - 1 - place } else { place }];
                let masks = &self.masks[self.slots[code as usize] as usize..][..WORDS];
                let mut h = entering.map(|word| word & 1);
                entering = entering.map(|word| word >> 1);
                for word in 0..WORDS {
                    let before = v[word];
                    let (after, below) = R::limb(before, masks[word], h);
                    leaving[word] = R::leaving::<TURNED>(before, after, masks[word], h);
                    (v[word], h) = (after, below);
                }
            }
        }
    }

    fn sweep_any(&mut self, tile: &Tile, words: usize, b: &[u32]) {
        let mut v: Vec<_> = (0..words)
            .map(|word| [0, 1].map(|vector: usize| tile.v[vector].get(word).copied().unwrap_or_default()))
            .collect();
        for (place, leaving) in self.leaving.chunks_exact_mut(words).enumerate() {
            let code = b[if TURNED { b.len() - 1 - place } else { place }];
            let masks = &self.masks[self.slots[code as usize] as usize..];
            let mut h = [0; 2];
            (0..R::HORIZONTAL).for_each(|bit| h[bit] = tile.h[bit][place / 64] >> (place % 64) & 1);
            for ((v, leaving), &mask) in v.iter_mut().zip(leaving).zip(masks) {
                let (after, below) = R::limb(*v, mask, h);
                *leaving = R::leaving::<TURNED>(*v, after, mask, h);
                (*v, h) = (after, below);
            }
        }
    }

    /// Match masks of other rows.
    fn match_masks(&mut self, codes: &[u32], rows: Range<usize>) {
        debug_assert_eq!(self.slots[NONE_IN_B as usize], 0);
        let words = rows.len().div_ceil(64);
        let part = part::<TURNED>(codes, rows.clone());
        self.rows = rows;
        self.masks.clear();
        if self.slots.len() <= FEW_SYMBOLS {
            return self.masks_of_all(part, words);
        }
        self.codes.drain(..).for_each(|code| self.slots[code as usize] = 0);
        self.masks.resize(words, 0);
        for (place, &code) in part.iter().enumerate() {
            let row = if TURNED { part.len() - 1 - place } else { place };
            // The row-only code has no slot: no column has it.
            let Some(slot) = self.slots.get_mut(code as usize) else { continue };
            if *slot == 0 {
                *slot = self.masks.len() as u32;
                self.codes.push(code);
                self.masks.resize(self.masks.len() + words, 0);
            }
            self.masks[*slot as usize + row / 64] |= 1 << (row % 64);
        }
    }

    /// A mask for every code, where there are few.
    fn masks_of_all(&mut self, part: &[u32], words: usize) {
        self.masks.resize(self.slots.len() * words, 0);
        (0..).zip(&mut self.slots).for_each(|(code, slot)| *slot = code * words as u32);
        for word in 0..words {
            let rows = word * 64..part.len().min(word * 64 + 64);
            // The last place is that of the row-only code, which no column has.
            let mut masks = [0; FEW_SYMBOLS + 1];
            for (bit, row) in rows.enumerate() {
                let code = part[if TURNED { part.len() - 1 - row } else { row }] as usize;
                masks[code.min(FEW_SYMBOLS)] |= 1u64 << bit;
            }
            // No row has the first code.
            masks[NONE_IN_B as usize] = 0;
            self.masks[word..].iter_mut().step_by(words).zip(masks).for_each(|(mask, found)| *mask = found);
        }
    }
}

/// Codes that all get a mask, used or not.
const FEW_SYMBOLS: usize = 32;

/// Places of a sequence, or of the reversed one: the symbols as they lie in the sequence itself.
fn part<const TURNED: bool>(codes: &[u32], places: Range<usize>) -> &[u32] {
    if TURNED { &codes[codes.len() - places.end..codes.len() - places.start] } else { &codes[places] }
}
