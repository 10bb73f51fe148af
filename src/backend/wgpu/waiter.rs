//! A thread that polls the device while somebody waits for it, so that callbacks come without the caller's help.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use wgpu::{Device, PollError, PollType, SubmissionIndex};

use super::owner::Owner;

/// What callbacks of a submission bring.
pub(super) trait Awaited: Send + Sync {
    fn has_come(&self) -> bool;

    /// Called where it will not come.
    fn give_up(&self);
}

/// A submission, and what it brings.
type Watched = (SubmissionIndex, Arc<dyn Awaited>);

pub(super) struct Waiter {
    sender: Mutex<Option<Sender<Watched>>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiter {
    pub fn new(device: Device, owner: Owner) -> Self {
        let (sender, receiver) = channel::<Watched>();
        let thread = std::thread::spawn(move || {
            while let Ok((index, awaited)) = receiver.recv() {
                let delivered = match owner {
                    Owner::Swath => finished(&device, &index),
                    Owner::Host => came(&device, &*awaited),
                };
                if !delivered {
                    awaited.give_up();
                }
            }
        });
        Self { sender: Mutex::new(Some(sender)), thread: Some(thread) }
    }

    /// Has callbacks of work up to `index` delivered from the thread.
    pub fn wait_for(&self, index: SubmissionIndex, awaited: Arc<dyn Awaited>) {
        if let Some(sender) = &*self.sender.lock().unwrap_or_else(PoisonError::into_inner)
            && let Err(unsent) = sender.send((index, awaited))
        {
            // The thread has ended.
            unsent.0.1.give_up();
        }
    }
}

/// The driver's longest wait on a device of our own.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Time between two looks at a host's device: the first, and the longest.
const LOOKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(1));
/// Looks at a host's device with nothing left to do before callbacks that have not come count as lost: another thread
/// may have taken them and not called them yet.
const MOST_IDLE_LOOKS: u32 = 1000;
/// Polls that may panic before the device counts as lost: wgpu panics where the driver says that it is.
const MOST_PANICS: u32 = 8;

/// Waits for a submission, and delivers the callbacks of what is done; false where the device has lost it.
fn finished(device: &Device, index: &SubmissionIndex) -> bool {
    let wait = || device.poll(PollType::Wait { submission_index: Some(index.clone()), timeout: Some(LONGEST_WAIT) });
    for _ in 0..MOST_PANICS {
        loop {
            match catch_unwind(AssertUnwindSafe(wait)) {
                Ok(Ok(_)) => return true,
                Ok(Err(PollError::Timeout)) => {}
                Ok(Err(_)) => return false,
                Err(_) => break,
            }
        }
        std::thread::sleep(LOOKS.1);
    }
    false
}

/// Looks until callbacks have come; false where the device has lost them.
///
/// While wgpu waits it holds a lock that some of a host's calls need, so this thread sleeps between two looks. A wait of
/// no time would not do: where another thread submits meanwhile, wgpu-core 30 asserts that an empty queue has reached
/// the index, and the callbacks that it was to deliver are gone with the panic.
fn came(device: &Device, awaited: &dyn Awaited) -> bool {
    let (mut pause, mut panics, mut idle) = (LOOKS.0, 0, 0);
    while !awaited.has_come() {
        match catch_unwind(AssertUnwindSafe(|| device.poll(PollType::Poll))) {
            Ok(Ok(status)) if status.is_queue_empty() => idle += 1,
            Ok(Ok(_)) => idle = 0,
            Ok(Err(_)) => return false,
            Err(_) => panics += 1,
        }
        if panics == MOST_PANICS || idle == MOST_IDLE_LOOKS {
            return awaited.has_come();
        }
        if !awaited.has_come() {
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(LOOKS.1);
        }
    }
    true
}

impl Drop for Waiter {
    /// Ends the thread before the device goes: a driver that is unloaded under a running thread crashes the process.
    fn drop(&mut self) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Waiter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Waiter").finish_non_exhaustive()
    }
}
