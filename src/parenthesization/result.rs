//! Result of a method, and the overflow error.

use super::problem::Problem;
use super::tree::Tree;
use super::value::Arithmetic;
use crate::error::Error;

pub(crate) struct MethodResult<V> {
    pub cost: V,
    pub tree: Tree,
    pub arithmetic: Arithmetic,
    /// Cost of [`Tree::in_order`] in the problem's unit.
    pub in_order: V,
}

/// Work of a split relative to a DP cell of a string table, the unit of slices and thresholds.
pub(crate) const CELLS_PER_SPLIT: u64 = 32;

/// The error for leaves `first..last` whose best cost overflows.
pub(crate) fn overflow<P: Problem>(first: usize, last: usize, arithmetic: Arithmetic) -> Error {
    let limit = arithmetic.greatest();
    Error::CostOverflow {
        items: P::ITEMS,
        first: first as u64 + 1,
        last: last as u64,
        limit,
    }
}

pub(crate) fn cells(splits: u64) -> u64 {
    splits.saturating_mul(CELLS_PER_SPLIT)
}
