//! The radix sort: arrays of the host, one pass a digit, and commands of an application.

mod arrays;
#[cfg(feature = "cuda")]
mod onesweep;
mod recorded;
