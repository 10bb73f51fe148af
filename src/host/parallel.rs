//! Parallel loops that are compiled once.
//!
//! rayon compiles its scheduler anew for every closure. All loops here share one closure. It calls
//! the work of a loop through a pointer, once for each task, so a task should take a microsecond or
//! more. Loops enter a pool by themselves (see [`threads`](super::threads)).

use std::ops::Range;
use std::slice::from_raw_parts_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::lock;
use super::threads::{is_pool_thread, on_threads, threads};
use crate::error::{Error, Result};

/// Runs `task` for each of `0..tasks`, in any order, on the calling thread if there is only one.
pub(crate) fn for_each(tasks: usize, task: impl Fn(usize) + Sync) {
    match tasks {
        0 => {}
        1 => task(0),
        _ => run(tasks, &task),
    }
}

#[inline(never)]
fn run(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    in_pool(|| (0..tasks).into_par_iter().for_each(task));
}

fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if is_pool_thread() {
        work()
    } else {
        on_threads(None, work)
    }
}

/// Places of a slice or vector, each of which belongs to one task.
struct Places<T>(*mut T);

// SAFETY: a place is only used by its task, which may be on another thread.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// # Safety
    /// `index` is within the slice or the capacity of the vector.
    unsafe fn at(&self, index: usize) -> *mut T {
        // SAFETY: as required of the caller.
        unsafe { self.0.add(index) }
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
    let failure = Failure::default();
    let results = map(tasks, |task| failure.unless_failed(task, &of));
    failure.none()?;
    Ok(results.into_iter().flatten().collect())
}

/// As [`for_each`]; after an error no more tasks are started.
pub(crate) fn try_for_each(tasks: usize, task: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let failure = Failure::default();
    for_each(tasks, |number| _ = failure.unless_failed(number, &task));
    failure.none()
}

/// The first error, in order, of the tasks that ran.
#[derive(Default)]
struct Failure {
    is_there: AtomicBool,
    first: Mutex<Option<(usize, Error)>>,
}

impl Failure {
    /// Result of the task; `None` after an error, of this task or another one before.
    fn unless_failed<T>(&self, task: usize, of: impl Fn(usize) -> Result<T>) -> Option<T> {
        if self.is_there.load(Ordering::Relaxed) {
            return None;
        }
        let error = match of(task) {
            Ok(result) => return Some(result),
            Err(error) => error,
        };
        self.is_there.store(true, Ordering::Relaxed);
        let mut first = lock(&self.first);
        if first.as_ref().is_none_or(|(before, _)| task < *before) {
            *first = Some((task, error));
        }
        None
    }

    fn none(self) -> Result<()> {
        let first = self.first.into_inner();
        let first = first.unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, error)| Err(error))
    }
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
    for_each(items.len(), |index| {
        task(index, unsafe { &mut *places.at(index) });
    });
}

/// As [`try_map`], for items that the tasks may change, each with its place.
pub(crate) fn try_map_mut<I: Send, T: Send>(
    items: &mut [I],
    of: impl Fn(usize, &mut I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let places = Places(items.as_mut_ptr());
    try_map(items.len(), |index| {
        of(index, unsafe { &mut *places.at(index) })
    })
}

fn range(number: usize, places: usize, range_len: usize) -> Range<usize> {
    number * range_len..places.min((number + 1) * range_len)
}

/// Tasks for each thread, so that all threads have work to the end.
const TASKS_PER_THREAD: usize = 32;

/// Length of the ranges, at least `least`, for loops over places that may take unequal times.
pub(crate) fn range_len(places: usize, least: usize) -> usize {
    places.div_ceil(TASKS_PER_THREAD * threads(None)).max(least)
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
    let (places, count) = (Places(items.as_mut_ptr()), items.len());
    for_each(count.div_ceil(len), |number| {
        let chunk = range(number, count, len);
        // SAFETY: within the slice, and each chunk is borrowed by one task.
        let chunk = unsafe { from_raw_parts_mut(places.at(chunk.start), chunk.len()) };
        task(number, chunk);
    });
}

/// Results of `of` for each range of `range_len` of `0..places`, in order.
pub(crate) fn map_ranges<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    map(places.div_ceil(range_len), |number| {
        of(range(number, places, range_len))
    })
}

/// As [`try_map`], for the ranges of [`map_ranges`].
pub(crate) fn try_map_ranges<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    try_map(places.div_ceil(range_len), |number| {
        of(range(number, places, range_len))
    })
}

/// As [`all`], for the ranges of [`map_ranges`].
pub(crate) fn all_ranges(
    places: usize,
    range_len: usize,
    holds: impl Fn(Range<usize>) -> bool + Sync,
) -> bool {
    all(places.div_ceil(range_len), |number| {
        holds(range(number, places, range_len))
    })
}

/// Appends the items of `of(range)` for each range of [`map_ranges`], in order: one item for each
/// place.
///
/// # Panics
/// If `of` returns fewer items than its range has places. Further ones are ignored.
pub(crate) fn extend_ranges<T: Send, I: IntoIterator<Item = T>>(
    all: &mut Vec<T>,
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> I + Sync,
) {
    all.reserve(places);
    let to = Places(all.spare_capacity_mut().as_mut_ptr().cast::<T>());
    for_each(places.div_ceil(range_len), |number| {
        let places = range(number, places, range_len);
        let mut written = 0;
        for (index, item) in places.clone().zip(of(places.clone())) {
            // SAFETY: within the spare capacity, and each place is written once.
            unsafe { to.at(index).write(item) };
            written += 1;
        }
        assert_eq!(written, places.len(), "an item for each place");
    });
    // SAFETY: all places are written; after a panic they leak.
    unsafe { all.set_len(all.len() + places) };
}

/// The vector that [`extend_ranges`] fills.
pub(crate) fn collect_ranges<T: Send, I: IntoIterator<Item = T>>(
    places: usize,
    range_len: usize,
    of: impl Fn(Range<usize>) -> I + Sync,
) -> Vec<T> {
    let mut all = Vec::new();
    extend_ranges(&mut all, places, range_len, of);
    all
}

/// The vector of `of(place)` for all places; each task computes `range_len` of them.
pub(crate) fn map_places<T: Send>(
    places: usize,
    range_len: usize,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    collect_ranges(places, range_len, |range| range.map(&of))
}

/// Appends to `all` what `add` appends for each of `0..places`, in order; each task handles
/// `range_len` of them.
pub(crate) fn extend<T: Send>(
    all: &mut Vec<T>,
    places: usize,
    range_len: usize,
    add: impl Fn(usize, &mut Vec<T>) + Sync,
) {
    if places <= range_len {
        (0..places).for_each(|index| add(index, all));
        return;
    }
    let parts = map_ranges(places, range_len, |range| {
        let mut part = Vec::new();
        range.for_each(|index| add(index, &mut part));
        part
    });
    append(all, parts);
}

/// The items of all parts, in order.
pub(crate) fn concat<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::new();
    append(&mut all, parts);
    all
}

fn append<T>(all: &mut Vec<T>, parts: Vec<Vec<T>>) {
    all.reserve(parts.iter().map(Vec::len).sum());
    for mut part in parts {
        all.append(&mut part);
    }
}

/// Sorts items; equal ones may change places.
pub(crate) fn sort_unstable<T: Ord + Send>(items: &mut [T]) {
    in_pool(|| items.par_sort_unstable());
}

/// Sorts items by keys; those with equal keys may change places.
pub(crate) fn sort_unstable_by_key<T: Send, K: Ord>(
    items: &mut [T],
    key: impl Fn(&T) -> K + Sync + Send,
) {
    in_pool(|| items.par_sort_unstable_by_key(key));
}

/// Sorts items by keys; those with equal keys stay in order.
pub(crate) fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync + Send) {
    in_pool(|| items.par_sort_by_key(key));
}

/// Sorts items by keys, each of which is computed once; those with equal keys stay in order.
pub(crate) fn sort_by_cached_key<T: Sync>(items: &mut [T], key: impl Fn(&T) -> u128 + Sync) {
    const KEYS: usize = 1 << 10;
    let unsorted = &*items;
    let mut order = map_places(items.len(), KEYS, |index| (key(&unsorted[index]), index));
    order.par_sort_unstable();
    for index in 0..items.len() {
        let mut from = order[index].1;
        // Items that were exchanged before are further on.
        while from < index {
            from = order[from].1;
        }
        order[index].1 = from;
        items.swap(index, from);
    }
}

/// Working memory of tasks: each has one for itself, which later tasks use again.
pub(crate) struct Memory<M, N> {
    idle: Mutex<Vec<M>>,
    new: N,
}

impl<M, N: Fn() -> M> Memory<M, N> {
    pub(crate) fn new(new: N) -> Self {
        let idle = Mutex::default();
        Self { idle, new }
    }

    /// Runs a task with memory in the state that an earlier task has left, or new one.
    pub(crate) fn with<T>(&self, task: impl FnOnce(&mut M) -> T) -> T {
        let reused = lock(&self.idle).pop();
        let mut memory = reused.unwrap_or_else(&self.new);
        let result = task(&mut memory);
        lock(&self.idle).push(memory);
        result
    }
}

/// Runs `task` for each of `0..tasks` with a state that no other task uses meanwhile, and returns
/// the states, in any order. There are about as many as threads; each begins as `new()`.
pub(crate) fn fold<T: Send>(
    tasks: usize,
    new: impl Fn() -> T + Sync,
    task: impl Fn(&mut T, usize) + Sync,
) -> Vec<T> {
    let states = Memory::new(new);
    for_each(tasks, |number| states.with(|state| task(state, number)));
    let states = states.idle.into_inner();
    states.unwrap_or_else(PoisonError::into_inner)
}

const FILLED: usize = 1 << 16;

/// A vector of `words` copies of `word`, written in parallel: page faults of fresh memory dominate.
pub(crate) fn filled(words: usize, word: u32) -> Vec<u32> {
    if words <= FILLED {
        vec![word; words]
    } else {
        map_places(words, FILLED, |_| word)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

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
            assert_eq!(
                collect_ranges(tasks, 7, |range| squares[range].iter().copied()),
                squares
            );
            let sums = fold(tasks, || 0, |sum, task| *sum += squares[task]);
            assert_eq!(sums.iter().sum::<usize>(), squares.iter().sum());
            assert_eq!(
                try_map_ranges(tasks, 7, |range| Ok(range.len()))
                    .expect("none fails")
                    .len(),
                tasks.div_ceil(7)
            );
            assert!(all_ranges(tasks, 7, |range| range.end <= tasks));
            let mut items = vec![1; tasks];
            for_each_mut(&mut items, |place, item| *item = *item + place * place - 1);
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
            move |task| {
                if task == bad {
                    Err(Error::Cancelled)
                } else {
                    Ok(task)
                }
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
    fn ranges_must_have_an_item_for_each_place() {
        let collect = |items: usize| {
            catch_unwind(|| collect_ranges(100, 10, |range| range.take(items)).len()).ok()
        };
        assert_eq!((collect(9), collect(10)), (None, Some(100)));
        assert_eq!(
            collect_ranges(100, 10, |range| range.start..),
            (0..100).collect::<Vec<_>>()
        );
    }

    #[test]
    fn parts_are_appended_in_order() {
        for places in [0, 1, 7, 8, 1000] {
            let mut all = vec![5];
            extend(&mut all, places, 7, |place, part| {
                part.extend((0..place % 3).map(|copy| place + copy));
            });
            let expected =
                (0..places).flat_map(|place| (0..place % 3).map(move |copy| place + copy));
            assert!(all.into_iter().eq([5].into_iter().chain(expected)));
        }
    }

    #[test]
    fn items_are_sorted_by_keys_and_equal_ones_stay_in_order() {
        for count in [0, 1, 100, 10_000] {
            let item = |place: usize| (place * 7919 % 31, place.to_string());
            let mut sorted: Vec<_> = (0..count).map(item).collect();
            let mut expected = sorted.clone();
            sort_by_cached_key(&mut sorted, |item| item.0 as u128);
            expected.sort_by_key(|item| item.0);
            assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn tasks_change_items_and_use_memory_again() {
        let memory = Memory::new(Vec::new);
        let mut items: Vec<_> = (0..100).collect();
        let found = try_map_mut(&mut items, |place, item| {
            memory.with(|memory| {
                memory.push(place);
                *item += 1;
                if place == 100 {
                    Err(Error::Cancelled)
                } else {
                    Ok(*item)
                }
            })
        });
        let all = memory.idle.into_inner().expect("no panic").concat();
        assert_eq!((found.expect("none fails"), all.len()), (items, 100));
    }

    #[test]
    fn filled_fills_any_number_of_words() {
        for words in [0, 1, FILLED, FILLED + 1, 3 * FILLED + FILLED / 2] {
            assert!(filled(words, 7) == vec![7; words], "{words} words");
        }
    }
}
