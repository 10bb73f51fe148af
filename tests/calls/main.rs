//! Calls of every problem: jobs, knobs, devices and what they have in common.

#[cfg(feature = "gpu")]
#[path = "../support/application.rs"]
mod application;
#[cfg(feature = "gpu")]
mod host_device;
mod jobs;
mod knobs;
mod portable;
mod random;
mod readback;
mod same_bytes;
#[path = "../support/mod.rs"]
mod support;
