//! Parallel loops that are compiled once.
//!
//! rayon compiles its scheduler anew for every closure. Here it gets one closure for all loops,
//! which calls the loop's own one through a pointer: once for each task, so a task should take a
//! microsecond or more. Loops enter a pool by themselves (see [`threads`](super::threads)).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::threads::on_threads;
use crate::error::Result;

/// Runs `task` for each of `0..tasks`, in any order, on the calling thread if there is only one.
pub(crate) fn for_each(tasks: usize, task: impl Fn(usize) + Sync) {
    match tasks {
        0 => {}
        1 => task(0),
        _ => run(tasks, &task),
    }
}

/// The loop that all others are.
#[inline(never)]
fn run(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    let all = || (0..tasks).into_par_iter().for_each(task);
    match rayon::current_thread_index() {
        Some(_) => all(),
        None => on_threads(None, all),
    }
}

/// Places of a slice or vector, each of which belongs to one task.
struct Places<T>(*mut T);

// SAFETY: a place is only used by its task, which may be on another thread.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// # Safety
    /// `place` is within the slice or the capacity of the vector.
    unsafe fn at(&self, place: usize) -> *mut T {
        // SAFETY: as required of the caller.
        unsafe { self.0.add(place) }
    }
}

/// Results of `of` for each of `0..tasks`, in order.
pub(crate) fn map<T: Send>(tasks: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut results = Vec::<T>::with_capacity(tasks);
    let places = Places(results.as_mut_ptr());
    // SAFETY: within the capacity, and each place is written once.
    for_each(tasks, |task| unsafe { places.at(task).write(of(task)) });
    // SAFETY: all tasks have run; if one panics, this is not reached and the others' results leak.
    unsafe { results.set_len(tasks) };
    results
}

/// Results of `of` for each item, in order.
pub(crate) fn map_each<I: Send, T: Send>(mut items: Vec<I>, of: impl Fn(I) -> T + Sync) -> Vec<T> {
    let tasks = items.len();
    let places = Places(items.as_mut_ptr());
    // SAFETY: from here on the items belong to the tasks; if one panics, the items of tasks that
    // have not run leak.
    unsafe { items.set_len(0) };
    // SAFETY: each item is read once.
    map(tasks, |task| of(unsafe { places.at(task).read() }))
}

/// As [`map`]; after an error no more tasks are started.
///
/// # Errors
/// The first one, in order, of the tasks that ran.
pub(crate) fn try_map<T: Send>(
    tasks: usize,
    of: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let failed = AtomicBool::new(false);
    let results = map(tasks, |task| {
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        let result = of(task);
        if result.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        Some(result)
    });
    match failed.into_inner() {
        false => results.into_iter().flatten().collect(),
        // Only the error is of use: tasks before it may not have run.
        true => Err(results
            .into_iter()
            .flatten()
            .find_map(Result::err)
            .expect("a task failed")),
    }
}

/// As [`for_each`]; after an error no more tasks are started.
///
/// # Errors
/// As [`try_map`].
pub(crate) fn try_for_each(tasks: usize, task: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    try_map(tasks, task).map(|_| ())
}

/// True if `holds` for all of `0..tasks`; after a `false` no more tasks are started.
pub(crate) fn all(tasks: usize, holds: impl Fn(usize) -> bool + Sync) -> bool {
    let so_far = AtomicBool::new(true);
    for_each(tasks, |task| {
        if so_far.load(Ordering::Relaxed) && !holds(task) {
            so_far.store(false, Ordering::Relaxed);
        }
    });
    so_far.into_inner()
}

/// Runs `task` for each item, with its place.
pub(crate) fn for_each_mut<T: Send>(items: &mut [T], task: impl Fn(usize, &mut T) + Sync) {
    let places = Places(items.as_mut_ptr());
    // SAFETY: within the slice, and each item is borrowed by one task.
    for_each(items.len(), |place| {
        task(place, unsafe { &mut *places.at(place) });
    });
}

/// Runs `task` for each chunk of `len` items, the last of which may be shorter, with its number.
///
/// # Panics
/// If `len` is 0.
pub(crate) fn for_each_chunk_mut<T: Send>(
    items: &mut [T],
    len: usize,
    task: impl Fn(usize, &mut [T]) + Sync,
) {
    let mut chunks: Vec<_> = items.chunks_mut(len).collect();
    for_each_mut(&mut chunks, |number, chunk| task(number, chunk));
}

/// Splits `0..places` into ranges of `range_len` and returns the results of `of` in order.
pub(crate) fn map_ranges<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    map(places.div_ceil(range_len), |task| {
        of(task * range_len..places.min((task + 1) * range_len))
    })
}

/// The vector of `of(place)` for all places; each task computes `range_len` of them.
pub(crate) fn map_places<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut results = Vec::<T>::with_capacity(places);
    let to = Places(results.as_mut_ptr());
    map_ranges(places, range_len, |range| {
        for place in range {
            // SAFETY: within the capacity, and each place is written once.
            unsafe { to.at(place).write(of(place)) };
        }
    });
    // SAFETY: all places are written; after a panic they leak.
    unsafe { results.set_len(places) };
    results
}

/// Appends `of(place)` for all places, as [`map_places`] computes them.
pub(crate) fn extend_places<T: Send>(
    vector: &mut Vec<T>,
    places: usize,
    range_len: usize,
    of: impl Fn(usize) -> T + Sync,
) {
    vector.reserve(places);
    let to = Places(vector.spare_capacity_mut().as_mut_ptr().cast::<T>());
    map_ranges(places, range_len, |range| {
        for place in range {
            // SAFETY: within the spare capacity, and each place is written once.
            unsafe { to.at(place).write(of(place)) };
        }
    });
    // SAFETY: all places are written; after a panic they leak.
    unsafe { vector.set_len(vector.len() + places) };
}

/// The range length for places of unequal work: 1, or more if there are enough ranges for 64
/// threads anyway.
pub(crate) fn range_len(places: usize) -> usize {
    (places / 1024).clamp(1, 256)
}

/// As [`all`], for the ranges of [`map_ranges`].
pub(crate) fn all_ranges(
    places: usize,
    range_len: usize,
    holds: impl Fn(Range<usize>) -> bool + Sync,
) -> bool {
    all(places.div_ceil(range_len), |task| {
        holds(task * range_len..places.min((task + 1) * range_len))
    })
}

/// As [`try_map`], for the ranges of [`map_ranges`].
///
/// # Errors
/// As [`try_map`].
pub(crate) fn try_map_ranges<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    try_map(places.div_ceil(range_len), |task| {
        of(task * range_len..places.min((task + 1) * range_len))
    })
}

/// As [`for_each_mut`]; after an error no more tasks are started.
///
/// # Errors
/// As [`try_map`].
pub(crate) fn try_for_each_mut<T: Send>(
    items: &mut [T],
    task: impl Fn(usize, &mut T) -> Result<()> + Sync,
) -> Result<()> {
    let places = Places(items.as_mut_ptr());
    // SAFETY: within the slice, and each item is borrowed by one task.
    try_for_each(items.len(), |place| {
        task(place, unsafe { &mut *places.at(place) })
    })
}

/// The items of all parts, in order; frees each part once it is copied.
pub(crate) fn concat<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for mut part in parts {
        all.append(&mut part);
    }
    all
}

/// Words that a task fills.
const FILLED: usize = 1 << 16;

/// A vector of `words` copies of `word`, written in parallel: page faults of fresh memory dominate.
pub(crate) fn filled(words: usize, word: u32) -> Vec<u32> {
    match words <= FILLED {
        true => vec![word; words],
        false => map_places(words, FILLED, |_| word),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::error::Error;

    #[test]
    fn every_task_runs_once_and_results_are_in_order() {
        for tasks in [0, 1, 2, 3, 1000] {
            let squares: Vec<_> = (0..tasks).map(|task| task * task).collect();
            assert_eq!(map(tasks, |task| task * task), squares);
            let texts: Vec<_> = squares.iter().map(usize::to_string).collect();
            assert_eq!(
                map_each(squares.clone(), |square| square.to_string()),
                texts
            );
            assert_eq!(map_places(tasks, 7, |place| place * place), squares);
            assert_eq!(
                map_ranges(tasks, 7, |range| range.len())
                    .iter()
                    .sum::<usize>(),
                tasks
            );
            let mut items = vec![1; tasks];
            for_each_mut(&mut items, |place, item| *item += place * place - 1);
            assert_eq!(items, squares);
            for_each_chunk_mut(&mut items, 10, |number, chunk| {
                chunk.iter_mut().for_each(|item| *item = number);
            });
            assert!(
                items
                    .iter()
                    .enumerate()
                    .all(|(place, &item)| item == place / 10)
            );
        }
    }

    #[test]
    fn an_error_is_returned_and_all_sees_one_exception() {
        let fails_at = |bad: usize| {
            move |task| match task == bad {
                true => Err(Error::Cancelled),
                false => Ok(task),
            }
        };
        assert_eq!(
            try_map(100, fails_at(100)).expect("none fails"),
            (0..100).collect::<Vec<_>>()
        );
        for bad in [0, 50, 99] {
            assert!(matches!(try_map(100, fails_at(bad)), Err(Error::Cancelled)));
            assert!(!all(100, |task| task != bad));
        }
        assert!(all(100, |task| task < 100) && all(0, |_| false));
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let panics = |bad: usize| {
            let items: Vec<_> = (0..100).map(|place| vec![place]).collect();
            catch_unwind(AssertUnwindSafe(|| {
                map_each(items, |item| {
                    assert_ne!(item[0], bad);
                    item
                })
            }))
            .is_err()
        };
        assert!(panics(50) && !panics(100));
    }

    #[test]
    fn filled_fills_any_number_of_words() {
        for words in [0, 1, FILLED, FILLED + 1, 3 * FILLED + FILLED / 2] {
            assert!(filled(words, 7) == vec![7; words], "{words} words");
        }
    }
}
