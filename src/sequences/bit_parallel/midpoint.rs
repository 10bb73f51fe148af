//! Crossing of an optimal path with a line through the table, from the value differences along the
//! line.

use super::recurrence::growth;

/// Summary of consecutive steps along the line. The path values change by at most one per step.
#[derive(Clone, Debug, Default)]
pub(crate) struct MidpointSearch {
    end: Crossing,
    /// First crossing with the greatest sum at the end of a push.
    best: Crossing,
    /// Pushes that may contain a greater sum, or the same one earlier.
    candidates: Vec<SumCandidate>,
}

/// A place on the line, with the growth of values over the steps to it.
#[derive(Clone, Copy, Debug, Default)]
struct Crossing {
    steps: usize,
    /// Growth of the value before the line, plus that of the value behind it.
    sum: i64,
    /// Growth of the value behind the line, counted from the far end of the line.
    behind: i64,
}

impl Crossing {
    fn then(self, more: Self) -> Self {
        Self {
            steps: self.steps + more.steps,
            sum: self.sum + more.sum,
            behind: self.behind + more.behind,
        }
    }
}

#[derive(Clone, Debug)]
struct SumCandidate {
    start: Crossing,
    /// Upper bound of the sums within these steps.
    upper: i64,
    /// Bits of the steps where the sum grows or shrinks, for both sides of the line.
    up: [u64; 2],
    down: [u64; 2],
    count: usize,
}

/// First crossing of an optimal path, and the growth of the values before and behind the line up to
/// it, each from its own end of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Midpoint {
    pub steps: usize,
    pub before: i64,
    pub behind: i64,
}

impl MidpointSearch {
    /// Appends `count` steps, at most 64: bits of growing and shrinking steps before the line, and
    /// behind it as counted from its far end. Bits past `count` are 0.
    #[inline(always)]
    pub(crate) fn push(&mut self, before: [u64; 2], behind: [u64; 2], count: usize) {
        let (up, down) = ([before[0], behind[1]], [before[1], behind[0]]);
        let upper = self.end.sum + i64::from(up[0].count_ones() + up[1].count_ones());
        if upper > self.best.sum {
            self.candidates.push(SumCandidate {
                start: self.end,
                upper,
                up,
                down,
                count,
            });
        }
        self.end = Crossing {
            steps: self.end.steps + count,
            sum: upper - i64::from(down[0].count_ones() + down[1].count_ones()),
            behind: self.end.behind + growth(behind),
        };
        if self.end.sum > self.best.sum {
            self.best = self.end;
            while self
                .candidates
                .pop_if(|candidate| candidate.upper < self.best.sum)
                .is_some()
            {}
        }
    }

    pub(crate) fn then(mut self, next: Self) -> Self {
        let (start, best) = (self.end, self.best);
        let next_best = start.then(next.best);
        if next_best.sum > best.sum {
            self.best = next_best;
        }
        let moved = next.candidates.into_iter().map(|candidate| SumCandidate {
            start: start.then(candidate.start),
            upper: start.sum + candidate.upper,
            ..candidate
        });
        self.candidates
            .extend(moved.filter(|candidate| candidate.upper > best.sum));
        self.candidates
            .retain(|candidate| candidate.upper >= self.best.sum);
        self.end = start.then(next.end);
        self
    }

    pub(crate) fn best(self) -> Midpoint {
        let mut best = self.best;
        for candidate in self.candidates {
            if candidate.upper < best.sum {
                continue;
            }
            let SumCandidate {
                start: mut place,
                up,
                down,
                count,
                ..
            } = candidate;
            for step in 0..count {
                let bit = |word: u64| (word >> step & 1) as i64;
                let behind = bit(down[1]) - bit(up[1]);
                place.steps += 1;
                place.sum += bit(up[0]) - bit(down[0]) - behind;
                place.behind += behind;
                if place.sum > best.sum || place.sum == best.sum && place.steps < best.steps {
                    best = place;
                }
            }
        }
        Midpoint {
            steps: best.steps,
            before: best.sum + best.behind,
            behind: self.end.behind - best.behind,
        }
    }
}

/// Reverses the order of `count` bits, at most 64.
#[inline(always)]
pub(crate) fn reversed(bits: [u64; 2], count: usize) -> [u64; 2] {
    bits.map(|word| word.reverse_bits().unbounded_shr(64 - count as u32))
}

#[cfg(test)]
mod tests {
    use super::super::inputs::Random;
    use super::*;

    /// Encodes at most 64 steps.
    fn bits(steps: &[i64]) -> [u64; 2] {
        [1, -1].map(|sign| {
            let set = |word, (place, &step): (usize, &i64)| word | u64::from(step == sign) << place;
            steps.iter().enumerate().fold(0, set)
        })
    }

    /// Summary of the steps, pushed in random lengths and concatenated at random.
    fn midpoint(before: &[i64], behind: &[i64], random: &mut Random) -> MidpointSearch {
        let (mut whole, mut part, mut first) =
            (MidpointSearch::default(), MidpointSearch::default(), 0);
        while first < before.len() {
            let count = (before.len() - first).min(random.below(65));
            let last = before.len() - first;
            let lost = reversed(bits(&behind[last - count..last]), count);
            part.push(bits(&before[first..first + count]), lost, count);
            first += count;
            if random.below(4) == 0 {
                whole = whole.then(std::mem::take(&mut part));
            }
        }
        whole.then(part)
    }

    fn plain_midpoint(before: &[i64], behind: &[i64]) -> Midpoint {
        let crossing = |steps: usize| Midpoint {
            steps,
            before: before[..steps].iter().sum(),
            behind: behind[..behind.len() - steps].iter().sum(),
        };
        let value = |crossing: &Midpoint| crossing.before + crossing.behind;
        let all = (0..=before.len()).rev().map(crossing);
        all.max_by_key(value).expect("one cell at least")
    }

    #[test]
    fn midpoint_is_the_first_optimal_cell() {
        let mut random = Random::new(5);
        for len in [0, 1, 2, 5, 63, 64, 65, 127, 128, 129, 200, 500] {
            // Step alphabets: many ties, only ties, and lines that rise, fall, or fall and then
            // rise.
            for drawn in [
                &[-1, 0, 1][..],
                &[0],
                &[1],
                &[-1],
                &[-1, 1],
                &[0, 0, 0, 0, 0, 0, 1],
                &[-1, 0, 0, 1, 1],
            ] {
                for turned in [false, true] {
                    let steps = |random: &mut Random| -> Vec<i64> {
                        let sign = |place| if turned && place < len / 2 { -1 } else { 1 };
                        (0..len)
                            .map(|place| sign(place) * drawn[random.below(drawn.len())])
                            .collect()
                    };
                    let (before, behind) = (steps(&mut random), steps(&mut random));
                    let found = midpoint(&before, &behind, &mut random).best();
                    assert_eq!(
                        found,
                        plain_midpoint(&before, &behind),
                        "{before:?} {behind:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn midpoint_of_equal_sums_is_the_first_step() {
        let mut random = Random::new(6);
        for len in [1, 64, 65, 130] {
            // Each step gains on one side what it loses on the other, or changes nothing.
            for drawn in [&[0][..], &[1], &[-1], &[-1, 0, 1]] {
                let before: Vec<i64> = (0..len).map(|_| drawn[random.below(drawn.len())]).collect();
                let behind: Vec<i64> = before.iter().rev().copied().collect();
                let sum = before.iter().sum();
                let first = Midpoint {
                    steps: 0,
                    before: 0,
                    behind: sum,
                };
                assert_eq!(midpoint(&before, &behind, &mut random).best(), first);
            }
        }
    }
}
