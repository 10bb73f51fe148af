//! Index from keys to strings.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel;
use crate::sequences::bit_parallel::prefetch::prefetch;
use crate::sort;

/// Peak bytes of an entry while an index is made, and bytes that stay.
pub(super) const BUILD_BYTES: u64 = 48;
pub(super) const ENTRY_BYTES: u64 = 18;
/// Bits of a directory at most.
const MAX_BITS: u32 = 28;
/// Keys and buckets per parallel task.
const KEYS: usize = 1 << 14;
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
    /// Bloom filter: the four bits of a key behind those of its bucket select a bit of the
    /// bucket's word. Most keys of strings without neighbours are looked up here only, in the cache.
    filter: Vec<u16>,
    /// Start of each bucket; one more at the end.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

impl Index {
    /// Sorts entries into an index. Strings of a key with more entries than `limit` are added to
    /// `frequent` instead. Runs on the current thread pool.
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
            parallel::for_each_chunk_mut(&mut keys, KEYS, |_, keys| {
                keys.iter_mut().for_each(|key| *key <<= part.bits);
            });
            let mask = u64::MAX << (64 - high);
            sort::cpu::sort(&keys, Some(&numbers), mask, &control.unreported())?
        };
        drop(numbers);
        let (keys, numbers) = sorted;
        let bucket = |key: u64| (key >> (64 - bits)) as usize;
        let buckets = 1usize << bits;
        let of_task = |task: usize| -> Result<(Vec<u16>, Vec<u32>, Vec<Entry>)> {
            control.check()?;
            let first = task * BUCKETS;
            let end = (first + BUCKETS).min(buckets);
            let start = |first: usize| keys.partition_point(|&key| bucket(key) < first);
            let (mut at, stop) = (start(first), start(end));
            let mut entries = Vec::with_capacity(stop - at);
            let mut starts = Vec::with_capacity(end - first);
            let mut filter = Vec::with_capacity(end - first);
            let mut sorted: Vec<(u64, u32)> = Vec::new();
            for number in first..end {
                starts.push(entries.len() as u32);
                let (begin, mut present) = (at, 0);
                while at < stop && bucket(keys[at]) == number {
                    present |= filter_bit(keys[at], bits);
                    at += 1;
                }
                filter.push(present);
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
            Ok((filter, starts, entries))
        };
        let tasks = parallel::try_map(buckets.div_ceil(BUCKETS), of_task)?;
        drop((keys, numbers));
        let total = tasks.iter().map(|(.., entries)| entries.len()).sum();
        let (mut filter, mut starts) =
            (Vec::with_capacity(buckets), Vec::with_capacity(buckets + 1));
        let mut entries = Vec::with_capacity(total);
        for (of_filter, of_task, more) in tasks {
            let before = entries.len() as u32;
            filter.extend(of_filter);
            starts.extend(of_task.into_iter().map(|start| start + before));
            entries.extend(more);
        }
        starts.push(entries.len() as u32);
        Ok(Self {
            part,
            bits,
            filter,
            starts,
            entries,
        })
    }

    pub(super) fn part(&self) -> KeyPart {
        self.part
    }

    /// Passes the strings of each key of this part to `found`, with the place of the key;
    /// [`FREQUENT`] for a frequent key. `present` is working memory.
    pub(super) fn look_up(
        &self,
        keys: &[u64],
        present: &mut Vec<u32>,
        mut found: impl FnMut(usize, u32),
    ) {
        // Memory latency is hidden by prefetching some keys ahead.
        const AHEAD: usize = 16;
        let of_part = |key: u64| key << self.part.bits;
        let bucket = |key: u64| (of_part(key) >> (64 - self.bits)) as usize;
        present.clear();
        for (at, &key) in keys.iter().enumerate() {
            if let Some(&key) = keys.get(at + AHEAD) {
                let bucket = bucket(key);
                prefetch(&self.filter[bucket..=bucket]);
            }
            let bucket = bucket(key);
            let is_present = self.filter[bucket] & filter_bit(of_part(key), self.bits) != 0;
            if is_present && self.part.has(key) {
                present.push(at as u32);
                prefetch(&self.starts[bucket..=bucket]);
            }
        }
        let range = |at: u32| {
            let bucket = bucket(keys[at as usize]);
            self.starts[bucket] as usize..self.starts[bucket + 1] as usize
        };
        for index in 0..present.len() + AHEAD {
            if let Some(&at) = present.get(index) {
                prefetch(&self.entries[range(at)]);
            }
            let Some(&at) = index.checked_sub(AHEAD).map(|index| &present[index]) else {
                continue;
            };
            let tag = (of_part(keys[at as usize]) >> (32 - self.bits)) as u32;
            for entry in &self.entries[range(at)] {
                if entry.tag == tag {
                    found(at as usize, entry.number);
                }
            }
        }
    }
}

/// Bit of a key in the filter of its bucket.
fn filter_bit(key: u64, bits: u32) -> u16 {
    1 << (key >> (60 - bits) & 15)
}
