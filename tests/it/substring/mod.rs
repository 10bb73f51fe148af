//! Longest common substrings and maximal matches, on the CPU and on the test GPU.

mod gpu;
mod methods;
