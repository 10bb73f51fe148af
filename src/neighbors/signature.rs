//! Counts of symbols, as a lower bound of the edit distance.

use crate::symbols::places::Places;

const CLASSES: usize = 16;

/// Numbers of symbols by class, at most 255 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signature([u8; CLASSES]);

impl Signature {
    pub(super) fn of(string: impl Places) -> Self {
        let mut counts = [0u8; CLASSES];
        string.for_each_place(|index| {
            let count = &mut counts[index % CLASSES];
            *count = count.saturating_add(1);
        });
        Self(counts)
    }

    /// Returns `false` only if more than `k` edits lead from one string to the other, whose lengths
    /// differ by `difference`: an edit changes at most two counts by one, and an insertion or
    /// deletion only one.
    #[inline]
    pub(super) fn is_near(&self, other: &Self, difference: usize, k: usize) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        let changed: u32 = pairs.map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        changed as usize + difference <= 2 * k
    }
}
