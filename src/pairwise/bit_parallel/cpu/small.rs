//! Small table in a few 64-bit limbs with match masks, on one thread.
//!
//! Cost: one lookup per symbol and `cols * rows / 64` limb steps.

use crate::pairwise::bit_parallel::recurrence::{Recurrence, growth};
use crate::pairwise::codes::Symbol;

/// Multiplier of the hash; its upper bits select the slot (Fibonacci hashing; Knuth, The Art of
/// Computer Programming 3, 6.4).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
/// Limbs whose vertical differences stay in registers.
const MAX_REGISTER_LIMBS: usize = 4;

pub(crate) fn last_value<R: Recurrence, S: Symbol>(rows: &[S], cols: &[S]) -> i64 {
    let MatchMasks { masks, of_cols } = MatchMasks::new(rows, cols);
    let places = of_cols.iter().map(|&place| place as usize);
    value_of::<R>(&masks, rows.len(), cols.len(), places)
}

/// Rows of tables with many different columns. All symbols are codes below a small bound.
pub(crate) struct PreparedRows {
    len: usize,
    masks: Vec<u64>,
}

impl PreparedRows {
    pub(crate) fn new(rows: &[u32], codes: usize) -> Self {
        let limbs = rows.len().div_ceil(64);
        let mut masks = vec![0; codes * limbs];
        for (row, &code) in rows.iter().enumerate() {
            masks[code as usize * limbs + row / 64] |= 1 << (row % 64);
        }
        Self {
            len: rows.len(),
            masks,
        }
    }

    /// [`last_value`] for these columns.
    pub(crate) fn last_value<R: Recurrence>(&self, cols: &[u32]) -> i64 {
        let limbs = self.len.div_ceil(64);
        let places = cols.iter().map(|&code| code as usize * limbs);
        value_of::<R>(&self.masks, self.len, cols.len(), places)
    }
}

/// Last value of a table. `places` are the mask offsets of the columns' symbols.
fn value_of<R: Recurrence>(
    masks: &[u64],
    rows: usize,
    cols: usize,
    places: impl Iterator<Item = usize>,
) -> i64 {
    let last_column = match rows.div_ceil(64) {
        1 => growth_down::<R>(&mut [R::FIRST_COLUMN; 1], masks, places, rows),
        2 => growth_down::<R>(&mut [R::FIRST_COLUMN; 2], masks, places, rows),
        3 => growth_down::<R>(&mut [R::FIRST_COLUMN; 3], masks, places, rows),
        MAX_REGISTER_LIMBS => growth_down::<R>(
            &mut [R::FIRST_COLUMN; MAX_REGISTER_LIMBS],
            masks,
            places,
            rows,
        ),
        limbs => growth_down::<R>(&mut vec![R::FIRST_COLUMN; limbs], masks, places, rows),
    };
    cols as i64 * growth(R::FIRST_ROW.map(|word| word & 1)) + last_column
}

/// Maximum bytes of the masks and of their offsets per column.
pub(crate) fn size_bytes(rows: usize, cols: usize) -> u64 {
    (8 * (1 + cols as u64) * rows.div_ceil(64) as u64) + 4 * cols as u64
}

/// Growth of the value down the last column. `v` holds the vertical differences left of the first
/// column.
#[inline(always)]
fn growth_down<R: Recurrence>(
    v: &mut [[u64; 2]],
    masks: &[u64],
    places: impl Iterator<Item = usize>,
    rows: usize,
) -> i64 {
    for place in places {
        let mut h = [0, 0];
        let mask = &masks[place..][..v.len()];
        for (v, &mask) in v.iter_mut().zip(mask) {
            (*v, h) = R::limb(*v, mask, h);
        }
    }
    let unused = (64 - rows % 64) % 64;
    let limbs = v.len();
    let gains = v.iter().enumerate().map(|(limb, &v)| {
        let rows = if limb + 1 == limbs { !0 >> unused } else { !0 };
        growth(R::gains(v).map(|word| word & rows))
    });
    R::GAIN * gains.sum::<i64>()
}

/// Match masks of the columns' symbols.
struct MatchMasks {
    /// `[symbol][limb]`.
    masks: Vec<u64>,
    /// Mask offset per column.
    of_cols: Vec<u32>,
}

impl MatchMasks {
    fn new<S: Symbol>(rows: &[S], cols: &[S]) -> Self {
        let limbs = rows.len().div_ceil(64);
        let mut numbers = SymbolNumbers::with_room_for(cols.len());
        let of_cols = cols
            .iter()
            .map(|&symbol| (numbers.add(symbol) * limbs) as u32)
            .collect();
        let mut masks = vec![0; (1 + numbers.symbols.len()) * limbs];
        for (limb, rows) in rows.chunks(64).enumerate() {
            for (row, &symbol) in rows.iter().enumerate() {
                masks[numbers.of(symbol) * limbs + limb] |= 1 << row;
            }
        }
        Self { masks, of_cols }
    }
}

/// Numbers distinct symbols from 1 in order of appearance. A direct table for small symbol types,
/// else a hash table with open addressing.
struct SymbolNumbers<S> {
    symbols: Vec<S>,
    /// Symbol number per slot, 0 if empty. The length is a power of two.
    slots: Vec<u16>,
}

impl<S: Symbol> SymbolNumbers<S> {
    /// Whether the table is direct, with one slot per symbol.
    const ALL: bool = S::TABLE > 0 && S::TABLE <= 256;

    fn with_room_for(symbols: usize) -> Self {
        let slots = if Self::ALL {
            S::TABLE
        } else {
            (2 * symbols).next_power_of_two().max(2)
        };
        Self {
            symbols: Vec::new(),
            slots: vec![0; slots],
        }
    }

    /// The number of a symbol, or the slot to insert it.
    #[inline(always)]
    fn find(&self, symbol: S) -> Result<usize, usize> {
        if Self::ALL {
            return match self.slots[symbol.place()] {
                0 => Err(symbol.place()),
                number => Ok(usize::from(number)),
            };
        }
        let bits = self.slots.len().trailing_zeros();
        let mut slot =
            ((symbol.place() as u64).wrapping_mul(MULTIPLIER) >> (u64::BITS - bits)) as usize;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                number if self.symbols[usize::from(number) - 1] == symbol => {
                    return Ok(usize::from(number));
                }
                _ => slot = (slot + 1) % self.slots.len(),
            }
        }
    }

    /// The number of a symbol; 0 if unknown.
    #[inline(always)]
    fn of(&self, symbol: S) -> usize {
        self.find(symbol).unwrap_or(0)
    }

    /// The number of a symbol, inserted if new.
    #[inline(always)]
    fn add(&mut self, symbol: S) -> usize {
        self.find(symbol).unwrap_or_else(|slot| {
            self.symbols.push(symbol);
            self.slots[slot] = self.symbols.len() as u16;
            self.symbols.len()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::lcs;
    use crate::pairwise::bit_parallel::inputs::{self, Random};
    use crate::pairwise::bit_parallel::recurrence::{Edit, Lcs};

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

    /// Checks the pair in every symbol type.
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

    #[test]
    fn small_tables_resolve_hash_collisions() {
        // Inverse of the multiplier modulo 2^64, by Newton's method. The products of its multiples
        // are small numbers.
        let inverse = (0..6).fold(1u64, |x, _| {
            x.wrapping_mul(2u64.wrapping_sub(x.wrapping_mul(MULTIPLIER)))
        });
        assert_eq!(inverse.wrapping_mul(MULTIPLIER), 1);
        let symbols: Vec<u64> = (0..150)
            .map(|symbol: u64| symbol.wrapping_mul(inverse))
            .collect();
        let mut others = symbols.clone();
        others.reverse();
        others.extend([1, 2, 3]);
        assert_match(&symbols, &others);
        assert_match(&others, &symbols);
    }
}
