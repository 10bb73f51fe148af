//! AVX-512 registers, with three-input logic.

use std::arch::x86_64::*;
use std::marker::PhantomData;

use super::{Lane, Register, Vector};
use crate::host::simd::Instructions;

/// 64 bytes of lanes. Values exist only inside [`enabled`](Register::enabled), whose caller has
/// checked the processor.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx512<T = u64>(__m512i, PhantomData<T>);

/// Truth tables of the three-input logic instruction: bit 4 * x + 2 * y + z is the result for
/// inputs x, y, z.
const EQUAL_YZ: i32 = 0b1001_1001;
const MATCHING: i32 = 0b1001_0000;
const MISMATCHING: i32 = 0b0110_1111;
const MERGE: i32 = 0b1110_1100;
const SELECT: i32 = 0b1110_0100;
const OR: i32 = 0b1111_1110;
const XOR: i32 = 0b1001_0110;
const OR_NOR: i32 = 0b1111_0001;

impl<T> Avx512<T> {
    #[inline(always)]
    fn of(register: __m512i) -> Self {
        Self(register, PhantomData)
    }
}

impl<T: Lane> Register for Avx512<T> {
    type Lane = T;
    const LANES: usize = size_of::<__m512i>() / size_of::<T>();

    #[target_feature(
        enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,bmi1,bmi2"
    )]
    unsafe fn enabled<O>(run: impl FnOnce() -> O) -> O {
        run()
    }

    unchecked! {
        fn splat(value: u64) {
            let value = value as i64;
            match T::BITS {
                8 => _mm512_set1_epi8(value as i8),
                16 => _mm512_set1_epi16(value as i16),
                32 => _mm512_set1_epi32(value as i32),
                _ => _mm512_set1_epi64(value),
            }
        }
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        let from = &from[..Self::LANES];
        // SAFETY: the slice fills a register; within `enabled` the processor has AVX-512.
        Self::of(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice holds a register; within `enabled` the processor has AVX-512.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
    }

    unchecked! {
        fn equal(self, column: Self) {
            _mm512_ternarylogic_epi64::<EQUAL_YZ>(self.0, self.0, column.0)
        }

        fn matching(self, row: Self, column: Self) {
            _mm512_ternarylogic_epi64::<MATCHING>(self.0, row.0, column.0)
        }

        fn mismatching(self, row: Self, column: Self) {
            _mm512_ternarylogic_epi64::<MISMATCHING>(self.0, row.0, column.0)
        }

        fn add(self, other: Self) {
            match T::BITS {
                8 => _mm512_add_epi8(self.0, other.0),
                16 => _mm512_add_epi16(self.0, other.0),
                32 => _mm512_add_epi32(self.0, other.0),
                _ => _mm512_add_epi64(self.0, other.0),
            }
        }

        fn sub(self, other: Self) {
            match T::BITS {
                8 => _mm512_sub_epi8(self.0, other.0),
                16 => _mm512_sub_epi16(self.0, other.0),
                32 => _mm512_sub_epi32(self.0, other.0),
                _ => _mm512_sub_epi64(self.0, other.0),
            }
        }

        fn sign(self) {
            match T::BITS {
                8 => _mm512_movm_epi8(_mm512_movepi8_mask(self.0)),
                16 => _mm512_srai_epi16::<15>(self.0),
                32 => _mm512_srai_epi32::<31>(self.0),
                _ => _mm512_srai_epi64::<63>(self.0),
            }
        }

        fn merge(self, sum: Self, kept: Self) {
            _mm512_ternarylogic_epi64::<MERGE>(self.0, sum.0, kept.0)
        }

        fn and(self, other: Self) { _mm512_and_si512(self.0, other.0) }

        fn or3(self, b: Self, c: Self) { _mm512_ternarylogic_epi64::<OR>(self.0, b.0, c.0) }

        fn xor3(self, b: Self, c: Self) { _mm512_ternarylogic_epi64::<XOR>(self.0, b.0, c.0) }

        fn or_nor(self, b: Self, c: Self) { _mm512_ternarylogic_epi64::<OR_NOR>(self.0, b.0, c.0) }

        fn top(self) {
            match T::BITS {
                8 => _mm512_and_si512(_mm512_srli_epi16::<7>(self.0), _mm512_set1_epi8(1)),
                16 => _mm512_srli_epi16::<15>(self.0),
                32 => _mm512_srli_epi32::<31>(self.0),
                _ => _mm512_srli_epi64::<63>(self.0),
            }
        }

        fn shift_up(self, below: Self) {
            match T::BITS {
                8 => _mm512_or_si512(self.add(self).0, below.top().0),
                16 => _mm512_shldi_epi16::<1>(self.0, below.0),
                32 => _mm512_shldi_epi32::<1>(self.0, below.0),
                _ => _mm512_shldi_epi64::<1>(self.0, below.0),
            }
        }

        fn count_ones(self) {
            match T::BITS {
                8 => _mm512_popcnt_epi8(self.0),
                16 => _mm512_popcnt_epi16(self.0),
                32 => _mm512_popcnt_epi32(self.0),
                _ => _mm512_popcnt_epi64(self.0),
            }
        }
    }

    #[inline(always)]
    fn all_negative(self) -> bool {
        // SAFETY: within `enabled` the processor has AVX-512.
        unsafe {
            match T::BITS {
                8 => _mm512_movepi8_mask(self.0) == !0,
                16 => _mm512_movepi16_mask(self.0) == !0,
                32 => _mm512_movepi32_mask(self.0) == !0,
                _ => _mm512_movepi64_mask(self.0) == !0,
            }
        }
    }
}

impl Vector for Avx512 {
    const INSTRUCTIONS: Instructions = Instructions::Avx512;

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places; within `enabled` the processor has AVX-512.
        unsafe {
            let at = |lane| *table.get_unchecked(*places.get_unchecked(lane)) as i64;
            Self::of(_mm512_set_epi64(
                at(7),
                at(6),
                at(5),
                at(4),
                at(3),
                at(2),
                at(1),
                at(0),
            ))
        }
    }

    unchecked! {
        fn or_outside(self, other: Self, valid: Self) {
            _mm512_ternarylogic_epi64::<SELECT>(self.0, other.0, valid.0)
        }

        fn shift_in(self, entering: u64) {
            _mm512_alignr_epi64::<1>(_mm512_set1_epi64(entering as i64), self.0)
        }
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        // SAFETY: within `enabled` the processor has AVX-512.
        unsafe { _mm_cvtsi128_si64(_mm512_castsi512_si128(self.0)) as u64 }
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        // SAFETY: within `enabled` the processor has AVX-512.
        unsafe { _mm512_movepi64_mask(self.0) }
    }

    #[inline(always)]
    fn equal_bytes(block: &[u8; 64], byte: u8) -> u64 {
        // SAFETY: within `enabled` the processor has AVX-512.
        unsafe {
            let block = _mm512_loadu_si512(block.as_ptr().cast());
            _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte as i8))
        }
    }
}
