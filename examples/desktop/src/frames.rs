//! How long frames take while something is computed on the same device, that which draws the answer among them.

use std::fmt::{Display, Formatter, Result};
use std::time::{Duration, Instant};

/// Times from one frame to the next.
#[derive(Debug, Default)]
pub struct FrameTimes {
    last: Option<Instant>,
    times: Vec<Duration>,
}

impl FrameTimes {
    /// A frame begins.
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
