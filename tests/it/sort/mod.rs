//! Radix sort: host arrays, onesweep, and commands recorded by applications.

mod arrays;
#[cfg(feature = "cuda")]
mod onesweep;
mod recorded;
