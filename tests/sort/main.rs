//! The radix sort: arrays of the host, one pass a digit, and commands of an application.

#[cfg(feature = "gpu")]
#[path = "../support/application.rs"]
mod application;
mod arrays;
#[cfg(feature = "cuda")]
mod onesweep;
#[cfg(feature = "gpu")]
mod recorded;
#[path = "../support/mod.rs"]
mod support;
