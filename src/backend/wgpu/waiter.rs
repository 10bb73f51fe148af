//! A thread that polls the device while somebody waits for it, so that callbacks come without the caller's help.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use wgpu::{Device, PollError, PollType, SubmissionIndex};

use super::Owner;

/// What is to be done where the callbacks of a submission will not come.
type GiveUp = Box<dyn FnOnce() + Send>;

pub(super) struct Waiter {
    sender: Mutex<Option<Sender<(SubmissionIndex, GiveUp)>>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiter {
    pub fn new(device: Device, owner: Owner) -> Self {
        let (sender, receiver) = channel::<(SubmissionIndex, GiveUp)>();
        let thread = std::thread::spawn(move || {
            while let Ok((index, give_up)) = receiver.recv() {
                if !finished(&device, &index, owner) {
                    give_up();
                }
            }
        });
        Self { sender: Mutex::new(Some(sender)), thread: Some(thread) }
    }

    /// Has callbacks of work up to `index` delivered from the thread.
    pub fn wait_for(&self, index: SubmissionIndex, give_up: impl FnOnce() + Send + 'static) {
        if let Some(sender) = &*self.sender.lock().unwrap_or_else(PoisonError::into_inner)
            && let Err(unsent) = sender.send((index, Box::new(give_up)))
        {
            // The thread has ended.
            let (_, give_up) = unsent.0;
            give_up();
        }
    }
}

/// The driver's longest wait on a device of our own.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Time between two looks at a host's device: the first, and the longest.
const LOOKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(1));

/// Looks that may panic before the device counts as lost.
const MOST_PANICS: u32 = 8;

/// Waits for a submission, and delivers the callbacks of what is done; false where the device has lost it.
///
/// While wgpu waits it holds a lock that some of a host's calls need, so on a host's device it only looks, and this thread sleeps
/// between two looks.
fn finished(device: &Device, index: &SubmissionIndex, owner: Owner) -> bool {
    let timeout = Some(if owner == Owner::Host { Duration::ZERO } else { LONGEST_WAIT });
    let (mut pause, mut panics) = (LOOKS.0, 0);
    let wait = || device.poll(PollType::Wait { submission_index: Some(index.clone()), timeout });
    loop {
        // wgpu panics where the driver says that the device is lost, and now and then where another thread submits meanwhile.
        match catch_unwind(AssertUnwindSafe(wait)) {
            Ok(Ok(_)) => return true,
            Ok(Err(PollError::Timeout)) if owner == Owner::Host => {
                std::thread::sleep(pause);
                pause = (pause * 3 / 2).min(LOOKS.1);
            }
            Ok(Err(PollError::Timeout)) => {}
            Err(_) if panics < MOST_PANICS => {
                panics += 1;
                std::thread::sleep(LOOKS.1);
            }
            Ok(Err(_)) | Err(_) => return false,
        }
    }
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
