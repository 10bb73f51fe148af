//! Host resources: threads, SIMD instructions and the on-disk cache.

pub(crate) mod cache;
pub(crate) mod simd;
pub(crate) mod threads;
