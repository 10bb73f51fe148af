//! Registers as plain arrays, left to the compiler's vectoriser.

use super::Vector;
use crate::host::simd::Instructions;

/// Works on every processor, and is fast enough on those without AVX2.
impl<const N: usize> Vector for [u64; N] {
    const LANES: usize = N;
    const INSTRUCTIONS: Instructions = Instructions::Portable;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        [value; N]
    }

    #[inline(always)]
    fn load(from: &[u64]) -> Self {
        std::array::from_fn(|lane| from[lane])
    }

    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        to[..N].copy_from_slice(&self);
    }

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places.
        std::array::from_fn(|lane| unsafe { *table.get_unchecked(*places.get_unchecked(lane)) })
    }

    #[inline(always)]
    fn matching(self, row: Self, column: Self) -> Self {
        std::array::from_fn(|lane| self[lane] & !(row[lane] ^ column[lane]))
    }

    #[inline(always)]
    fn mismatching(self, row: Self, column: Self) -> Self {
        std::array::from_fn(|lane| !(self[lane] & !(row[lane] ^ column[lane])))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].wrapping_add(other[lane]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].wrapping_sub(other[lane]))
    }

    #[inline(always)]
    fn sign(self) -> Self {
        std::array::from_fn(|lane| 0u64.wrapping_sub(self[lane] >> 63))
    }

    #[inline(always)]
    fn merge(self, sum: Self, kept: Self) -> Self {
        std::array::from_fn(|lane| sum[lane] | (self[lane] & kept[lane]))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane] & other[lane])
    }

    #[inline(always)]
    fn or_outside(self, other: Self, valid: Self) -> Self {
        std::array::from_fn(|lane| (self[lane] & valid[lane]) | (other[lane] & !valid[lane]))
    }

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        std::array::from_fn(|lane| self[lane] | b[lane] | c[lane])
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        std::array::from_fn(|lane| self[lane] ^ b[lane] ^ c[lane])
    }

    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        std::array::from_fn(|lane| self[lane] | !(b[lane] | c[lane]))
    }

    #[inline(always)]
    fn top(self) -> Self {
        std::array::from_fn(|lane| self[lane] >> 63)
    }

    #[inline(always)]
    fn shift_up(self, below: Self) -> Self {
        std::array::from_fn(|lane| self[lane] << 1 | below[lane] >> 63)
    }

    #[inline(always)]
    fn shift_in(self, entering: u64) -> Self {
        std::array::from_fn(|lane| {
            if lane + 1 < N {
                self[lane + 1]
            } else {
                entering
            }
        })
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        self.iter().enumerate().fold(0, |bits, (lane, value)| {
            bits | ((value >> 63) as u8) << lane
        })
    }
}
