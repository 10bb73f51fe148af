//! Lines through a table: how values change from cell to cell.

use super::bits::Bits;
use super::recurrence::growth;

/// By how much a path's value changes along a line, for the better or for the worse, by one step at most from cell to cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    grows: Bits,
    shrinks: Bits,
}

impl Line {
    /// Adds `count` steps, at most 64; the bits behind them are 0.
    pub(crate) fn push(&mut self, [grows, shrinks]: [u64; 2], count: usize) {
        self.grows.push(grows, count);
        self.shrinks.push(shrinks, count);
    }

    /// Steps of the line.
    pub(crate) fn steps(&self) -> usize {
        self.grows.len()
    }

    /// Which of `count` steps, at most 64, from step `first` on grow, and which shrink.
    fn gains(&self, first: usize, count: usize) -> [u64; 2] {
        [self.grows.get(first, count), self.shrinks.get(first, count)]
    }

    /// By how much the value grows over the whole line.
    pub(crate) fn growth(&self) -> i64 {
        self.grows.ones() as i64 - self.shrinks.ones() as i64
    }
}

/// The least k for which the growth of `before` over its first k steps and that of `behind` over the other steps are greatest
/// together, and that sum. Both are of one line, and `behind` goes along it from its other end.
pub(crate) fn crossing(before: &Line, behind: &Line) -> (usize, i64) {
    let steps = before.steps();
    let mut sum = behind.growth();
    let mut best = (0, sum);
    for first in (0..steps).step_by(64) {
        let count = (steps - first).min(64);
        let [grows, shrinks] = before.gains(first, count);
        let lost = behind.gains(steps - first - count, count);
        // Within these steps the sum grows at most by what grows before them and shrinks behind them.
        if sum + i64::from(grows.count_ones() + lost[1].count_ones()) <= best.1 {
            sum += growth([grows, shrinks]) - growth(lost);
            continue;
        }
        let bit = |word: u64, step: usize| (word >> step & 1) as i64;
        for step in 0..count {
            let from_end = count - 1 - step;
            sum += bit(grows, step) - bit(shrinks, step) - bit(lost[0], from_end) + bit(lost[1], from_end);
            if sum > best.1 {
                best = (first + step + 1, sum);
            }
        }
    }
    best
}
