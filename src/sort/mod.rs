//! Radix sort: stable ascending sort of 32- or 64-bit keys, alone or with a 32-bit payload.
//!
//! [`radix_sort`], [`radix_sort_pairs`] and the task [`RadixSort`] sort host arrays. A [`Sorter`]
//! sorts an application's own GPU buffers within its own command stream; the number of keys may be
//! a value on the device.
//!
//! The GPU method is reduce-then-scan, eight bits per round: no workgroup waits for another,
//! because WebGPU guarantees no forward progress. On devices that do, keys are counted once and
//! each round is a single pass (onesweep).
//!
//! Source: Merrill and Grimshaw 2011, "High Performance and Scalable Radix Sorting",
//! doi:10.1142/S0129626411000187; ranks by ballots as in Adinets and Merrill 2022, "Onesweep",
//! arXiv:2206.01784.

pub(crate) mod cpu;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod gpu;
pub(crate) mod key;
mod onesweep;
mod onesweep_shape;
mod passes;
mod plan;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod reference;
mod selftest;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod shape;
#[allow(missing_docs)] // Reachable through `unstable` only.
pub(crate) mod sizes;
mod solve;
mod sorted;
#[cfg(feature = "gpu")]
pub(crate) mod sorter;
mod task;

pub use key::Key;
pub(crate) use selftest::selftest;
pub use sorted::Sorted;
#[cfg(feature = "gpu")]
pub use sorter::{Length, Sorter};
pub use task::{RadixSort, radix_sort, radix_sort_pairs};
