//! Join on a GPU.
//!
//! Strings get the same keys, level by level, as on the CPU; what the levels cost differs. For each
//! level and each block of rows, one plan computes the keys of the columns, sorts them, and marks columns with frequent keys; then
//! looks up the keys of the rows, filters the candidates and computes their distances. The pairs
//! within the bound are sorted and read back. Candidates never leave the workgroup that finds them.

mod plan;
mod stored;
mod tables;

use std::borrow::Cow;

use super::join::{Counts, Found, Row};
use super::plan::{Costs, Lengths, Plan, Scheme, lengths};
use super::shard::Shard;
use super::side::{Columns, Side};
use crate::backend::{Capabilities, Session, Span};
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::engine::placement::Boxed;
use crate::engine::profile::gpu::{H200_UNITS, compute_units, neighbors as figures};
use crate::engine::several::{is_loss, try_all};
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::kernels::{Kernel, neighbors as kernels};
use crate::plan::{Plan as DevicePlan, Resident};
use crate::sort;
use crate::substring::Strand;
use plan::{CANDIDATES, COLUMNS, DISTANCE_BITS, ENTRIES, FLAGS, FOUND, INCOMPLETE, VERIFIED};
use plan::{Round, RoundPlan, Sizes, Table};
pub(super) use stored::{MAX_CODES, StoredStrings, alphabet, planes};
use tables::{PassString, Tables};

/// Maximum bound: a limb of 32 rows holds the band.
const MAX_WITHIN: usize = 15;
/// Maximum symbols of a string: pieces of its planes have 32-bit places.
const MAX_LEN: usize = u16::MAX as usize;
/// Maximum strings: the candidates of a workgroup have 32-bit places.
const MAX_STRINGS: usize = (1 << 25) - 1;
/// Maximum bits of a part of the keys.
const MAX_PART_BITS: u32 = 16;
/// Maximum entries of an index, and pairs, that are sorted at once.
const MAX_SORTED: u64 = 1 << 29;
/// Device memory of an entry of the index and of a pair: two arrays each, and the directory.
pub(super) const ENTRY_BYTES: u64 = 22;
const PAIR_BYTES: u64 = 17;
/// Columns that a thread gives keys at once.
const LEVEL_TASK: usize = 1 << 14;
/// Minimum pairs that a thread decodes at once.
const MIN_TASK_PAIRS: usize = 1 << 10;
/// Least pairs of a pass, and pairs per row of the first one.
const MIN_PAIRS: u64 = 1 << 16;
const PAIRS_PER_ROW: u64 = 4;

/// Times by which keys are chosen.
pub(super) const COSTS: Costs = Costs {
    index_key: figures::INDEX_KEY_SECONDS,
    lookup: figures::LOOKUP_SECONDS,
    listed_pair: figures::CANDIDATE_SECONDS,
    candidate: figures::CANDIDATE_SECONDS,
    max_kept: 16,
};

/// True if GPUs take lists of these lengths.
pub(super) fn takes(lists: &[&Lengths], k: usize) -> bool {
    let strings: usize = lists.iter().flat_map(|list| list.values()).sum();
    let longest = lists.iter().filter_map(|list| list.keys().next_back());
    k <= MAX_WITHIN && strings <= MAX_STRINGS && longest.max() <= Some(&MAX_LEN)
}

/// Bytes of the strings on a device whose codes have `planes` bits.
pub(super) fn strings_bytes(lists: &[&Lengths], planes: u32) -> u64 {
    let of_list = |list: &&Lengths| {
        let blocks = list
            .iter()
            .map(|(&len, &count)| stored::blocks(len) * count);
        let planes = stored::plane_words(blocks.sum(), planes);
        4 * (planes + stored::record_words(list.values().sum()))
    };
    lists.iter().map(of_list).sum()
}

/// True if a device holds these bytes of strings and leaves room for keys.
pub(super) fn fits(strings_bytes: u64, (caps, budget): (&Capabilities, u64)) -> bool {
    strings_bytes <= buffer_bytes(caps) && 2 * strings_bytes <= budget
}

/// Expected time of all passes and transfers, without candidates.
pub(super) fn seconds(plan: &Plan, strings_bytes: u64, caps: &Capabilities) -> f64 {
    let share = compute_units(caps) / H200_UNITS;
    plan.seconds() / share + strings_bytes as f64 / figures::LIST_BYTES_PER_SECOND
}

/// All kernels of plans besides those of the sort: release builds embed them.
pub fn embedded_kernels() -> Vec<Kernel> {
    let of_codes = |planes| [kernels::index_keys(planes), kernels::join(planes)];
    let fixed = [kernels::directory(), kernels::mark()];
    fixed
        .into_iter()
        .chain(stored::BITS.into_iter().flat_map(of_codes))
        .collect()
}

fn buffer_bytes(caps: &Capabilities) -> u64 {
    caps.binding_bytes.min(caps.buffer_bytes)
}

struct Level {
    part_bits: u32,
    /// Number of columns by index of their length.
    members: Vec<usize>,
    /// Columns with keys, in several tables if they have many.
    columns: Vec<Table>,
    entries: u64,
    /// Columns without keys, and those of each length among them.
    listed: Vec<u32>,
    of_length: Vec<(u32, u32)>,
    /// A bit per column that goes on to the next level.
    marks: Vec<u32>,
    is_marked: bool,
}

/// A join on devices, which divide the parts of the keys.
pub(super) struct GpuJoin<'a> {
    rows: &'a Side<'a>,
    columns: &'a Side<'a>,
    shard: Shard,
    strings: &'a StoredStrings<'a>,
    /// Of each device, at least one.
    sessions: Vec<Session<'a>>,
    plan: Plan,
    levels: Vec<Level>,
    /// Maximum pairs of a pass, by the memory of the host.
    host_pairs: u64,
    /// Pairs and rows of the next pass.
    pairs: u64,
    max_rows: usize,
    pub(super) counts: Counts,
}

/// Columns by their keys, as far as joins have needed them.
pub(super) struct Indexed {
    pub(super) plan: Plan,
    levels: Vec<Level>,
}

impl Indexed {
    pub(super) fn new(plan: Plan) -> Self {
        let levels = Vec::new();
        Self { plan, levels }
    }
}

struct Passed {
    /// Column with the distance, and index of the row, sorted.
    pairs: Vec<u64>,
    /// Only rows before this index are complete.
    done: usize,
    /// A bit per row that goes on to the next level.
    flags: Vec<u32>,
    /// A bit per column that does; none if they are known.
    marks: Vec<u32>,
    /// Pairs of the next pass.
    next: u64,
    counts: Counts,
}

impl<'a> GpuJoin<'a> {
    /// A join in the sessions that opened. `found_bytes` is the host memory for pairs of a block.
    ///
    /// # Errors
    /// The last error of a session, if none opened.
    pub(super) fn new(
        opened: impl Iterator<Item = Result<Session<'a>>>,
        rows: &'a Side<'a>,
        columns: Columns<'a>,
        strings: &'a StoredStrings<'a>,
        indexed: Indexed,
        found_bytes: u64,
    ) -> Result<Self> {
        let (mut sessions, mut refused) = (Vec::new(), None);
        for session in opened {
            match session {
                Ok(session) => sessions.push(session.streamed_from(strings)),
                Err(error) => refused = Some(error),
            }
        }
        if let Some(error) = refused.filter(|_| sessions.is_empty()) {
            return Err(error);
        }
        Ok(Self {
            rows,
            columns: columns.side,
            shard: columns.shard,
            strings,
            sessions,
            plan: indexed.plan,
            levels: indexed.levels,
            host_pairs: found_bytes / (2 * size_of::<Found>() as u64),
            pairs: 0,
            max_rows: usize::MAX,
            counts: Counts::default(),
        })
    }

    /// The columns by their keys, and the sessions with their strings.
    pub(super) fn into_parts(self) -> (Indexed, Vec<Session<'a>>) {
        let Self {
            plan,
            levels,
            sessions,
            ..
        } = self;
        (Indexed { plan, levels }, sessions)
    }

    pub(super) fn max_rows(&self) -> usize {
        self.max_rows
    }

    fn device(&self) -> &Device<'a> {
        &self.sessions[0].device
    }

    fn is_same(&self) -> bool {
        std::ptr::eq(self.rows, self.columns)
    }

    /// Finds all columns of the rows, sorted. Where they do not fit, only those of the first rows
    /// are found; returns the number of these rows.
    pub(super) async fn find(&mut self, rows: &[Row]) -> Result<(Vec<Found>, usize)> {
        let (mut active, mut done) = (Cow::Borrowed(rows), rows.len());
        let (mut found, mut passes) = (Vec::new(), 0);
        let mut level = 0;
        while level < self.plan.levels && !active.is_empty() {
            if level == self.levels.len() {
                let next = self.device().on_threads(|| self.level(level))?;
                self.levels.push(next);
            }
            if self.levels[level]
                .members
                .iter()
                .all(|&members| members == 0)
            {
                break;
            }
            // A bit per row.
            let mut flagged = vec![0u32; active.len().div_ceil(32)];
            let mut part = 0;
            'parts: while part < 1u32 << self.levels[level].part_bits {
                let parts = part..1 << self.levels[level].part_bits;
                let run = |(session, part)| -> Boxed<'_, _> {
                    Box::pin(self.pass(session, level, part, &active))
                };
                let running = self.sessions.iter().zip(parts).map(run).collect();
                let all = match try_all(running).await {
                    Err((index, error)) if is_loss(&error) && self.sessions.len() > 1 => {
                        self.sessions.remove(index);
                        (part, passes) = (0, passes + 1);
                        continue;
                    }
                    all => all.map_err(|(_, error)| error)?,
                };
                for passed in all {
                    passes += 1;
                    let Some(passed) = passed else {
                        // The part has more keys than expected.
                        self.levels[level].part_bits += 1;
                        part = 0;
                        continue 'parts;
                    };
                    part += 1;
                    self.pairs = passed.next;
                    self.counts += passed.counts;
                    let marks = &mut self.levels[level].marks;
                    for (all, of_part) in marks.iter_mut().zip(&passed.marks) {
                        *all |= of_part;
                    }
                    if passed.done < active.len() {
                        done = active[passed.done].index as usize;
                        active.to_mut().truncate(passed.done);
                    }
                    for (all, of_part) in flagged.iter_mut().zip(&passed.flags) {
                        *all |= of_part;
                    }
                    let device = self.device();
                    device.on_threads(|| decode(&passed.pairs, &active, &mut found));
                    device.phases.lap(Phase::Readback);
                }
            }
            self.levels[level].is_marked = true;
            let is_flagged = |&index: &usize| flagged[index / 32] >> (index % 32) & 1 == 1;
            let next = (0..active.len()).filter(is_flagged);
            active = Cow::Owned(next.map(|index| active[index]).collect());
            level += 1;
        }
        if done < rows.len() {
            found.retain(|found: &Found| (found.index as usize) < done);
        }
        if passes > 1 {
            self.device().on_threads(|| {
                parallel::sort_unstable(&mut found);
                found.dedup();
            });
        }
        if done < rows.len() {
            // About as many rows as the largest pass has room for.
            let of_row = (found.len() as f64 / done as f64).max(0.1);
            self.max_rows = ((self.pairs as f64 / of_row) as usize).max(1);
        }
        Ok((found, done))
    }

    fn level(&self, level: usize) -> Result<Level> {
        let columns = self.columns.unique.len() as u32;
        let numbers: Vec<u32> = match level.checked_sub(1) {
            None => self.shard.numbers(columns as usize).collect(),
            Some(before) => {
                let marks = &self.levels[before].marks;
                let is_marked =
                    |&number: &u32| marks[number as usize / 32] >> (number % 32) & 1 == 1;
                (0..columns).filter(is_marked).collect()
            }
        };
        let len_of = |number: u32| self.columns.len_of(number);
        let longest = self.plan.lengths.last().map_or(0, |length| length.len);
        let mut table = Tables::new(longest, &self.plan, level);
        table.add_columns(&self.plan, level);
        let head = table.words.len();
        let parts = parallel::map_ranges(numbers.len(), LEVEL_TASK, |range| {
            let mut members = vec![0; self.plan.lengths.len()];
            let (mut keyed, mut listed) = (Vec::new(), Vec::new());
            for &number in &numbers[range] {
                let length = self.plan.index_of(len_of(number));
                members[length] += 1;
                match self.plan.lengths[length].scheme(level) {
                    Some(Scheme::All) | None => listed.push((length, number)),
                    Some(_) => keyed.push(number),
                }
            }
            (members, (keyed, listed))
        });
        let (counts, parts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let (keyed, listed) = parts.into_iter().unzip();
        let (keyed, mut listed) = (parallel::concat(keyed), parallel::concat(listed));
        let members = (0..self.plan.lengths.len())
            .map(|length| counts.iter().map(|members| members[length]).sum())
            .collect::<Vec<usize>>();
        // Stable, so that columns of a length are ascending.
        listed.sort_by_key(|&(length, _)| length);
        let start = |length: usize| listed.partition_point(|&(of, _)| of < length) as u32;
        let of_length = (0..members.len()).map(|length| (start(length), start(length + 1)));
        let of_length = of_length.collect();
        let lengths = self.plan.lengths.iter().zip(&members);
        let entries = lengths.map(|(length, &count)| table.slots_of(length.len) * count as u64);
        let entries = entries.sum();
        let (mut tables, mut rest) = (Vec::new(), &keyed[..]);
        while !rest.is_empty() {
            let placement = table.add_strings(rest.len(), |at| PassString {
                record: rest[at],
                above: 0,
                len: len_of(rest[at]),
            });
            rest = &rest[placement.strings..];
            let next = table.words[..head].to_vec();
            tables.push(Table {
                words: std::mem::replace(&mut table.words, next).into(),
                placement,
            });
        }
        let tables_bytes: u64 = tables
            .iter()
            .map(|table| 4 * table.words.len() as u64)
            .sum();
        let max_entries = |session: &Session<'_>| {
            let room = self.room_bytes(session).saturating_sub(tables_bytes) / 2;
            let max_entries = buffer_bytes(session.device.backend.capabilities()) / 4;
            max_entries.min(room / ENTRY_BYTES).min(MAX_SORTED)
        };
        let max_entries = self.sessions.iter().map(max_entries).min().unwrap_or(0);
        let part_bits = match self.plan.tuning.parts {
            Some(parts) => parts.ilog2(),
            None => (0..MAX_PART_BITS)
                .find(|&bits| of_part(entries, bits) <= max_entries)
                .unwrap_or(MAX_PART_BITS),
        };
        Ok(Level {
            part_bits,
            members,
            columns: tables,
            entries,
            listed: listed.into_iter().map(|(_, number)| number).collect(),
            of_length,
            marks: vec![0; columns.div_ceil(32) as usize],
            is_marked: false,
        })
    }

    /// Memory of a device besides the strings.
    fn room_bytes(&self, session: &Session<'_>) -> u64 {
        let budget = session.device.budget_bytes;
        budget.saturating_sub(self.strings.size_bytes())
    }

    fn rows_table(&self, level: usize, part: u32, active: &[Row]) -> Table {
        let of_level = &self.levels[level];
        let mut table = Tables::new(self.strings.longest, &self.plan, level);
        let first = table.append(of_level.listed.iter().copied());
        let moved = |&(start, end): &(u32, u32)| (first + start, first + end);
        let listed: Vec<_> = of_level.of_length.iter().map(moved).collect();
        let listed = (part == 0).then_some(&listed[..]);
        let len_of = |at: usize| self.rows.len_of(active[at].number);
        for &len in lengths(active.len(), len_of).keys() {
            table.add_rows_of((&self.plan, level), len, &of_level.members, listed);
        }
        let before = if self.is_same() {
            0
        } else {
            self.columns.unique.len() as u32
        };
        let placement = table.add_strings(active.len(), |at| PassString {
            record: before + active[at].number,
            above: active[at].above.unwrap_or(0),
            len: len_of(at),
        });
        Table {
            words: table.words.into(),
            placement,
        }
    }

    /// Finds the pairs of rows by one part of a level; `None` if the part has too many keys.
    async fn pass(
        &self,
        session: &Session<'_>,
        level: usize,
        part: u32,
        active: &[Row],
    ) -> Result<Option<Passed>> {
        let device = session.device;
        let caps = device.backend.capabilities();
        let (mut rows, mut least) = (active.len(), self.pairs);
        loop {
            let table = device.on_threads(|| self.rows_table(level, part, &active[..rows]));
            let of_level = &self.levels[level];
            let entries = of_part(of_level.entries, of_level.part_bits);
            let tables = of_level.columns.iter().chain([&table]);
            let tables_bytes: u64 = tables.map(|table| 4 * table.words.len() as u64).sum();
            let room = self.room_bytes(session);
            let room = room.saturating_sub(tables_bytes + entries * ENTRY_BYTES);
            let max_pairs = (room / 2 / PAIR_BYTES)
                .min(buffer_bytes(caps) / 8)
                .min(self.host_pairs)
                .clamp(MIN_PAIRS, MAX_SORTED);
            let wanted = (PAIRS_PER_ROW * rows as u64).max(least);
            let pairs = wanted.clamp(MIN_PAIRS, max_pairs);
            let sizes = Sizes::new(entries, pairs, caps)?;
            let round = Round {
                strings: self.strings,
                level,
                part: (part, of_level.part_bits),
                columns: &of_level.columns,
                rows: &table,
                sizes: &sizes,
                number_of_columns: self.columns.unique.len(),
                within: self.plan.k as u32,
                is_same: self.is_same(),
                marks: !of_level.is_marked && level + 1 < self.plan.levels,
                max_groups: caps.groups_per_dimension,
            };
            let make = |resident: &Resident| round.plan(resident);
            let measured: DevicePlan = make(&Resident::default()).into();
            device.check_budget(measured.size_bytes())?;
            device.control.add_total(measured.cells());
            drop(measured);
            let spans = |planned: &RoundPlan| {
                let span = |buffer, words| Span {
                    buffer,
                    first: 0,
                    words,
                };
                let marks = planned.marks.map(|marks| span(marks, round.mark_words()));
                let control = span(planned.control, round.control_words());
                std::iter::once(control).chain(marks).collect()
            };
            let make = |resident: &Resident| {
                let mut planned = make(resident);
                self.strings.encode_uploads(planned.as_mut());
                planned
            };
            let ((planned, words), _) = session.round(&make, &spans, &|_| Ok(())).await?;
            let (control, marks) = words.split_at(round.control_words() as usize);
            if u64::from(control[ENTRIES]) > sizes.entries.keys {
                return Ok(None);
            }
            let mut done = table.placement.strings;
            if control[INCOMPLETE] != u32::MAX {
                done = done.min(control[INCOMPLETE] as usize);
            }
            least = if u64::from(control[FOUND]) > pairs {
                max_pairs
            } else {
                pairs
            };
            if done == 0 {
                // Not even the first row is complete.
                if pairs == max_pairs && rows == 1 {
                    let needed = u64::from(control[FOUND]) * PAIR_BYTES;
                    return Err(Error::MemoryBudget {
                        what: "the pairs of one string, on a GPU".to_string(),
                        needed,
                        limit: device.budget_bytes,
                        smallest: needed,
                    });
                }
                if pairs == max_pairs {
                    rows = 1;
                }
                continue;
            }
            let wide = |at: usize| u64::from(control[at]) | u64::from(control[at + 1]) << 32;
            let counts = Counts {
                candidates: wide(CANDIDATES),
                verified: wide(VERIFIED),
                cells: u128::from(wide(COLUMNS)) * (2 * self.plan.k as u128 + 1),
            };
            let flags = control[FLAGS..].to_vec();
            let mut found = vec![0u64; u64::from(control[FOUND]).min(pairs) as usize];
            let buffer = planned.pairs.keys[0];
            let spans = sort::gpu::spans(buffer, found.len() as u64, 2, caps.readback_bytes);
            let take = |words: &[u32], into: &mut [u64]| sort::Key::read_words(words, into);
            sort::gpu::read(session, spans.collect(), &mut found, 2, take).await?;
            return Ok(Some(Passed {
                pairs: found,
                done,
                flags,
                marks: marks.to_vec(),
                next: least,
                counts,
            }));
        }
    }
}

/// Maximum entries of a part of the keys, with some room.
fn of_part(entries: u64, bits: u32) -> u64 {
    match bits {
        0 => entries,
        _ => (entries >> bits) + (entries >> (bits + 3)) + 1024,
    }
}

/// Appends the distinct pairs of sorted ones, of the given rows.
fn decode(pairs: &[u64], rows: &[Row], found: &mut Vec<Found>) {
    let add = |at: usize, found: &mut Vec<Found>| {
        let (pair, index) = (pairs[at], (pairs[at] >> 32) as usize);
        let is_first = at == 0 || pairs[at - 1] != pair;
        if is_first && index < rows.len() {
            found.push(Found {
                index: rows[index].index,
                column: pair as u32 >> DISTANCE_BITS,
                distance: pair as u32 & ((1 << DISTANCE_BITS) - 1),
                strand: Strand::Forward,
            });
        }
    };
    let of_range = parallel::range_len(pairs.len(), MIN_TASK_PAIRS);
    parallel::extend(found, pairs.len(), of_range, add);
}
