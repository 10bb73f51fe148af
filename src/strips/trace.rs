//! The path from stored boundaries: recomputes the tiles that it crosses, and walks back through their bits.
//!
//! Bit i of V at column j is 1 where `L[i][j] == L[i + 1][j]`, so the canonical path of [`reference`](crate::lcs::reference) is: up
//! while the bit is 1, else a pair where the symbols are equal, else left. Cost: for every tile crossed, its columns up to the
//! path times its words.

use std::ops::Range;

use crate::alphabet::NONE_IN_B;

use crate::blocks::{Block, Blocks};

/// A rectangle of the table with what enters it from the left and from above.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// Rows, from 0.
    pub rows: Range<usize>,
    /// Columns, from 0.
    pub cols: Range<usize>,
    /// Vertical differences at the column left of `cols.start`, 64 rows a word: bit 1 = no increment. Bits past the last row
    /// are 1.
    pub v: Vec<u64>,
    /// Horizontal differences of the row above `rows.start`, 64 columns a word: bit 1 = increment.
    pub carries: Vec<u64>,
}

impl Tile {
    /// A tile that starts at the table's first row and column.
    pub(crate) fn corner(rows: usize, cols: usize) -> Self {
        Self { rows: 0..rows, cols: 0..cols, v: vec![!0; rows.div_ceil(64)], carries: vec![0; cols.div_ceil(64)] }
    }
}

/// Limbs of `bits_per_limb` rows each, joined to 64 rows a word; bits past the last limb are 1.
pub(crate) fn pack_rows(limbs: impl Iterator<Item = u64>, bits_per_limb: u32) -> Vec<u64> {
    let mut words = Vec::with_capacity((limbs.size_hint().0 * bits_per_limb as usize).div_ceil(64));
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
    words
}

/// A tile with V behind every column: ready to be walked.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    /// Rows, from 0.
    rows: Range<usize>,
    /// Columns, from 0.
    cols: Range<usize>,
    /// V behind every column, 64 rows a word.
    history: Vec<u64>,
    /// Horizontal differences along the last row, 64 columns a word.
    pub carries: Vec<u64>,
}

/// Collects the pairs of the path from the last cell to the first.
pub(crate) struct Walker<'a> {
    a: &'a [u32],
    b: &'a [u32],
    i: usize,
    j: usize,
    columns: Columns,
    swept: Swept,
    /// Runs of pairs, the last of the path first.
    runs: Vec<Block>,
}

impl<'a> Walker<'a> {
    /// Starts at the last cell.
    pub(crate) fn new(a: &'a [u32], b: &'a [u32], shared: u32) -> Self {
        Self { a, b, i: a.len(), j: b.len(), columns: Columns::new(shared), swept: Swept::default(), runs: Vec::new() }
    }

    /// Rows and columns that the path has still to cross; the next tile holds row `i - 1` and column `j - 1`. The path is
    /// complete when one of them is 0.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.i, self.j)
    }

    /// Walks back until the path leaves the tile, which must hold the current [`position`](Self::position).
    pub(crate) fn walk(&mut self, tile: &Tile) {
        let mut swept = std::mem::take(&mut self.swept);
        self.columns.sweep(tile, (self.i, self.j), (self.a, self.b), &mut swept);
        self.follow(&swept);
        self.swept = swept;
    }

    /// Walks back until the path leaves what was swept, which must hold the current [`position`](Self::position).
    pub(crate) fn follow(&mut self, swept: &Swept) {
        let (top, left) = (swept.rows.start, swept.cols.start);
        debug_assert!(top < self.i && self.i <= swept.rows.end && left < self.j && self.j <= swept.cols.end);
        let words = swept.rows.len().div_ceil(64);
        while self.j > left {
            let v = &swept.history[(self.j - left - 1) * words..][..words];
            self.i = top + highest_zero(v, self.i - top);
            if self.i == top {
                return;
            }
            self.j -= 1;
            if self.a[self.i - 1] == self.b[self.j] {
                self.i -= 1;
                self.pair();
                if self.i == top {
                    return;
                }
            }
        }
    }

    /// The path, once [`position`](Self::position) has a 0.
    pub(crate) fn finish(self) -> Blocks {
        debug_assert!(self.i == 0 || self.j == 0);
        Blocks::from_walk(self.runs)
    }

    fn pair(&mut self) {
        match self.runs.last_mut() {
            Some(run) if run.a == self.i + 1 && run.b == self.j + 1 => {
                (run.a, run.b, run.len) = (self.i, self.j, run.len + 1);
            }
            _ => self.runs.push(Block { a: self.i, b: self.j, len: 1 }),
        }
    }
}

/// Of the first `rows` rows, how many are left when those at the end whose bit is 1 are dropped.
fn highest_zero(v: &[u64], mut rows: usize) -> usize {
    while rows > 0 {
        let place = (rows - 1) % 64;
        let ones = ((v[(rows - 1) / 64] << (63 - place)).leading_ones() as usize).min(place + 1);
        rows -= ones;
        if ones <= place {
            break;
        }
    }
    rows
}

/// Recomputes tiles column by column; its buffers last from tile to tile.
pub(crate) struct Columns {
    /// By code: which match mask of the current tile is its own, 0 for none.
    slots: Vec<u32>,
    /// Match masks by slot; slot 0 matches nothing.
    masks: Vec<u64>,
}

impl Columns {
    pub(crate) fn new(shared: u32) -> Self {
        let slots = vec![0; shared as usize + 1];
        Self { slots, masks: Vec::new() }
    }

    /// Computes the tile as far as row `end.0` and column `end.1`; both ends may lie behind the tile's own.
    pub(crate) fn sweep(&mut self, tile: &Tile, end: (usize, usize), codes: (&[u32], &[u32]), swept: &mut Swept) {
        swept.rows = tile.rows.start..tile.rows.end.min(end.0);
        swept.cols = tile.cols.start..tile.cols.end.min(end.1).max(tile.cols.start);
        let (a, b) = (&codes.0[swept.rows.clone()], &codes.1[swept.cols.clone()]);
        match a.len().div_ceil(64) {
            // A lane below the last row, which no path enters.
            0 => swept.carries.clear(),
            1 => self.sweep_words::<1>(tile, a, b, swept),
            2 => self.sweep_words::<2>(tile, a, b, swept),
            3 => self.sweep_words::<3>(tile, a, b, swept),
            4 => self.sweep_words::<4>(tile, a, b, swept),
            5 => self.sweep_words::<5>(tile, a, b, swept),
            6 => self.sweep_words::<6>(tile, a, b, swept),
            7 => self.sweep_words::<7>(tile, a, b, swept),
            8 => self.sweep_words::<8>(tile, a, b, swept),
            words => self.sweep_any(tile, a, b, swept, words),
        }
    }

    /// With the number of words known V stays in registers.
    fn sweep_words<const WORDS: usize>(&mut self, tile: &Tile, a: &[u32], b: &[u32], swept: &mut Swept) {
        self.match_masks(a, WORDS);
        swept.history.resize(b.len() * WORDS, 0);
        swept.carries.clear();
        let masks = self.masks.as_chunks::<WORDS>().0;
        let mut v: [u64; WORDS] = std::array::from_fn(|word| tile.v[word]);
        v[WORDS - 1] |= rows_past(a.len());
        let history = swept.history.as_chunks_mut::<WORDS>().0;
        for ((history, codes), &entering) in history.chunks_mut(64).zip(b.chunks(64)).zip(&tile.carries) {
            let mut leaving = 0;
            for (column, (history, &code)) in history.iter_mut().zip(codes).enumerate() {
                let mask = &masks[self.slots[code as usize] as usize];
                let mut carry = entering >> column & 1 != 0;
                for word in 0..WORDS {
                    (v[word], carry) = limb(v[word], mask[word], carry);
                }
                *history = v;
                leaving |= u64::from(carry) << column;
            }
            swept.carries.push(leaving);
        }
        self.forget(a);
    }

    fn sweep_any(&mut self, tile: &Tile, a: &[u32], b: &[u32], swept: &mut Swept, words: usize) {
        self.match_masks(a, words);
        swept.history.resize(b.len() * words, 0);
        swept.carries.clear();
        swept.carries.resize(b.len().div_ceil(64), 0);
        let mut v = tile.v[..words].to_vec();
        v[words - 1] |= rows_past(a.len());
        for (column, (history, &code)) in swept.history.chunks_exact_mut(words).zip(b).enumerate() {
            let masks = &self.masks[self.slots[code as usize] as usize * words..][..words];
            let mut carry = tile.carries[column / 64] >> (column % 64) & 1 != 0;
            for (v, &mask) in v.iter_mut().zip(masks) {
                (*v, carry) = limb(*v, mask, carry);
            }
            history.copy_from_slice(&v);
            swept.carries[column / 64] |= u64::from(carry) << (column % 64);
        }
        self.forget(a);
    }

    fn match_masks(&mut self, a: &[u32], words: usize) {
        self.masks.clear();
        self.masks.resize(words, 0);
        for (row, &code) in a.iter().enumerate() {
            // The row-only code has no slot: no column has it.
            let Some(slot) = self.slots.get_mut(code as usize) else { continue };
            if *slot == 0 {
                *slot = (self.masks.len() / words) as u32;
                self.masks.resize(self.masks.len() + words, 0);
            }
            self.masks[*slot as usize * words + row / 64] |= 1 << (row % 64);
        }
    }

    /// Clears the slots that [`match_masks`](Self::match_masks) gave out.
    fn forget(&mut self, a: &[u32]) {
        debug_assert_eq!(self.slots[NONE_IN_B as usize], 0);
        for &code in a {
            if let Some(slot) = self.slots.get_mut(code as usize) {
                *slot = 0;
            }
        }
    }
}

/// One limb of one column: `V' = (V + (V & M) + carry) | (V & !M)` and the carry out.
#[inline(always)]
fn limb(v: u64, mask: u64, carry: bool) -> (u64, bool) {
    let matched = v & mask;
    let (sum, first) = v.overflowing_add(matched);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum | (v & !mask), first | second)
}

/// Bits of the last word that no row has. They are 1 and match nothing, so they pass a carry on.
fn rows_past(rows: usize) -> u64 {
    if rows.is_multiple_of(64) { 0 } else { !0 << (rows % 64) }
}

#[cfg(test)]
mod tests {
    use super::super::inputs;
    use super::*;
    use crate::alphabet::Encoded;
    use crate::lcs::reference;

    fn sweep(codes: &Encoded, tile: &Tile) -> Swept {
        let mut swept = Swept::default();
        let everywhere = (usize::MAX, usize::MAX);
        Columns::new(codes.shared).sweep(tile, everywhere, (&codes.a, &codes.b), &mut swept);
        swept
    }

    /// Walks over tiles of a given size, whose boundaries come from the tiles before them.
    fn assert_walks_the_reference_path(a: &[u32], b: &[u32], tile_rows: usize, tile_cols: usize) {
        let codes = Encoded::new(a, b);
        let v_at = |rows: Range<usize>, col: usize| {
            let swept = sweep(&codes, &Tile::corner(a.len(), col));
            let words = a.len().div_ceil(64);
            let bit = |row: usize| {
                if col == 0 { 1 } else { swept.history[(col - 1) * words + row / 64] >> (row % 64) & 1 }
            };
            pack_rows(rows.map(bit), 1)
        };
        let mut walker = Walker::new(&codes.a, &codes.b, codes.shared);
        while let (i @ 1.., j @ 1..) = walker.position() {
            let (top, left) = ((i - 1) / tile_rows * tile_rows, (j - 1) / tile_cols * tile_cols);
            let (rows, cols) = (top..(top + tile_rows).min(a.len()), left..(left + tile_cols).min(b.len()));
            let mut tile = Tile { v: v_at(rows.clone(), left), carries: vec![0; cols.len().div_ceil(64)], rows, cols };
            if top > 0 {
                let v = v_at(0..top, left);
                let above = Tile { rows: 0..top, cols: tile.cols.clone(), v, carries: tile.carries.clone() };
                tile.carries = sweep(&codes, &above).carries;
            }
            walker.walk(&tile);
        }
        assert_eq!(walker.finish(), reference::subsequence(a, b).0, "{tile_rows} x {tile_cols}, a = {a:?}, b = {b:?}");
    }

    #[test]
    fn the_walker_gives_the_reference_path_on_every_kind_of_input_and_number_of_words() {
        for (a, b) in inputs::pairs(150, 141) {
            for (rows, cols) in [(1000, 1000), (31, 40), (64, 64), (65, 128)] {
                assert_walks_the_reference_path(&a, &b, rows, cols);
            }
        }
        let mut random = inputs::Random::new(8);
        let (a, b) = (random.codes(700, 4), random.codes(200, 4));
        for rows in (63..700).step_by(63).chain([64, 128, 512, 513]) {
            assert_walks_the_reference_path(&a, &b, rows, 70);
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
