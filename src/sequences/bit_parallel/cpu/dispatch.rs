//! Entry points of the sweep: one function per instruction set, with that set enabled.

use super::kernel::{TileWork, sweep};
use super::lanes::Lanes;
#[cfg(target_arch = "aarch64")]
use super::vector::Neon;
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};

/// A register type with an entry point.
pub(crate) trait Dispatch: Vector {
    /// Runs the sweep with the instruction set enabled.
    ///
    /// # Safety
    /// [`Instructions::available`](crate::host::simd::Instructions::available) must have returned
    /// true for [`INSTRUCTIONS`](Vector::INSTRUCTIONS).
    unsafe fn dispatch<
        R: Lanes,
        const CHAINS: usize,
        const LIMBS: usize,
        const PLANES: usize,
        const SETS: bool,
    >(
        work: &mut TileWork<'_>,
    );
}

#[cfg(target_arch = "x86_64")]
impl Dispatch for Avx2 {
    unsafe fn dispatch<
        R: Lanes,
        const CHAINS: usize,
        const LIMBS: usize,
        const PLANES: usize,
        const SETS: bool,
    >(
        work: &mut TileWork<'_>,
    ) {
        #[target_feature(enable = "avx2")]
        fn enabled<
            R: Lanes,
            const CHAINS: usize,
            const LIMBS: usize,
            const PLANES: usize,
            const SETS: bool,
        >(
            work: &mut TileWork<'_>,
        ) {
            sweep::<R, Avx2, CHAINS, LIMBS, PLANES, SETS>(work);
        }
        // SAFETY: the caller has checked the processor.
        unsafe { enabled::<R, CHAINS, LIMBS, PLANES, SETS>(work) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Dispatch for Avx512 {
    unsafe fn dispatch<
        R: Lanes,
        const CHAINS: usize,
        const LIMBS: usize,
        const PLANES: usize,
        const SETS: bool,
    >(
        work: &mut TileWork<'_>,
    ) {
        #[target_feature(
            enable = "avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,bmi1,bmi2"
        )]
        fn enabled<
            R: Lanes,
            const CHAINS: usize,
            const LIMBS: usize,
            const PLANES: usize,
            const SETS: bool,
        >(
            work: &mut TileWork<'_>,
        ) {
            sweep::<R, Avx512, CHAINS, LIMBS, PLANES, SETS>(work);
        }
        // SAFETY: the caller has checked the processor.
        unsafe { enabled::<R, CHAINS, LIMBS, PLANES, SETS>(work) }
    }
}

#[cfg(target_arch = "aarch64")]
impl Dispatch for Neon {
    unsafe fn dispatch<
        R: Lanes,
        const CHAINS: usize,
        const LIMBS: usize,
        const PLANES: usize,
        const SETS: bool,
    >(
        work: &mut TileWork<'_>,
    ) {
        #[target_feature(enable = "neon")]
        fn enabled<
            R: Lanes,
            const CHAINS: usize,
            const LIMBS: usize,
            const PLANES: usize,
            const SETS: bool,
        >(
            work: &mut TileWork<'_>,
        ) {
            sweep::<R, Neon, CHAINS, LIMBS, PLANES, SETS>(work);
        }
        // SAFETY: the caller has checked the processor.
        unsafe { enabled::<R, CHAINS, LIMBS, PLANES, SETS>(work) }
    }
}

impl<const N: usize> Dispatch for [u64; N] {
    unsafe fn dispatch<
        R: Lanes,
        const CHAINS: usize,
        const LIMBS: usize,
        const PLANES: usize,
        const SETS: bool,
    >(
        work: &mut TileWork<'_>,
    ) {
        sweep::<R, Self, CHAINS, LIMBS, PLANES, SETS>(work);
    }
}
