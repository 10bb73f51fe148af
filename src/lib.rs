//! swath solves dynamic-programming and string problems exactly, on any GPU.

pub mod backend;
pub mod call;
pub mod edit_distance;
pub mod engine;
pub mod error;
mod host;
pub mod kernels;
pub mod lcs;
pub mod pairwise;
pub mod parenthesization;
pub mod plan;
pub mod supersequence;

pub use call::control::{CancelHandle, Control, Progress};
pub use edit_distance::{EditDistance, EditOptions};
pub use engine::{DeviceChoice, DeviceInfo, Engine, Interface, Options, SelfTest, devices};
pub use error::{Error, Result};
pub use lcs::{Lcs, LcsOptions, Method};
pub use pairwise::codes::Symbol;
pub use parenthesization::{Parenthesization, ParenthesizationOptions, Problem};
pub use supersequence::{Scs, ScsOptions};
