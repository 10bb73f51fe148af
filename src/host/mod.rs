//! Host resources: threads, memory, SIMD instructions and the on-disk cache.

pub(crate) mod cache;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod process;
pub(crate) mod simd;
pub(crate) mod threads;
