//! Account of a device's memory: the bytes held by every session, and the queue of waiting calls.
//!
//! A call that holds memory never waits for more: it first frees its own. Calls wait in FIFO order.
//! So one call always holds all it needs and makes progress; there is no deadlock.
//!
//! Besides plans, a device holds auxiliary buffers: parameters and stamps. Sessions that share a
//! device leave room for them; a lone plan may take the whole limit. Idle buffers are dropped when
//! a plan needs the memory, and staging memory belongs to the host.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

use crate::call::control::CallId;
use crate::error::{Error, Result};
use crate::host::lock;

/// Bytes held on a device. Clones share the account.
#[derive(Clone, Debug, Default)]
pub struct Account(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    /// Bytes reserved for plans, allocated or not.
    held_bytes: u64,
    /// Auxiliary bytes of sessions, outside their plans.
    auxiliary_bytes: u64,
    /// Reserved bytes by call.
    calls: HashMap<CallId, u64>,
    /// FIFO of waiting calls and their wakers.
    waiting: VecDeque<(u64, Option<Waker>)>,
    next_place: u64,
}

impl Book {
    /// True if a plan that holds `own` bytes may have `bytes` more. Auxiliary bytes do not count
    /// against a lone plan.
    fn has_room(&self, own: u64, bytes: u64, limit: u64) -> bool {
        let auxiliary = if self.held_bytes > own {
            self.auxiliary_bytes
        } else {
            0
        };
        let held = self
            .held_bytes
            .checked_add(bytes)
            .and_then(|held| held.checked_add(auxiliary));
        held.is_some_and(|held| held <= limit)
    }

    /// Changes the bytes held by `call` (or by the pool) from `from` to `to`.
    fn change(&mut self, call: Option<CallId>, from: u64, to: u64) {
        self.held_bytes = self.held_bytes - from + to;
        let Some(call) = call else { return };
        let held = self.calls.entry(call).or_default();
        *held = *held - from + to;
        if *held == 0 {
            self.calls.remove(&call);
        }
    }

    fn wake(&mut self) {
        self.waiting
            .iter_mut()
            .filter_map(|(_, waker)| waker.take())
            .for_each(Waker::wake);
    }
}

impl Account {
    fn book(&self) -> MutexGuard<'_, Book> {
        lock(&self.0)
    }

    /// Bytes held by the plans of all sessions.
    pub fn held_bytes(&self) -> u64 {
        self.book().held_bytes
    }

    pub fn auxiliary_bytes(&self) -> u64 {
        self.book().auxiliary_bytes
    }

    /// Counts `bytes` as auxiliary until the entry is dropped. They are few, and no call waits for
    /// them.
    pub fn auxiliary(&self, bytes: u64) -> Entry {
        self.book().auxiliary_bytes += bytes;
        Entry {
            account: self.clone(),
            bytes,
        }
    }

    pub fn held_by(&self, call: CallId) -> u64 {
        self.book().calls.get(&call).copied().unwrap_or(0)
    }

    /// Returns an empty reservation of a call, or of none; [`Reservation::resize`] grows it.
    pub fn empty_reservation(&self, call: Option<CallId>) -> Reservation {
        Reservation {
            account: self.clone(),
            call,
            bytes: 0,
        }
    }

    /// Reserves `bytes` without a call; `None` if memory is short or anyone is queued.
    pub fn try_reserve(&self, bytes: u64, limit: u64) -> Option<Reservation> {
        let mut reservation = self.empty_reservation(None);
        reservation.resize(bytes, limit).then_some(reservation)
    }

    /// Reserves `bytes` for a call, within `limit`, once other calls have freed enough. `check`
    /// runs on every wake-up, at least after each slice of another call, and ends the wait with its
    /// error.
    ///
    /// # Errors
    /// The errors of `check`.
    pub async fn reserve(
        &self,
        call: CallId,
        bytes: u64,
        limit: u64,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Reservation> {
        let place = QueuePlace::new(self);
        std::future::poll_fn(|context| {
            if let Err(error) = check() {
                return Poll::Ready(Err(error));
            }
            let mut book = self.book();
            let first = book
                .waiting
                .front()
                .is_some_and(|(waiting, _)| *waiting == place.place);
            if first && book.has_room(0, bytes, limit) {
                book.change(Some(call), 0, bytes);
                let mut reservation = self.empty_reservation(Some(call));
                reservation.bytes = bytes;
                return Poll::Ready(Ok(reservation));
            }
            let mut waiting = book.waiting.iter_mut();
            if let Some((_, waker)) = waiting.find(|(waiting, _)| *waiting == place.place) {
                *waker = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    pub(super) fn has_waiting(&self) -> bool {
        !self.book().waiting.is_empty()
    }

    /// Wakes all waiters, so that they check for cancellation.
    pub fn wake(&self) {
        self.book().wake();
    }
}

/// A place in the queue; dropping it leaves the queue.
struct QueuePlace<'a> {
    account: &'a Account,
    place: u64,
}

impl<'a> QueuePlace<'a> {
    fn new(account: &'a Account) -> Self {
        let mut book = account.book();
        let place = book.next_place;
        book.next_place += 1;
        book.waiting.push_back((place, None));
        Self { account, place }
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let mut book = self.account.book();
        book.waiting.retain(|(waiting, _)| *waiting != self.place);
        book.wake();
    }
}

/// Bytes held by one session; dropping it frees them.
#[derive(Debug)]
pub struct Reservation {
    account: Account,
    call: Option<CallId>,
    bytes: u64,
}

impl Reservation {
    /// Changes the reservation to `bytes`. Returns false and changes nothing if growth would exceed
    /// the limit or anyone is queued.
    pub fn resize(&mut self, bytes: u64, limit: u64) -> bool {
        let mut book = self.account.book();
        if bytes > self.bytes
            && !(book.waiting.is_empty() && book.has_room(self.bytes, bytes - self.bytes, limit))
        {
            return false;
        }
        book.change(self.call, self.bytes, bytes);
        if bytes < self.bytes {
            book.wake();
        }
        self.bytes = bytes;
        true
    }

    /// Makes the bytes those of another call, or of none.
    pub fn assign(&mut self, call: Option<CallId>) {
        let mut book = self.account.book();
        book.change(self.call, self.bytes, 0);
        book.change(call, 0, self.bytes);
        self.call = call;
    }

    pub fn held_by_others(&self) -> u64 {
        let book = self.account.book();
        book.held_bytes + book.auxiliary_bytes - self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut book = self.account.book();
        book.change(self.call, self.bytes, 0);
        book.wake();
    }
}

/// Auxiliary bytes on the account; dropping it subtracts them.
#[derive(Debug)]
pub struct Entry {
    account: Account,
    bytes: u64,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut book = self.account.book();
        book.auxiliary_bytes -= self.bytes;
        book.wake();
    }
}

/// Checks that `needed` bytes fit the limit at all.
pub(crate) fn check_limit(needed: u64, limit: u64) -> Result<()> {
    if needed <= limit {
        return Ok(());
    }
    Err(Error::MemoryBudget {
        what: "this plan".to_string(),
        needed,
        limit,
        smallest: needed,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::call::control::Control;

    /// A call of its own, independent of the others.
    fn call() -> CallId {
        Control::default().call()
    }

    fn wait(
        account: &Account,
        bytes: u64,
        check: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Reservation> {
        pollster::block_on(account.reserve(call(), bytes, 100, check))
    }

    /// Blocks until this number of threads waits for memory.
    fn until_waiting(account: &Account, threads: usize) {
        while account
            .book()
            .waiting
            .iter()
            .filter(|(_, waker)| waker.is_some())
            .count()
            < threads
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn reservations_stay_within_the_limit_and_are_all_freed() {
        let account = Account::default();
        let mut first = account.try_reserve(60, 100).expect("all is free");
        assert!(
            account.try_reserve(41, 100).is_none() && account.try_reserve(u64::MAX, 100).is_none()
        );
        let second = account.try_reserve(40, 100).expect("that much is free");
        assert!(!first.resize(61, 100) && first.resize(50, 100) && first.resize(60, 100));
        assert_eq!((account.held_bytes(), first.held_by_others()), (100, 40));
        drop((first, second));
        assert_eq!(account.held_bytes(), 0);
    }

    #[test]
    fn auxiliary_bytes_count_against_two_plans_but_not_against_a_lone_one() {
        let account = Account::default();
        let auxiliary = account.auxiliary(10);
        let mut first = account.try_reserve(100, 100).expect("it is alone");
        assert!(first.resize(45, 100) && account.try_reserve(46, 100).is_none());
        let second = account.try_reserve(45, 100).expect("that much is free");
        assert_eq!(
            (
                account.held_bytes(),
                account.auxiliary_bytes(),
                second.held_by_others()
            ),
            (90, 10, 55)
        );
        assert!(!first.resize(46, 100));
        drop(auxiliary);
        assert!(first.resize(55, 100));
        assert_eq!(account.auxiliary_bytes(), 0);
    }

    #[test]
    fn waiting_calls_get_freed_memory_in_fifo_order() {
        let account = Account::default();
        let max = AtomicU64::new(0);
        let held = account.try_reserve(60, 100).expect("all is free");
        std::thread::scope(|scope| {
            let waits = |bytes: u64| {
                let (account, max) = (&account, &max);
                scope.spawn(move || {
                    let reservation = wait(account, bytes, &|| Ok(())).expect("it comes");
                    max.fetch_max(account.held_bytes(), Ordering::Relaxed);
                    drop(reservation);
                })
            };
            let large = waits(60);
            until_waiting(&account, 1);
            // There is room for this one, but it does not overtake the first.
            let small = waits(10);
            until_waiting(&account, 2);
            assert!(
                account.try_reserve(1, 100).is_none(),
                "nobody passes who waits"
            );
            assert!(!large.is_finished() && !small.is_finished());
            drop(held);
        });
        assert_eq!((account.held_bytes(), account.book().waiting.len()), (0, 0));
        assert!((60..=70).contains(&max.load(Ordering::Relaxed)));
    }

    #[test]
    fn cancelled_wait_ends_and_the_next_waiter_moves_up() {
        let account = Account::default();
        let held = account.try_reserve(60, 100).expect("all is free");
        let cancelled = AtomicBool::new(false);
        let check = || {
            if cancelled.load(Ordering::Relaxed) {
                Err(Error::Cancelled)
            } else {
                Ok(())
            }
        };
        std::thread::scope(|scope| {
            let large = scope.spawn(|| wait(&account, 100, &check).map(drop));
            until_waiting(&account, 1);
            let small = scope.spawn(|| wait(&account, 40, &|| Ok(())).map(drop));
            until_waiting(&account, 2);
            cancelled.store(true, Ordering::Relaxed);
            account.wake();
            assert!(matches!(large.join(), Ok(Err(Error::Cancelled))));
            assert!(matches!(small.join(), Ok(Ok(()))));
        });
        drop(held);
    }
}
