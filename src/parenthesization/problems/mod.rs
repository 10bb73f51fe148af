//! Problems that come with the engine: a weight in Rust, the same in WGSL.

mod matrix_chain;
mod nussinov;
mod polygon;
pub(super) mod products;
mod search_tree;

pub use matrix_chain::MatrixChain;
pub use nussinov::RnaFold;
pub use polygon::{PointPolygon, WeightedPolygon};
pub use search_tree::SearchTree;
