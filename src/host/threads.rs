//! Work over many places, in tasks for all threads.

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Runs work on a thread of this pool, or of the common one: every task that it starts then begins without a word to another
/// thread. It may wait there for a device, which needs none of these threads to get on: calls share the threads, and wait for each
/// other only as long as a device works.
pub(crate) fn on_threads<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => rayon::scope(|_| work()),
    }
}

/// What `of` gives for each task of so many of the places, in order.
pub(crate) fn in_tasks<T: Send>(
    places: usize,
    in_a_task: usize,
    of: impl Fn(Range<usize>) -> T + Send + Sync,
) -> Vec<T> {
    let task = |task: usize| of(task * in_a_task..places.min((task + 1) * in_a_task));
    match places.div_ceil(in_a_task) {
        // No other thread has to wake up.
        tasks @ (0 | 1) => (0..tasks).map(task).collect(),
        tasks => (0..tasks).into_par_iter().map(task).collect(),
    }
}
