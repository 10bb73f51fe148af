//! Edit distance with unit costs.

pub mod gpu;
