//! Values that calls derive from an input, kept with it for later calls.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex};

use super::lock;
use crate::error::Result;

/// At most one value of each type.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Kept {
    /// The value of a type, which the first call makes. Of two at once both make it, and one is kept.
    pub(crate) fn get_or_make<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        // Without the lock, as a thread of the pool that waits for it could have this work.
        self.find().unwrap_or_else(|| self.keep(make()))
    }

    /// As [`get_or_make`](Self::get_or_make).
    pub(crate) fn get_or_try_make<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        self.find().map_or_else(|| Ok(self.keep(make()?)), Ok)
    }

    fn find<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let all = lock(&self.0);
        all.iter().find_map(|value| value.clone().downcast().ok())
    }

    fn keep<T: Any + Send + Sync>(&self, made: T) -> Arc<T> {
        self.find().unwrap_or_else(|| {
            let made = Arc::new(made);
            lock(&self.0).push(made.clone());
            made
        })
    }
}
