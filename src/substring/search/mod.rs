//! Search for the longest common substring with window filters.
//!
//! A filter finds the windows of one length that may occur in enough texts. Equal windows have
//! equal keys, so a filter by keys never loses a match: without survivors there is no common
//! substring of this length. Survivors are compared symbol by symbol, so every reported match is
//! real. The driver searches over lengths.

pub mod alphabet;
mod cascade;
pub mod cpu;
mod driver;
pub mod filter;
pub mod hash;
pub(crate) mod prefixes;
pub(crate) mod resolve;
mod settings;
pub mod verify;

use super::query::SubstringQuery;
use super::texts::Code;
use crate::call::control::Control;
use crate::call::hand_over::ready;
use crate::error::Result;
pub(super) use cascade::{Cascade, Convergence, Visit, bitmap_log2};
pub(super) use driver::search;
pub use settings::{SearchOutcome, SearchStats, Settings, Tuning};

/// The method `cascade` on the CPU, on the current thread pool.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn on_cpu<C: Code>(
    query: SubstringQuery<'_, C>,
    alphabet: alphabet::Alphabet,
    settings: &Settings,
    control: &Control,
) -> Result<(SearchOutcome, SearchStats)> {
    let mut filter = cpu::CpuFilter::new(query, alphabet, settings, control);
    ready(search(query, settings, &mut filter, control))
}

/// Host memory of the method besides the texts: bitmaps, survivor bits and prefix hashes.
pub fn host_bytes<C: Code>(query: &SubstringQuery<'_, C>, tuning: &Tuning) -> u64 {
    let symbols = query.symbols();
    let cascade = Cascade {
        texts: query.texts.len(),
        inputs: query.inputs,
    };
    let bitmaps =
        (2 + cascade.levels() as u64) << (bitmap_log2(query.longest(), tuning.bitmap_log2) - 3);
    bitmaps + symbols as u64 / 8 + prefixes::host_bytes(symbols)
}

#[cfg(test)]
mod tests;
