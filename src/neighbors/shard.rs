//! Division of a join among processes.
//!
//! Distinct columns are dealt out in turn, in the order of their first positions. A shard indexes
//! its columns alone and looks up all rows, so that its index has an n-th of the entries, and every
//! pair is found by the shard of its column.

/// Share (from 0) of a number of shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    pub(super) share: u64,
    pub(super) shares: u64,
}

impl Shard {
    pub(super) const ALL: Self = Self {
        share: 0,
        shares: 1,
    };

    /// True for a number of this share.
    pub(super) fn has(self, number: u32) -> bool {
        u64::from(number) % self.shares == self.share
    }

    /// Count of the numbers below `end` that are of this share.
    pub(super) fn count(self, end: usize) -> usize {
        (end as u64)
            .saturating_sub(self.share)
            .div_ceil(self.shares) as usize
    }

    pub(super) fn number(self, rank: u32) -> u32 {
        (self.share + u64::from(rank) * self.shares) as u32
    }

    /// The numbers below `end` that are of this share, ascending.
    pub(super) fn numbers(self, end: usize) -> impl Iterator<Item = u32> {
        (0..self.count(end) as u32).map(move |rank| self.number(rank))
    }
}
