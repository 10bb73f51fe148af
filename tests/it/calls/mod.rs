//! Calls of every problem: jobs, options, devices.

mod bounds;
mod host_device;
mod jobs;
mod knobs;
mod portable;
mod progress;
mod random;
mod readback;
mod refusals;
mod same_bytes;
