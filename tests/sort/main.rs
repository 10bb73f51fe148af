//! The radix sort: arrays of the host, one pass a digit, and commands of an application.

#[path = "../support/application.rs"]
mod application;
mod arrays;
#[cfg(feature = "cuda")]
mod onesweep;
mod recorded;
#[path = "../support/mod.rs"]
mod support;
