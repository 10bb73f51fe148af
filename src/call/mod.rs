//! State of a call: progress, cancellation, time by phase, and values that it passes on.

pub mod control;
pub(crate) mod hand_over;
pub mod phase;
pub mod phases;
pub(crate) mod turns;
