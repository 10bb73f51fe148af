//! Results of submissions that are on their way to the host.

use std::sync::{Mutex, MutexGuard};

use futures_channel::oneshot;

use super::clock::{BusyTime, Clock};
use crate::host::{Instant, lock};

/// The waiter of a submission; `None` once delivered or abandoned.
pub(super) struct PendingReadback(pub Mutex<Option<AwaitedReadback>>);

/// Channel to the receiver of a submission's words, and their staging buffer.
pub(super) struct AwaitedReadback {
    pub sender: oneshot::Sender<(wgpu::Buffer, BusyTime)>,
    pub staging: wgpu::Buffer,
    pub submitted: Instant,
    pub clock: Clock,
}

impl PendingReadback {
    fn awaited(&self) -> MutexGuard<'_, Option<AwaitedReadback>> {
        lock(&self.0)
    }

    pub(super) fn deliver(&self) {
        let awaited = self.awaited().take();
        let Some(AwaitedReadback {
            sender,
            staging,
            submitted,
            clock,
        }) = awaited
        else {
            return;
        };
        // The receiver is gone if the caller gave up.
        let _ = sender.send((staging, clock.busy_time(submitted)));
    }

    /// True if the result has come, even if another thread has taken the callback and is busy with
    /// others, or has dropped it.
    pub(super) fn is_ready(&self) -> bool {
        let buffer = self
            .awaited()
            .as_ref()
            .map(|awaited| awaited.staging.clone());
        let Some(buffer) = buffer else { return true };
        let is_mapped = buffer.get_mapped_range(..4).is_ok();
        if is_mapped {
            self.deliver();
        }
        is_mapped
    }

    /// Called if the result will not come.
    pub(super) fn give_up(&self) {
        let awaited = self.awaited().take();
        drop(awaited);
    }
}
