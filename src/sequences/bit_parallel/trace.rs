//! Traceback from stored boundaries: recomputes the tiles that the path crosses.
//!
//! The canonical path is the topmost of all optimal paths. Traced back from the last cell it goes
//! up if that costs nothing, else diagonally if the symbols are equal, else left if that is better
//! than a mismatch. The vertical differences of a column and of the preceding one decide each step.
//!
//! In the table of the reversed sequences the same path is the lowest one. A `TURNED` traceback
//! goes left if that costs nothing, else diagonally if the symbols are equal, else up if that is
//! better. The horizontal differences of a row and of the one above it decide each step.
//!
//! Cost: per crossed tile, its columns up to the path times its words.

use super::columns::Columns;
use super::recurrence::Recurrence;
use super::tile::Tile;
use super::traced_path::{TracedPath, Word};
use crate::error::Result;
use crate::host::simd;
use crate::sequences::codes::Codes;

/// Packs limbs of `bits_per_limb` rows into words of 64 rows. Bits past the last limb are 1.
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

/// Traceback state: collects the diagonal steps from a cell to the first.
pub(crate) struct Walker<'a, R, const TURNED: bool = false> {
    codes: Codes<'a>,
    i: usize,
    j: usize,
    columns: Columns<R, TURNED>,
    first: usize,
    traced: TracedPath,
}

impl<'a, R: Recurrence, const TURNED: bool> Walker<'a, R, TURNED> {
    /// Starts at row `i` (counted from 1) of the last column. A turned traceback takes the forward
    /// sequences, although its table has them reversed; its caller sets [`TracedPath::origin`].
    pub(crate) fn new(codes: Codes<'a>, i: usize) -> Self {
        Self::back_to(0, codes, i)
    }

    /// Like `new`, for a partial traceback that stops at or after column `first`, and that another
    /// one can [`follow`](Self::follow).
    pub(crate) fn back_to(first: usize, codes: Codes<'a>, i: usize) -> Self {
        let traced = TracedPath {
            origin: (0, 0),
            turned: TURNED,
            steps: vec![0; codes.b.len() - first],
            words: Vec::new(),
        };
        Self {
            codes,
            i,
            j: codes.b.len(),
            columns: Columns::new(codes.alphabet),
            first,
            traced,
        }
    }

    /// Rows and columns still to cross; the next tile contains row `i - 1` and column `j - 1`. The
    /// path is complete once either is 0.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.i, self.j)
    }

    /// Traces back until the path leaves the tile, which must contain the current
    /// [`position`](Self::position).
    pub(crate) fn walk(&mut self, tile: &Tile) {
        simd::with_bits(
            #[inline(always)]
            || self.walk_inlined(tile),
        );
    }

    /// Crosses one column per iteration. The step within a column is close to random, so it is
    /// computed without branches.
    #[inline(always)]
    fn walk_inlined(&mut self, tile: &Tile) {
        let (top, left) = (tile.rows.start, tile.cols.start);
        debug_assert!(
            top < self.i && self.i <= tile.rows.end && left < self.j && self.j <= tile.cols.end
        );
        self.columns.sweep(tile, self.i, self.j, self.codes);
        let last = self.i - top - 1;
        let words = last / 64 + 1;
        let columns = self
            .columns
            .leaving
            .chunks_exact(words)
            .zip(&mut self.traced.steps[left - self.first..self.j - self.first]);
        let mut columns = columns.rev().peekable();
        // Mask of the rows of a word down to the path's row.
        let mut within = !0 >> (63 - last % 64);
        for word in (0..words).rev() {
            let before = columns.len();
            while let Some((column, step)) = columns.peek_mut() {
                let [leaves, diagonally] = column[word];
                let rows = leaves & within;
                if rows == 0 {
                    break;
                }
                let below = rows.leading_zeros();
                let paired = diagonally << below >> 63;
                within = !0 >> below >> paired;
                **step = (below as u8 + 1) & 0u8.wrapping_sub(paired as u8);
                columns.next();
            }
            if columns.len() < before {
                self.traced.words.push(Word {
                    first: left + columns.len(),
                    base: top + word * 64 + 65,
                });
            }
            if columns.len() == 0 {
                self.i = top + word * 64 + within.count_ones() as usize;
                self.j = left;
                return;
            }
            within = !0;
        }
        (self.i, self.j) = (top, left + columns.len());
    }

    /// Traces back along each guess once the path meets it, else by `cross`, which crosses one tile
    /// and returns `false` if there is none.
    pub(crate) fn follow_all<'g>(
        &mut self,
        guesses: impl Iterator<Item = &'g PartialTraceback<'a, R, TURNED>>,
        mut cross: impl FnMut(&mut Self) -> Result<bool>,
    ) -> Result<()>
    where
        'a: 'g,
    {
        for guess in guesses {
            while self.j > guess.walker.j {
                if let Some(words) = guess.words_at(self) {
                    self.follow(&guess.walker, words);
                } else if !cross(self)? {
                    break;
                }
            }
        }
        while cross(self)? {}
        Ok(())
    }

    /// Continues along the path of another traceback that passed this position with `words` words
    /// recorded.
    fn follow(&mut self, other: &Self, words: usize) {
        let steps = |first: usize| other.j - first..self.j - first;
        self.traced.steps[steps(self.first)]
            .copy_from_slice(&other.traced.steps[steps(other.first)]);
        self.traced
            .words
            .extend_from_slice(&other.traced.words[words..]);
        (self.i, self.j) = (other.i, other.j);
    }

    pub(crate) fn drop_rows(&mut self) {
        self.i = 0;
    }

    /// The path, once [`position`](Self::position) contains a 0.
    pub(crate) fn finish(self) -> TracedPath {
        debug_assert!(self.first == 0 && (self.i == 0 || self.j == 0));
        self.traced
    }
}

/// A traceback from a guessed cell, with its history.
pub(crate) struct PartialTraceback<'a, R, const TURNED: bool = false> {
    pub walker: Walker<'a, R, TURNED>,
    /// Positions between tiles, each with the number of words recorded by then.
    passed: Vec<((usize, usize), usize)>,
}

impl<'a, R: Recurrence, const TURNED: bool> PartialTraceback<'a, R, TURNED> {
    pub(crate) fn start(walker: Walker<'a, R, TURNED>) -> Self {
        Self {
            passed: vec![(walker.position(), 0)],
            walker,
        }
    }

    pub(crate) fn mark(&mut self) {
        let walker = &self.walker;
        self.passed
            .push((walker.position(), walker.traced.words.len()));
    }

    /// Words recorded when this traceback passed the position of `walker`; `None` if it did not.
    pub(crate) fn words_at(&self, walker: &Walker<'_, R, TURNED>) -> Option<usize> {
        let position = walker.position();
        let to_go = |(rows, cols): (usize, usize)| rows + cols;
        let index = self
            .passed
            .partition_point(|&(passed, _)| to_go(passed) > to_go(position));
        self.passed
            .get(index)
            .filter(|(passed, _)| *passed == position)
            .map(|&(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::differences::ReferenceValues;
    use super::super::inputs;
    use super::super::recurrence::{Edit, Lcs};
    use super::*;
    use crate::edit_distance;
    use crate::lcs::reference;
    use crate::sequences::blocks::Blocks;
    use crate::sequences::codes::Encoded;

    fn walk<R: Recurrence, const TURNED: bool>(
        a: &[u32],
        b: &[u32],
        [tile_rows, tile_cols]: [usize; 2],
    ) -> Blocks {
        let codes = Encoded::new(a, b);
        let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
        let values = if TURNED {
            ReferenceValues::new::<R, _>(&reversed(&codes.a), &reversed(&codes.b))
        } else {
            ReferenceValues::new::<R, _>(&codes.a, &codes.b)
        };
        let mut walker = Walker::<R, TURNED>::new(codes.codes(), a.len());
        while let (i @ 1.., j @ 1..) = walker.position() {
            let (top, left) = (
                (i - 1) / tile_rows * tile_rows,
                (j - 1) / tile_cols * tile_cols,
            );
            let (rows, cols) = (
                top..(top + tile_rows).min(a.len()),
                left..(left + tile_cols).min(b.len()),
            );
            let (v, h) = (
                values.vertical::<R>(rows.clone(), left),
                values.horizontal::<R>(top, cols.clone()),
            );
            walker.walk(&Tile { rows, cols, v, h });
        }
        let mut path = walker.finish();
        if TURNED {
            path.origin = (a.len(), b.len());
        }
        path.into_blocks()
    }

    fn assert_walks<R: Recurrence>(a: &[u32], b: &[u32], tile: [usize; 2], expected: &Blocks) {
        assert_eq!(
            &walk::<R, false>(a, b, tile),
            expected,
            "{tile:?}, a = {a:?}, b = {b:?}"
        );
        let turned = walk::<R, true>(a, b, tile);
        assert_eq!(&turned, expected, "turned, {tile:?}, a = {a:?}, b = {b:?}");
    }

    fn assert_walks_the_reference_paths(a: &[u32], b: &[u32], tile: [usize; 2]) {
        assert_walks::<Lcs>(a, b, tile, &reference::subsequence(a, b).0);
        assert_walks::<Edit>(a, b, tile, &edit_distance::reference::path(a, b));
    }

    #[test]
    fn traceback_gives_the_reference_paths_on_every_kind_of_input() {
        for (a, b) in inputs::pairs(150, 141) {
            for tile in [[1000, 1000], [31, 40], [64, 64], [65, 128]] {
                assert_walks_the_reference_paths(&a, &b, tile);
            }
        }
        let mut random = inputs::Random::new(8);
        let (a, b) = (random.codes(700, 4), random.codes(200, 4));
        for rows in (63..700).step_by(63).chain([64, 128, 512, 513]) {
            assert_walks_the_reference_paths(&a, &b, [rows, 70]);
        }
    }

    #[test]
    fn pack_rows_is_independent_of_the_limb_width() {
        let mut random = inputs::Random::new(9);
        let bits: Vec<u64> = (0..31 * 63).map(|_| random.below(2) as u64).collect();
        let limbs = |width: usize| {
            // The guard bit above the rows is set and must not leak.
            let limb = |bits: &[u64]| bits.iter().rev().fold(1, |limb, bit| limb << 1 | bit);
            pack_rows(bits.chunks(width).map(limb), width as u32)
        };
        let words = pack_rows(bits.iter().copied(), 1);
        assert_eq!(words.len(), bits.len().div_ceil(64));
        assert_eq!(
            words[30] >> (bits.len() % 64),
            !0 >> (bits.len() % 64),
            "bits past the end are 1"
        );
        assert_eq!(limbs(31), words);
        assert_eq!(limbs(63), words);
    }
}
