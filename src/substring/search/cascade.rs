//! The order in which texts are visited, and when that ends.
//!
//! A visit of a text drops those of its windows whose keys are not in the bitmap that came before, and marks the keys of the others in
//! the next one. Where a window has to be in all texts, each visit hands its bitmap to the next text, round and round: behind the first
//! round a bitmap has what all texts share, and what is there by chance falls by the share of the bitmap that is marked, each time by
//! other hashes. Where it has to be in some of them, a round marks all texts, and levels of bitmaps count in how many a key is;
//! the next round tests against the top level.

/// Rounds of visits, and visits beyond them.
const ROUNDS: usize = 3;
const MORE_VISITS: usize = 2;
/// Rounds where levels are counted.
const LEVEL_ROUNDS: usize = 4;
/// A text's survivors that fall by less than this share have not fallen.
const LEAST_FALL: u64 = 8;

/// Which texts are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cascade {
    /// How many there are.
    pub texts: usize,
    /// In how many of them a window has to be.
    pub inputs: usize,
}

/// A visit of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Its number.
    pub number: usize,
    /// Which text.
    pub text: usize,
    /// Whether there is a bitmap to test against.
    pub tests: bool,
    /// Whether it is the text's first.
    pub first: bool,
    /// Whether the cascade can end behind it.
    pub ends_round: bool,
}

impl Cascade {
    /// Whether each visit hands its bitmap to the next one.
    pub fn is_chain(&self) -> bool {
        self.inputs == self.texts
    }

    /// All visits.
    pub fn visits(self) -> impl Iterator<Item = Visit> {
        let Self { texts, .. } = self;
        let chain = self.is_chain();
        let count = if chain {
            ROUNDS * texts + MORE_VISITS
        } else {
            LEVEL_ROUNDS * texts
        };
        (0..count).map(move |number| Visit {
            number,
            text: number % texts,
            tests: number >= if chain { 1 } else { texts },
            first: number < texts,
            ends_round: chain || number % texts == texts - 1,
        })
    }

    /// Which bitmap a visit marks: hashes differ from one to the next.
    pub fn marked(&self, visit: &Visit) -> usize {
        if self.is_chain() {
            visit.number
        } else {
            visit.number / self.texts
        }
    }
}

/// How many windows each text has left, and whether that still falls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settling {
    /// Survivors of each text.
    pub left: Vec<u64>,
    /// Visits in a row after which as many were left as before, nearly.
    unfallen: usize,
}

impl Settling {
    /// Before the first visit.
    pub(crate) fn of(windows: Vec<u64>) -> Self {
        Self {
            left: windows,
            unfallen: 0,
        }
    }

    /// Takes what a visit has left; whether further visits are of no use.
    pub(crate) fn take(&mut self, visit: &Visit, left: u64) -> bool {
        let before = std::mem::replace(&mut self.left[visit.text], left);
        if visit.tests {
            let fell = left < before && (before - left).saturating_mul(LEAST_FALL) >= before;
            self.unfallen = if fell { 0 } else { self.unfallen + 1 };
        }
        visit.ends_round && self.unfallen >= self.left.len()
    }
}

/// Bits of a bitmap for texts of at most so many windows, as a power of two: a quarter of them or less is marked.
pub(crate) fn bitmap_log2(windows: usize, forced: Option<u32>) -> u32 {
    let fitting = (windows as u64)
        .saturating_mul(4)
        .next_power_of_two()
        .trailing_zeros();
    forced.unwrap_or(fitting).clamp(LEAST_LOG2, MOST_LOG2)
}

/// Bits of the smallest and the largest bitmap, as powers of two: places in it are 32-bit numbers.
const LEAST_LOG2: u32 = 10;
const MOST_LOG2: u32 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cascade_ends_once_no_text_of_a_round_loses_windows() {
        let visits: Vec<_> = Cascade {
            texts: 2,
            inputs: 2,
        }
        .visits()
        .collect();
        let mut settling = Settling::of(vec![100, 100]);
        let counts = [100, 100, 50, 50, 45, 44, 44, 44];
        let ended = visits
            .iter()
            .zip(counts)
            .map(|(visit, count)| settling.take(visit, count))
            .collect::<Vec<_>>();
        assert_eq!(ended, [false, false, false, false, false, true, true, true]);
        // Nothing is left, and nothing can be lost.
        let mut settling = Settling::of(vec![0, 0]);
        assert!(visits.iter().any(|visit| settling.take(visit, 0)));
    }

    #[test]
    fn levels_end_behind_whole_rounds_alone() {
        let visits: Vec<_> = Cascade {
            texts: 3,
            inputs: 2,
        }
        .visits()
        .collect();
        assert!(visits[..3].iter().all(|visit| !visit.tests && visit.first) && visits[3].tests);
        let mut settling = Settling::of(vec![9; 3]);
        let ended = visits.iter().position(|visit| settling.take(visit, 9));
        assert_eq!(ended, Some(5));
    }
}
