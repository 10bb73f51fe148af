//! The host: work on all threads of its processor and with the instructions that it has, and what programs keep on its disk.

pub(crate) mod cache;
pub(crate) mod simd;
pub(crate) mod threads;
