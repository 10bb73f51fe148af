//! What two sequences are expected to cost.

/// What it costs to turn one sequence into the other, in the recurrence's costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    /// Probably no more than this.
    pub most: u64,
    /// About this.
    pub likely: u64,
}

impl Guess {
    /// A bound that the caller gave, and nothing else is known.
    pub(crate) fn bound(most: u64) -> Self {
        Self { most, likely: most }
    }

    /// The same guess of a cost that is of interest up to `most`.
    pub(crate) fn within(self, most: u64) -> Self {
        Self {
            most: self.most.min(most),
            likely: self.likely.min(most),
        }
    }
}
