//! What belongs to one call: its progress, its end by the caller, and where its time goes.

pub mod control;
pub mod phases;
