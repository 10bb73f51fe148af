//! Cache of compiled kernels; each is built once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::host::lock;
use crate::kernels::Kernel;

/// Compiled kernels by description.
#[derive(Debug)]
pub(super) struct KernelCache<T>(Mutex<HashMap<Kernel, Slot<T>>>);

type Slot<T> = Arc<Mutex<Option<T>>>;

impl<T> Default for KernelCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> KernelCache<T> {
    /// Returns the compiled kernel, building it if necessary. Different kernels build in parallel;
    /// only requests for one kernel wait for each other.
    ///
    /// # Errors
    /// The error of `build`; the next request retries.
    pub(super) fn get<E>(
        &self,
        kernel: &Kernel,
        build: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let slot = lock(&self.0).entry(kernel.clone()).or_default().clone();
        let mut slot = lock(&slot);
        match &*slot {
            Some(built) => Ok(built.clone()),
            None => Ok(slot.insert(build()?).clone()),
        }
    }
}
