//! Many pairs of strings at once: lists against lists.
//!
//! A call computes one value for each of its pairs, by a [`Measure`]: edit distances and lengths of
//! longest common subsequences, Hamming distances, optimal string alignments, Jaro similarities,
//! ratios.
//! Values come in one order, the same on every device and for any number of threads.
//!
//! # Methods
//! One pair runs in one lane, of a SIMD register or of a GPU, by the bit-parallel recurrences of
//! Myers 1999 (doi:10.1145/316542.316550) and Hyyrö 2004. Lanes of a group share a query and have
//! targets of similar lengths, or on the CPU share a target. A bound ends the tables of a group as
//! soon as all of them exceed it. The CPU computes Hamming distances, ratios of substrings and of
//! token sets, and Jaro similarities of longer strings one pair after the other.
//!
//! # Memory
//! Values are computed in blocks of some megabytes. [`Pairs::for_each`] takes them one by one, so
//! that any number of pairs can be computed, and [`Pairs::blocks`] returns them while the call goes
//! on; running [`Pairs`] itself keeps all of them.

mod alignments;
mod bands;
mod blocks;
mod cpu;
pub(crate) mod each;
pub(crate) mod gpu;
mod lanes;
mod long;
mod measure;
mod near;
mod output;
mod prepared;
pub(crate) mod reference;
mod request;
mod sample;
mod search;
pub(crate) mod selection;
mod selftest;
mod solve;
pub(crate) mod strings;
mod task;
#[cfg(test)]
mod tests;
mod texts;
pub(crate) mod tokens;
mod values;
mod wavefront;
mod work;

/// Maximum symbols that all queries share one alphabet for; more make the masks of a query large.
const SHARED_CODES: usize = 255;

pub use alignments::Alignments;
pub(crate) use alignments::Known;
pub use blocks::PairBlocks;
pub(crate) use cpu::MIN_QUERIES;
pub use measure::Measure;
pub use selection::Selection;
pub(crate) use selftest::selftest;
pub use strings::Strings;
pub use task::{
    ForEach, ForEachKept, Kept, KeptBlock, PairBlock, PairOptions, PairValues, Pairs, PairsDone,
    Share,
};
pub use values::{PairValue, Values};
