//! Longest common substrings and maximal matches, on the CPU and on the GPU of the tests.

mod gpu;
mod methods;
