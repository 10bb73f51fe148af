//! Parenthesizations: every method on the CPU and on the test GPU.

mod calls;
mod hu_shing;
mod problems;
mod real_weights;
mod user_problems;
