//! Strip sweep: tables with small differences, computed as bit vectors.
//!
//! A strip of rows is swept column by column. It keeps the vertical differences of its rows between
//! columns, and passes the horizontal differences of its last row to the strip below. Both take one
//! or two bits per cell. A strip is a workgroup on the GPU, and a few SIMD registers on the CPU.
//! Both recover paths from stored boundaries or by Hirschberg's recursion.

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
pub(crate) mod prefetch;
pub(crate) mod recurrence;
pub mod shape;
pub(crate) mod tile;
pub(crate) mod trace;
mod traced_path;
