//! Best parenthesizations: every method on the CPU and on the GPU of the tests.

mod calls;
mod hu_shing;
mod problems;
