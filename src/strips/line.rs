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

#[cfg(test)]
mod tests {
    use super::super::inputs::Random;
    use super::*;

    /// The line of these steps, added in pieces of all lengths.
    fn line(steps: &[i64], random: &mut Random) -> Line {
        let mut line = Line::default();
        while line.steps() < steps.len() {
            let piece = &steps[line.steps()..];
            let piece = &piece[..piece.len().min(random.below(65))];
            let bits = |sign: i64| {
                let set = |word, (place, &step): (usize, &i64)| word | u64::from(step == sign) << place;
                piece.iter().enumerate().fold(0, set)
            };
            line.push([bits(1), bits(-1)], piece.len());
        }
        line
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
                    let lines = [&before, &behind].map(|steps| line(steps, &mut random));
                    assert_eq!(lines[0].steps(), len);
                    assert_eq!(lines[0].growth(), before.iter().sum::<i64>(), "{before:?}");
                    let expected = plain_crossing(&before, &behind);
                    assert_eq!(crossing(&lines[0], &lines[1]), expected, "{before:?} {behind:?}");
                }
            }
        }
    }

    #[test]
    fn of_equal_sums_the_least_step_is_the_crossing() {
        let mut random = Random::new(6);
        for len in [1, 64, 65, 130] {
            // Each step gains on one line what it loses on the other, or nothing on both.
            for drawn in [&[0][..], &[1], &[-1], &[-1, 0, 1]] {
                let before: Vec<i64> = (0..len).map(|_| drawn[random.below(drawn.len())]).collect();
                let behind: Vec<i64> = before.iter().rev().copied().collect();
                let sum = before.iter().sum();
                let lines = [&before, &behind].map(|steps| line(steps, &mut random));
                assert_eq!(crossing(&lines[0], &lines[1]), (0, sum), "{before:?}");
            }
        }
    }
}
