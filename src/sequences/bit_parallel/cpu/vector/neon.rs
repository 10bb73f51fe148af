//! NEON registers.

use std::arch::aarch64::*;
use std::marker::PhantomData;

use super::{Lane, Register, Vector};
use crate::host::simd::Instructions;

/// 16 bytes of lanes. Values exist only inside [`enabled`](Register::enabled), whose caller has
/// checked the processor.
#[derive(Clone, Copy)]
pub(in super::super) struct Neon<T = u64>(uint64x2_t, PhantomData<T>);

impl<T> Neon<T> {
    #[inline(always)]
    fn of(register: uint64x2_t) -> Self {
        Self(register, PhantomData)
    }
}

impl<T: Lane> Register for Neon<T> {
    type Lane = T;
    const LANES: usize = size_of::<uint64x2_t>() / size_of::<T>();

    #[target_feature(enable = "neon")]
    unsafe fn enabled<O>(run: impl FnOnce() -> O) -> O {
        run()
    }

    unchecked! {
        fn splat(value: u64) {
            match T::BITS {
                8 => vreinterpretq_u64_u8(vdupq_n_u8(value as u8)),
                16 => vreinterpretq_u64_u16(vdupq_n_u16(value as u16)),
                32 => vreinterpretq_u64_u32(vdupq_n_u32(value as u32)),
                _ => vdupq_n_u64(value),
            }
        }
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        let from = &from[..Self::LANES];
        // SAFETY: the slice fills a register; within `enabled` the processor has NEON.
        Self::of(unsafe { vreinterpretq_u64_u8(vld1q_u8(from.as_ptr().cast())) })
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice holds a register; within `enabled` the processor has NEON.
        unsafe { vst1q_u8(to.as_mut_ptr().cast(), vreinterpretq_u8_u64(self.0)) }
    }

    unchecked! {
        fn equal(self, column: Self) { vornq_u64(vdupq_n_u64(0), veorq_u64(self.0, column.0)) }

        fn matching(self, row: Self, column: Self) { vbicq_u64(self.0, veorq_u64(row.0, column.0)) }

        fn mismatching(self, row: Self, column: Self) {
            vornq_u64(veorq_u64(row.0, column.0), self.0)
        }

        fn add(self, other: Self) {
            match T::BITS {
                8 => vreinterpretq_u64_u8(vaddq_u8(
                    vreinterpretq_u8_u64(self.0),
                    vreinterpretq_u8_u64(other.0),
                )),
                16 => vreinterpretq_u64_u16(vaddq_u16(
                    vreinterpretq_u16_u64(self.0),
                    vreinterpretq_u16_u64(other.0),
                )),
                32 => vreinterpretq_u64_u32(vaddq_u32(
                    vreinterpretq_u32_u64(self.0),
                    vreinterpretq_u32_u64(other.0),
                )),
                _ => vaddq_u64(self.0, other.0),
            }
        }

        fn sub(self, other: Self) {
            match T::BITS {
                8 => vreinterpretq_u64_u8(vsubq_u8(
                    vreinterpretq_u8_u64(self.0),
                    vreinterpretq_u8_u64(other.0),
                )),
                16 => vreinterpretq_u64_u16(vsubq_u16(
                    vreinterpretq_u16_u64(self.0),
                    vreinterpretq_u16_u64(other.0),
                )),
                32 => vreinterpretq_u64_u32(vsubq_u32(
                    vreinterpretq_u32_u64(self.0),
                    vreinterpretq_u32_u64(other.0),
                )),
                _ => vsubq_u64(self.0, other.0),
            }
        }

        fn sign(self) {
            match T::BITS {
                8 => vreinterpretq_u64_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u64(self.0))),
                16 => vreinterpretq_u64_s16(vshrq_n_s16::<15>(vreinterpretq_s16_u64(self.0))),
                32 => vreinterpretq_u64_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u64(self.0))),
                _ => vreinterpretq_u64_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u64(self.0))),
            }
        }

        fn merge(self, sum: Self, kept: Self) { vorrq_u64(sum.0, vandq_u64(self.0, kept.0)) }

        fn and(self, other: Self) { vandq_u64(self.0, other.0) }

        fn or3(self, b: Self, c: Self) { vorrq_u64(self.0, vorrq_u64(b.0, c.0)) }

        fn xor3(self, b: Self, c: Self) { veorq_u64(self.0, veorq_u64(b.0, c.0)) }

        fn or_nor(self, b: Self, c: Self) { vornq_u64(self.0, vorrq_u64(b.0, c.0)) }

        fn top(self) {
            match T::BITS {
                8 => vreinterpretq_u64_u8(vshrq_n_u8::<7>(vreinterpretq_u8_u64(self.0))),
                16 => vreinterpretq_u64_u16(vshrq_n_u16::<15>(vreinterpretq_u16_u64(self.0))),
                32 => vreinterpretq_u64_u32(vshrq_n_u32::<31>(vreinterpretq_u32_u64(self.0))),
                _ => vshrq_n_u64::<63>(self.0),
            }
        }

        fn shift_up(self, below: Self) { vorrq_u64(self.add(self).0, below.top().0) }

        fn count_ones(self) {
            let of_bytes = vcntq_u8(vreinterpretq_u8_u64(self.0));
            match T::BITS {
                8 => vreinterpretq_u64_u8(of_bytes),
                16 => vreinterpretq_u64_u16(vpaddlq_u8(of_bytes)),
                32 => vreinterpretq_u64_u32(vpaddlq_u16(vpaddlq_u8(of_bytes))),
                _ => vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(of_bytes))),
            }
        }
    }

    #[inline(always)]
    fn all_negative(self) -> bool {
        // SAFETY: within `enabled` the processor has NEON.
        unsafe { vminvq_u8(vreinterpretq_u8_u64(self.sign().0)) == u8::MAX }
    }
}

impl Vector for Neon {
    const INSTRUCTIONS: Instructions = Instructions::Neon;

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places.
        let at = |lane: usize| unsafe { *table.get_unchecked(*places.get_unchecked(lane)) };
        Self::load(&[at(0), at(1)])
    }

    unchecked! {
        fn or_outside(self, other: Self, valid: Self) { vbslq_u64(valid.0, self.0, other.0) }

        fn shift_in(self, entering: u64) { vextq_u64::<1>(self.0, vdupq_n_u64(entering)) }
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        // SAFETY: within `enabled` the processor has NEON.
        unsafe { vgetq_lane_u64::<0>(self.0) }
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        let top = self.top().0;
        // SAFETY: within `enabled` the processor has NEON.
        unsafe { (vgetq_lane_u64::<0>(top) | vgetq_lane_u64::<1>(top) << 1) as u8 }
    }
}
