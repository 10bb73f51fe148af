//! Thread that polls the events in flight on a device, so that no call blocks on them.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::driver::{Context, Event, Result};
use crate::host::lock;

type Callback = Box<dyn FnOnce(Result<()>) + Send>;

struct AwaitedEvent {
    event: Arc<Event>,
    then: Callback,
}

#[derive(Debug)]
pub(super) struct Waiter {
    sender: Mutex<Option<Sender<AwaitedEvent>>>,
    thread: Option<JoinHandle<()>>,
}

/// Time of polling without pause after a request or a completion.
const ALERT: Duration = Duration::from_micros(300);
/// The pause between later polls: the time since then divided by this, within these bounds.
const PAUSE_SHARE: u32 = 200;
const POLL_PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));

impl Waiter {
    pub(super) fn new(context: Arc<Context>) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let watch = move || watch(&context, &receiver);
        let thread = std::thread::Builder::new()
            .name("swath device".to_string())
            .spawn(watch)?;
        Ok(Self {
            sender: Mutex::new(Some(sender)),
            thread: Some(thread),
        })
    }

    /// Calls `then` on the thread when the event has completed.
    pub(super) fn wait_for(
        &self,
        event: Arc<Event>,
        then: impl FnOnce(Result<()>) + Send + 'static,
    ) {
        if let Some(sender) = &*lock(&self.sender) {
            // The thread has ended: wait here.
            if let Err(SendError(AwaitedEvent { event, then })) = sender.send(AwaitedEvent {
                event,
                then: Box::new(then),
            }) {
                then(event.wait());
            }
        }
    }
}

/// Polls the events of all streams in turn until no sender is left.
fn watch(context: &Context, requests: &Receiver<AwaitedEvent>) {
    // If this fails, each poll reports it.
    let _entered = context.enter();
    let mut waiting: Vec<AwaitedEvent> = Vec::new();
    let mut since = Instant::now();
    loop {
        let waited = since.elapsed();
        let pause = (waited / PAUSE_SHARE).clamp(POLL_PAUSES.0, POLL_PAUSES.1);
        let next = match (waiting.is_empty(), waited < ALERT) {
            (true, _) => requests.recv().map_err(|_| TryRecvError::Disconnected),
            (false, true) => requests.try_recv(),
            (false, false) => requests.recv_timeout(pause).map_err(|error| match error {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            }),
        };
        let before = waiting.len();
        match next {
            Ok(new) => waiting.push(new),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) if waiting.is_empty() => return,
            Err(TryRecvError::Disconnected) => std::thread::sleep(pause),
        }
        let inspected = waiting.len();
        let mut index = 0;
        while index < waiting.len() {
            match waiting[index].event.is_complete() {
                Ok(false) => index += 1,
                Ok(true) => (waiting.remove(index).then)(Ok(())),
                Err(failure) => (waiting.remove(index).then)(Err(failure)),
            }
        }
        if inspected > before || waiting.len() < inspected {
            since = Instant::now();
        } else {
            std::thread::yield_now();
        }
    }
}

impl Drop for Waiter {
    /// Joins the thread before the context is destroyed.
    fn drop(&mut self) {
        *lock(&self.sender) = None;
        if let Some(thread) = self
            .thread
            .take()
            .filter(|thread| thread.thread().id() != std::thread::current().id())
        {
            let _ = thread.join();
        }
    }
}
