//! What tests and benchmarks force.

use crate::parenthesization::value::Arithmetic;

/// Forced shapes of the kernels, for tests and benchmarks; `None` and `false` leave the choice to the planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Rows and columns of a tile: 8, 16, 32 or 64.
    pub tile: Option<u32>,
    /// What whole numbers are computed with, where it holds them and the device has it.
    pub arithmetic: Option<Arithmetic>,
    /// Sums are checked even where none can overflow.
    pub checked_sums: bool,
    /// Most bytes of one buffer of the table.
    pub chunk_bytes: Option<u64>,
}
