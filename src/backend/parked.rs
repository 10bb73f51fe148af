//! Sessions that are parked on a device.

use std::sync::{Mutex, Weak};

use crate::host::lock;

pub(crate) trait Parked: Send + Sync {
    /// Frees its memory; false if there is none.
    fn free(&self) -> bool;
}

/// All parked sessions of a device.
#[derive(Debug, Default)]
pub(crate) struct ParkedSessions(pub Mutex<Vec<Weak<dyn Parked>>>);

impl ParkedSessions {
    /// Frees all of them; false if there are none.
    pub(crate) fn free(&self) -> bool {
        let all: Vec<_> = lock(&self.0).drain(..).collect();
        let sessions = all.iter().filter_map(Weak::upgrade);
        sessions.filter(|session| session.free()).count() > 0
    }
}
