//! Device memory that no call has, and that calls may take.

use std::sync::{Arc, Mutex, Weak};

use crate::host::lock;

/// Memory of an owner that is not a call.
pub(super) trait Parked: Send + Sync {
    /// Frees it; false if it is free already.
    fn free(&self) -> bool;
}

/// All such memory of a device.
#[derive(Default)]
pub(crate) struct ParkedMemory(Mutex<Vec<Weak<dyn Parked>>>);

impl std::fmt::Debug for ParkedMemory {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ParkedMemory")
            .finish_non_exhaustive()
    }
}

impl ParkedMemory {
    /// Adds what `park` returns. A call that frees all afterwards finds it.
    pub(super) fn add<P: Parked + 'static>(&self, park: impl FnOnce() -> Option<Arc<P>>) {
        let mut all = lock(&self.0);
        all.retain(|parked| parked.strong_count() > 0);
        if let Some(parked) = park() {
            let parked: Arc<dyn Parked> = parked;
            all.push(Arc::downgrade(&parked));
        }
    }

    /// Frees all of it; false if there is none.
    pub(crate) fn free(&self) -> bool {
        let all: Vec<_> = lock(&self.0).drain(..).collect();
        let freed = all
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|parked| parked.free());
        freed.count() > 0
    }
}
