//! The path from stored boundaries: recomputes the tiles that it crosses, and walks back through their bits.
//!
//! The canonical path goes back from the last cell: up while that costs nothing, else diagonally where the symbols are equal,
//! else left where that is better than a diagonal step over unequal symbols. Of all best paths it is the topmost. The vertical
//! differences of a column and of the one before it tell each step.
//!
//! In a table of reversed sequences the same path is the lowest one. A `TURNED` walk finds it there: left while that costs
//! nothing, else diagonally where the symbols are equal, else up where that is better. The horizontal differences of a row and
//! of the one above it tell each step.
//!
//! Cost: for every tile crossed, its columns up to the path times its words.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use crate::alphabet::NONE_IN_B;
use crate::blocks::{Block, Blocks};

use super::recurrence::Recurrence;

/// A rectangle of the table with what enters it from the left and from above.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tile {
    /// Rows, from 0.
    pub rows: Range<usize>,
    /// Columns, from 0.
    pub cols: Range<usize>,
    /// Vertical differences at the column left of `cols.start`, by vector, 64 rows a word.
    pub v: [Vec<u64>; 2],
    /// Horizontal differences of the row above `rows.start`, by bit, 64 columns a word.
    pub h: [Vec<u64>; 2],
}

impl Tile {
    /// A tile that starts at the table's first row and column.
    pub(crate) fn corner<R: Recurrence>(rows: usize, cols: usize) -> Self {
        Self {
            rows: 0..rows,
            cols: 0..cols,
            v: R::FIRST_COLUMN.map(|word| vec![word; rows.div_ceil(64)]),
            h: R::FIRST_ROW.map(|word| vec![word; cols.div_ceil(64)]),
        }
    }
}

/// Limbs of `bits_per_limb` rows each, joined to 64 rows a word; bits past the last limb are 1.
pub(crate) fn pack_rows(limbs: impl Iterator<Item = u64>, bits_per_limb: u32) -> Vec<u64> {
    let mut words = Vec::with_capacity((limbs.size_hint().0 * bits_per_limb as usize).div_ceil(64));
    pack_rows_into(&mut words, limbs, bits_per_limb);
    words
}

/// [`pack_rows`] in place of what `words` held.
pub(crate) fn pack_rows_into(words: &mut Vec<u64>, limbs: impl Iterator<Item = u64>, bits_per_limb: u32) {
    words.clear();
    let (mut word, mut filled) = (0, 0);
    for limb in limbs {
        let limb = limb & !(!0 << bits_per_limb);
        word |= limb << filled;
        filled += bits_per_limb;
        if filled >= 64 {
            words.push(word);
            filled -= 64;
            word = limb >> (bits_per_limb - filled);
        }
    }
    if filled > 0 {
        words.push(word | !0 << filled);
    }
}

/// A tile that is ready to be walked.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    /// Rows, from 0.
    rows: Range<usize>,
    /// Columns, from 0.
    cols: Range<usize>,
    /// By column, the one left of the tile first, and by vector: 64 rows a word. Vertical differences, or for a turned walk
    /// [`Recurrence::leftwards`].
    history: Vec<u64>,
    /// Horizontal differences of the row above, by bit, 64 columns a word.
    above: [Vec<u64>; 2],
    /// Horizontal differences of the last row, by bit, 64 columns a word.
    pub h: [Vec<u64>; 2],
}

#[cfg(test)]
impl Swept {
    /// A bit of the history, behind `column` columns.
    fn bit<R: Recurrence>(&self, vector: usize, row: usize, column: usize) -> bool {
        let place = (column * R::VERTICAL + vector) * self.words() + row / 64;
        self.history[place] >> (row % 64) & 1 != 0
    }

    pub(crate) fn last_column<R: Recurrence>(&self) -> super::recurrence::Column {
        let words = self.rows.len().div_ceil(64);
        let column = &self.history[self.history.len().saturating_sub(R::VERTICAL * words)..];
        super::recurrence::Column(
            [0, 1].map(|vector| column.chunks(words.max(1)).nth(vector).unwrap_or_default().to_vec()),
        )
    }
}

/// Collects the diagonal steps of the path from a cell to the first.
pub(crate) struct Walker<'a, R, const TURNED: bool = false> {
    a: &'a [u32],
    b: &'a [u32],
    i: usize,
    j: usize,
    columns: Columns<R, TURNED>,
    swept: Swept,
    /// By column: the row of its diagonal step, counted from 1, or 0 where the path crosses it straight.
    diagonals: Vec<u32>,
}

impl<'a, R: Recurrence, const TURNED: bool> Walker<'a, R, TURNED> {
    /// Starts at the cell that has `i` rows above it, itself included, in the last column; `i` must fit 32 bits. A turned walk
    /// takes the sequences as they are, and its table has them reversed.
    pub(crate) fn new(a: &'a [u32], b: &'a [u32], i: usize, shared: u32) -> Self {
        let (columns, swept) = (Columns::new(shared), Swept::default());
        Self { a, b, i, j: b.len(), columns, swept, diagonals: vec![0; b.len()] }
    }

    /// Rows and columns that the path has still to cross; the next tile holds row `i - 1` and column `j - 1`. The path is
    /// complete when one of them is 0.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.i, self.j)
    }

    /// Walks back until the path leaves the tile, which must hold the current [`position`](Self::position).
    ///
    /// Each turn of the loop goes one step, without a branch on where to: what decides is close to random.
    pub(crate) fn walk(&mut self, tile: &Tile) {
        self.columns.sweep(tile, (self.i, self.j), (self.a, self.b), &mut self.swept);
        let (top, left) = (tile.rows.start, tile.cols.start);
        let swept = &self.swept;
        debug_assert!(top < self.i && self.i <= swept.rows.end && left < self.j && self.j <= swept.cols.end);
        let (mut i, mut j) = (self.i - top, self.j - left);
        let (a, b) = (part::<TURNED>(self.a, top..self.i), part::<TURNED>(self.b, left..self.j));
        let place = |len: usize, place: usize| if TURNED { len - 1 - place } else { place };
        let diagonals = &mut self.diagonals[left..self.j];
        let words = swept.words();
        let (history, stride) = (&swept.history[..], R::VERTICAL * words);
        let bit = |place: usize, row: usize| history[place + row / 64] >> (row % 64) & 1;
        // Where column j of the history starts.
        let mut at = j * stride;
        while i > 0 && j > 0 {
            // Up at no loss, or turned: left at no loss.
            let straight = bit(at, i - 1);
            let shrinks = match (R::MISMATCHES, TURNED) {
                (false, _) => 1,
                (true, false) => bit(at - stride + words, i - 1),
                (true, true) if i == 1 => swept.above[1][(j - 1) / 64] >> ((j - 1) % 64) & 1,
                (true, true) => bit(at + words, i - 2),
            };
            let pairs = u64::from(a[place(a.len(), i - 1)] == b[place(b.len(), j - 1)]) | (1 - shrinks);
            let diagonal = pairs & (1 - straight);
            let column = j - 1;
            let (up, left) = match TURNED {
                false => (straight | diagonal, 1 - straight),
                true => (1 - straight, straight | diagonal),
            };
            i -= up as usize;
            j -= left as usize;
            at -= stride & 0usize.wrapping_sub(left as usize);
            // Rewritten by the step that leaves the column.
            diagonals[column] = (top + i + 1) as u32 & 0u32.wrapping_sub(diagonal as u32);
        }
        (self.i, self.j) = (top + i, left + j);
    }

    /// The path in parts, once [`position`](Self::position) has a 0. The table's first cell lies at `origin`: the positions
    /// before it, or for a turned walk, whose sequences are reversed, those before its end.
    pub(crate) fn finish(self, origin: (usize, usize)) -> Vec<Blocks> {
        debug_assert!(self.i == 0 || self.j == 0);
        let steps = |(part, diagonals): (usize, &[u32])| -> Blocks {
            let rows = diagonals.iter().enumerate().filter(|&(_, &row)| row > 0);
            let rows = rows.map(|(col, &row)| (row as usize, part * FINISH_COLUMNS + col + 1));
            let step = |(row, col): (usize, usize)| match TURNED {
                false => Block { a: origin.0 + row - 1, b: origin.1 + col - 1, len: 1 },
                true => Block { a: origin.0 - row, b: origin.1 - col, len: 1 },
            };
            if TURNED { rows.rev().map(step).collect() } else { rows.map(step).collect() }
        };
        let mut parts: Vec<_> = self.diagonals.par_chunks(FINISH_COLUMNS).enumerate().map(steps).collect();
        if TURNED {
            parts.reverse();
        }
        parts
    }
}

/// Columns that are worth a thread of their own.
const FINISH_COLUMNS: usize = 1 << 18;

impl Swept {
    fn words(&self) -> usize {
        self.rows.len().div_ceil(64)
    }
}

/// Recomputes tiles column by column; its buffers last from tile to tile.
pub(crate) struct Columns<R, const TURNED: bool = false> {
    /// By code: which match mask of these rows is its own, 0 for none.
    slots: Vec<u32>,
    /// Match masks of these rows by slot; slot 0 matches nothing.
    masks: Vec<u64>,
    /// The rows that the masks are of, those of the last tile.
    rows: Range<usize>,
    recurrence: PhantomData<R>,
}

impl<R: Recurrence, const TURNED: bool> Columns<R, TURNED> {
    pub(crate) fn new(shared: u32) -> Self {
        Self { slots: vec![0; shared as usize + 1], masks: Vec::new(), rows: 0..0, recurrence: PhantomData }
    }

    /// Computes the tile as far as row `end.0` and column `end.1`; both ends may lie behind the tile's own.
    pub(crate) fn sweep(&mut self, tile: &Tile, end: (usize, usize), codes: (&[u32], &[u32]), swept: &mut Swept) {
        swept.rows = tile.rows.start..tile.rows.end.min(end.0).max(tile.rows.start);
        swept.cols = tile.cols.start..tile.cols.end.min(end.1).max(tile.cols.start);
        swept.h.iter_mut().for_each(Vec::clear);
        if TURNED && R::MISMATCHES {
            swept.above.clone_from(&tile.h);
        }
        let (rows, b) = (swept.rows.len(), part::<TURNED>(codes.1, swept.cols.clone()));
        if self.rows != tile.rows {
            self.match_masks(codes.0, tile.rows.clone());
        }
        match rows.div_ceil(64) {
            // A lane below the last row, which no path enters.
            0 => {}
            1 => self.sweep_words::<1>(tile, rows, b, swept),
            2 => self.sweep_words::<2>(tile, rows, b, swept),
            3 => self.sweep_words::<3>(tile, rows, b, swept),
            4 => self.sweep_words::<4>(tile, rows, b, swept),
            5 => self.sweep_words::<5>(tile, rows, b, swept),
            6 => self.sweep_words::<6>(tile, rows, b, swept),
            7 => self.sweep_words::<7>(tile, rows, b, swept),
            8 => self.sweep_words::<8>(tile, rows, b, swept),
            _ => self.sweep_any(tile, rows, b, swept),
        }
    }

    /// With the number of words known the differences stay in registers.
    fn sweep_words<const WORDS: usize>(&mut self, tile: &Tile, rows: usize, b: &[u32], swept: &mut Swept) {
        let stride = tile.rows.len().div_ceil(64);
        swept.history.resize((b.len() + 1) * R::VERTICAL * WORDS, 0);
        let last = (rows as u32 - 1) % 64;
        let mut v: [[u64; WORDS]; 2] = first_column::<R, WORDS>(tile, rows);
        let (first, history) = swept.history.split_at_mut(R::VERTICAL * WORDS);
        (0..R::VERTICAL).for_each(|vector| first[vector * WORDS..][..WORDS].copy_from_slice(&v[vector]));
        let mut history = history.as_chunks_mut::<WORDS>().0.chunks_exact_mut(R::VERTICAL);
        for block in 0..b.len().div_ceil(64) {
            let mut entering = [0; 2];
            (0..R::HORIZONTAL).for_each(|bit| entering[bit] = tile.h[bit][block]);
            let mut leaving = [0; 2];
            for column in 0..(b.len() - block * 64).min(64) {
                let place = block * 64 + column;
                let code = b[if TURNED { b.len() - 1 - place } else { place }];
                let mask = &self.masks[self.slots[code as usize] as usize * stride..][..WORDS];
                let mut h = entering.map(|word| word >> column & 1);
                let mut kept = [[0; WORDS]; 2];
                for word in 0..WORDS {
                    let limb = [v[0][word], v[1][word]];
                    if TURNED {
                        [kept[0][word], kept[1][word]] = R::leftwards(limb, mask[word], h);
                    }
                    let next;
                    (next, h) = match word + 1 == WORDS {
                        true => R::last_limb(limb, mask[word], h, last),
                        false => R::limb(limb, mask[word], h),
                    };
                    [v[0][word], v[1][word]] = next;
                }
                if let Some(history) = history.next() {
                    let kept = if TURNED { kept } else { v };
                    (0..R::VERTICAL).for_each(|vector| history[vector] = kept[vector]);
                }
                (0..R::HORIZONTAL).for_each(|bit| leaving[bit] |= h[bit] << column);
            }
            (0..R::HORIZONTAL).for_each(|bit| swept.h[bit].push(leaving[bit]));
        }
    }

    fn sweep_any(&mut self, tile: &Tile, rows: usize, b: &[u32], swept: &mut Swept) {
        let (words, stride) = (rows.div_ceil(64), tile.rows.len().div_ceil(64));
        swept.history.clear();
        swept.history.reserve((b.len() + 1) * R::VERTICAL * words);
        let last = (rows as u32 - 1) % 64;
        let mut v: Vec<u64> = (0..R::VERTICAL).flat_map(|vector| &tile.v[vector][..words]).copied().collect();
        v[words - 1] |= R::FIRST_COLUMN[0] & rows_past(rows);
        swept.history.extend_from_slice(&v);
        (0..R::HORIZONTAL).for_each(|bit| swept.h[bit].resize(b.len().div_ceil(64), 0));
        for column in 0..b.len() {
            let code = b[if TURNED { b.len() - 1 - column } else { column }];
            let masks = &self.masks[self.slots[code as usize] as usize * stride..][..words];
            let (block, place) = (column / 64, column % 64);
            let behind = swept.history.len();
            if TURNED {
                swept.history.resize(behind + v.len(), 0);
            }
            let mut h = [0; 2];
            (0..R::HORIZONTAL).for_each(|bit| h[bit] = tile.h[bit][block] >> place & 1);
            for (word, &mask) in masks.iter().enumerate() {
                let limb = [v[word], if R::VERTICAL == 2 { v[words + word] } else { 0 }];
                if TURNED {
                    let kept = R::leftwards(limb, mask, h);
                    (0..R::VERTICAL).for_each(|vector| swept.history[behind + vector * words + word] = kept[vector]);
                }
                let next;
                (next, h) = match word + 1 == words {
                    true => R::last_limb(limb, mask, h, last),
                    false => R::limb(limb, mask, h),
                };
                (0..R::VERTICAL).for_each(|vector| v[vector * words + word] = next[vector]);
            }
            if !TURNED {
                swept.history.extend_from_slice(&v);
            }
            (0..R::HORIZONTAL).for_each(|bit| swept.h[bit][block] |= h[bit] << place);
        }
    }

    /// Match masks of other rows.
    fn match_masks(&mut self, codes: &[u32], rows: Range<usize>) {
        debug_assert_eq!(self.slots[NONE_IN_B as usize], 0);
        for &code in part::<TURNED>(codes, self.rows.clone()) {
            if let Some(slot) = self.slots.get_mut(code as usize) {
                *slot = 0;
            }
        }
        let words = rows.len().div_ceil(64);
        self.masks.clear();
        self.masks.resize(words, 0);
        let part = part::<TURNED>(codes, rows.clone());
        for (place, &code) in part.iter().enumerate() {
            let row = if TURNED { part.len() - 1 - place } else { place };
            // The row-only code has no slot: no column has it.
            let Some(slot) = self.slots.get_mut(code as usize) else { continue };
            if *slot == 0 {
                *slot = (self.masks.len() / words) as u32;
                self.masks.resize(self.masks.len() + words, 0);
            }
            self.masks[*slot as usize * words + row / 64] |= 1 << (row % 64);
        }
        self.rows = rows;
    }
}

/// Places of a sequence, or of the reversed one: the symbols as they lie in the sequence itself.
fn part<const TURNED: bool>(codes: &[u32], places: Range<usize>) -> &[u32] {
    if TURNED { &codes[codes.len() - places.end..codes.len() - places.start] } else { &codes[places] }
}

/// The differences left of a tile of `rows` rows.
fn first_column<R: Recurrence, const WORDS: usize>(tile: &Tile, rows: usize) -> [[u64; WORDS]; 2] {
    let mut v = [[0; WORDS]; 2];
    (0..R::VERTICAL).for_each(|vector| v[vector].copy_from_slice(&tile.v[vector][..WORDS]));
    v[0][WORDS - 1] |= R::FIRST_COLUMN[0] & rows_past(rows);
    v
}

/// Bits of the last word that no row has.
fn rows_past(rows: usize) -> u64 {
    if rows.is_multiple_of(64) { 0 } else { !0 << (rows % 64) }
}

#[cfg(test)]
mod tests {
    use super::super::inputs;
    use super::super::recurrence::{Edit, Lcs};
    use super::*;
    use crate::alphabet::Encoded;
    use crate::edit_distance;
    use crate::lcs::reference;

    fn sweep<R: Recurrence>(codes: &Encoded, tile: &Tile) -> Swept {
        let mut swept = Swept::default();
        let everywhere = (usize::MAX, usize::MAX);
        Columns::<R>::new(codes.shared).sweep(tile, everywhere, (&codes.a, &codes.b), &mut swept);
        swept
    }

    /// Walks over tiles of a given size, whose boundaries come from the tiles before them.
    fn walk<R: Recurrence, const TURNED: bool>(a: &[u32], b: &[u32], (tile_rows, tile_cols): (usize, usize)) -> Blocks {
        let codes = Encoded::new(a, b);
        let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
        let table = if TURNED {
            Encoded { a: reversed(&codes.a), b: reversed(&codes.b), shared: codes.shared }
        } else {
            codes.clone()
        };
        let v_at = |rows: Range<usize>, col: usize| {
            let swept = sweep::<R>(&table, &Tile::corner::<R>(a.len(), col));
            [0, 1].map(|vector| {
                let bit = |row: usize| u64::from(swept.bit::<R>(vector, row, col));
                if vector < R::VERTICAL { pack_rows(rows.clone().map(bit), 1) } else { Vec::new() }
            })
        };
        let mut walker = Walker::<R, TURNED>::new(&codes.a, &codes.b, a.len(), codes.shared);
        while let (i @ 1.., j @ 1..) = walker.position() {
            let (top, left) = ((i - 1) / tile_rows * tile_rows, (j - 1) / tile_cols * tile_cols);
            let (rows, cols) = (top..(top + tile_rows).min(a.len()), left..(left + tile_cols).min(b.len()));
            let mut tile = Tile { v: v_at(rows.clone(), left), rows, ..Tile::corner::<R>(0, cols.len()) };
            tile.cols = cols;
            if top > 0 {
                let v = v_at(0..top, left);
                tile.h = sweep::<R>(&table, &Tile { rows: 0..top, v, ..tile.clone() }).h;
            }
            walker.walk(&tile);
        }
        Blocks::concat(walker.finish(if TURNED { (a.len(), b.len()) } else { (0, 0) }))
    }

    fn assert_walks<R: Recurrence>(a: &[u32], b: &[u32], tile: (usize, usize), expected: &Blocks) {
        assert_eq!(&walk::<R, false>(a, b, tile), expected, "{tile:?}, a = {a:?}, b = {b:?}");
        let turned = walk::<R, true>(a, b, tile);
        assert_eq!(&turned, expected, "turned, {tile:?}, a = {a:?}, b = {b:?}");
    }

    fn assert_walks_the_reference_paths(a: &[u32], b: &[u32], tile: (usize, usize)) {
        assert_walks::<Lcs>(a, b, tile, &reference::subsequence(a, b).0);
        assert_walks::<Edit>(a, b, tile, &edit_distance::reference::path(a, b));
    }

    #[test]
    fn the_walker_gives_the_reference_paths_on_every_kind_of_input_and_number_of_words() {
        for (a, b) in inputs::pairs(150, 141) {
            for tile in [(1000, 1000), (31, 40), (64, 64), (65, 128)] {
                assert_walks_the_reference_paths(&a, &b, tile);
            }
        }
        let mut random = inputs::Random::new(8);
        let (a, b) = (random.codes(700, 4), random.codes(200, 4));
        for rows in (63..700).step_by(63).chain([64, 128, 512, 513]) {
            assert_walks_the_reference_paths(&a, &b, (rows, 70));
        }
    }

    #[test]
    fn limbs_of_any_width_pack_to_the_same_words() {
        let mut random = inputs::Random::new(9);
        let bits: Vec<u64> = (0..31 * 63).map(|_| random.below(2) as u64).collect();
        let limbs = |width: usize| {
            // The guard bit above the rows is set: it must not come through.
            let limb = |bits: &[u64]| bits.iter().rev().fold(1, |limb, bit| limb << 1 | bit);
            pack_rows(bits.chunks(width).map(limb), width as u32)
        };
        let words = pack_rows(bits.iter().copied(), 1);
        assert_eq!(words.len(), bits.len().div_ceil(64));
        assert_eq!(words[30] >> (bits.len() % 64), !0 >> (bits.len() % 64), "bits past the end are 1");
        assert_eq!(limbs(31), words);
        assert_eq!(limbs(63), words);
    }
}
