//! Calls of every problem: jobs, knobs, devices and what they have in common.

mod host_device;
mod jobs;
mod knobs;
mod portable;
mod random;
mod readback;
mod same_bytes;
