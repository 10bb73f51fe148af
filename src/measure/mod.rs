//! Shared by `swath bench` and `benches`: generated inputs, timing, and throughput ceilings.

pub mod ceiling;
pub mod inputs;
pub mod timing;
