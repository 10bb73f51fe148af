//! NEON registers.

use std::arch::aarch64::*;

use super::Vector;
use crate::host::simd::Instructions;

/// Two lanes. Values exist only inside
/// [`Dispatch::dispatch`](super::super::dispatch::Dispatch::dispatch), whose caller has checked the
/// processor.
#[derive(Clone, Copy)]
pub(in super::super) struct Neon(uint64x2_t);

impl Vector for Neon {
    const LANES: usize = 2;
    const INSTRUCTIONS: Instructions = Instructions::Neon;

    #[inline(always)]
    fn splat(value: u64) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vdupq_n_u64(value) })
    }

    #[inline(always)]
    fn load(from: &[u64]) -> Self {
        let from = &from[..Self::LANES];
        // SAFETY: the slice holds two values; within `dispatch` the processor has NEON.
        Self(unsafe { vld1q_u64(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [u64]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice holds two values; within `dispatch` the processor has NEON.
        unsafe { vst1q_u64(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    unsafe fn gather(table: &[u64], places: &[usize]) -> Self {
        // SAFETY: the caller has checked the places.
        let at = |lane: usize| unsafe { *table.get_unchecked(*places.get_unchecked(lane)) };
        Self::load(&[at(0), at(1)])
    }

    #[inline(always)]
    fn matching(self, row: Self, column: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vbicq_u64(self.0, veorq_u64(row.0, column.0)) })
    }

    #[inline(always)]
    fn mismatching(self, row: Self, column: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vornq_u64(veorq_u64(row.0, column.0), self.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vaddq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vsubq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn sign(self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vreinterpretq_u64_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u64(self.0))) })
    }

    #[inline(always)]
    fn merge(self, sum: Self, kept: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vorrq_u64(sum.0, vandq_u64(self.0, kept.0)) })
    }

    #[inline(always)]
    fn or_outside(self, other: Self, valid: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vbslq_u64(valid.0, self.0, other.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vorrq_u64(self.0, vorrq_u64(b.0, c.0)) })
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { veorq_u64(self.0, veorq_u64(b.0, c.0)) })
    }

    #[inline(always)]
    fn or_nor(self, b: Self, c: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vornq_u64(self.0, vorrq_u64(b.0, c.0)) })
    }

    #[inline(always)]
    fn top(self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vshrq_n_u64::<63>(self.0) })
    }

    #[inline(always)]
    fn shift_up(self, below: Self) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vsliq_n_u64::<1>(below.top().0, self.0) })
    }

    #[inline(always)]
    fn shift_in(self, entering: u64) -> Self {
        // SAFETY: within `dispatch` the processor has NEON.
        Self(unsafe { vextq_u64::<1>(self.0, vdupq_n_u64(entering)) })
    }

    #[inline(always)]
    fn lowest(self) -> u64 {
        // SAFETY: within `dispatch` the processor has NEON.
        unsafe { vgetq_lane_u64::<0>(self.0) }
    }

    #[inline(always)]
    fn signs(self) -> u8 {
        let top = self.top().0;
        // SAFETY: within `dispatch` the processor has NEON.
        unsafe { (vgetq_lane_u64::<0>(top) | vgetq_lane_u64::<1>(top) << 1) as u8 }
    }
}
