//! Runs work compiled for the widest SIMD instructions of this processor.

/// Work whose loops the compiler vectorises.
pub(super) trait Work {
    /// Does it; inlined into a function that has the instructions enabled.
    fn run(self);
}

/// Runs it.
pub(super) fn run<W: Work>(work: W) {
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
