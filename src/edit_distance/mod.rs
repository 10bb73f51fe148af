//! Edit distance: the tiled methods.

pub mod tiled;
pub mod tiled_cpu;
