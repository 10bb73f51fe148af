//! Problems of two sequences: every method on the CPU and on the GPU of the tests.

mod bands;
mod edit_distance;
mod edit_pieces;
mod edit_sweep;
mod lcs;
mod supersequence;
mod tables;
mod tiling;
mod traceback_chunks;
mod tuning;
mod wavefronts;
