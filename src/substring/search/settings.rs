//! Settings and results of a search.

use super::{filter, verify};
use crate::error::{Error, Result};
use crate::substring::query::LongestSubstrings;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// The longest common substrings, verified symbol by symbol.
    Found(LongestSubstrings),
    /// Several random hash bases collided on unequal windows. Only inputs crafted against all of
    /// them cause this; a method without hashes must answer.
    Undecided,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Seed of the random hash bases.
    pub seed: u64,
    pub tuning: Tuning,
    /// Host memory limit of the places in bytes, if any.
    pub host_bytes: Option<u64>,
}

/// Bytes of a place while it is sorted and in its class.
const PLACE_BYTES: u64 =
    2 * size_of::<filter::Survivor>() as u64 + size_of::<verify::TextPosition>() as u64;

impl Settings {
    /// Checks that the host budget holds `places` places.
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

/// Size overrides for tests and benchmarks; `None` leaves the choice to the planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Length of the first windows.
    pub start_length: Option<usize>,
    /// Maximum number of listed survivors; a filter with more lists a sample.
    pub capacity: Option<usize>,
    /// Size of a bitmap in bits, log2.
    pub bitmap_log2: Option<u32>,
    /// Size of a bitmap partition in bits, log2; GPU only.
    pub partition_log2: Option<u32>,
    /// Symbols of a text chunk, a multiple of 8,192; GPU only.
    pub chunk_symbols: Option<usize>,
    /// Sort without subgroup operations even if the device has them.
    pub portable: bool,
}

/// Work of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Number of window lengths examined.
    pub lengths: u32,
    /// Number of windows hashed.
    pub windows: u64,
}
