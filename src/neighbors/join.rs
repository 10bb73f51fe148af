//! Join of strings with strings: keys, candidates and their verification.

use super::deletions;
use super::distance::Distance;
use super::index::{FREQUENT, Index, KeyPart};
use super::levels::{Indexed, separate};
use super::plan::Scheme;
use super::side::{Columns, Side};
use super::signature::Signature;
use crate::call::control::Control;
use crate::error::{Error, Result};
use crate::host::parallel::{self, Memory};
use crate::host::threads::threads;
use crate::substring::Strand;
use crate::symbols::hash::Prefixes;

/// Maximum rows per parallel task.
const ROWS: usize = 1 << 7;
/// Rows whose keys are looked up at once, which hides the latency of the memory.
const GROUP: usize = 64;
/// Rows of the first batch: each may have all columns.
const FIRST_BATCH: usize = 32;
/// Work to look up a row, where that of indexing a column is 1: by time, 4 for 1.5 M words of 12 letters
/// within one edit.
const ROW_WORK: u64 = 4;

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

/// A join, with the indexes made so far.
pub(super) struct Join<'a> {
    rows: &'a Side<'a>,
    columns: Columns<'a>,
    indexed: Indexed,
    /// Greatest place of each column, for rows of the same list.
    last: Vec<u32>,
    room: Room,
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
        Self {
            rows,
            columns,
            indexed,
            last,
            room,
            counts: Counts::default(),
        }
    }

    /// The index for later joins, if all of it is in memory.
    pub(super) fn into_indexed(self) -> Option<Indexed> {
        self.indexed.is_whole().then_some(self.indexed)
    }

    /// Bytes of the fixed tables of this number of columns.
    pub(super) fn size_bytes(columns: usize) -> u64 {
        let each = size_of::<u32>() + size_of::<Signature>();
        columns as u64 * each as u64
    }

    /// True if all columns were or will be indexed at once, so that blocks of rows may be
    /// small.
    pub(super) fn is_whole(&self) -> bool {
        self.indexed.part_bits(0, self.room.index_bytes) == 0
    }

    /// Expected work of the first level for this number of rows, in columns that are indexed.
    fn work(&self, rows: usize) -> u64 {
        let (columns, part_bits) = match self.indexed.levels.first() {
            Some(first) if first.index.is_some() => (0, first.part_bits),
            Some(first) => (self.columns.len(), first.part_bits),
            None => {
                let part_bits = self.indexed.part_bits(0, self.room.index_bytes);
                (self.columns.len(), part_bits)
            }
        };
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
        for level in 0..self.indexed.plan.levels {
            if level == self.indexed.levels.len() {
                self.indexed.add_level(self.columns, self.room.index_bytes);
            }
            pass.flagged = vec![false; pass.active.len()];
            let bits = self.indexed.levels[level].part_bits;
            for number in 0..1 << bits {
                let part = KeyPart { number, bits };
                let index = match self.indexed.levels[level].index.take() {
                    Some(index) => index,
                    None => self.indexed.index(self.columns, level, part, control)?,
                };
                self.pass(level, &index, &mut pass, control)?;
                if bits == 0 {
                    self.indexed.levels[level].index = Some(index);
                }
            }
            self.indexed.count_frequent(self.columns, level);
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
        let (len, k) = (string.len(), self.indexed.plan.k);
        let (mut is_loaded, mut has_own_group) = (false, false);
        for length in self.indexed.plan.within_reach(len) {
            if self.indexed.members(level, length) == 0 {
                continue;
            }
            let of_length = &self.indexed.plan.lengths[length];
            let scheme = of_length.scheme(level);
            if !is_loaded && !matches!(scheme, None | Some(Scheme::All)) {
                prefixes.load(string);
                is_loaded = true;
            }
            match scheme {
                Some(Scheme::Pieces(kept)) => {
                    let longer = len as i64 - of_length.len as i64;
                    if let Some(patterns) = self.indexed.plan.patterns(kept, Some(longer as i32)) {
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
        let lengths = self
            .indexed
            .plan
            .within_reach(self.rows.string(row.number).len());
        let columns = lengths.flat_map(move |length| &self.indexed.levels[level].listed[length]);
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
        let (string, k) = (self.rows.string(row.number), self.indexed.plan.k);
        let group = self.rows.group(row.number);
        let mut signature = None;
        for column in candidates.filter(|&column| self.columns.group(column) == group) {
            counts.candidates += 1;
            let other = self.columns.string(column);
            let difference = string.len().abs_diff(other.len());
            let signature = signature.get_or_insert_with(|| Signature::of(string));
            if !signature.is_near(&self.indexed.signatures[column as usize], difference, k) {
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
