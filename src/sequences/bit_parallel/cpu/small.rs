//! Small table in a few 64-bit limbs with match masks, on one thread.
//!
//! Cost: one lookup per symbol and `cols * rows / 64` limb steps.

use crate::sequences::bit_parallel::recurrence::{Recurrence, growth};
use crate::sequences::codes::Symbol;
use crate::symbols::alphabet::Alphabet;
use crate::symbols::places::Places;

/// Limbs whose vertical differences stay in registers.
const MAX_REGISTER_LIMBS: usize = 4;
/// Number of bytes, which are their own codes while masks for all are as fast as an encoding.
const BYTES: usize = 1 << 8;

pub(crate) fn last_value<R: Recurrence, S: Symbol>(rows: &[S], cols: &[S]) -> i64 {
    if S::TABLE == BYTES && rows.len() <= 64 * MAX_REGISTER_LIMBS {
        let rows = rows.iter().map(|symbol| symbol.place());
        let cols = cols.iter().map(|symbol| symbol.place());
        return PreparedRows::new(rows, BYTES).last_value::<R>(cols);
    }
    let mut alphabet = Alphabet::default();
    alphabet.reserve(cols.len());
    let cols = cols.codes(|index| alphabet.add(index));
    let code = |symbol: &S| alphabet.code(symbol.place()) as usize;
    let rows = PreparedRows::new(rows.iter().map(code), alphabet.codes() + 1);
    rows.last_value::<R>(cols.iter().map(|&code| code as usize))
}

/// Rows of tables with many different columns. All symbols have codes below a small bound.
pub(crate) struct PreparedRows {
    len: usize,
    /// `[code][limb]`.
    masks: Vec<u64>,
}

impl PreparedRows {
    pub(crate) fn new(rows: impl ExactSizeIterator<Item = usize>, codes: usize) -> Self {
        let (len, limbs) = (rows.len(), rows.len().div_ceil(64));
        let mut masks = vec![0; codes * limbs];
        for (row, code) in rows.enumerate() {
            masks[code * limbs + row / 64] |= 1 << (row % 64);
        }
        Self { len, masks }
    }

    /// Flags of the rows of a code, in limbs.
    #[inline(always)]
    pub(crate) fn masks(&self, code: u32) -> &[u64] {
        let limbs = self.len.div_ceil(64);
        &self.masks[code as usize * limbs..][..limbs]
    }

    #[inline(always)]
    pub(crate) fn last_value<R: Recurrence>(
        &self,
        cols: impl ExactSizeIterator<Item = usize>,
    ) -> i64 {
        let count = cols.len();
        self.sweep::<R, _>(|v| {
            cols.for_each(|code| self.column::<R>(v, code));
            self.value::<R>(v, count)
        })
    }

    /// Passes on the last value of the table of each prefix of the columns.
    #[inline(always)]
    pub(crate) fn prefix_values<R: Recurrence>(
        &self,
        cols: impl Iterator<Item = usize>,
        mut each: impl FnMut(i64),
    ) {
        self.sweep::<R, _>(|v| {
            for (before, code) in cols.enumerate() {
                self.column::<R>(v, code);
                each(self.value::<R>(v, before + 1));
            }
        });
    }

    /// Runs with limbs for the vertical differences, few of them in registers.
    #[inline(always)]
    fn sweep<R: Recurrence, T>(&self, run: impl FnOnce(&mut [[u64; 2]]) -> T) -> T {
        match self.len.div_ceil(64) {
            1 => run(&mut [R::FIRST_COLUMN; 1]),
            2 => run(&mut [R::FIRST_COLUMN; 2]),
            3 => run(&mut [R::FIRST_COLUMN; 3]),
            MAX_REGISTER_LIMBS => run(&mut [R::FIRST_COLUMN; MAX_REGISTER_LIMBS]),
            limbs => run(&mut vec![R::FIRST_COLUMN; limbs]),
        }
    }

    #[inline(always)]
    fn column<R: Recurrence>(&self, v: &mut [[u64; 2]], code: usize) {
        let mut h = [0, 0];
        for (v, &mask) in v.iter_mut().zip(self.masks(code as u32)) {
            (*v, h) = R::limb(*v, mask, h);
        }
    }

    #[inline(always)]
    fn value<R: Recurrence>(&self, v: &[[u64; 2]], cols: usize) -> i64 {
        let above = cols as i64 * growth(R::FIRST_ROW.map(|word| word & 1));
        let limbs = v.len();
        let unused = (64 - self.len % 64) % 64;
        let gains = v.iter().enumerate().map(|(limb, &v)| {
            let rows = if limb + 1 == limbs { !0 >> unused } else { !0 };
            growth(R::gains(v).map(|word| word & rows))
        });
        above + R::GAIN * gains.sum::<i64>()
    }
}

pub(crate) fn size_bytes(rows: usize, cols: usize) -> u64 {
    let limbs = rows.div_ceil(64);
    let places = if limbs > MAX_REGISTER_LIMBS { 0 } else { BYTES };
    (8 * places.max(cols + 1) * limbs + 4 * (rows + cols)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::lcs;
    use crate::sequences::bit_parallel::inputs::{self, Random};
    use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};

    fn assert_match<S: Symbol>(rows: &[S], cols: &[S]) {
        let length = lcs::reference::length(rows, cols);
        let distance = edit_distance::reference::distance(rows, cols, Mode::Global);
        let found = [
            last_value::<Lcs, S>(rows, cols),
            last_value::<Edit, S>(rows, cols),
        ];
        assert_eq!(
            found,
            [length as i64, distance as i64],
            "{} rows, {} columns",
            rows.len(),
            cols.len()
        );
    }

    fn assert_all_match(rows: &[u32], cols: &[u32]) {
        let bytes =
            [rows, cols].map(|codes| codes.iter().map(|&code| code as u8).collect::<Vec<_>>());
        assert_match(&bytes[0], &bytes[1]);
        let halves =
            [rows, cols].map(|codes| codes.iter().map(|&code| code as u16).collect::<Vec<_>>());
        assert_match(&halves[0], &halves[1]);
        assert_match(rows, cols);
        let chars = [rows, cols].map(|codes| {
            codes
                .iter()
                .map(|&code| char::from_u32(code).unwrap_or('?'))
                .collect::<Vec<_>>()
        });
        assert_match(&chars[0], &chars[1]);
        let wide = [rows, cols].map(|codes| {
            codes
                .iter()
                .map(|&code| u64::from(code) << 32 | 7)
                .collect::<Vec<_>>()
        });
        assert_match(&wide[0], &wide[1]);
    }

    const EDGES: [usize; 14] = [0, 1, 2, 63, 64, 65, 127, 128, 129, 191, 193, 256, 257, 321];

    #[test]
    fn small_tables_match_the_reference_on_limb_edges() {
        let mut random = Random::new(20);
        for rows in EDGES {
            for cols in EDGES {
                let letters = [2, 4, 26, 300][(rows + cols) % 4];
                assert_all_match(&random.codes(rows, letters), &random.codes(cols, letters));
            }
        }
    }

    #[test]
    fn small_tables_match_the_reference_on_every_kind_of_input() {
        for (rows, cols) in [(63, 64), (65, 64), (150, 150), (330, 290), (130, 700)] {
            for (a, b) in inputs::pairs(rows, cols) {
                assert_all_match(&a, &b);
            }
        }
    }
}
