//! swath solves dynamic-programming and string problems exactly, on any GPU.

pub mod alphabet;
pub mod backend;
mod blocks;
pub mod control;
mod ends;
pub mod engine;
pub mod error;
pub mod lcs;
pub mod parenthesization;
pub mod phases;
pub mod plan;
pub mod run;
pub mod strips;

pub use alphabet::Symbol;
pub use control::{CancelHandle, Control, Progress};
pub use engine::{DeviceChoice, DeviceInfo, Engine, Interface, Options, SelfTest, devices};
pub use error::{Error, Result};
pub use lcs::{Lcs, LcsOptions, Method};
pub use parenthesization::{Parenthesization, ParenthesizationOptions, Problem};
