//! AVX2 registers.

use std::arch::x86_64::*;

use super::Vector;
use crate::host::simd::Instructions;

/// Four lanes. Values exist only inside
/// [`Dispatch::dispatch`](super::super::dispatch::Dispatch::dispatch), whose caller has checked the
/// processor.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2(__m256i);

impl Vector for Avx2 {
    const LANES: usize = 4;
    const INSTRUCTIONS: Instructions = Instructions::Avx2;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_set1_epi64x(value as i64) })
    }

    #[inline(always)]
    fn load(from: &[u64]) -> Self {
        let from = &from[..Self::LANES];
        // SAFETY: the slice holds four values; within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice holds four values; within `dispatch` the processor has AVX2.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places; below `enter` the processor has AVX2.
        unsafe {
            let at = |lane| *table.get_unchecked(*places.get_unchecked(lane)) as i64;
            Self(_mm256_set_epi64x(at(3), at(2), at(1), at(0)))
        }
    }

    #[inline(always)]
    fn matching(self, row: Self, column: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_andnot_si256(_mm256_xor_si256(row.0, column.0), self.0) })
    }

    #[inline(always)]
    fn mismatching(self, row: Self, column: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_xor_si256(self.matching(row, column).0, _mm256_set1_epi64x(-1)) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_sub_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn sign(self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_cmpgt_epi64(_mm256_setzero_si256(), self.0) })
    }

    #[inline(always)]
    fn merge(self, sum: Self, kept: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_or_si256(sum.0, _mm256_and_si256(self.0, kept.0)) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or_outside(self, other: Self, valid: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_blendv_epi8(other.0, self.0, valid.0) })
    }

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_or_si256(self.0, _mm256_or_si256(b.0, c.0)) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_xor_si256(b.0, c.0)) })
    }

    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe {
            _mm256_or_si256(
                self.0,
                _mm256_xor_si256(_mm256_or_si256(b.0, c.0), _mm256_set1_epi64x(-1)),
            )
        })
    }

    #[inline(always)]
    fn top(self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe { _mm256_srli_epi64::<63>(self.0) })
    }

    #[inline(always)]
    fn shift_up(self, below: Self) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe {
            _mm256_or_si256(
                _mm256_add_epi64(self.0, self.0),
                _mm256_srli_epi64::<63>(below.0),
            )
        })
    }

    #[inline(always)]
    fn shift_in(self, entering: u64) -> Self {
        // SAFETY: within `dispatch` the processor has AVX2.
        Self(unsafe {
            let moved = _mm256_permute4x64_epi64::<0b11_11_10_01>(self.0);
            _mm256_blend_epi32::<0b1100_0000>(moved, _mm256_set1_epi64x(entering as i64))
        })
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        // SAFETY: within `dispatch` the processor has AVX2.
        unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as u64 }
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        // SAFETY: within `dispatch` the processor has AVX2.
        unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) as u8 }
    }

    #[inline(always)]
    fn equal_bytes(block: &[u8; 64], byte: u8) -> u64 {
        // SAFETY: both halves are in the block; within `dispatch` the processor has AVX2.
        let half = |place: usize| unsafe {
            let half = _mm256_loadu_si256(block[place..].as_ptr().cast());
            let equal = _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte as i8));
            u64::from(_mm256_movemask_epi8(equal) as u32)
        };
        half(0) | half(32) << 32
    }
}
