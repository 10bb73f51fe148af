//! Thread that polls the device while a submission is awaited, so that callbacks run without the
//! caller's help.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use wgpu::{Device, PollError, PollType, SubmissionIndex};

use super::owner::Owner;
use super::readback::PendingReadback;
use crate::host::lock;

/// Index of a submission, if the driver may be asked to wait for it, and its result.
type AwaitedSubmission = (Option<SubmissionIndex>, Arc<PendingReadback>);

pub(super) struct Waiter {
    sender: Mutex<Option<Sender<AwaitedSubmission>>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiter {
    pub(super) fn new(device: Device, owner: Owner) -> Self {
        let polls = owner != Owner::Host { polls: true };
        let (sender, receiver) = channel::<AwaitedSubmission>();
        let poll = move || {
            while let Ok((index, awaited)) = receiver.recv() {
                let delivered = match &index {
                    Some(index) => wait_in_driver(&device, index),
                    None => wait_by_polling(&device, polls, &awaited),
                };
                if !delivered {
                    awaited.give_up();
                }
            }
        };
        // Named because the application's callbacks may run on it.
        let thread = std::thread::Builder::new()
            .name("swath device".to_string())
            .spawn(poll)
            .ok();
        Self {
            sender: Mutex::new(thread.is_some().then_some(sender)),
            thread,
        }
    }

    /// Delivers the callbacks of work up to `index` on the thread; without an index the thread
    /// polls.
    pub(super) fn wait_for(&self, index: Option<SubmissionIndex>, awaited: Arc<PendingReadback>) {
        // A browser calls back by itself.
        if cfg!(target_family = "wasm") {
            return;
        }
        let sent = match &*lock(&self.sender) {
            Some(sender) => sender.send((index, awaited)).map_err(|unsent| unsent.0),
            None => Err((index, awaited)),
        };
        if let Err((_, awaited)) = sent {
            // There is no thread, or it has ended.
            awaited.give_up();
        }
    }
}

/// Timeout of one wait in the driver, on our own device.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Initial and maximum time between two polls of an application's device.
const POLL_PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(1));
/// Polls in a row that find the queue empty before a missing result counts as lost: another thread
/// may be about to map it.
const MAX_IDLE_POLLS: u32 = 1000;
/// Polls in a row that may panic before the device counts as lost: wgpu panics at every poll of a
/// device that its driver reports as lost. Panics of an application's callbacks, which polls run,
/// are as few as its submissions.
const MAX_PANICS: u32 = 8;

/// Waits for a submission and delivers the callbacks of completed work; false if the device was
/// lost.
fn wait_in_driver(device: &Device, index: &SubmissionIndex) -> bool {
    let wait = || {
        device.poll(PollType::Wait {
            submission_index: Some(index.clone()),
            timeout: Some(MAX_WAIT),
        })
    };
    for _ in 0..MAX_PANICS {
        loop {
            match catch_unwind(AssertUnwindSafe(wait)) {
                Ok(Ok(_)) => return true,
                Ok(Err(PollError::Timeout)) => {}
                Ok(Err(_)) => return false,
                Err(_) => break,
            }
        }
        std::thread::sleep(POLL_PAUSES.1);
    }
    false
}

/// Waits until the result has come, polling unless only the application does. Returns false if the
/// device was lost, which only polls detect.
///
/// A poll also runs the application's callbacks, however long they take. The panic hook has
/// reported a panic of one of them, and wgpu drops the callbacks behind it, ours included.
///
/// While wgpu waits it holds a lock that some of the application's calls need, so this thread
/// sleeps between two polls. A wait with a timeout of zero would not do: if another thread submits
/// meanwhile, wgpu-core 30 asserts that an empty queue has reached the index, and the panic loses
/// the callbacks it was to deliver.
fn wait_by_polling(device: &Device, polls: bool, awaited: &PendingReadback) -> bool {
    let (mut pause, mut panics, mut idle) = (POLL_PAUSES.0, 0, 0);
    while !awaited.is_ready() {
        match polls.then(|| catch_unwind(AssertUnwindSafe(|| device.poll(PollType::Poll)))) {
            Some(Ok(Ok(status))) => {
                (panics, idle) = (0, if status.is_queue_empty() { idle + 1 } else { 0 })
            }
            Some(Ok(Err(_))) => return awaited.is_ready(),
            Some(Err(_)) => panics += 1,
            None => {}
        }
        if panics == MAX_PANICS || idle == MAX_IDLE_POLLS {
            return awaited.is_ready();
        }
        if !awaited.is_ready() {
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(POLL_PAUSES.1);
        }
    }
    true
}

impl Drop for Waiter {
    /// Joins the thread before the device is dropped: a driver that is unloaded under a running
    /// thread crashes the process.
    fn drop(&mut self) {
        *lock(&self.sender) = None;
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
