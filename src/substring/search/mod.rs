//! The search for the longest common substring by filters.
//!
//! A filter names the windows of one length that may occur in enough of the texts. Equal windows have equal keys, so a filter by
//! keys never loses a match: where nothing is left, no longer common substring exists. What is left is compared symbol by symbol,
//! so that a match is one. Between both the driver closes in on the length, whatever the keys do.
//!
//! - `alphabet`: dense codes and how long a window has to be so that few occur twice by chance.
//! - `hash`: keys of long windows.
//! - `prefixes`: hashes of prefixes, from which those come.
//! - `cpu`: the filter on the host. That on a GPU is in [`gpu`](super::gpu).
//! - `driver`: which lengths are asked for.
//! - `resolve`: survivors become classes of equal windows, and how far they go on.
//! - `verify`: the comparisons.
//! - `sort_and_scan`: all windows of a length sorted by their hashes instead: the baseline.

pub mod alphabet;
mod cascade;
pub mod cpu;
mod driver;
pub mod filter;
pub mod hash;
mod prefixes;
mod resolve;
pub mod sort_and_scan;
pub mod verify;

use super::question::{Found, Question};
use super::texts::Code;
use crate::call::control::Control;
use crate::error::{Error, Result};
pub(super) use cascade::{Cascade, Settling, Visit, bitmap_log2};
pub(super) use driver::search;

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
const PLACE_BYTES: u64 = 2 * size_of::<filter::Survivor>() as u64 + size_of::<verify::Place>() as u64;

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
                Err(Error::MemoryBudget { what, needed, limit, smallest: needed })
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

/// The method `cascade` on the host, on the threads of the pool that it is called from.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn on_cpu<C: Code>(question: Question<'_, C>, settings: &Settings, control: &Control) -> Result<(Answer, Effort)> {
    let mut filter = cpu::CpuFilter::new(question, settings, control);
    // Nothing in it waits.
    pollster::block_on(search(question, settings, &mut filter, control))
}

/// Bytes of the host that the method takes beside the texts: bitmaps, a bit a window, and hashes of prefixes.
pub fn host_bytes<C: Code>(question: &Question<'_, C>, tuning: &Tuning) -> u64 {
    let symbols: usize = question.texts.iter().map(|text| text.len()).sum();
    let most = question.texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let levels = if question.inputs < question.texts.len() { question.inputs } else { 0 };
    let bitmaps = (2 + levels as u64) << (bitmap_log2(most, tuning.bitmap_log2) - 3);
    bitmaps + symbols as u64 / 8 + prefixes::host_bytes(symbols)
}

#[cfg(test)]
mod tests;
