//! swath solves dynamic-programming and string problems exactly, on any GPU.

pub mod alphabet;
pub mod anti_diagonal;
pub mod backend;
pub mod blocks;
mod bounded;
pub mod control;
pub mod edit_distance;
mod ends;
pub mod engine;
pub mod error;
pub mod lcs;
pub mod parenthesization;
pub mod phases;
pub mod plan;
mod processor;
pub mod reaches;
pub mod run;
mod similarity;
pub mod strips;
pub mod supersequence;
mod sweep_time;
mod tasks;
mod textbook;

pub use alphabet::Symbol;
pub use control::{CancelHandle, Control, Progress};
pub use edit_distance::{EditDistance, EditOptions};
pub use engine::{DeviceChoice, DeviceInfo, Engine, Interface, Options, SelfTest, devices};
pub use error::{Error, Result};
pub use lcs::{Lcs, LcsOptions, Method};
pub use parenthesization::{Parenthesization, ParenthesizationOptions, Problem};
pub use supersequence::{Scs, ScsOptions};
