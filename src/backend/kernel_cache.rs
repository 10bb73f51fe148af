//! Cache of compiled kernels; each is built once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::host::lock;
use crate::host::parallel::try_map;
use crate::host::threads::join;
use crate::kernels::{Kernel, readback};
use crate::plan::Plan;

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
        build: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let slot = lock(&self.0).entry(kernel.clone()).or_default().clone();
        let mut slot = lock(&slot);
        match &*slot {
            Some(built) => Ok(built.clone()),
            None => Ok(slot.insert(build()?).clone()),
        }
    }
}

/// Builds in parallel the kernels of a plan, the stamp for later submissions, and the gather if the
/// plan needs it.
pub(super) fn build_kernels<P: Send>(
    plan: &Plan,
    build: impl Fn(&Kernel) -> Result<P> + Sync,
) -> Result<(Vec<P>, Option<P>)> {
    let of_plan = || try_map(plan.kernels.len(), |kernel| build(&plan.kernels[kernel]));
    let gather = || {
        let gathers = plan.scattered_reads;
        gathers.then(|| build(&readback::gather())).transpose()
    };
    let (pipelines, (stamp, gather)) = join(of_plan, || join(|| build(&readback::stamp()), gather));
    stamp?;
    Ok((pipelines?, gather?))
}

/// The error for a kernel that a device refuses to build.
pub(super) fn refused_kernel(device: &str, kernel: &Kernel, reason: &str) -> Error {
    if kernel.needs_checks() {
        let user = kernel.user_shaders.first();
        return Error::InvalidShader {
            name: user.map_or(kernel.stem, |user| user.stem),
            reason: reason.to_string(),
        };
    }
    Error::DeviceUnavailable {
        device: device.to_string(),
        reason: format!("kernel {} was refused: {reason}", kernel.label()),
    }
}
