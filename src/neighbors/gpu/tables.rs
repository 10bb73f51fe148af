//! Keys of a pass as tables: see strings.wgsl and keys.wgsl.

use std::collections::HashMap;
use std::ops::Range;

use crate::host::parallel;
use crate::kernels::neighbors::{LANES, LISTED_RUN};
use crate::neighbors::deletions;
use crate::neighbors::plan::{Plan, Scheme};
use crate::symbols::hash::mix;

const LENGTH_WORDS: usize = 3;
const SECTION_WORDS: usize = 8;
const STRING_WORDS: usize = 3;
/// Strings that a thread adds at least.
const TASK: usize = 1 << 13;
/// In place of the number of pieces: strings without keys.
const LISTED: u32 = u32::MAX;
const PIECES_SALT: u64 = 0x9E37_79B9_7F4A_7C15;

pub(super) const MAX_SLOTS: u64 = 1 << 31;

/// Source of keys of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Patterns {
    /// As [`Plan::patterns`].
    Pieces(usize, Option<i32>),

    /// Symbols and deleted ones.
    Deletions(usize, usize),
}

/// Patterns in the words of a table.
#[derive(Clone, Copy)]
struct Placed {
    first: u32,
    count: u32,
    /// Words of each.
    words: u32,
}

/// Strings of a pass in the words of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placement {
    pub(super) strings_at: u32,
    pub(super) tiles_at: u32,
    pub(super) slots: u32,
    /// Number of the strings; those behind them have no place.
    pub(super) strings: usize,
}

#[derive(Clone, Copy)]
pub(super) struct PassString {
    pub(super) record: u32,
    pub(super) above: u32,
    pub(super) len: usize,
}

/// Greatest runs of keys in a level. The lowest bits of a key tell the limit of its strings, so that
/// a collision never joins strings with different ones: then their order would decide.
struct Limits {
    /// Distinct limits, ascending.
    distinct: Vec<u32>,
    /// By index of the length.
    of_length: Vec<u32>,
}

impl Limits {
    fn new(plan: &Plan, level: usize) -> Self {
        let of_length = plan.lengths.iter().map(|length| {
            let limit = length.limit(level);
            // Powers of two, so that there are few.
            match limit {
                u32::MAX => limit,
                _ => 1 << limit.max(1).ilog2(),
            }
        });
        let of_length: Vec<u32> = of_length.collect();
        let mut distinct = of_length.clone();
        distinct.push(u32::MAX);
        distinct.sort_unstable();
        distinct.dedup();
        Self {
            distinct,
            of_length,
        }
    }

    /// Bits of a hash that a key keeps, and the others.
    fn key_bits(&self, limit: u32) -> [u32; 2] {
        let places = self.distinct.len().next_power_of_two() as u32;
        let index = self.distinct.partition_point(|&other| other < limit);
        [!(places - 1), index as u32]
    }
}

/// Words of a table, under construction.
pub(super) struct Tables {
    pub(super) words: Vec<u32>,
    limits: Limits,
    placed: HashMap<Patterns, Placed>,
    /// Slots of a string by its length.
    slots: Vec<u32>,
}

impl Tables {
    /// A table for a level, and strings of at most `longest` symbols.
    pub(super) fn new(longest: usize, plan: &Plan, level: usize) -> Self {
        let limits = Limits::new(plan, level);
        let mut words = vec![0; LENGTH_WORDS * (longest + 1)];
        for (length, &limit) in plan.lengths.iter().zip(&limits.of_length) {
            words[LENGTH_WORDS * length.len + 2] = limit;
        }
        Self {
            words,
            limits,
            placed: HashMap::new(),
            slots: vec![0; longest + 1],
        }
    }

    pub(super) fn add_columns(&mut self, plan: &Plan, level: usize) {
        for (index, length) in plan.lengths.iter().enumerate() {
            let len = length.len;
            let sections = match length.scheme(level) {
                Some(Scheme::Pieces(kept)) => vec![self.pieces(plan, kept, None, index)],
                Some(Scheme::Deletions) => {
                    let groups = plan.groups(len);
                    groups
                        .map(|group| self.deletions(plan, len, group))
                        .collect()
                }
                Some(Scheme::All) | None => Vec::new(),
            };
            self.add_sections(len, sections);
        }
    }

    /// Sections of rows of a length. `members` are the columns of the level by index of their
    /// length, `listed` those without keys, which are left out of other parts than the first.
    pub(super) fn add_rows_of(
        &mut self,
        (plan, level): (&Plan, usize),
        len: usize,
        members: &[usize],
        listed: Option<&[(u32, u32)]>,
    ) {
        let (mut sections, mut has_own_group) = (Vec::new(), false);
        for length in plan.within_reach(len) {
            if members[length] == 0 {
                continue;
            }
            let of_length = &plan.lengths[length];
            match of_length.scheme(level) {
                Some(Scheme::Pieces(kept)) => {
                    let longer = len as i64 - of_length.len as i64;
                    sections.push(self.pieces(plan, kept, Some(longer as i32), length));
                }
                Some(Scheme::Deletions) if of_length.len > len => {
                    sections.push(self.deletions(plan, len, of_length.len));
                }
                Some(Scheme::Deletions) => {
                    if !std::mem::replace(&mut has_own_group, true) {
                        sections.push(self.deletions(plan, len, len));
                    }
                }
                Some(Scheme::All) | None => {
                    if let Some(listed) = listed {
                        let (first, end) = listed[length];
                        let slots = (end - first).div_ceil(LISTED_RUN);
                        sections.push((slots, [0, first, 0, LISTED, 0, end, 0, 0]));
                    }
                }
            }
        }
        self.add_sections(len, sections);
    }

    /// Appends words; returns the place of the first.
    pub(super) fn append(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        let first = self.words.len() as u32;
        self.words.extend(words);
        first
    }

    fn add_sections(&mut self, len: usize, sections: Vec<(u32, [u32; SECTION_WORDS])>) {
        let first = self.words.len() as u32;
        let mut slots = 0u32;
        for (count, mut words) in sections {
            words[0] = slots;
            slots += count;
            self.words.extend(words);
        }
        let end = self.words.len() as u32;
        self.words[LENGTH_WORDS * len..][..2].copy_from_slice(&[first, end]);
        self.slots[len] = slots;
    }

    /// Section of pieces of the strings of a length, and its slots.
    fn pieces(
        &mut self,
        plan: &Plan,
        kept: usize,
        longer: Option<i32>,
        length: usize,
    ) -> (u32, [u32; SECTION_WORDS]) {
        let len = plan.lengths[length].len;
        let placed = self.place(plan, Patterns::Pieces(kept, longer));
        let [kept, own] = self.limits.key_bits(self.limits.of_length[length]);
        let pieces = (plan.k as u32 + placed.words - 1).max(1);
        let salt = (mix(PIECES_SALT ^ len as u64) >> 32) as u32;
        let (first, words) = (placed.first, placed.words);
        let section = [0, first, words, pieces, salt, len as u32, kept, own];
        (placed.count, section)
    }

    /// Section of deletions of a string in the group of pairs up to `group` symbols.
    fn deletions(&mut self, plan: &Plan, len: usize, group: usize) -> (u32, [u32; SECTION_WORDS]) {
        let Some(deleted) = len.checked_sub(group.saturating_sub(plan.k)) else {
            return (0, [0; SECTION_WORDS]);
        };
        let placed = self.place(plan, Patterns::Deletions(len, deleted));
        let salt = (mix(deletions::SALT ^ group as u64) >> 32) as u32;
        // Deletions are the last level.
        let [kept, own] = self.limits.key_bits(u32::MAX);
        let (first, words) = (placed.first, placed.words);
        (placed.count, [0, first, words, 0, salt, 0, kept, own])
    }

    fn place(&mut self, plan: &Plan, patterns: Patterns) -> Placed {
        if let Some(&placed) = self.placed.get(&patterns) {
            return placed;
        }
        let (words, count, of_each) = match patterns {
            Patterns::Pieces(kept, longer) => {
                let patterns = plan.patterns(kept, longer);
                let words = patterns.map_or_else(Vec::new, |patterns| patterns.words(kept));
                let count = words.len() / (kept + 1);
                (words, count, kept + 1)
            }
            Patterns::Deletions(len, deleted) => {
                let words = deletions::choices(len, deleted);
                let count = words.len().checked_div(deleted).unwrap_or(1);
                (words, count, deleted)
            }
        };
        let placed = Placed {
            first: self.append(words),
            count: count as u32,
            words: of_each as u32,
        };
        self.placed.insert(patterns, placed);
        placed
    }

    pub(super) fn slots_of(&self, len: usize) -> u64 {
        self.slots[len].into()
    }

    /// Appends the first of `count` strings, those whose slots fit a pass; at least one. Runs on the
    /// current thread pool.
    pub(super) fn add_strings(
        &mut self,
        count: usize,
        string: impl Fn(usize) -> PassString + Sync,
    ) -> Placement {
        let mut words = std::mem::take(&mut self.words);
        let slots_of = |at: usize| self.slots_of(string(at).len);
        let of_range = |range: Range<usize>| range.map(slots_of).sum::<u64>();
        let sums = parallel::map_ranges(count, TASK, of_range);
        // First slot of each range, and behind the last string.
        let mut starts = vec![0u64];
        let mut end = 0;
        for (number, sum) in sums.into_iter().enumerate() {
            let mut next = starts[number];
            if next + sum < MAX_SLOTS {
                starts.push(next + sum);
                end = count.min(end + TASK);
                continue;
            }
            while end < count && (end == 0 || next + slots_of(end) < MAX_SLOTS) {
                next += slots_of(end);
                end += 1;
            }
            starts.push(next);
            break;
        }
        let slots = starts.last().copied().unwrap_or(0);
        let in_range = |range: Range<usize>| {
            let first = starts[range.start / TASK];
            range.scan(first, |next, at| {
                let start = *next;
                *next += slots_of(at);
                Some((at, start..*next))
            })
        };
        // Workgroups whose first slot is of a string.
        let lanes = u64::from(LANES);
        let tiles = parallel::map_ranges(end, TASK, |range| {
            let tiles = in_range(range).flat_map(|(at, slots)| {
                let tiles = slots.start.div_ceil(lanes)..slots.end.div_ceil(lanes);
                tiles.map(move |_| at as u32)
            });
            tiles.collect()
        });
        let strings_at = words.len() as u32;
        let strings_words = |range: Range<usize>| {
            let strings = range.start / STRING_WORDS..range.end / STRING_WORDS;
            in_range(strings).flat_map(|(at, slots)| {
                let PassString { record, above, .. } = string(at);
                [record, above, slots.start as u32]
            })
        };
        parallel::extend_ranges(
            &mut words,
            STRING_WORDS * end,
            STRING_WORDS * TASK,
            strings_words,
        );
        words.extend([0, 0, slots as u32]);
        let tiles_at = words.len() as u32;
        words.extend(parallel::concat(tiles));
        words.push((end as u32).saturating_sub(1));
        self.words = words;
        Placement {
            strings_at,
            tiles_at,
            slots: slots as u32,
            strings: end,
        }
    }
}
