//! Parallel work on a thread pool.
//!
//! Two things can be wrong with a pool: the system may refuse its threads, and they do not exist in
//! a forked child. Work then runs on the calling thread, and on a pool of the child's own. All
//! parallel work of the library therefore enters a pool through [`on_threads`] first.

use std::error::Error as _;
use std::num::NonZero;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{LazyLock, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::process;

/// CPU threads of an engine, or the default ones.
#[derive(Debug)]
pub struct Pool {
    /// `None` for rayon's global pool.
    threads: Option<usize>,
    started: AtomicPtr<Started>,
}

#[derive(Debug)]
struct Started {
    process: u32,
    workers: Workers,
}

#[derive(Debug)]
enum Workers {
    Global,
    Own(ThreadPool),
    Caller,
}

static DEFAULT: Pool = Pool {
    threads: None,
    started: AtomicPtr::new(null_mut()),
};

impl Pool {
    /// Starts a pool of its own.
    pub(crate) fn start(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let started = Started {
            process: process::id(),
            workers: Workers::Own(ThreadPoolBuilder::new().num_threads(threads).build()?),
        };
        Ok(Self {
            threads: Some(threads),
            started: AtomicPtr::new(Box::into_raw(Box::new(started))),
        })
    }

    /// The threads of this process, started by the first call.
    fn workers(&self) -> &Workers {
        let current = self.started.load(Ordering::Acquire);
        // SAFETY: null or from `Box::into_raw`, and only freed by `drop`.
        let before = unsafe { current.as_ref() };
        if let Some(started) = before
            && started.process == process::id()
        {
            return &started.workers;
        }
        let started = Box::into_raw(Box::new(Started {
            process: process::id(),
            workers: self.start_again(before.is_some()),
        }));
        let exchanged =
            self.started
                .compare_exchange(current, started, Ordering::AcqRel, Ordering::Acquire);
        let kept = match exchanged {
            // The threads of the parent process are not ended here: they do not exist.
            Ok(_) => started,
            Err(other) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(started) });
                other
            }
        };
        // SAFETY: as above.
        &unsafe { &*kept }.workers
    }

    fn start_again(&self, is_forked: bool) -> Workers {
        if self.threads.is_none() && !is_forked {
            return if global_pool_starts() {
                Workers::Global
            } else {
                Workers::Caller
            };
        }
        ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .build()
            .map_or(Workers::Caller, Workers::Own)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let started = *self.started.get_mut();
        // SAFETY: null or from `Box::into_raw`; nobody else has the pool any more.
        if unsafe { started.as_ref() }.is_some_and(|started| started.process == process::id()) {
            drop(unsafe { Box::from_raw(started) });
        }
    }
}

pub(crate) fn is_pool_thread() -> bool {
    rayon::current_thread_index().is_some()
}

/// Starts rayon's global pool; `false` if the system refuses its threads. After that rayon panics
/// at every use of the pool.
fn global_pool_starts() -> bool {
    static STARTS: OnceLock<bool> = OnceLock::new();
    *STARTS.get_or_init(|| match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Without a source, the application has started it.
        Err(error) => error.source().is_none(),
    })
}

/// Makes this thread the only one of a pool, for the rest of its life.
fn become_a_pool() {
    if !is_pool_thread() {
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        std::mem::forget(pool.build());
    }
}

/// The pool to enter; `None` for the current one, or the global one outside of any.
fn to_enter(pool: Option<&Pool>) -> Option<&ThreadPool> {
    if pool.is_none() && is_pool_thread() {
        return None;
    }
    match pool.unwrap_or(&DEFAULT).workers() {
        Workers::Global => None,
        Workers::Own(pool) => Some(pool),
        Workers::Caller => {
            become_a_pool();
            None
        }
    }
}

/// Runs `work` on a thread of the pool (default: the current pool, else the global one), so that
/// its tasks start without a handoff between threads. `work` may block on a device: devices need no
/// pool thread to make progress.
pub(crate) fn on_threads<T: Send>(pool: Option<&Pool>, work: impl FnOnce() -> T + Send) -> T {
    let mut result = None;
    once(work, &mut result, |work| enter(pool, work));
    result.expect("the work has run")
}

/// Work that runs once, for a caller that is compiled once: rayon is compiled anew for each type of
/// closure.
type Work<'a> = &'a mut (dyn FnMut() + Send);

/// Hands `work` to `run`, which runs it once and leaves the result in `result`.
fn once<T: Send>(
    work: impl FnOnce() -> T + Send,
    result: &mut Option<T>,
    run: impl FnOnce(Work<'_>),
) {
    let mut work = Some(work);
    run(&mut || *result = work.take().map(|work| work()));
}

#[inline(never)]
fn enter(pool: Option<&Pool>, work: Work<'_>) {
    match to_enter(pool) {
        Some(pool) => pool.install(work),
        None => rayon::scope(|_| work()),
    }
}

/// Runs `here` on this thread, without a delay, and `there` on the pool (default: the current pool,
/// else the global one), whose threads may have to wake up.
pub(crate) fn join_in_place<A, B: Send>(
    pool: Option<&Pool>,
    here: impl FnOnce() -> A,
    there: impl FnOnce() -> B + Send,
) -> (A, B) {
    fn both<'scope, A, B: Send>(
        scope: &rayon::Scope<'scope>,
        here: impl FnOnce() -> A,
        there: impl FnOnce() -> B + Send + 'scope,
        other: &'scope mut Option<B>,
    ) -> A {
        scope.spawn(|_| *other = Some(there()));
        here()
    }
    let mut other = None;
    let own = match to_enter(pool) {
        Some(pool) => pool.in_place_scope(|scope| both(scope, here, there, &mut other)),
        None => rayon::in_place_scope(|scope| both(scope, here, there, &mut other)),
    };
    (own, other.expect("the scope has ended"))
}

/// Number of threads of the pool (default: the current pool, else the global one). Does not start
/// the global pool, which would take longer than a small call.
pub(crate) fn threads(pool: Option<&Pool>) -> usize {
    if let Some(threads) = pool.and_then(|pool| pool.threads) {
        return threads;
    }
    if is_pool_thread() {
        return rayon::current_num_threads();
    }
    *DEFAULT_THREADS
}

/// Threads of the global pool by default. Read once: the system's answer takes the time of many
/// small calls, as it comes from files of the control group.
static DEFAULT_THREADS: LazyLock<usize> = LazyLock::new(|| {
    let requested = std::env::var("RAYON_NUM_THREADS").ok();
    let requested = requested.and_then(|threads| threads.parse().ok());
    let there = || std::thread::available_parallelism().map_or(1, NonZero::get);
    requested
        .filter(|&threads| threads > 0)
        .unwrap_or_else(there)
});

/// Runs both on a pool thread and, if one is free, another one.
pub(crate) fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut of_one, mut of_other) = (None, None);
    once(one, &mut of_one, |one| {
        once(other, &mut of_other, |other| enter_both(one, other));
    });
    let results = of_one.zip(of_other);
    results.expect("both have run")
}

#[inline(never)]
fn enter_both(one: Work<'_>, other: Work<'_>) {
    let mut both = || _ = rayon::join(&mut *one, &mut *other);
    if is_pool_thread() {
        both();
    } else {
        enter(None, &mut both);
    }
}

/// Spawns work on a pool; see [`scope`].
pub(crate) type Scope<'scope> = rayon::Scope<'scope>;

/// Runs `work`, which may spawn more, on a pool, and waits for all of it.
pub(crate) fn scope<'scope>(work: impl FnOnce(&Scope<'scope>) + Send) {
    on_threads(None, || rayon::in_place_scope(work));
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn thread_count_matches_the_pool_of_the_work() {
        let common = threads(None);
        assert_eq!(common, on_threads(None, rayon::current_num_threads));
        assert_eq!(common, on_threads(None, || threads(None)));
        let pool = Pool::start(3).expect("threads");
        assert_eq!(
            threads(Some(&pool)),
            on_threads(Some(&pool), rayon::current_num_threads)
        );
    }

    #[test]
    fn join_in_place_runs_the_other_work_on_the_pool() {
        let pool = Pool::start(1).expect("a thread");
        for pool in [Some(&pool), None] {
            let (here, there) = join_in_place(pool, || 7, rayon::current_thread_index);
            assert!(here == 7 && there.is_some());
        }
        let own = rayon::current_thread_index();
        assert_eq!(
            join_in_place(None, rayon::current_thread_index, || 7),
            (own, 7)
        );
    }

    #[test]
    fn refused_threads_leave_the_work_to_the_calling_thread() {
        let refused = Pool {
            threads: Some(4),
            started: AtomicPtr::new(Box::into_raw(Box::new(Started {
                process: process::id(),
                workers: Workers::Caller,
            }))),
        };
        let work = move || {
            let here = std::thread::current().id();
            let sums = on_threads(Some(&refused), || {
                let sum = |task: usize| (std::thread::current().id(), task);
                (0..100).into_par_iter().map(sum).collect::<Vec<_>>()
            });
            assert!(sums.iter().map(|sum| sum.0).all(|thread| thread == here));
            assert_eq!(join_in_place(Some(&refused), || 1, || 2), (1, 2));
        };
        // A thread of its own, as it is in a pool afterwards.
        std::thread::spawn(work).join().expect("no panic");
    }
}
