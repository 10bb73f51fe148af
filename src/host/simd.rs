//! SIMD instruction sets of this processor, and dispatch of loops compiled for them.
//!
//! The environment variable `SWATH_CPU_KERNEL` forces one for benchmarks: `avx512`, `avx2`, `neon`
//! or `portable`. It is read once per process.

use std::sync::LazyLock;

use crate::error::{Error, Result};

/// `[of(0), of(1), ...]`, of one item at least, by a plain loop. `std::array::from_fn` is only fast
/// where the compiler inlines several layers of calls.
#[inline(always)]
pub(crate) fn array<T: Copy, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [of(0); N];
    #[expect(clippy::needless_range_loop)]
    for index in 1..N {
        all[index] = of(index);
    }
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    /// AVX-512 F, BW, DQ, VL, VBMI2, BITALG and VPOPCNTDQ with BMI1 and BMI2: Intel Ice Lake, AMD
    /// Zen 4 and later.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Baseline of the target.
    Portable,
}

const VARIABLE: &str = "SWATH_CPU_KERNEL";

static FORCED: LazyLock<Result<Option<Instructions>, String>> =
    LazyLock::new(|| match std::env::var_os(VARIABLE) {
        None => Ok(None),
        Some(wanted) => named(&wanted.to_string_lossy()).map(Some),
    });

fn named(wanted: &str) -> Result<Instructions, String> {
    Instructions::all_available()
        .find(|instructions| instructions.option() == wanted)
        .ok_or_else(|| wanted.to_string())
}

impl Instructions {
    const ALL: &[Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        #[cfg(target_arch = "aarch64")]
        Self::Neon,
        Self::Portable,
    ];

    pub(crate) fn all_available() -> impl Iterator<Item = Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|instructions| instructions.available())
    }

    /// Name in device lists.
    pub(crate) fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "NEON",
            Self::Portable => "portable 64-bit limbs",
        }
    }

    /// Name in the environment variable.
    fn option(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }

    pub(crate) fn available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                has_avx512()
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Self::Portable => true,
        }
    }

    /// The forced instruction set, else the fastest available.
    pub(crate) fn chosen() -> Self {
        Self::forced()
            .or_else(|| Self::all_available().next())
            .unwrap_or(Self::Portable)
    }

    /// Returns `true` if the environment permits it.
    #[cfg(target_arch = "x86_64")]
    fn allowed(self) -> bool {
        Self::forced().is_none_or(|forced| forced == self)
    }

    fn forced() -> Option<Self> {
        FORCED.as_ref().ok().copied().flatten()
    }
}

/// The AVX-512 subset of [`with_simd`].
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
}

/// Checks the environment variable.
///
/// # Errors
/// [`Error::UnknownKernel`] with the available instruction sets.
pub(crate) fn check_environment() -> Result<()> {
    match &*FORCED {
        Ok(_) => Ok(()),
        Err(wanted) => Err(unknown(wanted)),
    }
}

fn unknown(wanted: &str) -> Error {
    let available = Instructions::all_available()
        .map(Instructions::option)
        .collect::<Vec<_>>()
        .join(", ");
    Error::UnknownKernel {
        variable: VARIABLE,
        wanted: wanted.to_string(),
        available,
    }
}

/// Loops for the auto-vectorizer.
pub(crate) trait Work {
    /// Must be `#[inline(always)]`, to be compiled with the caller's instructions.
    fn run(self);
}

/// Runs `work` compiled for the widest permitted SIMD instructions.
pub(crate) fn with_simd<W: Work>(work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2")]
        fn avx512<W: Work>(work: W) {
            work.run();
        }
        #[target_feature(enable = "avx2")]
        fn avx2<W: Work>(work: W) {
            work.run();
        }
        let has_avx2 = is_x86_feature_detected!("avx2");
        if has_avx2 && has_avx512() && Instructions::Avx512.allowed() {
            // SAFETY: the processor has been checked.
            return unsafe { avx512(work) };
        }
        if has_avx2 && Instructions::Avx2.allowed() {
            // SAFETY: the processor has been checked.
            return unsafe { avx2(work) };
        }
    }
    work.run();
}

/// Runs `work` with bit-count and variable-shift instructions. `work` and its callees must be
/// `#[inline(always)]`.
pub(crate) fn with_bits<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
        fn bits<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has been checked.
            return unsafe { bits(work) };
        }
    }
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_names_available_instruction_sets() {
        assert_eq!(named("portable"), Ok(Instructions::Portable));
        for instructions in Instructions::all_available() {
            assert_eq!(named(instructions.option()), Ok(instructions));
        }
        for wanted in ["", "sse9", "AVX2", "avx512 "] {
            assert_eq!(named(wanted), Err(wanted.to_string()));
        }
    }

    #[test]
    fn unavailable_instruction_set_error_lists_the_available() {
        let text = unknown("sse9").to_string();
        assert!(
            text.contains("SWATH_CPU_KERNEL")
                && text.contains("'sse9'")
                && text.contains("portable"),
            "{text}"
        );
    }
}
