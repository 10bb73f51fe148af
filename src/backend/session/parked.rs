//! Sessions whose inputs stay on the device for later calls with the same ones.
//!
//! Their owner, such as a list, keeps them, and they are freed with it. Their memory is that of no call:
//! a call without room for its plan frees all that are parked on its device before it waits.

use std::mem::forget;
use std::sync::{Arc, Mutex};

use super::{Device, Rounds, Session};
use crate::backend::parked::Parked;
use crate::error::Result;
use crate::host::{lock, process};

/// Sessions with inputs of one owner.
#[derive(Debug, Default)]
pub struct OwnSessions(Mutex<Vec<Arc<Slot>>>);

/// A parked session; nothing once a call has needed its memory.
pub(crate) struct Slot {
    rounds: Mutex<Option<Rounds>>,
    /// Process of the device.
    process: u32,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Slot").finish_non_exhaustive()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.process != process::id() {
            // A parent's buffers are not freed in a forked child.
            forget(lock(&self.rounds).take());
        }
    }
}

impl Parked for Slot {
    fn free(&self) -> bool {
        lock(&self.rounds).take().is_some()
    }
}

impl OwnSessions {
    /// Opens a session for a call, with parked inputs if there are some on its device.
    pub fn open<'a>(&self, device: &Device<'a>) -> Result<Session<'a>> {
        let mut slots = lock(&self.0);
        let mut rounds = None;
        let mut take = |slot: &Arc<Slot>| {
            if rounds.is_none() && slot.process == process::id() {
                rounds = lock(&slot.rounds).take_if(|rounds| rounds.unpark(device));
            }
            // Sessions that another call has freed go, too.
            lock(&slot.rounds).is_some()
        };
        slots.retain(|slot| take(slot));
        drop(slots);
        match rounds {
            Some(rounds) => Ok(Session::of(*device, rounds)),
            None => device.open_session(),
        }
    }

    /// Keeps the inputs of a session on its device, unless there are none or a call waits for memory.
    pub fn park(&self, session: Session<'_>) {
        let Some(Ok(mut rounds)) = Arc::into_inner(session.rounds).map(Mutex::into_inner) else {
            return;
        };
        let shared = rounds.shared.clone();
        // Locked until the slot is added, so that a call that waits for memory afterwards frees it.
        let mut all = lock(&shared.parked.0);
        all.retain(|slot| slot.strong_count() > 0);
        if rounds.park() {
            let slot = Arc::new(Slot {
                rounds: Mutex::new(Some(rounds)),
                process: process::id(),
            });
            let parked = Arc::downgrade(&slot);
            all.push(parked);
            lock(&self.0).push(slot);
        }
    }
}
