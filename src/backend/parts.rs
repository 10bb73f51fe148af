//! Uploads that are made part by part, by the threads that put them where the device takes them from: no second copy of a long input
//! lies on the host.

use rayon::prelude::*;

use crate::plan::{Buffer, BufferId, Plan};

/// What makes the words of buffers whose [contents](crate::plan::Contents::Parts) come in parts.
pub trait Source: Sync {
    /// Writes the words of a buffer from `first` on, a multiple of its unit; all of them.
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]);
}

/// The source of plans that need none.
#[derive(Debug)]
pub struct NoSource;

impl Source for NoSource {
    fn write(&self, _: &Buffer, _: u64, words: &mut [u32]) {
        words.fill(0);
    }
}

/// Words of a part that is made at once: it stays in a cache.
const PART_WORDS: u64 = 1 << 13;

/// Words of the parts of a buffer whose unit is this.
pub fn part_words(unit: u64) -> u64 {
    (PART_WORDS / unit.max(1)).max(1) * unit.max(1)
}

/// Fewest and most words that a task uploads.
const TASK_WORDS: (u64, u64) = (1 << 16, 1 << 20);
/// Tasks of a thread, where there are as many.
const TASKS_OF_THREAD: u64 = 2;

/// A task: words of a buffer from `first` to `end`, in parts of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Which buffer of the plan.
    pub buffer: BufferId,
    /// The first word.
    pub first: u64,
    /// The one behind the last.
    pub end: u64,
    /// Words that the source writes at once.
    pub part: u64,
}

/// The tasks that fill buffers, each with its unit, on so many threads, of at most so many words, or a part.
pub fn tasks(plan: &Plan, buffers: &[(BufferId, u64)], threads: usize, most: u64) -> Vec<Task> {
    let words: u64 = buffers.iter().map(|&(buffer, _)| plan.buffers[buffer].words).sum();
    let share = words / (threads as u64 * TASKS_OF_THREAD).max(1);
    let share = share.clamp(TASK_WORDS.0, TASK_WORDS.1);
    let of_buffer = |&(buffer, unit): &(BufferId, u64)| {
        let (part, all) = (part_words(unit), plan.buffers[buffer].words);
        let words = (share.div_ceil(part) * part).min((most / part).max(1) * part);
        (0..all).step_by(words as usize).map(move |first| Task { buffer, first, end: all.min(first + words), part })
    };
    buffers.iter().flat_map(of_buffer).collect()
}

/// All words of a buffer, for a device that takes no parts.
pub fn whole(source: &dyn Source, buffer: &Buffer, unit: u64) -> Vec<u32> {
    let part = part_words(unit);
    let mut words = vec![0; buffer.words as usize];
    let write = |(place, words): (usize, &mut [u32])| source.write(buffer, place as u64 * part, words);
    words.par_chunks_mut(part as usize).enumerate().for_each(write);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Contents;

    #[test]
    fn tasks_cover_every_word_once_and_begin_at_units() {
        for words in [0, 1, 5, 65_535, 65_540, 3_000_005, 50_000_000] {
            for (threads, most) in [(1, u64::MAX), (2, 1 << 19), (16, u64::MAX), (16, 1)] {
                let mut plan = Plan::default();
                let buffers: Vec<_> =
                    [1, 5, 20_000].map(|unit| (plan.buffer("", words, Contents::Parts(unit)), unit)).into();
                let tasks = tasks(&plan, &buffers, threads, most);
                for (id, unit) in buffers {
                    let mut next = 0;
                    for task in tasks.iter().filter(|task| task.buffer == id) {
                        assert!(
                            task.first == next && task.end > next && task.first % unit == 0 && task.part % unit == 0
                        );
                        next = task.end;
                    }
                    assert_eq!(next, words);
                }
            }
        }
    }
}
