//! Frame times during a computation on the same device, including the frame that draws the answer.

use std::fmt::{Display, Formatter, Result};
use std::time::{Duration, Instant};

/// Statistics of frame intervals.
#[derive(Debug, Default)]
pub struct FrameTimes {
    last: Option<Instant>,
    times: Vec<Duration>,
}

impl FrameTimes {
    /// Marks the start of a frame.
    pub fn tick(&mut self) {
        let now = Instant::now();
        self.times
            .extend(self.last.replace(now).map(|last| now - last));
    }
}

impl Display for FrameTimes {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let milliseconds =
            |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let (median, longest) = (
            milliseconds(sorted.get(sorted.len() / 2)),
            milliseconds(sorted.last()),
        );
        write!(
            formatter,
            "{} frames while computing, median {median:.1} ms, longest {longest:.1} ms",
            sorted.len()
        )
    }
}
