//! Join of strings with strings: keys, candidates and their verification.

use std::ops::Range;

use super::deletions;
use super::distance::Distance;
use super::index::{BUILD_BYTES, ENTRY_BYTES, FREQUENT, Index, KeyPart, Numbers};
use super::plan::{Plan, Scheme};
use super::side::{Columns, Side};
use super::signature::Signature;
use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::host::parallel::{self, Memory};
use crate::host::threads::threads;
use crate::sequences::typed::Codes;
use crate::substring::Strand;
use crate::symbols::hash::{Prefixes, mix};

/// Strings per parallel task.
const TASK: usize = 1 << 10;
/// Maximum rows per parallel task.
const ROWS: usize = 1 << 7;
/// Rows whose keys are looked up at once, which hides the latency of the memory.
const GROUP: usize = 64;
/// Rows of the first batch: each may have all columns.
const FIRST_BATCH: usize = 32;
/// Maximum bits of a part of the keys.
const MAX_PART_BITS: u32 = 16;
/// Work to look up a row, where that of indexing a column is 1: by time, 4 for 1.5 M words of 12 letters
/// within one edit.
const ROW_WORK: u64 = 4;

/// Makes the keys of a group different from those of other groups.
fn separate(keys: &mut [u64], group: u32) {
    if group > 0 {
        let group = mix(group.into());
        keys.iter_mut().for_each(|key| *key = mix(*key ^ group));
    }
}

/// A distinct string of the rows, or the reverse complement of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its index among the rows of the block.
    pub(super) index: u32,
    pub(super) number: u32,
    /// Only columns whose last place is above this count.
    pub(super) above: Option<u32>,
}

/// A row, and a distinct string of the columns within reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) index: u32,
    pub(super) column: u32,
    pub(super) distance: u32,
    pub(super) strand: Strand,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Pairs that have a key in common.
    pub(super) candidates: u64,
    /// Candidates whose distance was computed.
    pub(super) verified: u64,
    /// Cells of their tables.
    pub(super) cells: u128,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.verified += other.verified;
        self.cells += other.cells;
    }
}

/// Bytes of host memory that a join may take besides its fixed tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) index_bytes: u64,
    pub(super) found_bytes: u64,
}

struct Level {
    part_bits: u32,
    /// The whole index, if it has one part.
    index: Option<Index>,
    /// Strings of frequent keys, and their number by length.
    frequent: Numbers,
    frequent_lengths: Vec<usize>,
    is_counted: bool,
    /// Strings without keys, by length.
    listed: Vec<Vec<u32>>,
}

/// Rows of a block on their way through the levels.
struct Pass {
    /// Rows of the level, in order.
    active: Vec<Row>,
    /// Those that go on to the next level.
    flagged: Vec<bool>,
    found: Vec<Found>,
    /// Only rows before this index are completed.
    done: usize,
    /// Parts of indexes probed so far.
    number: usize,
}

impl Pass {
    /// Gives up the rows from index `done` on.
    fn cut(&mut self, done: usize) {
        self.done = done;
        self.found.retain(|found| (found.index as usize) < done);
        let kept = self
            .active
            .partition_point(|row| (row.index as usize) < done);
        self.active.truncate(kept);
        self.flagged.truncate(kept);
    }
}

/// Columns by their keys, as far as joins have needed them.
pub(super) struct Indexed {
    pub(super) plan: Plan,
    signatures: Vec<Signature>,
    levels: Vec<Level>,
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
}

/// A join, with the indexes made so far.
pub(super) struct Join<'a> {
    rows: &'a Side<'a>,
    columns: Columns<'a>,
    plan: Plan,
    /// Greatest place of each column, for rows of the same list.
    last: Vec<u32>,
    signatures: Vec<Signature>,
    levels: Vec<Level>,
    room: Room,
    held_bytes: u64,
    pub(super) counts: Counts,
}

impl<'a> Join<'a> {
    /// Prepares the join. `last` is the greatest place of each column, for [`Row::above`].
    pub(super) fn new(
        rows: &'a Side<'a>,
        columns: Columns<'a>,
        indexed: Indexed,
        last: Vec<u32>,
        room: Room,
    ) -> Self {
        let Indexed {
            plan,
            signatures,
            levels,
            held_bytes,
        } = indexed;
        Self {
            rows,
            columns,
            plan,
            last,
            signatures,
            levels,
            room,
            held_bytes,
            counts: Counts::default(),
        }
    }

    /// The index for later joins, if all of it is in memory.
    pub(super) fn into_indexed(self) -> Option<Indexed> {
        let Self {
            plan,
            signatures,
            levels,
            held_bytes,
            ..
        } = self;
        let is_whole = levels.iter().all(|level| level.index.is_some());
        is_whole.then_some(Indexed {
            plan,
            signatures,
            levels,
            held_bytes,
        })
    }

    /// Bytes of the fixed tables of this number of columns.
    pub(super) fn size_bytes(columns: usize) -> u64 {
        let each = size_of::<u32>() + size_of::<Signature>();
        columns as u64 * each as u64
    }

    /// True if all columns were or will be indexed at once, so that blocks of rows may be
    /// small.
    pub(super) fn is_whole(&self) -> bool {
        self.part_bits(0) == 0
    }

    /// Expected work of the first level for this number of rows, in columns that are indexed.
    fn work(&self, rows: usize) -> u64 {
        let first = self.levels.first();
        let is_indexed = first.is_some_and(|level| level.index.is_some());
        let columns = if is_indexed { 0 } else { self.columns.len() };
        let part_bits = first.map_or_else(|| self.part_bits(0), |level| level.part_bits);
        (columns as u64 + ROW_WORK * rows as u64) << part_bits
    }

    /// Finds all columns of the rows, sorted. Where they do not fit, only those of the first rows
    /// are found; returns the number of these rows. Runs on the current thread pool.
    pub(super) fn find(&mut self, rows: &[Row], control: &Control) -> Result<(Vec<Found>, usize)> {
        control.add_total(self.work(rows.len()));
        let mut pass = Pass {
            active: rows.to_vec(),
            flagged: Vec::new(),
            found: Vec::new(),
            done: rows.len(),
            number: 0,
        };
        for level in 0..self.plan.levels {
            if level == self.levels.len() {
                let level = self.level(level);
                self.levels.push(level);
            }
            pass.flagged = vec![false; pass.active.len()];
            for number in 0..1 << self.levels[level].part_bits {
                let part = KeyPart {
                    number,
                    bits: self.levels[level].part_bits,
                };
                let index = match self.levels[level].index.take() {
                    Some(index) => index,
                    None => self.index(level, part, control)?,
                };
                self.pass(level, &index, &mut pass, control)?;
                if part.bits == 0 {
                    self.levels[level].index = Some(index);
                }
            }
            if !self.levels[level].is_counted {
                self.count_frequent(level);
            }
            let mut is_flagged = pass.flagged.iter();
            pass.active
                .retain(|_| is_flagged.next().copied().unwrap_or(false));
            if pass.active.is_empty() {
                break;
            }
        }
        let Pass {
            mut found,
            done,
            number,
            ..
        } = pass;
        if number > 1 {
            parallel::sort_unstable(&mut found);
            found.dedup();
        }
        Ok((found, done))
    }

    /// Probes one part of a level with all active rows, batch by batch, within the room for found
    /// pairs.
    fn pass(
        &mut self,
        level: usize,
        index: &Index,
        pass: &mut Pass,
        control: &Control,
    ) -> Result<()> {
        let room = (self.room.found_bytes / size_of::<Found>() as u64).max(1) as usize;
        let (mut at, mut batch) = (0, FIRST_BATCH);
        while at < pass.active.len() {
            let end = (at + batch).min(pass.active.len());
            let (rows, flagged) = (&pass.active[at..end], &mut pass.flagged[at..end]);
            let (found, counts) = self.probe(level, index, rows, flagged, control)?;
            self.counts += counts;
            let of_row = found.len() / rows.len() + 1;
            batch = (room / 4 / of_row).clamp(1, batch * 8);
            pass.found.extend(found);
            at = end;
            if pass.number == 0 && pass.found.len() > room {
                pass.cut(pass.active[at - 1].index as usize + 1);
            }
            while pass.number > 0 && pass.found.len() > 2 * room && pass.done > 1 {
                pass.cut(pass.done.div_ceil(2));
            }
        }
        pass.number += 1;
        Ok(())
    }

    /// Strings of a length that are part of a level.
    fn members(&self, level: usize, length: usize) -> usize {
        match level.checked_sub(1) {
            None => self.plan.lengths[length].count,
            Some(before) => self.levels[before].frequent_lengths[length],
        }
    }

    fn entries(&self, level: usize) -> f64 {
        self.plan
            .entries(level, |length| self.members(level, length))
    }

    fn part_bits(&self, level: usize) -> u32 {
        if let Some(parts) = self.plan.tuning.parts {
            return parts.ilog2();
        }
        let room = self.room.index_bytes.saturating_sub(self.held_bytes).max(1);
        let parts = self.entries(level) * BUILD_BYTES as f64 / room as f64;
        // The number of an entry has 32 bits.
        let parts = parts.max(self.entries(level) / f64::from(u32::MAX / 2));
        (0..MAX_PART_BITS)
            .find(|&bits| parts <= f64::from(1u32 << bits))
            .unwrap_or(MAX_PART_BITS)
    }

    fn level(&mut self, level: usize) -> Level {
        let part_bits = self.part_bits(level);
        if part_bits == 0 {
            self.held_bytes += (self.entries(level) * ENTRY_BYTES as f64) as u64;
        }
        let mut listed = vec![Vec::new(); self.plan.lengths.len()];
        for number in self.numbers(level, 0..self.columns.len() as u32) {
            let (length, scheme) = self.scheme(level, number);
            if scheme == Some(Scheme::All) {
                listed[length].push(number);
            }
        }
        Level {
            part_bits,
            index: None,
            frequent: Numbers::below(self.columns.len()),
            frequent_lengths: vec![0; self.plan.lengths.len()],
            is_counted: false,
            listed,
        }
    }

    /// Distinct columns of a range that are part of a level.
    fn numbers(&self, level: usize, range: Range<u32>) -> Box<dyn Iterator<Item = u32> + '_> {
        match level.checked_sub(1) {
            None => Box::new(range),
            Some(before) => Box::new(self.levels[before].frequent.within(range)),
        }
    }

    /// Length of a column, as an index, and its scheme in a level.
    fn scheme(&self, level: usize, number: u32) -> (usize, Option<Scheme>) {
        let length = self.plan.index_of(self.columns.string(number).len());
        (length, self.plan.lengths[length].scheme(level))
    }

    fn count_frequent(&mut self, level: usize) {
        let mut counts = vec![0; self.plan.lengths.len()];
        let columns = 0..self.columns.len() as u32;
        for number in self.levels[level].frequent.within(columns) {
            counts[self.plan.index_of(self.columns.string(number).len())] += 1;
        }
        self.levels[level].frequent_lengths = counts;
        self.levels[level].is_counted = true;
    }

    fn index(&self, level: usize, part: KeyPart, control: &Control) -> Result<Index> {
        let columns = self.columns.len();
        let of_task = |task: usize| -> Result<(Vec<u64>, Vec<u32>)> {
            control.check()?;
            let first = task * TASK;
            let end = (first + TASK).min(columns);
            let (mut prefixes, mut own) = (Prefixes::default(), Vec::new());
            let (mut keys, mut numbers) = (Vec::new(), Vec::new());
            for number in self.numbers(level, first as u32..end as u32) {
                let (length, scheme) = self.scheme(level, number);
                let Some(scheme) = scheme.filter(|&scheme| scheme != Scheme::All) else {
                    continue;
                };
                let string = self.columns.string(number);
                own.clear();
                prefixes.load(string);
                self.index_keys(length, scheme, string, &prefixes, &mut own);
                separate(&mut own, self.columns.group(number));
                own.retain(|&key| part.has(key));
                keys.extend_from_slice(&own);
                numbers.resize(keys.len(), number);
            }
            if level == 0 {
                control.add_done((end - first) as u64);
            }
            Ok((keys, numbers))
        };
        let tasks = parallel::try_map(columns.div_ceil(TASK), of_task)?;
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
            let length = self.plan.index_of(self.columns.string(number).len());
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
        string: Codes<'_>,
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

    /// Finds columns of rows by the keys of one part of a level. Sets `flagged` of rows with a
    /// frequent key.
    fn probe(
        &self,
        level: usize,
        index: &Index,
        rows: &[Row],
        flagged: &mut [bool],
        control: &Control,
    ) -> Result<(Vec<Found>, Counts)> {
        let is_first = index.part().number == 0;
        let of_task = |scratch: &mut Scratch, (rows, flagged): &mut (&[Row], &mut [bool])| {
            control.check()?;
            let (mut found, mut counts) = (Vec::new(), Counts::default());
            let groups = rows.chunks(GROUP).zip(flagged.chunks_mut(GROUP));
            for (rows, flagged) in groups {
                self.look_up(level, index, rows, flagged, scratch);
                let mut hits = std::mem::take(&mut scratch.hits);
                let mut from = 0;
                for (position, row) in rows.iter().enumerate() {
                    let before = found.len();
                    let of_row = hits[from..].partition_point(|&(of, _)| of as usize == position);
                    let of_row = &mut hits[from..from + of_row];
                    from += of_row.len();
                    of_row.sort_unstable();
                    let distinct = of_row.chunk_by(|a, b| a == b).map(|hits| hits[0].1);
                    self.verify(row, distinct, scratch, &mut found, &mut counts);
                    if is_first {
                        let listed = self.listed(level, row);
                        self.verify(row, listed, scratch, &mut found, &mut counts);
                    }
                    found[before..].sort_unstable();
                }
                scratch.hits = hits;
            }
            if level == 0 {
                control.add_done(ROW_WORK * rows.len() as u64);
            }
            Ok::<_, Error>((found, counts))
        };
        let size = (rows.len() / (8 * threads(None))).clamp(1, ROWS);
        let mut tasks: Vec<_> = rows.chunks(size).zip(flagged.chunks_mut(size)).collect();
        let memory = Memory::new(Scratch::default);
        let tasks = parallel::try_map_mut(&mut tasks, |_, task| {
            memory.with(|scratch| of_task(scratch, task))
        })?;
        let mut all = Vec::with_capacity(tasks.iter().map(|(found, _)| found.len()).sum());
        let mut counts = Counts::default();
        for (found, of_task) in tasks {
            all.extend(found);
            counts += of_task;
        }
        Ok((all, counts))
    }

    fn is_wanted(&self, row: &Row, column: u32) -> bool {
        row.above.is_none_or(|above| {
            self.last[column as usize] > above && self.columns.number(column) != row.number
        })
    }

    /// Collects the columns that have a key in common with each of some rows. Sets `flagged` of rows
    /// with a frequent key.
    fn look_up(
        &self,
        level: usize,
        index: &Index,
        rows: &[Row],
        flagged: &mut [bool],
        scratch: &mut Scratch,
    ) {
        scratch.keys.clear();
        scratch.ends.clear();
        scratch.hits.clear();
        for row in rows {
            self.row_keys(level, row, scratch);
            scratch.ends.push(scratch.keys.len());
        }
        let (mut position, ends, hits) = (0, &scratch.ends, &mut scratch.hits);
        index.look_up(&scratch.keys, &mut scratch.present, |at, column| {
            while ends[position] <= at {
                position += 1;
            }
            if column == FREQUENT {
                flagged[position] = true;
            } else if self.is_wanted(&rows[position], column) {
                hits.push((position as u32, column));
            }
        });
    }

    fn row_keys(&self, level: usize, row: &Row, scratch: &mut Scratch) {
        let Scratch { prefixes, keys, .. } = scratch;
        let (string, first) = (self.rows.string(row.number), keys.len());
        let (len, k) = (string.len(), self.plan.k);
        let (mut is_loaded, mut has_own_group) = (false, false);
        for length in self.plan.within_reach(len) {
            if self.members(level, length) == 0 {
                continue;
            }
            let of_length = &self.plan.lengths[length];
            let scheme = of_length.scheme(level);
            if !is_loaded && !matches!(scheme, None | Some(Scheme::All)) {
                prefixes.load(string);
                is_loaded = true;
            }
            match scheme {
                Some(Scheme::Pieces(kept)) => {
                    let longer = len as i64 - of_length.len as i64;
                    if let Some(patterns) = self.plan.patterns(kept, Some(longer as i32)) {
                        patterns.keys(prefixes, of_length.len, keys);
                    }
                }
                Some(Scheme::Deletions) if of_length.len > len => {
                    deletions::keys(string, prefixes, (of_length.len, k), keys);
                }
                Some(Scheme::Deletions) if !has_own_group => {
                    has_own_group = true;
                    deletions::keys(string, prefixes, (len, k), keys);
                }
                _ => {}
            }
        }
        separate(&mut keys[first..], self.rows.group(row.number));
    }

    /// Columns of about the same length without keys.
    fn listed<'s>(&'s self, level: usize, row: &'s Row) -> impl Iterator<Item = u32> + 's {
        let lengths = self.plan.within_reach(self.rows.string(row.number).len());
        let columns = lengths.flat_map(move |length| &self.levels[level].listed[length]);
        columns
            .copied()
            .filter(|&column| self.is_wanted(row, column))
    }

    /// Appends the candidates within reach.
    fn verify(
        &self,
        row: &Row,
        candidates: impl Iterator<Item = u32>,
        scratch: &mut Scratch,
        found: &mut Vec<Found>,
        counts: &mut Counts,
    ) {
        let (string, k) = (self.rows.string(row.number), self.plan.k);
        let group = self.rows.group(row.number);
        let mut signature = None;
        for column in candidates.filter(|&column| self.columns.group(column) == group) {
            counts.candidates += 1;
            let other = self.columns.string(column);
            let difference = string.len().abs_diff(other.len());
            let signature = signature.get_or_insert_with(|| Signature::of(string));
            if !signature.is_near(&self.signatures[column as usize], difference, k) {
                continue;
            }
            counts.verified += 1;
            counts.cells += string.len() as u128 * other.len() as u128;
            if let Some(distance) = scratch.distance.of_codes(string, other, k) {
                found.push(Found {
                    index: row.index,
                    column: self.columns.number(column),
                    distance,
                    strand: Strand::Forward,
                });
            }
        }
    }
}

#[derive(Default)]
struct Scratch {
    prefixes: Prefixes,
    /// Keys of some rows, and their end for each row.
    keys: Vec<u64>,
    ends: Vec<usize>,
    /// Places of the keys that may be in the index.
    present: Vec<u32>,
    /// Columns found by keys, with the place of their row among these rows.
    hits: Vec<(u32, u32)>,
    distance: Distance,
}
