//! Best targets of a query.

use std::collections::BinaryHeap;

use swath::pairs::{Measure, PairValue};

pub struct Best {
    max: usize,
    query: usize,
    /// The worst one first: cost, target, value.
    pairs: BinaryHeap<(u64, usize, u32)>,
}

impl Best {
    pub fn new(max: usize) -> Self {
        Self {
            max,
            query: 0,
            pairs: BinaryHeap::new(),
        }
    }

    /// Returns the best pairs of the query before, if this is another.
    pub fn take(&mut self, pair: PairValue, cost: u64) -> Vec<PairValue> {
        let done = if pair.query == self.query {
            Vec::new()
        } else {
            self.drain()
        };
        self.query = pair.query;
        self.pairs.push((cost, pair.target, pair.value));
        if self.pairs.len() > self.max {
            self.pairs.pop();
        }
        done
    }

    /// Best pairs of the query, the best one first.
    pub fn drain(&mut self) -> Vec<PairValue> {
        let pairs = std::mem::take(&mut self.pairs).into_sorted_vec();
        let pair = |(_, target, value)| PairValue {
            query: self.query,
            target,
            value,
        };
        pairs.into_iter().map(pair).collect()
    }
}

/// Cost of a value: less is better.
pub fn cost(measure: Measure, value: u32) -> u64 {
    match measure {
        Measure::Lcs => u64::from(u32::MAX - value),
        _ => value.into(),
    }
}

/// Cost of a similarity from 0 to 1. The bits of such numbers are ordered as the numbers.
pub fn cost_of_similarity(similarity: f64) -> u64 {
    u64::MAX - similarity.to_bits()
}
