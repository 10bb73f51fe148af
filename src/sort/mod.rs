//! Radix sort: keys of 32 or 64 bits in ascending order, alone or with a word each, stable.
//!
//! [`radix_sort`], [`radix_sort_pairs`] and the task [`RadixSort`] take arrays of the host. A [`Sorter`] takes an application's own
//! buffers and records into its own commands; how many keys there are may lie on the device.
//!
//! The GPU's method is reduce-then-scan, eight bits a round: no workgroup waits for another one, which WebGPU gives no promise
//! for. Where a device does, keys are counted but once and a round is one pass.
//!
//! Source: Merrill and Grimshaw 2011, "High Performance and Scalable Radix Sorting", doi:10.1142/S0129626411000187; ranks by ballots
//! as in Adinets and Merrill 2022, "Onesweep", arXiv:2206.01784.

mod cpu;
pub(crate) mod gpu;
pub(crate) mod key;
mod onesweep;
mod onesweep_shape;
mod plan;
pub(crate) mod reference;
mod selftest;
pub(crate) mod shape;
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
