//! SIMD registers of 64-bit lanes, as much of them as the sweep needs.
//!
//! The sweep is generic over [`Vector`]; [`Vector::enter`] runs it inside a function that has the instruction set enabled, so
//! that every operation here becomes one instruction there.

use super::kernel::{TileWork, sweep};
use super::lanes::Lanes;

/// A register of [`LANES`](Vector::LANES) 64-bit lanes.
pub(crate) trait Vector: Copy {
    /// Lanes of one register; divides 8.
    const LANES: usize;
    /// Whether this processor has the instructions.
    fn available() -> bool;
    /// Runs the sweep with the instructions enabled.
    ///
    /// # Safety
    /// [`available`](Vector::available) has returned true.
    unsafe fn enter<R: Lanes, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>(work: &mut TileWork<'_>);

    fn splat(value: u64) -> Self;
    /// The first lanes of a slice that has at least as many elements.
    fn load(from: &[u64]) -> Self;
    fn store(self, to: &mut [u64]);
    /// `self & !(row ^ column)`: of the rows still in question, those that match in one more plane.
    fn matching(self, row: Self, column: Self) -> Self;
    /// The complement of [`matching`](Vector::matching).
    fn mismatching(self, row: Self, column: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// All ones in lanes whose top bit is set, else zero.
    fn sign(self) -> Self;
    /// `sum | (self & kept)`.
    fn merge(self, sum: Self, kept: Self) -> Self;
    /// `self` where `valid` is all ones, `other` where it is 0.
    fn or_outside(self, other: Self, valid: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// `self | b | c`.
    fn or3(self, b: Self, c: Self) -> Self;
    /// `self ^ b ^ c`.
    fn xor3(self, b: Self, c: Self) -> Self;
    /// `self | !(b | c)`.
    fn or_nor(self, b: Self, c: Self) -> Self;
    /// The top bit, as a number.
    fn top(self) -> Self;
    /// `self << 1`, with the top bit of `below` coming in.
    fn shift_up(self, below: Self) -> Self;
    /// Every lane moves one place down, `entering` comes in at the top.
    fn shift_in(self, entering: u64) -> Self;
    /// The lowest lane.
    fn lowest(self) -> u64;
    /// The top bits of all lanes, the lowest lane in bit 0.
    fn signs(self) -> u8;
}

/// Plain arrays: right on every processor, and what the compiler makes of them is fast enough on those without AVX2.
impl<const N: usize> Vector for [u64; N] {
    const LANES: usize = N;

    fn available() -> bool {
        true
    }

    unsafe fn enter<R: Lanes, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>(work: &mut TileWork<'_>) {
        sweep::<R, Self, CHAINS, LIMBS, PLANES>(work);
    }

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
        std::array::from_fn(|lane| if lane + 1 < N { self[lane + 1] } else { entering })
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        self.iter().enumerate().fold(0, |bits, (lane, value)| bits | ((value >> 63) as u8) << lane)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Lanes, TileWork, Vector, sweep};

    /// Eight lanes. Values exist only below [`Vector::enter`], whose caller has checked the processor.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);

    /// Truth tables of the three-input logic instruction, where bit 4 * x + 2 * y + z is the result for inputs x, y, z.
    const MATCHING: i32 = 0b1001_0000;
    const MISMATCHING: i32 = 0b0110_1111;
    const MERGE: i32 = 0b1110_1100;
    const SELECT: i32 = 0b1110_0100;
    const OR: i32 = 0b1111_1110;
    const XOR: i32 = 0b1001_0110;
    const OR_NOR: i32 = 0b1111_0001;

    impl Vector for Avx512 {
        const LANES: usize = 8;

        fn available() -> bool {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vbmi2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
        }

        unsafe fn enter<R: Lanes, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>(
            work: &mut TileWork<'_>,
        ) {
            #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi2,bmi1,bmi2")]
            fn enabled<R: Lanes, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>(
                work: &mut TileWork<'_>,
            ) {
                sweep::<R, Avx512, CHAINS, LIMBS, PLANES>(work);
            }
            // SAFETY: the caller has checked the processor.
            unsafe { enabled::<R, CHAINS, LIMBS, PLANES>(work) }
        }

        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_set1_epi64(value as i64) })
        }

        #[inline(always)]
        fn load(from: &[u64]) -> Self {
            let from = &from[..Self::LANES];
            // SAFETY: the slice holds eight values; below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, to: &mut [u64]) {
            let to = &mut to[..Self::LANES];
            // SAFETY: the slice holds eight values; below `enter` the processor has AVX-512.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn matching(self, row: Self, column: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<MATCHING>(self.0, row.0, column.0) })
        }

        #[inline(always)]
        fn mismatching(self, row: Self, column: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<MISMATCHING>(self.0, row.0, column.0) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_sub_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn sign(self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_srai_epi64::<63>(self.0) })
        }

        #[inline(always)]
        fn merge(self, sum: Self, kept: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<MERGE>(self.0, sum.0, kept.0) })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_and_si512(self.0, other.0) })
        }

        #[inline(always)]
        fn or_outside(self, other: Self, valid: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<SELECT>(self.0, other.0, valid.0) })
        }

        #[inline(always)]
        fn or3(self, b: Self, c: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<OR>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<XOR>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn or_nor(self, b: Self, c: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_ternarylogic_epi64::<OR_NOR>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn top(self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_srli_epi64::<63>(self.0) })
        }

        #[inline(always)]
        fn shift_up(self, below: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_shldi_epi64::<1>(self.0, below.0) })
        }

        #[inline(always)]
        fn shift_in(self, entering: u64) -> Self {
            // SAFETY: below `enter` the processor has AVX-512.
            Self(unsafe { _mm512_alignr_epi64::<1>(_mm512_set1_epi64(entering as i64), self.0) })
        }

        #[inline(always)]
        fn lowest(self) -> u64 {
            // SAFETY: below `enter` the processor has AVX-512.
            unsafe { _mm_cvtsi128_si64(_mm512_castsi512_si128(self.0)) as u64 }
        }

        #[inline(always)]
        fn signs(self) -> u8 {
            // SAFETY: below `enter` the processor has AVX-512.
            unsafe { _mm512_movepi64_mask(self.0) }
        }
    }

    /// Four lanes. Values exist only below [`Vector::enter`], whose caller has checked the processor.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i);

    impl Vector for Avx2 {
        const LANES: usize = 4;

        fn available() -> bool {
            is_x86_feature_detected!("avx2")
        }

        unsafe fn enter<R: Lanes, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>(
            work: &mut TileWork<'_>,
        ) {
            #[target_feature(enable = "avx2")]
            fn enabled<R: Lanes, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>(
                work: &mut TileWork<'_>,
            ) {
                sweep::<R, Avx2, CHAINS, LIMBS, PLANES>(work);
            }
            // SAFETY: the caller has checked the processor.
            unsafe { enabled::<R, CHAINS, LIMBS, PLANES>(work) }
        }

        #[inline(always)]
        fn splat(value: u64) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_set1_epi64x(value as i64) })
        }

        #[inline(always)]
        fn load(from: &[u64]) -> Self {
            let from = &from[..Self::LANES];
            // SAFETY: the slice holds four values; below `enter` the processor has AVX2.
            Self(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, to: &mut [u64]) {
            let to = &mut to[..Self::LANES];
            // SAFETY: the slice holds four values; below `enter` the processor has AVX2.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
        }

        #[inline(always)]
        fn matching(self, row: Self, column: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_andnot_si256(_mm256_xor_si256(row.0, column.0), self.0) })
        }

        #[inline(always)]
        fn mismatching(self, row: Self, column: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_xor_si256(self.matching(row, column).0, _mm256_set1_epi64x(-1)) })
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_add_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_sub_epi64(self.0, other.0) })
        }

        #[inline(always)]
        fn sign(self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_cmpgt_epi64(_mm256_setzero_si256(), self.0) })
        }

        #[inline(always)]
        fn merge(self, sum: Self, kept: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_or_si256(sum.0, _mm256_and_si256(self.0, kept.0)) })
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_and_si256(self.0, other.0) })
        }

        #[inline(always)]
        fn or_outside(self, other: Self, valid: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_blendv_epi8(other.0, self.0, valid.0) })
        }

        #[inline(always)]
        fn or3(self, b: Self, c: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_or_si256(self.0, _mm256_or_si256(b.0, c.0)) })
        }

        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_xor_si256(self.0, _mm256_xor_si256(b.0, c.0)) })
        }

        #[inline(always)]
        fn or_nor(self, b: Self, c: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe {
                _mm256_or_si256(self.0, _mm256_xor_si256(_mm256_or_si256(b.0, c.0), _mm256_set1_epi64x(-1)))
            })
        }

        #[inline(always)]
        fn top(self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_srli_epi64::<63>(self.0) })
        }

        #[inline(always)]
        fn shift_up(self, below: Self) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe { _mm256_or_si256(_mm256_add_epi64(self.0, self.0), _mm256_srli_epi64::<63>(below.0)) })
        }

        #[inline(always)]
        fn shift_in(self, entering: u64) -> Self {
            // SAFETY: below `enter` the processor has AVX2.
            Self(unsafe {
                let moved = _mm256_permute4x64_epi64::<0b11_11_10_01>(self.0);
                _mm256_blend_epi32::<0b1100_0000>(moved, _mm256_set1_epi64x(entering as i64))
            })
        }

        #[inline(always)]
        fn lowest(self) -> u64 {
            // SAFETY: below `enter` the processor has AVX2.
            unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as u64 }
        }

        #[inline(always)]
        fn signs(self) -> u8 {
            // SAFETY: below `enter` the processor has AVX2.
            unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(self.0)) as u8 }
        }
    }
}
