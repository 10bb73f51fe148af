//! Tasks of one call that use a value one after the other, in a given order.

use std::future::poll_fn;
use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};

use crate::host::lock;

/// A value for the task whose turn it is.
pub(crate) struct Turns<T>(Mutex<State<T>>);

struct State<T> {
    next: u64,
    /// `None` while a task has it.
    value: Option<T>,
    waiting: Vec<Waker>,
}

impl<T> Turns<T> {
    pub(crate) fn new(first: u64, value: T) -> Self {
        Self(Mutex::new(State {
            next: first,
            value: Some(value),
            waiting: Vec::new(),
        }))
    }

    /// The value, once it is this turn.
    pub(crate) async fn take(&self, turn: u64) -> T {
        poll_fn(|context| {
            let mut state = lock(&self.0);
            if state.next == turn
                && let Some(value) = state.value.take()
            {
                return Poll::Ready(value);
            }
            state.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Gives the value back, for another turn.
    pub(crate) fn give(&self, next: u64, value: T) {
        let mut state = lock(&self.0);
        (state.next, state.value) = (next, Some(value));
        state.waiting.drain(..).for_each(Waker::wake);
    }

    /// The value, unless a task has it.
    pub(crate) fn into_value(self) -> Option<T> {
        let state = self.0.into_inner();
        state.unwrap_or_else(PoisonError::into_inner).value
    }
}
