//! C library of swath. `include/swath.h` is generated from this crate by `header.sh`.
//!
//! Exported functions check their arguments ([`arguments`]), catch panics and keep the message of
//! an error ([`status`]). Handles are boxes that C sees as opaque types.

// The header states once for all functions what a pointer has to be.
#![allow(clippy::missing_safety_doc)]

mod answer;
mod arguments;
mod arrays;
mod devices;
mod edlib;
mod engine;
mod items;
mod job;
mod lists;
mod query;
mod run;
mod sequences;
mod status;
mod trees;
