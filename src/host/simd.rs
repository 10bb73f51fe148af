//! Runs work compiled for the instructions that this processor has.

/// Work whose loops the compiler vectorises.
pub(crate) trait Work {
    /// Does it; inlined into a function that has the instructions enabled.
    fn run(self);
}

/// Runs it with the widest SIMD instructions.
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
        let has_avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        if has_avx2 && has_avx512 {
            // SAFETY: the processor has been checked.
            return unsafe { avx512(work) };
        }
        if has_avx2 {
            // SAFETY: the processor has been checked.
            return unsafe { avx2(work) };
        }
    }
    work.run();
}

/// Runs work that counts bits and shifts words by any number: an `#[inline(always)]` closure, and what it inlines.
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
