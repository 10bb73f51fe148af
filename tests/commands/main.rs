//! The command `swath`, run as its users run it.

mod bench;
mod edit;
mod files;
mod input;
mod parenthesization;
#[path = "../support/process.rs"]
mod process;
mod scs;
#[cfg(unix)]
mod signals;
mod substring;
mod whole;
