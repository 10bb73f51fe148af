//! Wall time of a call by phase.

use std::sync::Mutex;
use std::time::Duration;

use super::phase::Phase;
use crate::host::Instant;
use crate::host::lock;

/// Stopwatch that adds each lap to a phase.
#[derive(Debug)]
pub struct Phases(Mutex<Laps>);

#[derive(Debug)]
struct Laps {
    last: Instant,
    totals: Vec<(Phase, Duration)>,
}

impl Laps {
    fn add(&mut self, phase: Phase, elapsed: Duration) {
        match self.totals.iter_mut().find(|(known, _)| *known == phase) {
            Some((_, total)) => *total += elapsed,
            None => self.totals.push((phase, elapsed)),
        }
    }
}

impl Phases {
    /// Starts the first lap.
    pub fn start() -> Self {
        Self(Mutex::new(Laps {
            last: Instant::now(),
            totals: Vec::new(),
        }))
    }

    /// Adds the time since the last lap to `phase`.
    pub fn lap(&self, phase: Phase) {
        let mut laps = lock(&self.0);
        let now = Instant::now();
        let elapsed = now - laps.last;
        laps.last = now;
        laps.add(phase, elapsed);
    }

    /// Total of one phase.
    pub fn of(&self, phase: Phase) -> Duration {
        self.totals()
            .into_iter()
            .filter(|&(known, _)| known == phase)
            .map(|(_, elapsed)| elapsed)
            .sum()
    }

    /// Total of each phase, in order of their first lap.
    pub fn totals(&self) -> Vec<(Phase, Duration)> {
        lock(&self.0).totals.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_added_only_to_their_phase() {
        let phases = Phases::start();
        let later = |phase| {
            std::thread::sleep(Duration::from_millis(2));
            phases.lap(phase);
            phases.of(phase)
        };
        let first = later(Phase::Sweep);
        let other = later(Phase::Upload);
        assert!(
            later(Phase::Sweep) >= first + Duration::from_millis(2)
                && phases.of(Phase::Upload) == other
        );
        assert_eq!(phases.of(Phase::Plan), Duration::ZERO);
    }
}
