//! Registers as plain arrays, left to the compiler's vectoriser.

use super::{Lane, Register, Vector};
use crate::host::simd::{Instructions, array};

/// A register whose lanes are the low bits of these numbers.
#[inline(always)]
fn lanes<T: Lane, const N: usize>(lane: impl Fn(usize) -> u64) -> [T; N] {
    array(|index| T::truncated(lane(index)))
}

/// Works on every processor, and is fast enough on those without AVX2.
impl<T: Lane, const N: usize> Register for [T; N] {
    type Lane = T;
    const LANES: usize = N;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        [T::truncated(value); N]
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        array(|lane| from[lane])
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        to[..N].copy_from_slice(&self);
    }

    #[inline(always)]
    fn equal(self, column: Self) -> Self {
        lanes(|lane| !(self[lane].extended() ^ column[lane].extended()))
    }

    #[inline(always)]
    fn matching(self, row: Self, column: Self) -> Self {
        lanes(|lane| self[lane].extended() & !(row[lane].extended() ^ column[lane].extended()))
    }

    #[inline(always)]
    fn mismatching(self, row: Self, column: Self) -> Self {
        lanes(|lane| !(self[lane].extended() & !(row[lane].extended() ^ column[lane].extended())))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        lanes(|lane| self[lane].extended().wrapping_add(other[lane].extended()))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        lanes(|lane| self[lane].extended().wrapping_sub(other[lane].extended()))
    }

    #[inline(always)]
    fn sign(self) -> Self {
        lanes(|lane| (self[lane].signed() >> (T::BITS - 1)) as u64)
    }

    #[inline(always)]
    fn merge(self, sum: Self, kept: Self) -> Self {
        lanes(|lane| sum[lane].extended() | (self[lane].extended() & kept[lane].extended()))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        lanes(|lane| self[lane].extended() & other[lane].extended())
    }

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        lanes(|lane| self[lane].extended() | b[lane].extended() | c[lane].extended())
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        lanes(|lane| self[lane].extended() ^ b[lane].extended() ^ c[lane].extended())
    }

    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        lanes(|lane| self[lane].extended() | !(b[lane].extended() | c[lane].extended()))
    }

    #[inline(always)]
    fn top(self) -> Self {
        lanes(|lane| self[lane].extended() >> (T::BITS - 1))
    }

    #[inline(always)]
    fn shift_up(self, below: Self) -> Self {
        lanes(|lane| self[lane].extended() << 1 | below[lane].extended() >> (T::BITS - 1))
    }

    #[inline(always)]
    fn count_ones(self) -> Self {
        lanes(|lane| self[lane].extended().count_ones().into())
    }

    #[inline(always)]
    fn all_negative(self) -> bool {
        self.iter().all(|lane| lane.signed() < 0)
    }
}

impl<const N: usize> Vector for [u64; N] {
    const INSTRUCTIONS: Instructions = Instructions::Portable;

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places.
        array(|lane| unsafe { *table.get_unchecked(*places.get_unchecked(lane)) })
    }

    #[inline(always)]
    fn or_outside(self, other: Self, valid: Self) -> Self {
        array(|lane| (self[lane] & valid[lane]) | (other[lane] & !valid[lane]))
    }

    #[inline(always)]
    fn shift_in(self, entering: u64) -> Self {
        array(|lane| {
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
