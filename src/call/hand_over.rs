//! Values that a call passes to its caller while it runs.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Poll, Waker};

use crate::error::Result;
use crate::host::lock;

/// Slot between a running future, which [passes](Self::pass) values on, and a consumer on the thread
/// that [drives](Self::drive) the future.
///
/// The consumer runs between polls, never inside one: it may block, on a channel, a lock or an
/// interpreter, while the device completes, and no wake-up is lost.
#[derive(Debug)]
pub(crate) struct HandOver<T>(Mutex<Slot<T>>);

#[derive(Debug)]
enum Slot<T> {
    Empty,
    /// Value for the consumer, and the waker of its future.
    Full(T, Waker),
    /// The consumer has the value.
    Taken(Waker),
    /// Consumed value, which goes back to its future.
    Consumed(T, ControlFlow<()>),
}

enum Step<T, R> {
    Done(R),
    Consume(T),
}

impl<T> Default for HandOver<T> {
    fn default() -> Self {
        Self(Mutex::new(Slot::Empty))
    }
}

impl<T> HandOver<T> {
    /// Passes a value to the consumer. Returns it, so that its memory can be used again, and whether
    /// the consumer takes more. One value at a time.
    pub(crate) async fn pass(&self, value: T) -> (T, ControlFlow<()>) {
        let mut value = Some(value);
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut slot = lock(&self.0);
            if let Some(value) = value.take() {
                *slot = Slot::Full(value, waker);
                return Poll::Pending;
            }
            match std::mem::replace(&mut *slot, Slot::Empty) {
                Slot::Consumed(value, flow) => return Poll::Ready((value, flow)),
                Slot::Full(value, _) => *slot = Slot::Full(value, waker),
                Slot::Empty | Slot::Taken(_) => *slot = Slot::Taken(waker),
            }
            Poll::Pending
        })
        .await
    }

    /// Result of `future`; `consume` takes the values that it passes on, between its polls.
    ///
    /// # Errors
    /// The first error of `consume`, which ends the call, or that of the future.
    pub(crate) async fn drive<R>(
        &self,
        future: impl Future<Output = Result<R>>,
        mut consume: impl FnMut(&mut T) -> Result<ControlFlow<()>>,
    ) -> Result<R> {
        let mut future = pin!(future);
        loop {
            let step = poll_fn(|context| match future.as_mut().poll(context) {
                Poll::Ready(done) => Poll::Ready(Step::Done(done)),
                Poll::Pending => self.take().map_or(Poll::Pending, Poll::Ready),
            });
            match step.await {
                Step::Done(done) => return done,
                Step::Consume(mut value) => {
                    let flow = consume(&mut value)?;
                    self.give_back(value, flow);
                }
            }
        }
    }

    fn take<R>(&self) -> Option<Step<T, R>> {
        let mut slot = lock(&self.0);
        match std::mem::replace(&mut *slot, Slot::Empty) {
            Slot::Full(value, waker) => {
                *slot = Slot::Taken(waker);
                Some(Step::Consume(value))
            }
            other => {
                *slot = other;
                None
            }
        }
    }

    fn give_back(&self, value: T, flow: ControlFlow<()>) {
        let slot = std::mem::replace(&mut *lock(&self.0), Slot::Consumed(value, flow));
        if let Slot::Taken(waker) = slot {
            waker.wake();
        }
    }
}

/// Result of a future that never waits, such as a call on the CPU or wgpu's error scopes outside a
/// browser.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(found) => found,
        Poll::Pending => unreachable!("a future that never waits is pending"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};
    use std::thread;
    use std::time::Duration;

    use futures_channel::oneshot;

    use super::*;
    use crate::error::Error;

    /// Starts a device: each submission completes on the device's thread after `delay`.
    fn device(delay: Duration) -> impl Fn(u32) -> oneshot::Receiver<u32> {
        let (submit, submitted) = channel::<(u32, oneshot::Sender<u32>)>();
        thread::spawn(move || {
            for (value, done) in submitted {
                thread::sleep(delay);
                let _ = done.send(value);
            }
        });
        move |value| {
            let (done, pending) = oneshot::channel();
            submit.send((value, done)).expect("the device runs");
            pending
        }
    }

    /// Reads the values of `rounds` submissions, of which the next one runs while one is passed on.
    async fn passes_on(
        blocks: &HandOver<u32>,
        submit: impl Fn(u32) -> oneshot::Receiver<u32>,
        rounds: u32,
    ) -> Result<u32> {
        let mut pending = submit(0);
        for round in 1..=rounds {
            let value = pending.await.expect("it completes");
            pending = submit(round);
            let (value, flow) = blocks.pass(value).await;
            assert_eq!(value, round - 1, "the value comes back");
            if flow.is_break() {
                return Ok(round);
            }
        }
        Ok(rounds)
    }

    #[test]
    fn device_that_completes_while_the_consumer_parks_wakes_the_call() {
        for rendezvous in [0, 1] {
            let (sender, receiver) = sync_channel(rendezvous);
            let slow = thread::spawn(move || {
                let mut found = Vec::new();
                while let Ok(value) = receiver.recv() {
                    // Longer than the device takes, so that it completes while the consumer waits
                    // in the channel.
                    thread::sleep(Duration::from_millis(4));
                    found.push(value);
                }
                found
            });
            let blocks = HandOver::default();
            let done = pollster::block_on(blocks.drive(
                passes_on(&blocks, device(Duration::from_millis(2)), 40),
                |value| {
                    sender.send(*value).expect("the receiver is there");
                    Ok(ControlFlow::Continue(()))
                },
            ));
            assert_eq!(done.expect("no error"), 40);
            drop(sender);
            assert!(slow.join().expect("it ends").into_iter().eq(0..40));
        }
    }

    #[test]
    fn consumer_runs_between_polls() {
        let polls = Mutex::new(());
        let blocks = HandOver::default();
        let inner = passes_on(&blocks, device(Duration::ZERO), 10);
        let mut inner = pin!(inner);
        let locked = poll_fn(|context| {
            let _inside = polls.lock();
            inner.as_mut().poll(context)
        });
        let done = pollster::block_on(blocks.drive(locked, |_| {
            assert!(polls.try_lock().is_ok(), "the consumer runs inside a poll");
            Ok(ControlFlow::Continue(()))
        }));
        assert_eq!(done.expect("no error"), 10);
    }

    #[test]
    fn consumer_ends_a_call_by_its_flow_or_an_error() {
        let blocks = HandOver::default();
        let done = pollster::block_on(blocks.drive(
            passes_on(&blocks, device(Duration::ZERO), 10),
            |value| match value {
                4 => Ok(ControlFlow::Break(())),
                _ => Ok(ControlFlow::Continue(())),
            },
        ));
        assert_eq!(done.expect("no error"), 5);
        let blocks = HandOver::default();
        let failed = pollster::block_on(blocks.drive(
            passes_on(&blocks, device(Duration::ZERO), 10),
            |value| match value {
                4 => Err(Error::Cancelled),
                _ => Ok(ControlFlow::Continue(())),
            },
        ));
        assert!(matches!(failed, Err(Error::Cancelled)));
    }
}
