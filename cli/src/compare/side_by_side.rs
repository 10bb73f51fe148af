//! Calls for many short pairs, side by side on several threads.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Pairs that are solved before their answers are used.
const BLOCK: usize = 512;

/// With several threads answers come in blocks.
pub fn in_order<T: Send>(
    count: usize,
    threads: usize,
    solve: &(impl Fn(usize) -> T + Sync),
) -> impl Iterator<Item = T> {
    let len = if threads > 1 { BLOCK } else { 1 };
    (0..count)
        .step_by(len)
        .flat_map(move |first| block(first, count.min(first + len), threads, solve))
}

fn block<T: Send>(
    first: usize,
    end: usize,
    threads: usize,
    solve: &(impl Fn(usize) -> T + Sync),
) -> impl Iterator<Item = T> {
    let next = AtomicUsize::new(first);
    let work = || -> Vec<(usize, T)> {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let indices = indices.take_while(|&index| index < end);
        indices.map(|index| (index, solve(index))).collect()
    };
    let mut all = thread::scope(|scope| {
        // Where the system refuses a thread, the others do its work.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads.min(end - first)).map_while(spawn).collect();
        let mut all = work();
        for other in others {
            all.extend(
                other
                    .join()
                    .unwrap_or_else(|payload| panic::resume_unwind(payload)),
            );
        }
        all
    });
    all.sort_unstable_by_key(|&(index, _)| index);
    all.into_iter().map(|(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order_for_any_number_of_threads() {
        for count in [0, 1, 2, BLOCK - 1, BLOCK, 3 * BLOCK + 1] {
            for threads in [1, 2, 5] {
                let answers = in_order(count, threads, &|index| index * 3);
                assert!(answers.eq((0..count).map(|index| index * 3)));
            }
        }
    }

    #[test]
    fn answers_that_nobody_takes_are_of_one_block() {
        for (threads, solved) in [(1, 1), (3, BLOCK)] {
            let calls = AtomicUsize::new(0);
            let count = |_| calls.fetch_add(1, Ordering::Relaxed);
            in_order(10 * BLOCK, threads, &count).next();
            assert_eq!(calls.into_inner(), solved);
        }
    }
}
