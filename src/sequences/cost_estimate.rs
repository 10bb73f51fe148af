//! Cost estimates.

/// Estimated cost of turning one sequence into the other, in the unit costs of the recurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CostEstimate {
    /// Upper estimate: the cost is probably at most this.
    pub upper: u64,
    pub expected: u64,
}

impl CostEstimate {
    /// An estimate from nothing but a bound given by the caller.
    pub(crate) fn from_bound(bound: u64) -> Self {
        Self {
            upper: bound,
            expected: bound,
        }
    }

    pub(crate) fn within(self, max_cost: u64) -> Self {
        Self {
            upper: self.upper.min(max_cost),
            expected: self.expected.min(max_cost),
        }
    }
}
