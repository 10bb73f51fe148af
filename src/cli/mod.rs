//! The commands, their arguments and exit codes.

pub mod args;
pub mod completions;
pub mod devices;
pub mod edit;
pub mod exit;
pub mod lcs;
pub mod man;
pub mod scs;
pub mod selftest;

mod interrupt;
mod output;
mod progress;
