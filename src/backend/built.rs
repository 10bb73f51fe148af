//! What a device has built of its kernels, each once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::kernels::Kernel;

/// What a device runs, by the kernels that it was built of.
#[derive(Debug)]
pub(super) struct Built<T>(Mutex<HashMap<Kernel, Place<T>>>);

type Place<T> = Arc<Mutex<Option<T>>>;

impl<T> Default for Built<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Built<T> {
    /// What the kernel was built to. Several threads build several kernels at once; only who wants the same one waits for it.
    ///
    /// # Errors
    /// What `build` returns; the next one tries again.
    pub(super) fn get<E>(
        &self,
        kernel: &Kernel,
        build: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let place = lock(&self.0).entry(kernel.clone()).or_default().clone();
        let mut place = lock(&place);
        match &*place {
            Some(built) => Ok(built.clone()),
            None => Ok(place.insert(build()?).clone()),
        }
    }
}

/// What was being built when a thread panicked is not there yet.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
