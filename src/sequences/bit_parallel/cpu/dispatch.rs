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

/// Implements [`Dispatch`] by a function with the instruction set enabled.
macro_rules! dispatch {
    ($arch:literal, $register:ty, $features:literal) => {
        #[cfg(target_arch = $arch)]
        impl Dispatch for $register {
            unsafe fn dispatch<
                R: Lanes,
                const CHAINS: usize,
                const LIMBS: usize,
                const PLANES: usize,
                const SETS: bool,
            >(
                work: &mut TileWork<'_>,
            ) {
                #[target_feature(enable = $features)]
                fn enabled<
                    R: Lanes,
                    const CHAINS: usize,
                    const LIMBS: usize,
                    const PLANES: usize,
                    const SETS: bool,
                >(
                    work: &mut TileWork<'_>,
                ) {
                    sweep::<R, $register, CHAINS, LIMBS, PLANES, SETS>(work);
                }
                // SAFETY: the caller has checked the processor.
                unsafe { enabled::<R, CHAINS, LIMBS, PLANES, SETS>(work) }
            }
        }
    };
}

dispatch!("x86_64", Avx2, "avx2");
dispatch!(
    "x86_64",
    Avx512,
    "avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,bmi1,bmi2"
);
dispatch!("aarch64", Neon, "neon");

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
