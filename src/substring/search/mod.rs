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
mod settings;
pub mod sort_and_scan;
pub mod verify;

use super::question::Question;
use super::texts::Code;
use crate::call::control::Control;
use crate::error::Result;
pub(super) use cascade::{Cascade, Settling, Visit, bitmap_log2};
pub(super) use driver::search;
pub use settings::{Answer, Effort, Settings, Tuning};

/// The method `cascade` on the host, on the threads of the pool that it is called from.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn on_cpu<C: Code>(
    question: Question<'_, C>,
    settings: &Settings,
    control: &Control,
) -> Result<(Answer, Effort)> {
    let mut filter = cpu::CpuFilter::new(question, settings, control);
    // Nothing in it waits.
    pollster::block_on(search(question, settings, &mut filter, control))
}

/// Bytes of the host that the method takes beside the texts: bitmaps, a bit a window, and hashes of prefixes.
pub fn host_bytes<C: Code>(question: &Question<'_, C>, tuning: &Tuning) -> u64 {
    let symbols: usize = question.texts.iter().map(|text| text.len()).sum();
    let most = question
        .texts
        .iter()
        .map(|text| text.len())
        .max()
        .unwrap_or(0);
    let levels = if question.inputs < question.texts.len() {
        question.inputs
    } else {
        0
    };
    let bitmaps = (2 + levels as u64) << (bitmap_log2(most, tuning.bitmap_log2) - 3);
    bitmaps + symbols as u64 / 8 + prefixes::host_bytes(symbols)
}

#[cfg(test)]
mod tests;
