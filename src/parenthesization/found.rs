//! What methods find, and what they say where there is no answer.

use super::problem::Problem;
use super::tree::Tree;
use super::value::Arithmetic;
use crate::error::Error;

/// What a method found.
pub(super) struct Found<V> {
    pub cost: V,
    pub tree: Tree,
    pub arithmetic: Arithmetic,
    /// The cost of [`Tree::in_order`] in the problem's unit.
    pub in_order: V,
}

/// A split takes a device as long as this many cells of a string table, which is what slices and thresholds count.
pub(super) const CELLS_A_SPLIT: u64 = 32;

/// The error for leaves `first..last` that cost too much.
pub(super) fn overflow<P: Problem>((first, last): (usize, usize), arithmetic: Arithmetic) -> Error {
    let limit = arithmetic.greatest();
    Error::CostOverflow {
        items: P::ITEMS,
        first: first as u64 + 1,
        last: last as u64,
        limit,
    }
}

/// Cells that a pass of so many splits counts for.
pub(super) fn cells(splits: u64) -> u64 {
    splits.saturating_mul(CELLS_A_SPLIT)
}
