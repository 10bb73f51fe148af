//! The strip sweep: tables of small differences, computed as bit vectors, strip by strip.
//!
//! A strip of rows is swept column by column. What it keeps from column to column are the vertical differences of its rows, what
//! it hands to the strip below are the horizontal differences of its last row, and both fit into a bit or two a cell. On the
//! GPU a strip is a workgroup, on the CPU a few SIMD registers; paths are recovered from stored boundaries or by Hirschberg's
//! recursion, on both alike.

pub mod band;
pub(crate) mod banded;
mod columns;
pub(crate) mod cpu;
#[cfg(test)]
pub(crate) mod differences;
pub mod gpu;
pub(crate) mod hirschberg;
#[cfg(test)]
pub(crate) mod inputs;
mod midpoint;
mod prefetch;
pub(crate) mod recurrence;
pub mod shape;
mod symbols;
pub(crate) mod tile;
pub(crate) mod trace;
mod traced_path;
