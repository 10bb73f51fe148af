//! How a search is done, and what it ends with.

use super::{filter, verify};
use crate::error::{Error, Result};
use crate::substring::question::Found;

/// What a search ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The longest common substrings, compared symbol by symbol.
    Found(Found),
    /// Filters of several random bases agreed on windows that are not equal. Inputs would have to be made against all of them; a
    /// method without hashes answers.
    Undecided,
}

/// How a search is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the random base of the hashes is made from.
    pub seed: u64,
    /// Forced sizes.
    pub tuning: Tuning,
    /// Bytes that places may take on the host, where that is limited.
    pub host_bytes: Option<u64>,
}

/// Bytes of a place while it is sorted, and once it is in its class.
const PLACE_BYTES: u64 =
    2 * size_of::<filter::Survivor>() as u64 + size_of::<verify::Place>() as u64;

impl Settings {
    /// Whether the host may hold so many places.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`].
    pub fn check_places(&self, places: u64) -> Result<()> {
        let needed = places.saturating_mul(PLACE_BYTES);
        match self.host_bytes {
            Some(limit) if needed > limit => {
                let what = format!("{places} places that may be of common substrings");
                Err(Error::MemoryBudget {
                    what,
                    needed,
                    limit,
                    smallest: needed,
                })
            }
            _ => Ok(()),
        }
    }
}

/// Forced sizes, for tests and benchmarks; `None` leaves the choice to the planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Length of the windows that are filtered first.
    pub start_length: Option<usize>,
    /// Most survivors that a filter lists; where there are more it lists a sample.
    pub capacity: Option<usize>,
    /// Bits of a bitmap, as a power of two.
    pub bitmap_log2: Option<u32>,
    /// Bits of the part of a bitmap that one pass works on, as a power of two; on a GPU.
    pub partition_log2: Option<u32>,
    /// Symbols of a chunk of a text, a multiple of 8,192; on a GPU.
    pub chunk_symbols: Option<usize>,
    /// Windows are sorted without subgroups even where the device has them.
    pub portable: bool,
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Lengths that were asked for.
    pub lengths: u32,
    /// Windows whose keys were made.
    pub windows: u64,
}
