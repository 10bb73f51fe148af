//! The traits of an interface: a device, and its side of a session.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::capabilities::Capabilities;
use super::interface::Interface;
use super::memory::Account;
use super::parked::ParkedSessions;
use super::slice_budget::Throughput;
use super::slices::Workload;
use super::streaming::{StreamedBuffer, UploadSource};
use crate::error::Result;
use crate::host::lock;
use crate::plan::{BufferId, Pass, Plan};

pub type Pending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

pub trait Backend: Send + Sync + std::fmt::Debug {
    fn name(&self) -> &str;

    /// The API, or `None` for test devices.
    fn interface(&self) -> Option<Interface> {
        None
    }

    /// Identity of the device across processes, as [`Listed::described`](super::Listed::described).
    fn described(&self) -> Option<String> {
        None
    }

    fn capabilities(&self) -> &Capabilities;

    /// True once the device was lost: nothing runs on it any more.
    fn is_lost(&self) -> bool {
        false
    }

    /// False for an application's device: it cannot be reopened after a loss.
    fn opens_again(&self) -> bool {
        true
    }

    /// Simulates the loss of the device by a driver crash.
    #[cfg(test)]
    fn lose(&self) {}

    fn shared(&self) -> &Arc<Shared>;

    /// Opens the device's side of a session. It holds no buffers yet.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable), and
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) if the device is lost already.
    fn open_session(&self) -> Result<Box<dyn DeviceSession>>;
}

/// The device's side of a session: one in-order queue, and the buffers of one plan at a time.
pub trait DeviceSession: Send {
    /// Frees all buffers except `kept` (sorted), which the next plan reuses.
    fn retain(&mut self, kept: &[BufferId]);

    /// Loads `plan`: builds its kernels, allocates its buffers and fills them, in parallel.
    /// `kept[i]` is the buffer of the previous plan that buffer `i` takes over unchanged, if any.
    /// The bytes of the plan are already reserved for this session; scratch buffers stay within
    /// `limit_bytes`.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`](crate::Error::DeviceMemory) and
    /// [`Error::HostMemory`](crate::Error::HostMemory) if the driver is out of memory.
    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()>;

    /// True if buffers may be filled while passes run that do not use them.
    fn fills_behind_passes(&self) -> bool {
        true
    }

    /// Fills streamed buffers of the loaded plan from `source`, in parallel.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost), and
    /// [`Error::HostMemory`](crate::Error::HostMemory) if the driver is out of memory.
    fn fill(&mut self, buffers: &[StreamedBuffer], source: &dyn UploadSource) -> Result<()>;

    /// Submits passes of the plan, then the stamp, then copies of `spans` to the host, in order.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost), and the errors of [`load`](Self::load).
    fn submit(
        &mut self,
        passes: &[Pass],
        stamp: FenceValue,
        spans: &[Span],
    ) -> Result<Pending<Completion>>;
}

/// State shared by all sessions on one device.
#[derive(Debug, Default)]
pub struct Shared {
    pub memory: Account,
    pub(crate) parked: ParkedSessions,
    stamps: AtomicU32,
    /// Measured throughput of kernels, kept between calls.
    pub(super) rates: Mutex<HashMap<Workload, Throughput>>,
}

impl Shared {
    /// Returns a stamp that no earlier submission on this device has used, so that a stale one is
    /// never mistaken for it.
    pub(super) fn next_stamp(&self) -> u32 {
        self.stamps.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Measured throughput by workload in cells per second, in any order. Workloads whose slices
    /// were all too short to time are missing.
    pub fn rates(&self) -> Vec<(Workload, f64)> {
        let rates = lock(&self.rates);
        let expected = rates
            .iter()
            .map(|(workload, rate)| (workload.clone(), rate.expected));
        expected.collect()
    }
}

/// Stamp of a submission: the value that it writes to a word on the device if the previous
/// submission has written its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FenceValue {
    pub value: u32,
    /// The value that must be there before; `None` for the first of a chain of submissions.
    pub after: Option<u32>,
}

pub struct Completion {
    pub stamp: u32,
    /// Time that the device was busy with the submission. By the device's clock this is the time of
    /// its passes. Otherwise it runs from the submission, or from the end of the previous one if
    /// that is later, until the host saw the end.
    pub busy: Duration,
    pub words: Box<dyn Words>,
}

/// Words on the host, in memory owned by the driver.
pub trait Words: Send {
    fn words(&self) -> &[u32];
}

impl Words for Vec<u32> {
    fn words(&self) -> &[u32] {
        self
    }
}

/// Maximum spans of one read that the gather kernel takes. More are copied one by one, at
/// microseconds each.
pub const MAX_GATHERED_SPANS: usize = 4096;

/// A contiguous range of words of one buffer of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub buffer: BufferId,
    pub first: u64,
    pub words: u64,
}
