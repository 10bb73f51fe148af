//! What measurements share, those of `swath bench` and those under `benches`: generated inputs, clocks, and the ceiling of a device.

pub mod ceiling;
pub mod inputs;
pub mod timing;
