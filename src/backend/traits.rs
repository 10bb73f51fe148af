//! What differs from one interface to the next: a device, and its side of a session.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::capabilities::Capabilities;
use super::interface::Interface;
use super::memory::Account;
use super::parts::{Fed, Source};
use super::rates::Rates;
use super::slices::Workload;
use crate::error::Result;
use crate::plan::{BufferId, Pass, Plan};

/// A result that arrives later.
pub type Pending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// A device and the interface to it.
pub trait Backend: Send + Sync + std::fmt::Debug {
    /// The device's name.
    fn name(&self) -> &str;

    /// What drives it; `None` where that is nothing that devices are listed of.
    fn interface(&self) -> Option<Interface> {
        None
    }

    /// What tells it from other devices, as [`Listed::described`](super::Listed::described) does.
    fn described(&self) -> Option<String> {
        None
    }

    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// Whether the device was lost: nothing runs on it any more.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether it can be opened again once it was lost. A host application's device cannot.
    fn opens_again(&self) -> bool {
        true
    }

    /// Loses the device, as a crash of its driver would.
    #[cfg(test)]
    fn lose(&self) {}

    /// What all sessions on the device share.
    fn shared(&self) -> &Arc<Shared>;

    /// Opens the device's side of a session, which holds nothing yet.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable), and [`Error::DeviceLost`](crate::Error::DeviceLost) where it
    /// is lost already.
    fn open_session(&self) -> Result<Box<dyn DeviceSession>>;
}

/// The device's side of a session: one queue, on which everything comes in order, and the buffers of one plan at a time.
pub trait DeviceSession: Send {
    /// Gives back all buffers but these, in ascending order, which stay for the plan that is loaded next.
    fn retain(&mut self, kept: &[BufferId]);

    /// Makes `plan` the one that passes and spans are of: builds its kernels, allocates its buffers and fills them, in tasks for
    /// all threads. `kept` has for each buffer the one of the plan before that it takes over as it is, if any. The bytes of the
    /// plan are this session's on the account already; what is taken beside them is kept within `limit_bytes`.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`](crate::Error::DeviceMemory) and [`Error::HostMemory`](crate::Error::HostMemory) where the driver has no more
    /// memory.
    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()>;

    /// Where the device takes what a source writes part by part; else it takes whole words alone.
    fn in_parts(&mut self) -> Option<&mut dyn InParts> {
        None
    }

    /// Starts passes of the plan as one submission, which leaves the stamp behind the last of them, and copies words of buffers
    /// to the host, in order.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost), and those of [`load`](Self::load).
    fn submit(&mut self, passes: &[Pass], stamp: Stamp, spans: &[Span]) -> Result<Pending<Done>>;
}

/// A device that takes uploads in parts.
pub trait InParts {
    /// Whether buffers may be filled behind passes that do not use them, too, while those run.
    fn fills_behind_passes(&self) -> bool {
        true
    }

    /// Fills buffers of the plan that is loaded with what a source writes: in tasks for all threads.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost), and [`Error::HostMemory`](crate::Error::HostMemory) where the driver has no more
    /// memory.
    fn fill(&mut self, buffers: &[Fed], source: &dyn Source) -> Result<()>;
}

/// What all sessions on one device share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Its memory.
    pub memory: Account,
    stamps: AtomicU32,
    pub(super) rates: Rates,
}

impl Shared {
    /// A stamp that no submission on this device has left before, so that what an earlier one has left somewhere is never taken
    /// for it.
    pub(super) fn next_stamp(&self) -> u32 {
        self.stamps.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Cells a second of each workload whose slices were long enough to tell, in any order.
    pub fn rates(&self) -> Vec<(Workload, f64)> {
        self.rates.known()
    }
}

/// A number that a submission leaves on the device where every one before it has left its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The number.
    pub value: u32,
    /// The number that must lie there, but for the first of a row of submissions.
    pub after: Option<u32>,
}

/// What a submission has left.
pub struct Done {
    /// The stamp that lay on the device.
    pub stamp: u32,
    /// How long the device was busy with it: with its passes by the device's clock, or where that is not asked, from when it was
    /// submitted, or the device done with what came before, until the host saw its end.
    pub busy: Duration,
    /// The words that were asked for.
    pub words: Box<dyn Words>,
}

/// Words on the host, where the device's driver has put them.
pub trait Words: Send {
    /// All of them.
    fn words(&self) -> &[u32];
}

impl Words for Vec<u32> {
    fn words(&self) -> &[u32] {
        self
    }
}

/// Most spans of one read that a kernel brings together on the device; more are copied one by one, which takes microseconds each.
pub const MOST_GATHERED_SPANS: usize = 4096;

/// A run of words of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which buffer of the plan.
    pub buffer: BufferId,
    /// First word.
    pub first: u64,
    /// Number of words.
    pub words: u64,
}
