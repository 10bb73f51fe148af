//! Problems of the library: weights in Rust and WGSL.

mod matrix_chain;
mod nussinov;
mod polygon;
pub(super) mod products;
mod search_tree;

pub use matrix_chain::MatrixChain;
pub use nussinov::RnaFold;
pub use polygon::{PointPolygon, WeightedPolygon};
pub use search_tree::SearchTree;
