//! Columns of a join by their keys: an index for each level of the plan.

use std::ops::Range;

use super::deletions;
use super::index::{BUILD_BYTES, ENTRY_BYTES, Index, KeyPart, Numbers};
use super::plan::{Plan, Scheme};
use super::side::Columns;
use super::signature::Signature;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel;
use crate::sequences::typed::SymbolSlice;
use crate::symbols::hash::{Prefixes, mix};

/// Strings per parallel task.
const TASK: usize = 1 << 10;
/// Maximum bits of a part of the keys.
const MAX_PART_BITS: u32 = 16;

/// Makes the keys of a group different from those of other groups.
pub(super) fn separate(keys: &mut [u64], group: u32) {
    if group > 0 {
        let group = mix(group.into());
        keys.iter_mut().for_each(|key| *key = mix(*key ^ group));
    }
}

pub(super) struct Level {
    pub(super) part_bits: u32,
    /// The whole index, if it has one part.
    pub(super) index: Option<Index>,
    /// Strings of frequent keys, and their number by length.
    frequent: Numbers,
    frequent_lengths: Vec<usize>,
    is_counted: bool,
    /// Strings without keys, by length.
    pub(super) listed: Vec<Vec<u32>>,
}

/// Columns by their keys, as far as joins have needed them.
pub(super) struct Indexed {
    pub(super) plan: Plan,
    pub(super) signatures: Vec<Signature>,
    pub(super) levels: Vec<Level>,
    held_bytes: u64,
}

impl Indexed {
    /// No index yet. Runs on the current thread pool.
    pub(super) fn new(columns: Columns<'_>, plan: Plan) -> Self {
        let signature = |column: usize| Signature::of(columns.string(column as u32));
        Self {
            plan,
            signatures: parallel::map_places(columns.len(), TASK, signature),
            levels: Vec::new(),
            held_bytes: 0,
        }
    }

    /// True if the index of each level is in memory.
    pub(super) fn is_whole(&self) -> bool {
        self.levels.iter().all(|level| level.index.is_some())
    }

    /// Strings of a length that are part of a level.
    pub(super) fn members(&self, level: usize, length: usize) -> usize {
        match level.checked_sub(1) {
            None => self.plan.lengths[length].count,
            Some(before) => self.levels[before].frequent_lengths[length],
        }
    }

    fn entries(&self, level: usize) -> f64 {
        self.plan
            .entries(level, |length| self.members(level, length))
    }

    /// Bits of the number of parts that a level is indexed in, for this room in bytes.
    pub(super) fn part_bits(&self, level: usize, index_bytes: u64) -> u32 {
        if let Some(parts) = self.plan.tuning.parts {
            return parts.ilog2();
        }
        let room = index_bytes.saturating_sub(self.held_bytes).max(1);
        let parts = self.entries(level) * BUILD_BYTES as f64 / room as f64;
        // The number of an entry has 32 bits.
        let parts = parts.max(self.entries(level) / f64::from(u32::MAX / 2));
        (0..MAX_PART_BITS)
            .find(|&bits| parts <= f64::from(1u32 << bits))
            .unwrap_or(MAX_PART_BITS)
    }

    /// Adds the next level.
    pub(super) fn add_level(&mut self, columns: Columns<'_>, index_bytes: u64) {
        let level = self.levels.len();
        let part_bits = self.part_bits(level, index_bytes);
        if part_bits == 0 {
            self.held_bytes += (self.entries(level) * ENTRY_BYTES as f64) as u64;
        }
        let mut listed = vec![Vec::new(); self.plan.lengths.len()];
        for number in self.numbers(level, 0..columns.len() as u32) {
            let (length, scheme) = self.scheme(columns, level, number);
            if scheme == Some(Scheme::All) {
                listed[length].push(number);
            }
        }
        self.levels.push(Level {
            part_bits,
            index: None,
            frequent: Numbers::below(columns.len()),
            frequent_lengths: vec![0; self.plan.lengths.len()],
            is_counted: false,
            listed,
        });
    }

    /// Distinct columns of a range that are part of a level.
    fn numbers(&self, level: usize, range: Range<u32>) -> Box<dyn Iterator<Item = u32> + '_> {
        match level.checked_sub(1) {
            None => Box::new(range),
            Some(before) => Box::new(self.levels[before].frequent.within(range)),
        }
    }

    /// Length of a column, as an index, and its scheme in a level.
    fn scheme(&self, columns: Columns<'_>, level: usize, number: u32) -> (usize, Option<Scheme>) {
        let length = self.plan.index_of(columns.string(number).len());
        (length, self.plan.lengths[length].scheme(level))
    }

    /// Counts the strings of frequent keys, once.
    pub(super) fn count_frequent(&mut self, columns: Columns<'_>, level: usize) {
        if self.levels[level].is_counted {
            return;
        }
        let mut counts = vec![0; self.plan.lengths.len()];
        let all = 0..columns.len() as u32;
        for number in self.levels[level].frequent.within(all) {
            counts[self.plan.index_of(columns.string(number).len())] += 1;
        }
        self.levels[level].frequent_lengths = counts;
        self.levels[level].is_counted = true;
    }

    /// One part of the index of a level.
    pub(super) fn index(
        &self,
        columns: Columns<'_>,
        level: usize,
        part: KeyPart,
        control: &Control,
    ) -> Result<Index> {
        let of_task = |task: usize| -> Result<(Vec<u64>, Vec<u32>)> {
            control.check()?;
            let first = task * TASK;
            let end = (first + TASK).min(columns.len());
            let (mut prefixes, mut own) = (Prefixes::default(), Vec::new());
            let (mut keys, mut numbers) = (Vec::new(), Vec::new());
            for number in self.numbers(level, first as u32..end as u32) {
                let (length, scheme) = self.scheme(columns, level, number);
                let Some(scheme) = scheme.filter(|&scheme| scheme != Scheme::All) else {
                    continue;
                };
                let string = columns.string(number);
                own.clear();
                prefixes.load(string);
                self.index_keys(length, scheme, string, &prefixes, &mut own);
                separate(&mut own, columns.group(number));
                own.retain(|&key| part.has(key));
                keys.extend_from_slice(&own);
                numbers.resize(keys.len(), number);
            }
            if level == 0 {
                control.add_done((end - first) as u64);
            }
            Ok((keys, numbers))
        };
        let tasks = parallel::try_map(columns.len().div_ceil(TASK), of_task)?;
        let total = tasks.iter().map(|(keys, _)| keys.len()).sum();
        let (mut keys, mut numbers) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for (of_task, more) in tasks {
            keys.extend(of_task);
            numbers.extend(more);
        }
        let lengths = &self.plan.lengths;
        let limits = lengths.iter().map(|length| length.limit(level));
        let least = limits.min().unwrap_or(u32::MAX);
        let limit = |number: u32| {
            let length = self.plan.index_of(columns.string(number).len());
            lengths[length].limit(level)
        };
        let frequent = &self.levels[level].frequent;
        Index::new(
            (keys, numbers),
            part,
            (least as usize, limit),
            frequent,
            control,
        )
    }

    fn index_keys(
        &self,
        length: usize,
        scheme: Scheme,
        string: SymbolSlice<'_>,
        prefixes: &Prefixes,
        keys: &mut Vec<u64>,
    ) {
        let len = self.plan.lengths[length].len;
        match scheme {
            Scheme::Pieces(kept) => {
                if let Some(patterns) = self.plan.patterns(kept, None) {
                    patterns.keys(prefixes, len, keys);
                }
            }
            Scheme::Deletions => {
                for group in self.plan.groups(len) {
                    deletions::keys(string, prefixes, (group, self.plan.k), keys);
                }
            }
            Scheme::All => {}
        }
    }
}
