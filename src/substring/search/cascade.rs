//! Order of the visits of a cascade, and its stopping rule.
//!
//! A visit of a text tests the keys of its windows against the previous bitmap, drops windows that
//! fail, and marks the keys of the others in the next bitmap. If windows must occur in all texts,
//! each visit passes its bitmap to the next text, round after round. After the first round a bitmap
//! holds what all texts share; chance survivors shrink with each visit by the fill ratio of the
//! bitmap, because every visit hashes differently. If windows must occur in some texts only, a
//! round marks all texts, bitmap levels count the texts per key, and the next round tests against
//! the top level.

/// Rounds of a chain, and additional visits.
const ROUNDS: usize = 3;
const EXTRA_VISITS: usize = 2;
/// Rounds with levels.
const LEVEL_ROUNDS: usize = 4;
/// A visit makes progress if it drops at least 1/`MIN_PROGRESS` of a text's survivors.
const MIN_PROGRESS: u64 = 8;

/// Numbers that determine the visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cascade {
    /// Number of texts.
    pub texts: usize,
    /// Minimum number of texts that contain a window.
    pub inputs: usize,
}

/// One pass over the windows of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Number in the cascade, from 0.
    pub number: usize,
    /// Index of the text.
    pub text: usize,
    /// Whether a bitmap is tested.
    pub tests: bool,
    /// Whether it is the first visit of the text.
    pub first: bool,
    /// Whether the cascade may stop after this visit.
    pub ends_round: bool,
}

impl Cascade {
    /// True if each visit passes its bitmap to the next one.
    pub fn is_chain(&self) -> bool {
        self.inputs == self.texts
    }

    /// Number of bitmaps that count the texts of a key.
    pub fn levels(&self) -> usize {
        if self.is_chain() { 0 } else { self.inputs }
    }

    pub fn visits(self) -> impl Iterator<Item = Visit> {
        let Self { texts, .. } = self;
        let chain = self.is_chain();
        let count = if chain {
            ROUNDS * texts + EXTRA_VISITS
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

    /// Index of the bitmap that a visit marks; each bitmap hashes differently.
    pub fn marked(&self, visit: &Visit) -> usize {
        if self.is_chain() {
            visit.number
        } else {
            visit.number / self.texts
        }
    }
}

/// Stopping rule: tracks the survivors of each text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Convergence {
    /// Survivors of each text.
    pub survivors: Vec<u64>,
    /// Consecutive visits without progress.
    stalled_visits: usize,
}

impl Convergence {
    pub(crate) fn of(windows: Vec<u64>) -> Self {
        Self {
            survivors: windows,
            stalled_visits: 0,
        }
    }

    /// Records the survivors of a visit; returns whether the cascade should stop.
    pub(crate) fn record(&mut self, visit: &Visit, survivors: u64) -> bool {
        let before = std::mem::replace(&mut self.survivors[visit.text], survivors);
        if visit.tests {
            let dropped = before.saturating_sub(survivors);
            let progress = dropped > 0 && dropped.saturating_mul(MIN_PROGRESS) >= before;
            self.stalled_visits = if progress { 0 } else { self.stalled_visits + 1 };
        }
        visit.ends_round && self.stalled_visits >= self.survivors.len()
    }
}

/// Size of a bitmap in bits, log2, for texts of at most `windows` windows: at most a quarter of the
/// bits is set.
pub(crate) fn bitmap_log2(windows: usize, forced: Option<u32>) -> u32 {
    let fitting = (windows as u64)
        .saturating_mul(4)
        .next_power_of_two()
        .trailing_zeros();
    forced.unwrap_or(fitting).clamp(MIN_LOG2, MAX_LOG2)
}

/// Smallest and largest bitmap in bits, log2; bit indices are 32-bit.
const MIN_LOG2: u32 = 10;
const MAX_LOG2: u32 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cascade_stops_after_a_round_without_progress() {
        let visits: Vec<_> = Cascade {
            texts: 2,
            inputs: 2,
        }
        .visits()
        .collect();
        let mut convergence = Convergence::of(vec![100, 100]);
        let counts = [100, 100, 50, 50, 45, 44, 44, 44];
        let ended = visits
            .iter()
            .zip(counts)
            .map(|(visit, count)| convergence.record(visit, count))
            .collect::<Vec<_>>();
        assert_eq!(ended, [false, false, false, false, false, true, true, true]);
        // Without survivors there is no progress.
        let mut convergence = Convergence::of(vec![0, 0]);
        assert!(visits.iter().any(|visit| convergence.record(visit, 0)));
    }

    #[test]
    fn cascade_with_levels_stops_after_whole_rounds_only() {
        let visits: Vec<_> = Cascade {
            texts: 3,
            inputs: 2,
        }
        .visits()
        .collect();
        assert!(visits[..3].iter().all(|visit| !visit.tests && visit.first) && visits[3].tests);
        let mut convergence = Convergence::of(vec![9; 3]);
        let ended = visits.iter().position(|visit| convergence.record(visit, 9));
        assert_eq!(ended, Some(5));
    }
}
