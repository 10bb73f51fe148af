//! State of a call: progress, cancellation and time by phase.

pub mod control;
pub mod phase;
pub mod phases;
