//! Pairwise problems: every method on the CPU and on the test GPU.

mod bands;
mod edit_distance;
mod edit_pieces;
mod edit_sweep;
mod lcs;
mod lcs_paths;
mod letters;
mod several_supersequences;
mod supersequence;
mod tables;
mod tiling;
mod traceback_chunks;
mod tuning;
mod wavefronts;
