//! The methods of the five papers, selectable by name with `--method`, which `auto` never takes:
//! yardsticks for the product's methods.

pub mod anti_diagonal;
pub mod by_length;
pub mod conditional_sum;
pub(crate) mod edit_distance;
pub(crate) mod layers;
pub mod row_wise;
pub mod sort_and_scan;
pub mod tiled;
