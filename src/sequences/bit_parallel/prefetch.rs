//! Cache prefetch hints.

/// Cache line size of nearly every processor.
const LINE_BYTES: usize = 64;

/// Prefetches `memory`, on processors that support it.
#[inline(always)]
pub(crate) fn prefetch<T>(memory: &[T]) {
    for line in memory.chunks(LINE_BYTES / size_of::<T>()) {
        let address = line.as_ptr();
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, and every x86-64 processor has it.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: a hint that changes neither memory nor flags.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let _ = address;
    }
}
