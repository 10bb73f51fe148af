//! Overrides for tests and benchmarks.

use crate::parenthesization::value::Arithmetic;

/// Kernel overrides for tests and benchmarks; `None` and `false` leave the choice to the planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Rows and columns of a tile: 8, 16, 32 or 64.
    pub tile: Option<u32>,
    /// Arithmetic of integer costs, if it is exact and the device supports it.
    pub arithmetic: Option<Arithmetic>,
    /// Check sums for overflow even if none can occur.
    pub checked_sums: bool,
    /// Length from which the method `adaptive` divides a range among lanes; shorter ranges get one
    /// lane each.
    pub divided_from: Option<u64>,
    /// Maximum size of a table buffer, in bytes.
    pub chunk_bytes: Option<u64>,
}
