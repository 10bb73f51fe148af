//! The host's processor: work on all threads, and with the instructions that it has.

pub(crate) mod simd;
pub(crate) mod threads;
