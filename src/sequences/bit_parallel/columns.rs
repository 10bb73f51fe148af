//! Recomputation of tiles for the traceback: the rows where a path leaves each column.

use std::marker::PhantomData;
use std::ops::Range;

use super::prefetch::prefetch;
use super::recurrence::Recurrence;
use super::tile::Tile;
use crate::host::simd::array;
use crate::sequences::codes::{Alphabet, Codes, NONE_IN_B};
use crate::symbols::alphabet as symbols;
use crate::symbols::planes::{Symbols, bits_of};

/// Recomputes tiles, with buffers reused between tiles.
pub(crate) struct Columns<R, const TURNED: bool = false> {
    /// [`Recurrence::leaving`] of the last tile: `[column][word]`, 64 rows per word.
    pub leaving: Vec<[u64; 2]>,
    slots: Slots,
    alphabet: Alphabet,
    /// Codes that have a mask, with [`Slots::Table`].
    codes: Vec<u32>,
    /// Match masks of the current rows: `[word][mask]`, 64 rows per word. Mask 0 matches nothing.
    masks: Vec<u64>,
    stride: usize,
    /// Rows of the masks: those of the last tile.
    rows: Range<usize>,
    recurrence: PhantomData<R>,
}

/// Mask index of a code.
enum Slots {
    Code,
    /// By code, for those of the rows; 0 for no mask.
    Table(Vec<u32>),
    /// For those of all columns.
    Columns(symbols::Alphabet),
}

impl<R: Recurrence, const TURNED: bool> Columns<R, TURNED> {
    pub(crate) fn new(alphabet: Alphabet) -> Self {
        let slots = if alphabet.number_bits > 0 {
            Slots::Columns(symbols::Alphabet::default())
        } else if alphabet.shared <= MAX_BYTE_SYMBOLS {
            Slots::Code
        } else {
            Slots::Table(vec![0; alphabet.shared as usize + 1])
        };
        Self {
            leaving: Vec::new(),
            slots,
            alphabet,
            codes: Vec::new(),
            masks: Vec::new(),
            stride: 0,
            rows: 0..0,
            recurrence: PhantomData,
        }
    }

    /// Sweeps the tile up to row `i` and column `j`, both exclusive.
    #[inline(always)]
    pub(crate) fn sweep(&mut self, tile: &Tile, i: usize, j: usize, codes: Codes<'_>) {
        // The next tile is left of this one or above it.
        prefetch(part::<TURNED>(
            codes.b,
            tile.cols.start.saturating_sub(tile.cols.len())..tile.cols.start,
        ));
        prefetch(part::<TURNED>(
            codes.a,
            tile.rows.start.saturating_sub(tile.rows.len())..tile.rows.start,
        ));
        if let Slots::Columns(columns) = &mut self.slots
            && columns.codes() == 0
        {
            *columns = symbols::Alphabet::of([codes.b]);
        }
        let b = part::<TURNED>(codes.b, tile.cols.start..j);
        if self.rows != tile.rows {
            self.match_masks(codes.a, tile.rows.clone());
        }
        let words = (i - tile.rows.start).div_ceil(64);
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

    /// A constant number of words keeps the differences in registers.
    #[inline(always)]
    fn sweep_words<const WORDS: usize>(&mut self, tile: &Tile, b: &[u32]) {
        let masks = array(|word| &self.masks[word * self.stride..][..self.stride]);
        let leaving = &mut self.leaving;
        match &self.slots {
            Slots::Code => {
                sweep_blocks::<R, TURNED, WORDS>(tile, b, leaving, masks, |code| code);
            }
            Slots::Table(slots) => {
                let slot = |code| slots[code as usize];
                sweep_blocks::<R, TURNED, WORDS>(tile, b, leaving, masks, slot);
            }
            Slots::Columns(columns) => {
                let slot = |code| columns.code(code as usize);
                sweep_blocks::<R, TURNED, WORDS>(tile, b, leaving, masks, slot);
            }
        }
    }

    fn sweep_any(&mut self, tile: &Tile, words: usize, b: &[u32]) {
        let mut v: Vec<_> = (0..words)
            .map(|word| {
                [0, 1].map(|vector: usize| tile.v[vector].get(word).copied().unwrap_or_default())
            })
            .collect();
        for (place, leaving) in self.leaving.chunks_exact_mut(words).enumerate() {
            let code = b[if TURNED { b.len() - 1 - place } else { place }];
            let slot = match &self.slots {
                Slots::Code => code,
                Slots::Table(slots) => slots[code as usize],
                Slots::Columns(columns) => columns.code(code as usize),
            };
            let masks = self.masks[slot as usize..].iter().step_by(self.stride);
            let mut h = [0; 2];
            (0..R::HORIZONTAL).for_each(|bit| {
                h[bit] = (tile.h[bit][place / 64] ^ R::FIRST_ROW[bit]) >> (place % 64) & 1
            });
            for ((v, leaving), &mask) in v.iter_mut().zip(leaving).zip(masks) {
                let (after, below) = R::limb(*v, mask, h);
                *leaving = R::leaving::<TURNED>(*v, after, mask, h);
                (*v, h) = (after, below);
            }
        }
    }

    fn match_masks(&mut self, codes: &[u32], rows: Range<usize>) {
        let words = rows.len().div_ceil(64);
        self.rows = rows.clone();
        match &mut self.slots {
            Slots::Code => self.masks_of_all(codes, rows.start, words),
            Slots::Columns(columns) => {
                self.stride = columns.codes() + 1;
                self.masks.resize(words * self.stride, 0);
                for (word, masks) in self.masks.chunks_exact_mut(self.stride).enumerate() {
                    let planes = row_planes::<TURNED>(codes, rows.start + word * 64, self.alphabet);
                    let kinds = columns.places().iter();
                    for (mask, &code) in masks[1..].iter_mut().zip(kinds) {
                        *mask = matching_rows(&planes, code as u32, self.alphabet);
                    }
                }
            }
            Slots::Table(slots) => {
                debug_assert_eq!(slots[NONE_IN_B as usize], 0);
                self.codes
                    .drain(..)
                    .for_each(|code| slots[code as usize] = 0);
                let part = part::<TURNED>(codes, rows);
                for &code in part {
                    // The row-only code has no mask: it occurs in no column.
                    if let Some(slot @ 0) = slots.get_mut(code as usize) {
                        self.codes.push(code);
                        *slot = self.codes.len() as u32;
                    }
                }
                self.stride = self.codes.len() + 1;
                self.masks.clear();
                self.masks.resize(words * self.stride, 0);
                for (place, &code) in part.iter().enumerate() {
                    let row = if TURNED {
                        part.len() - 1 - place
                    } else {
                        place
                    };
                    if let Some(&slot) = slots.get(code as usize) {
                        self.masks[row / 64 * self.stride + slot as usize] |= 1 << (row % 64);
                    }
                }
            }
        }
    }

    /// Builds masks for all codes of a small alphabet by splitting the rows on one code bit after
    /// the other.
    fn masks_of_all(&mut self, codes: &[u32], first_row: usize, words: usize) {
        let Alphabet { sets, .. } = self.alphabet;
        self.stride = 1 << self.alphabet.planes();
        self.masks.resize(words * self.stride, 0);
        for (word, masks) in self.masks.chunks_exact_mut(self.stride).enumerate() {
            masks[0] = if sets { 0 } else { !0 };
            let planes = row_planes::<TURNED>(codes, first_row + word * 64, self.alphabet);
            for (plane, &set) in planes[..self.alphabet.planes() as usize].iter().enumerate() {
                let (without, with) = masks.split_at_mut(1 << plane);
                for (without, with) in without.iter_mut().zip(with) {
                    if sets {
                        *with = *without | set;
                    } else {
                        *with = *without & set;
                        *without &= !set;
                    }
                }
            }
            // No row has code 0.
            masks[NONE_IN_B as usize] = 0;
        }
    }
}

#[inline(always)]
fn row_planes<const TURNED: bool>(
    codes: &[u32],
    first_row: usize,
    alphabet: Alphabet,
) -> [u64; 32] {
    let symbols = Symbols {
        codes,
        reversed: TURNED,
        before: 0,
    };
    // Padding rows match no column.
    let outside = if alphabet.sets {
        alphabet.row_only()
    } else {
        NONE_IN_B
    };
    let count = alphabet.planes();
    let mut planes = [0; 32];
    for byte in 0..count.div_ceil(8) {
        let mut rows = [0; 64];
        symbols.bytes(first_row, byte, [outside; 2], &mut rows);
        let (halves, _) = rows.as_chunks();
        for plane in 8 * byte..count.min(8 * byte + 8) {
            let [low, high] =
                [0, 1].map(|half: usize| u64::from(bits_of(&halves[half], plane % 8)));
            planes[plane as usize] = low | high << 32;
        }
    }
    planes
}

/// The rows that match a column with a number and a set.
fn matching_rows(planes: &[u64; 32], code: u32, alphabet: Alphabet) -> u64 {
    let bit = |plane: usize| 0u64.wrapping_sub(u64::from(code >> plane & 1));
    let (numbers, sets) = planes.split_at(alphabet.number_bits as usize);
    let numbers = (0..).zip(numbers);
    let equal = numbers.fold(!0, |rows, (plane, &set)| rows & !(set ^ bit(plane)));
    let sets = (alphabet.number_bits as usize..32).zip(sets);
    sets.fold(equal, |rows, (plane, &set)| rows | set & bit(plane))
}

/// Sweeps blocks of 64 columns. `slot` maps a code to its mask index.
#[inline(always)]
fn sweep_blocks<R: Recurrence, const TURNED: bool, const WORDS: usize>(
    tile: &Tile,
    b: &[u32],
    leaving: &mut [[u64; 2]],
    masks: [&[u64]; WORDS],
    slot: impl Fn(u32) -> u32,
) {
    let mut v = [[0; 2]; WORDS];
    for (vector, words) in tile.v.iter().enumerate().take(R::VERTICAL) {
        v.iter_mut()
            .zip(&words[..WORDS])
            .for_each(|(v, &word)| v[vector] = word);
    }
    let blocks = leaving.as_chunks_mut().0.chunks_mut(64);
    for (block, leaving) in blocks.enumerate() {
        let mut entering = [0; 2];
        (0..R::HORIZONTAL).for_each(|bit| entering[bit] = tile.h[bit][block] ^ R::FIRST_ROW[bit]);
        let codes = part::<TURNED>(b, block * 64..block * 64 + leaving.len()).iter();
        let mut sweep = |(&code, leaving): (&u32, &mut [[u64; 2]; WORDS])| {
            let slot = slot(code) as usize;
            let mut h = entering.map(|word| word & 1);
            entering = entering.map(|word| word >> 1);
            for word in 0..WORDS {
                let (before, mask) = (v[word], masks[word][slot]);
                let (after, below) = R::limb(before, mask, h);
                leaving[word] = R::leaving::<TURNED>(before, after, mask, h);
                (v[word], h) = (after, below);
            }
        };
        if TURNED {
            codes.rev().zip(leaving).for_each(&mut sweep)
        } else {
            codes.zip(leaving).for_each(&mut sweep)
        }
    }
}

/// Maximum alphabet for which every code gets a mask: codes that fit into a byte.
const MAX_BYTE_SYMBOLS: u32 = 254;

/// A range of positions of a sequence, or of its reversal. Returns the symbols in forward order.
fn part<const TURNED: bool>(codes: &[u32], places: Range<usize>) -> &[u32] {
    if TURNED {
        &codes[codes.len() - places.end..codes.len() - places.start]
    } else {
        &codes[places]
    }
}
