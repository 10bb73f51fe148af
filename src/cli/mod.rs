//! The commands, their arguments and exit codes.

pub mod args;
pub mod bench;
pub mod bst;
pub mod chain;
pub mod completions;
pub mod devices;
pub mod edit;
pub mod environment;
pub mod exit;
pub mod fold;
pub mod lcs;
pub mod man;
pub mod polygon;
pub mod scs;
pub mod selftest;
pub mod substring;

mod interrupt;
mod note;
mod output;
mod parenthesize;
mod progress;
