//! Where a best path crosses a line through a table, from how the values on both sides change along it.

use super::recurrence::growth;

/// What is known of some steps along a line. From cell to cell a path's value changes by one at most, for the better or for the
/// worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crossing {
    steps: usize,
    /// By how much more the value before the line grows over these steps than the value behind it shrinks.
    sum: i64,
    /// By how much the value behind the line grows over these steps, seen from the line's other end.
    behind: i64,
    /// The least number of steps to the cell with the greatest such sum, and that sum.
    best: (usize, i64),
}

impl Crossing {
    /// Adds `count` steps, at most 64: which of them grow and which shrink before the line, and the same behind it, from the
    /// line's other end. Bits past them are 0.
    #[inline]
    pub(crate) fn push(&mut self, before: [u64; 2], behind: [u64; 2], count: usize) {
        let first = (self.steps, self.sum);
        self.steps += count;
        self.sum += growth(before) - growth(behind);
        self.behind += growth(behind);
        // Within these steps the sum grows at most by what grows before the line and shrinks behind it.
        if first.1 + i64::from(before[0].count_ones() + behind[1].count_ones()) <= self.best.1 {
            return;
        }
        let bit = |word: u64, step: usize| (word >> step & 1) as i64;
        let mut sum = first.1;
        for step in 0..count {
            let from_end = count - 1 - step;
            sum += bit(before[0], step) - bit(before[1], step) - bit(behind[0], from_end) + bit(behind[1], from_end);
            if sum > self.best.1 {
                self.best = (first.0 + step + 1, sum);
            }
        }
    }

    /// These steps and those that come after them.
    pub(crate) fn then(self, next: Self) -> Self {
        let sum = self.sum + next.best.1;
        Self {
            steps: self.steps + next.steps,
            sum: self.sum + next.sum,
            behind: self.behind + next.behind,
            best: if sum > self.best.1 { (self.steps + next.best.0, sum) } else { self.best },
        }
    }

    /// The least number of steps to a cell where a best path crosses, and by how much the values before and behind it have
    /// grown together.
    pub(crate) fn found(self) -> (usize, i64) {
        (self.best.0, self.behind + self.best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::Random;
    use super::*;

    /// At most 64 steps as bits.
    fn bits(steps: &[i64]) -> [u64; 2] {
        [1, -1].map(|sign| {
            let set = |word, (place, &step): (usize, &i64)| word | u64::from(step == sign) << place;
            steps.iter().enumerate().fold(0, set)
        })
    }

    /// The crossing of these steps, pushed in pieces of all lengths; some pieces go to a crossing of their own.
    fn crossing(before: &[i64], behind: &[i64], random: &mut Random) -> Crossing {
        let (mut whole, mut part, mut first) = (Crossing::default(), Crossing::default(), 0);
        while first < before.len() {
            let count = (before.len() - first).min(random.below(65));
            let last = before.len() - first;
            part.push(bits(&before[first..first + count]), bits(&behind[last - count..last]), count);
            first += count;
            if random.below(4) == 0 {
                whole = whole.then(std::mem::take(&mut part));
            }
        }
        whole.then(part)
    }

    /// The crossing found by a look at every cell.
    fn plain_crossing(before: &[i64], behind: &[i64]) -> (usize, i64) {
        let sum = |k: usize| before[..k].iter().sum::<i64>() + behind[..behind.len() - k].iter().sum::<i64>();
        let sums = (0..=before.len()).map(|k| (k, sum(k)));
        sums.reduce(|best, other| if other.1 > best.1 { other } else { best }).expect("one cell at least")
    }

    #[test]
    fn a_crossing_is_the_first_best_of_all_cells() {
        let mut random = Random::new(5);
        for len in [0, 1, 2, 5, 63, 64, 65, 127, 128, 129, 200, 500] {
            // Steps are drawn from these: many ties, none but ties, lines that rise, fall, and rise after a fall.
            for drawn in [&[-1, 0, 1][..], &[0], &[1], &[-1], &[-1, 1], &[0, 0, 0, 0, 0, 0, 1], &[-1, 0, 0, 1, 1]] {
                for turned in [false, true] {
                    let steps = |random: &mut Random| -> Vec<i64> {
                        let sign = |place| if turned && place < len / 2 { -1 } else { 1 };
                        (0..len).map(|place| sign(place) * drawn[random.below(drawn.len())]).collect()
                    };
                    let (before, behind) = (steps(&mut random), steps(&mut random));
                    let found = crossing(&before, &behind, &mut random).found();
                    assert_eq!(found, plain_crossing(&before, &behind), "{before:?} {behind:?}");
                }
            }
        }
    }

    #[test]
    fn of_equal_sums_the_least_step_is_the_crossing() {
        let mut random = Random::new(6);
        for len in [1, 64, 65, 130] {
            // Each step gains on one side what it loses on the other, or nothing on both.
            for drawn in [&[0][..], &[1], &[-1], &[-1, 0, 1]] {
                let before: Vec<i64> = (0..len).map(|_| drawn[random.below(drawn.len())]).collect();
                let behind: Vec<i64> = before.iter().rev().copied().collect();
                let sum = before.iter().sum();
                assert_eq!(crossing(&before, &behind, &mut random).found(), (0, sum), "{before:?}");
            }
        }
    }
}
