//! AVX2 registers.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::{Lane, Register, Vector};
use crate::host::simd::Instructions;

/// 32 bytes of lanes. Values exist only inside [`enabled`](Register::enabled), whose caller has
/// checked the processor.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2<T = u64>(__m256i, PhantomData<T>);

impl<T> Avx2<T> {
    #[inline(always)]
    fn of(register: __m256i) -> Self {
        Self(register, PhantomData)
    }
}

impl<T: Lane> Register for Avx2<T> {
    type Lane = T;
    const LANES: usize = size_of::<__m256i>() / size_of::<T>();

    #[target_feature(enable = "avx2")]
    unsafe fn enabled<O>(run: impl FnOnce() -> O) -> O {
        run()
    }

    unchecked! {
        fn splat(value: u64) {
            let value = value as i64;
            match T::BITS {
                8 => _mm256_set1_epi8(value as i8),
                16 => _mm256_set1_epi16(value as i16),
                32 => _mm256_set1_epi32(value as i32),
                _ => _mm256_set1_epi64x(value),
            }
        }
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        let from = &from[..Self::LANES];
        // SAFETY: the slice fills a register; within `enabled` the processor has AVX2.
        Self::of(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice holds a register; within `enabled` the processor has AVX2.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    unchecked! {
        fn equal(self, column: Self) {
            _mm256_xor_si256(_mm256_xor_si256(self.0, column.0), _mm256_set1_epi64x(-1))
        }

        fn matching(self, row: Self, column: Self) {
            _mm256_andnot_si256(_mm256_xor_si256(row.0, column.0), self.0)
        }

        fn mismatching(self, row: Self, column: Self) {
            _mm256_xor_si256(self.matching(row, column).0, _mm256_set1_epi64x(-1))
        }

        fn add(self, other: Self) {
            match T::BITS {
                8 => _mm256_add_epi8(self.0, other.0),
                16 => _mm256_add_epi16(self.0, other.0),
                32 => _mm256_add_epi32(self.0, other.0),
                _ => _mm256_add_epi64(self.0, other.0),
            }
        }

        fn sub(self, other: Self) {
            match T::BITS {
                8 => _mm256_sub_epi8(self.0, other.0),
                16 => _mm256_sub_epi16(self.0, other.0),
                32 => _mm256_sub_epi32(self.0, other.0),
                _ => _mm256_sub_epi64(self.0, other.0),
            }
        }

        fn sign(self) {
            let zero = _mm256_setzero_si256();
            match T::BITS {
                8 => _mm256_cmpgt_epi8(zero, self.0),
                16 => _mm256_cmpgt_epi16(zero, self.0),
                32 => _mm256_cmpgt_epi32(zero, self.0),
                _ => _mm256_cmpgt_epi64(zero, self.0),
            }
        }

        fn merge(self, sum: Self, kept: Self) {
            _mm256_or_si256(sum.0, _mm256_and_si256(self.0, kept.0))
        }

        fn and(self, other: Self) { _mm256_and_si256(self.0, other.0) }

        fn or3(self, b: Self, c: Self) { _mm256_or_si256(self.0, _mm256_or_si256(b.0, c.0)) }

        fn xor3(self, b: Self, c: Self) { _mm256_xor_si256(self.0, _mm256_xor_si256(b.0, c.0)) }

        fn or_nor(self, b: Self, c: Self) {
            _mm256_or_si256(
                self.0,
                _mm256_xor_si256(_mm256_or_si256(b.0, c.0), _mm256_set1_epi64x(-1)),
            )
        }

        fn top(self) {
            match T::BITS {
                8 => _mm256_and_si256(_mm256_srli_epi16::<7>(self.0), _mm256_set1_epi8(1)),
                16 => _mm256_srli_epi16::<15>(self.0),
                32 => _mm256_srli_epi32::<31>(self.0),
                _ => _mm256_srli_epi64::<63>(self.0),
            }
        }

        fn shift_up(self, below: Self) { _mm256_or_si256(self.add(self).0, below.top().0) }

        fn count_ones(self) {
            const OF_NIBBLE: [u8; 32] = [
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            ];
            // The table holds a register.
            let table = _mm256_loadu_si256(OF_NIBBLE.as_ptr().cast());
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_and_si256(self.0, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), nibble);
            let of_bytes = _mm256_add_epi8(
                _mm256_shuffle_epi8(table, low),
                _mm256_shuffle_epi8(table, high),
            );
            let of_pairs = || _mm256_maddubs_epi16(of_bytes, _mm256_set1_epi8(1));
            match T::BITS {
                8 => of_bytes,
                16 => of_pairs(),
                32 => _mm256_madd_epi16(of_pairs(), _mm256_set1_epi16(1)),
                _ => _mm256_sad_epu8(of_bytes, _mm256_setzero_si256()),
            }
        }
    }

    #[inline(always)]
    fn all_negative(self) -> bool {
        // SAFETY: within `enabled` the processor has AVX2.
        unsafe { _mm256_movemask_epi8(self.sign().0) == -1 }
    }
}

impl Vector for Avx2 {
    const INSTRUCTIONS: Instructions = Instructions::Avx2;

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places; within `enabled` the processor has AVX2.
        unsafe {
            let at = |lane| *table.get_unchecked(*places.get_unchecked(lane)) as i64;
            Self::of(_mm256_set_epi64x(at(3), at(2), at(1), at(0)))
        }
    }

    unchecked! {
        fn or_outside(self, other: Self, valid: Self) {
            _mm256_blendv_epi8(other.0, self.0, valid.0)
        }

        fn shift_in(self, entering: u64) {
            let moved = _mm256_permute4x64_epi64::<0b11_11_10_01>(self.0);
            _mm256_blend_epi32::<0b1100_0000>(moved, _mm256_set1_epi64x(entering as i64))
        }
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        // SAFETY: within `enabled` the processor has AVX2.
        unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as u64 }
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        // SAFETY: within `enabled` the processor has AVX2.
        unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) as u8 }
    }

    #[inline(always)]
    fn equal_bytes(block: &[u8; 64], byte: u8) -> u64 {
        // SAFETY: both halves are in the block; within `enabled` the processor has AVX2.
        let half = |place: usize| unsafe {
            let half = _mm256_loadu_si256(block[place..].as_ptr().cast());
            let equal = _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8));
            u64::from(_mm256_movemask_epi8(equal) as u32)
        };
        half(0) | half(32) << 32
    }
}
