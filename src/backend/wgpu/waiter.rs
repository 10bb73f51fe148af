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
    /// Whether it is there, where another thread has taken the callback and is busy with others, or has dropped it with them, too.
    fn has_come(&self) -> bool;

    /// Called where it will not come.
    fn give_up(&self);
}

/// A submission, where it may be waited for, and what it brings.
type Watched = (Option<SubmissionIndex>, Arc<dyn Awaited>);

pub(super) struct Waiter {
    sender: Mutex<Option<Sender<Watched>>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiter {
    pub(super) fn new(device: Device, owner: Owner) -> Self {
        let polls = owner != Owner::Host { polls: true };
        let (sender, receiver) = channel::<Watched>();
        let poll = move || {
            while let Ok((index, awaited)) = receiver.recv() {
                let delivered = match &index {
                    Some(index) => finished(&device, index),
                    None => came(&device, polls, &*awaited),
                };
                if !delivered {
                    awaited.give_up();
                }
            }
        };
        // The application sees it where callbacks of its own are called from there.
        let thread = std::thread::Builder::new()
            .name("swath device".to_string())
            .spawn(poll)
            .ok();
        Self {
            sender: Mutex::new(thread.is_some().then_some(sender)),
            thread,
        }
    }

    /// Has callbacks of work up to `index` delivered from the thread; without one it looks for them.
    pub(super) fn wait_for(&self, index: Option<SubmissionIndex>, awaited: Arc<dyn Awaited>) {
        let sent = match &*self.sender.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(sender) => sender.send((index, awaited)).map_err(|unsent| unsent.0),
            None => Err((index, awaited)),
        };
        if let Err((_, awaited)) = sent {
            // There is no thread, or it has ended.
            awaited.give_up();
        }
    }
}

/// The driver's longest wait on a device of our own.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Time between two looks at a host's device: the first, and the longest.
const LOOKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(1));
/// Looks in a row at a host's device with nothing left to do before what has not come counts as lost: another thread may be about to
/// map it.
const MOST_IDLE_LOOKS: u32 = 1000;
/// Polls in a row that may panic before the device counts as lost: wgpu panics at every one where the driver says that it is. Panics
/// of a host's callbacks, which polls call, come with what the host has submitted.
const MOST_PANICS: u32 = 8;

/// Waits for a submission, and delivers the callbacks of what is done; false where the device has lost it.
fn finished(device: &Device, index: &SubmissionIndex) -> bool {
    let wait = || {
        device.poll(PollType::Wait {
            submission_index: Some(index.clone()),
            timeout: Some(LONGEST_WAIT),
        })
    };
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

/// Looks until what is awaited has come, and polls unless the host alone does; false where the device has lost it, which only polls
/// tell.
///
/// A poll calls callbacks of the host too, however long they take. Where one panics, the process's hook has reported that, and those
/// behind it are dropped, ours among them.
///
/// While wgpu waits it holds a lock that some of a host's calls need, so this thread sleeps between two looks. A wait of
/// no time would not do: where another thread submits meanwhile, wgpu-core 30 asserts that an empty queue has reached
/// the index, and the callbacks that it was to deliver are gone with the panic.
fn came(device: &Device, polls: bool, awaited: &dyn Awaited) -> bool {
    let (mut pause, mut panics, mut idle) = (LOOKS.0, 0, 0);
    while !awaited.has_come() {
        match polls.then(|| catch_unwind(AssertUnwindSafe(|| device.poll(PollType::Poll)))) {
            Some(Ok(Ok(status))) => {
                (panics, idle) = (0, if status.is_queue_empty() { idle + 1 } else { 0 })
            }
            Some(Ok(Err(_))) => return awaited.has_come(),
            Some(Err(_)) => panics += 1,
            None => {}
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
