//! Cost estimates.

/// Estimated cost of turning one sequence into the other, in the unit costs of the recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    /// Upper estimate: the cost is probably at most this.
    pub most: u64,
    /// Expected cost.
    pub likely: u64,
}

impl Guess {
    /// An estimate from nothing but a bound given by the caller.
    pub(crate) fn bound(most: u64) -> Self {
        Self { most, likely: most }
    }

    /// Caps the estimate at `most`.
    pub(crate) fn within(self, most: u64) -> Self {
        Self {
            most: self.most.min(most),
            likely: self.likely.min(most),
        }
    }
}
