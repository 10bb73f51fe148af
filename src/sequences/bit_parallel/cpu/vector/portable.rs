//! Registers as plain arrays, left to the compiler's vectoriser.

use super::{Lane, Register, Vector};
use crate::host::simd::{Instructions, array};

/// Functions of a register by those of its lanes, as numbers of 64 bits of which the low ones count.
macro_rules! by_lane {
    ($(fn $name:ident($own:ident $(, $other:ident)*) { $lane:expr })*) => {$(
        #[inline(always)]
        fn $name(self $(, $other: Self)*) -> Self {
            array(|lane| {
                let $own = self[lane].extended();
                $(let $other = $other[lane].extended();)*
                T::truncated($lane)
            })
        }
    )*};
}

/// Works on every processor, and is fast enough on those without AVX2.
impl<T: Lane, const N: usize> Register for [T; N] {
    type Lane = T;
    const LANES: usize = N;

    #[inline(always)]
    unsafe fn enabled<O>(run: impl FnOnce() -> O) -> O {
        run()
    }

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
    fn sign(self) -> Self {
        array(|lane| T::truncated((self[lane].signed() >> (T::BITS - 1)) as u64))
    }

    by_lane! {
        fn equal(row, column) { !(row ^ column) }
        fn matching(rows, row, column) { rows & !(row ^ column) }
        fn mismatching(rows, row, column) { !(rows & !(row ^ column)) }
        fn add(own, other) { own.wrapping_add(other) }
        fn sub(own, other) { own.wrapping_sub(other) }
        fn merge(own, sum, kept) { sum | (own & kept) }
        fn and(own, other) { own & other }
        fn or3(own, b, c) { own | b | c }
        fn xor3(own, b, c) { own ^ b ^ c }
        fn or_nor(own, b, c) { own | !(b | c) }
        fn top(own) { own >> (T::BITS - 1) }
        fn shift_up(own, below) { own << 1 | below >> (T::BITS - 1) }
        fn count_ones(own) { own.count_ones().into() }
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
