//! Parallel work on a thread pool.

use std::num::NonZero;
use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Runs `work` on a thread of the pool (default: the global pool), so that its tasks start without
/// a handoff between threads. `work` may block on a device: devices need no pool thread to make
/// progress.
pub(crate) fn on_threads<T: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => rayon::scope(|_| work()),
    }
}

/// Runs `here` on this thread, without a delay, and `there` on the pool (default: the global pool),
/// whose threads may have to wake up.
pub(crate) fn join_in_place<A, B: Send>(
    pool: Option<&ThreadPool>,
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
    let own = match pool {
        Some(pool) => pool.in_place_scope(|scope| both(scope, here, there, &mut other)),
        None => rayon::in_place_scope(|scope| both(scope, here, there, &mut other)),
    };
    (own, other.expect("the scope has ended"))
}

/// Number of threads of the pool (default: the global pool). Does not start the global pool, which
/// would take longer than a small call.
pub(crate) fn threads(pool: Option<&ThreadPool>) -> usize {
    if let Some(pool) = pool {
        return pool.current_num_threads();
    }
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    // The default of the global pool.
    let requested = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|threads| threads.parse().ok());
    let there = || std::thread::available_parallelism().map_or(1, NonZero::get);
    requested
        .filter(|&threads| threads > 0)
        .unwrap_or_else(there)
}

/// Splits `0..places` into ranges of `range_len` and returns the results of `of` in order.
pub(crate) fn map_ranges<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> T + Send + Sync,
) -> Vec<T> {
    let task = |task: usize| of(task * range_len..places.min((task + 1) * range_len));
    match places.div_ceil(range_len) {
        // No thread has to wake up.
        tasks @ (0 | 1) => (0..tasks).map(task).collect(),
        tasks => (0..tasks).into_par_iter().map(task).collect(),
    }
}

/// Words filled at once, and minimum number of such blocks per task.
const BLOCK: usize = 1 << 10;
const MIN_BLOCKS: usize = 64;

/// A vector of `words` copies of `word`, written in parallel: page faults of fresh memory dominate.
pub(crate) fn par_filled(words: usize, word: u32) -> Vec<u32> {
    if words <= BLOCK * MIN_BLOCKS {
        return vec![word; words];
    }
    let blocks =
        rayon::iter::repeat_n([word; BLOCK], words.div_ceil(BLOCK)).with_min_len(MIN_BLOCKS);
    let mut filled = blocks.collect::<Vec<_>>().into_flattened();
    filled.truncate(words);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_count_matches_the_pool_of_the_work() {
        let common = threads(None);
        assert_eq!(common, on_threads(None, rayon::current_num_threads));
        assert_eq!(common, on_threads(None, || threads(None)));
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .expect("threads");
        assert_eq!(
            threads(Some(&pool)),
            on_threads(Some(&pool), rayon::current_num_threads)
        );
    }

    #[test]
    fn join_in_place_runs_the_other_work_on_the_pool() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a thread");
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
    fn par_filled_fills_any_number_of_words() {
        let blocks = BLOCK * MIN_BLOCKS;
        for words in [
            0,
            1,
            BLOCK,
            blocks - 1,
            blocks,
            blocks + 1,
            3 * blocks + BLOCK / 2,
            10 * blocks,
        ] {
            assert!(par_filled(words, 7) == vec![7; words], "{words} words");
        }
    }
}
