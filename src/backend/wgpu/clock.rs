//! Busy times of a device, as the host sees them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::host::{Instant, lock};

/// End of the last completed submission, as the host saw it.
#[derive(Clone, Debug)]
pub(super) struct Clock(pub Arc<Mutex<Instant>>);

/// Times of a submission that has just completed, as the host sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct BusyTime {
    pub elapsed: Duration,
    /// Time since the submission, or since the end of the previous one if that is later.
    pub busy: Duration,
}

impl Clock {
    pub(super) fn busy_time(&self, submitted: Instant) -> BusyTime {
        let mut idle_since = lock(&self.0);
        let (began, now) = (submitted.max(*idle_since), Instant::now());
        *idle_since = now;
        BusyTime {
            elapsed: now.saturating_duration_since(submitted),
            busy: now.saturating_duration_since(began),
        }
    }
}
