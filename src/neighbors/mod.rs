//! All pairs of strings within an edit distance, without comparing all pairs.
//!
//! Equal strings are collapsed first. Each distinct string has some keys, hashes of parts that a
//! neighbour has unchanged: pieces of even lengths (Li et al. 2012, "Pass-Join",
//! doi:10.14778/2078331.2078340), or for short strings what is left after deletions. Strings with a
//! key in common are candidates, whose symbols are counted and whose distances are computed. The
//! answer is complete and exact.
//!
//! A key of many strings, such as a repeat, is not joined: its strings go on to a level of longer
//! and rarer keys, up to deletion neighbourhoods or, where all keys would be more work, a
//! comparison of all pairs of about equal length.
//!
//! On GPUs the keys, their sort, the candidates and their distances stay on the device, for bounds up
//! to 15 and strings of at most 65,535 symbols of which at most 256 differ. Other calls run on the
//! CPU.
//!
//! # Memory
//! The keys of all strings are indexed at once if they fit half of the host memory, else part by
//! part. Rows are answered in blocks of some megabytes: [`Neighbors::for_each`] takes them one by
//! one, running [`Neighbors`] itself keeps all pairs.

mod blocks;
mod clusters;
mod deletions;
mod distance;
mod estimate;
mod expansion;
pub(crate) mod gpu;
mod index;
mod join;
mod kept;
mod levels;
mod pieces;
mod plan;
mod query;
mod request;
mod rows;
pub(crate) mod selftest;
mod shard;
mod side;
mod signature;
mod solve;
mod task;
#[cfg(test)]
mod tests;
mod unique;

pub use blocks::{Neighbor, NeighborsDone, Work};
pub use clusters::{ClusterList, ClusterOptions, Clusters};
pub use estimate::Estimate;
pub(crate) use selftest::selftest;
pub use task::{ForEach, NeighborBlock, NeighborList, NeighborOptions, Neighbors};
