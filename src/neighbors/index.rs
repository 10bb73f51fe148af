//! Index from keys to strings.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::prefetch::prefetch;
use crate::sort;

/// Peak bytes of an entry while an index is made, and bytes that stay.
pub(super) const BUILD_BYTES: u64 = 44;
pub(super) const ENTRY_BYTES: u64 = 16;
/// Bits of a directory at most.
const MAX_BITS: u32 = 28;
/// Buckets per parallel task.
const BUCKETS: usize = 1 << 12;
/// Stands for the strings of a frequent key, which go on to the next level.
pub(super) const FREQUENT: u32 = u32::MAX;

/// A set of numbers that threads add to.
pub(super) struct Numbers(Vec<AtomicU64>);

impl Numbers {
    pub(super) fn below(end: usize) -> Self {
        Self((0..end.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn add(&self, number: u32) {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if self.0[word].load(Ordering::Relaxed) & bit == 0 {
            self.0[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// The numbers of a range, ascending.
    pub(super) fn within(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = u32> + '_ {
        range.filter(|&number| {
            self.0[number as usize / 64].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
        })
    }
}

/// A part of the keys: those whose highest bits are its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyPart {
    pub(super) number: u32,
    /// Highest bits of a key that tell its part.
    pub(super) bits: u32,
}

impl KeyPart {
    pub(super) fn has(self, key: u64) -> bool {
        self.bits == 0 || (key >> (64 - self.bits)) as u32 == self.number
    }
}

#[derive(Clone, Copy)]
struct Entry {
    /// The bits of the key behind those that select the bucket.
    tag: u32,
    number: u32,
}

/// Strings by key, in buckets of a few entries.
pub(super) struct Index {
    part: KeyPart,
    /// Highest bits of a key, without those of the part, that select its bucket.
    bits: u32,
    /// Start of each bucket; one more at the end.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

impl Index {
    /// Sorts entries into an index. Strings of a key with more entries than `limit` are added to
    /// `frequent` instead. Runs on the current thread pool.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn new(
        (keys, numbers): (Vec<u64>, Vec<u32>),
        part: KeyPart,
        (least_limit, limit): (usize, impl Fn(u32) -> u32 + Sync),
        frequent: &Numbers,
        control: &Control,
    ) -> Result<Self> {
        let bits = keys.len().max(1 << 8).ilog2().min(MAX_BITS);
        let sorted = {
            let high = bits.next_multiple_of(8);
            let mut keys = keys;
            keys.par_iter_mut().for_each(|key| *key <<= part.bits);
            let mask = u64::MAX << (64 - high);
            sort::cpu::sort(&keys, Some(&numbers), mask, &control.unreported())?
        };
        drop(numbers);
        let (keys, numbers) = sorted;
        let bucket = |key: u64| (key >> (64 - bits)) as usize;
        let buckets = 1usize << bits;
        let of_task = |first: usize| -> Result<(Vec<u32>, Vec<Entry>)> {
            control.check()?;
            let end = (first + BUCKETS).min(buckets);
            let place = |first: usize| keys.partition_point(|&key| bucket(key) < first);
            let (mut at, stop) = (place(first), place(end));
            let mut entries = Vec::with_capacity(stop - at);
            let mut starts = Vec::with_capacity(end - first);
            let mut sorted: Vec<(u64, u32)> = Vec::new();
            for number in first..end {
                starts.push(entries.len() as u32);
                let begin = at;
                while at < stop && bucket(keys[at]) == number {
                    at += 1;
                }
                let pairs = || {
                    keys[begin..at]
                        .iter()
                        .copied()
                        .zip(numbers[begin..at].iter().copied())
                };
                let entry = |(key, number): (u64, u32)| Entry {
                    tag: (key >> (32 - bits)) as u32,
                    number,
                };
                if at - begin <= least_limit {
                    entries.extend(pairs().map(entry));
                    continue;
                }
                sorted.clear();
                sorted.extend(pairs());
                sorted.sort_unstable();
                for run in sorted.chunk_by(|a, b| a.0 == b.0) {
                    // Another length may have the same key, by a collision, and no further level.
                    let is_frequent = run.len() > least_limit
                        && run
                            .iter()
                            .all(|&(_, number)| run.len() > limit(number) as usize);
                    if is_frequent {
                        run.iter().for_each(|&(_, number)| frequent.add(number));
                        entries.push(entry((run[0].0, FREQUENT)));
                    } else {
                        entries.extend(run.iter().copied().map(entry));
                    }
                }
            }
            Ok((starts, entries))
        };
        let tasks: Vec<_> = (0..buckets)
            .into_par_iter()
            .step_by(BUCKETS)
            .map(of_task)
            .collect::<Result<_>>()?;
        drop((keys, numbers));
        let total = tasks.iter().map(|(_, entries)| entries.len()).sum();
        let (mut starts, mut entries) =
            (Vec::with_capacity(buckets + 1), Vec::with_capacity(total));
        for (of_task, more) in tasks {
            let before = entries.len() as u32;
            starts.extend(of_task.into_iter().map(|start| start + before));
            entries.extend(more);
        }
        starts.push(entries.len() as u32);
        Ok(Self {
            part,
            bits,
            starts,
            entries,
        })
    }

    pub(super) fn part(&self) -> KeyPart {
        self.part
    }

    /// Passes the strings of each key of this part to `found`, with the place of the key;
    /// [`FREQUENT`] for a frequent key.
    pub(super) fn look_up(&self, keys: &[u64], mut found: impl FnMut(usize, u32)) {
        // Memory latency is hidden by prefetching some keys ahead.
        const AHEAD: usize = 16;
        let bucket = |key: u64| ((key << self.part.bits) >> (64 - self.bits)) as usize;
        let range = |key: u64| {
            let bucket = bucket(key);
            self.starts[bucket] as usize..self.starts[bucket + 1] as usize
        };
        for at in 0..keys.len() + 2 * AHEAD {
            if let Some(&key) = keys.get(at) {
                let bucket = bucket(key);
                prefetch(&self.starts[bucket..=bucket]);
            }
            if let Some(&key) = at.checked_sub(AHEAD).and_then(|at| keys.get(at)) {
                let start = range(key).start;
                prefetch(&self.entries[start..(start + 1).min(self.entries.len())]);
            }
            let Some(at) = at.checked_sub(2 * AHEAD) else {
                continue;
            };
            let key = keys[at];
            if !self.part.has(key) {
                continue;
            }
            let tag = ((key << self.part.bits) >> (32 - self.bits)) as u32;
            for entry in &self.entries[range(key)] {
                if entry.tag == tag {
                    found(at, entry.number);
                }
            }
        }
    }
}
