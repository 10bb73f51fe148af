//! Edit distance with unit costs.

pub mod gpu;
pub mod tiled;
pub mod tiled_cpu;
