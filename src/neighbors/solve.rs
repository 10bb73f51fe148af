//! Runs a call: collapses equal strings, joins them block by block, and expands the copies.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

use super::gpu::{self, GpuJoin, StoredStrings};
use super::join::{Counts, Found, Indexed, Join, Room, Row};
use super::kept::KeptColumns;
use super::plan::{Costs, Lengths, Plan, Tuning, any_rows, lengths};
use super::rows::{self, block_rows};
use super::shard::{Columns, Shard};
use super::side::Side;
use super::task::Neighbor;
use super::unique::Unique;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::Call;
use crate::engine::{Device, Engine};
use crate::error::{Error, Result};
use crate::host::{lock, parallel};
use crate::pairs::strings::List;
use crate::pairs::{Measure, each};
use crate::sequences::typed::Typed;
use crate::substring::{Strand, dna};
use crate::symbols::alphabet::Alphabet;
use crate::symbols::hash::mix;

/// Rows of a block if all columns are indexed at once.
const BLOCK_ROWS: usize = 1 << 15;
/// Host memory of a row of a block.
const ROW_BYTES: u64 = 48;
/// Shares of the host memory left by the fixed tables.
const INDEX_SHARE: u64 = 2;
const FOUND_SHARE: u64 = 16;
/// Their least sizes, below which the call would take for ever.
const MIN_INDEX_BYTES: u64 = 1 << 18;
const MIN_FOUND_BYTES: u64 = 1 << 16;
/// Maximum groups that are told apart for an estimate.
const MAX_COUNTED_GROUPS: usize = 1 << 20;
/// Pairs that a thread measures at least.
const MIN_MEASURED: usize = 1 << 8;
/// Share of a call for what precedes its rows, and share of a block for finding its pairs on a GPU;
/// the rest is for their expansion. nvidia-h200/2026-11-28-progress.txt, 6 M words of 12 letters
/// within one edit.
const ENCODING_SHARE: f64 = 0.15;
const FINDING_SHARE: f64 = 0.2;

/// The strings of a call, and the bound.
pub(super) struct Request<'a> {
    pub(super) rows: List<'a>,
    /// `None` for pairs of one list.
    pub(super) columns: Option<List<'a>>,
    /// Groups of the rows and of the columns; empty without groups.
    pub(super) groups: [&'a [u32]; 2],
    /// Looks up the reverse complements of the rows, too.
    pub(super) both_strands: bool,
    /// Edit distances, or Hamming distances or optimal string alignments.
    pub(super) measure: Measure,
    pub(super) within: u64,
    pub(super) shard: Shard,
    pub(super) tuning: &'a Tuning,
    /// Numbers of strings by length, once they are counted: of the rows, and of a list of columns.
    pub(super) lengths: OnceLock<Vec<Arc<Lengths>>>,
}

/// Distinct strings of a call.
pub(super) struct Sides<'a> {
    pub(super) rows: Side<'a>,
    columns: Option<Side<'a>>,
}

impl<'a> Sides<'a> {
    pub(super) fn columns(&self) -> &Side<'a> {
        self.columns.as_ref().unwrap_or(&self.rows)
    }
}

/// Rows that are joined one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowsOf {
    /// All strings, whose copies are rows of their own.
    Positions,
    /// Distinct strings of one list.
    Numbers,
}

/// Neighbours of consecutive rows on their way to the caller.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    pub(super) neighbors: Vec<Neighbor>,
}

/// Found pairs of consecutive rows.
pub(super) struct FoundBlock<'b> {
    /// Positions, or numbers of distinct strings.
    pub(super) rows: Range<usize>,
    /// Place of each row in `found`.
    pub(super) places: &'b [u32],
    pub(super) found: &'b [Found],
}

/// A join on the CPU or on a GPU.
enum Joiner<'a> {
    Cpu(Join<'a>),
    Gpu(GpuJoin<'a>),
}

impl Joiner<'_> {
    /// Rows of the next block.
    fn max_rows(&self) -> usize {
        match self {
            Self::Cpu(join) if join.is_whole() => BLOCK_ROWS,
            Self::Cpu(_) => usize::MAX,
            Self::Gpu(join) => join.max_rows(),
        }
    }

    async fn find(
        &mut self,
        engine: &Engine,
        rows: &[Row],
        control: &Control,
    ) -> Result<(Vec<Found>, usize)> {
        match self {
            Self::Cpu(join) => engine.on_threads(|| join.find(rows, control)),
            Self::Gpu(join) => join.find(rows).await,
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Cpu(join) => join.counts,
            Self::Gpu(join) => join.counts,
        }
    }

    /// Keeps the keys of the columns for later calls.
    fn keep(self, kept: &KeptColumns) {
        match self {
            Self::Cpu(join) => *lock(&kept.on_cpu) = join.into_indexed(),
            Self::Gpu(join) => join.keep(kept),
        }
    }
}

impl<'a> Request<'a> {
    pub(super) fn lists(&self) -> Vec<List<'a>> {
        std::iter::once(self.rows).chain(self.columns).collect()
    }

    fn columns(&self) -> List<'a> {
        self.columns.unwrap_or(self.rows)
    }

    /// Lengths of the strings of each list.
    pub(super) fn lengths(&self) -> &[Arc<Lengths>] {
        let of_list = |list: List<'_>| {
            let count = || lengths(list.len(), |index| list.len_of(index));
            match list.kept() {
                Some(kept) => kept.get_or_make(count),
                None => Arc::new(count()),
            }
        };
        let make = || self.lists().into_iter().map(of_list).collect();
        self.lengths.get_or_init(make)
    }

    /// Edits within which all pairs are found: no more than the longest string has symbols.
    pub(super) fn k(&self) -> usize {
        let longest = self.lengths().iter().flat_map(|of_list| of_list.keys());
        let longest = longest.copied().max().unwrap_or(0);
        let edits = match self.measure {
            // An exchange of neighbouring symbols is two edits.
            Measure::Osa => self.within.saturating_mul(2),
            _ => self.within,
        };
        usize::try_from(edits).map_or(longest, |edits| edits.min(longest))
    }

    /// Leaves the pairs within the bound, with their values, if these are not edit distances.
    fn measured(&self, engine: &Engine, sides: &Sides<'_>, rows: &[Row], found: &mut Vec<Found>) {
        if self.measure == Measure::Edit {
            return;
        }
        let value = |found: &Found| match [
            sides.rows.string(rows[found.place as usize].number),
            sides.columns().string(found.column),
        ] {
            [Typed::Bytes(a), Typed::Bytes(b)] => each::of_pair(self.measure, a, b),
            [Typed::Numbers(a), Typed::Numbers(b)] => each::of_pair(self.measure, a, b),
            _ => u64::MAX, // Letters have no neighbours.
        };
        let all = std::mem::take(found);
        let add = |place: usize, kept: &mut Vec<Found>| {
            let value = value(&all[place]);
            kept.extend((value <= self.within).then_some(Found {
                distance: value as u32,
                ..all[place]
            }));
        };
        let range_len = parallel::range_len(all.len(), MIN_MEASURED);
        engine.on_threads(|| parallel::extend(found, all.len(), range_len, add));
    }

    /// Cells of the tables of all pairs.
    pub(super) fn cells(&self) -> u128 {
        let symbols = |strings: List<'_>| u128::from(strings.symbols_before(strings.len()));
        let cells = match self.columns {
            Some(columns) => symbols(self.rows) * symbols(columns),
            None => {
                let lengths = self.lengths()[0].iter();
                let squares = lengths.map(|(&len, &count)| (len as u128).pow(2) * count as u128);
                (symbols(self.rows).pow(2) - squares.sum::<u128>()) / 2
            }
        };
        cells * self.strands().len() as u128
    }

    fn strands(&self) -> &'static [Strand] {
        &Strand::ALL[..1 + usize::from(self.both_strands)]
    }

    /// Bytes of the reverse complements, on the host.
    fn reverse_bytes(&self) -> u64 {
        let rows = self.rows.len();
        let bytes = self.rows.symbols_before(rows) + rows as u64 * size_of::<u64>() as u64;
        bytes * u64::from(self.both_strands)
    }

    /// Share of all pairs whose strings are of one group, from above; `None` without groups.
    fn group_share(&self) -> Option<f64> {
        let [rows, columns] = self.groups;
        let most = rows.len().max(columns.len());
        if most == 0 {
            return None;
        }
        let size = most.next_power_of_two().min(MAX_COUNTED_GROUPS);
        let mut counts = vec![[0u32; 2]; size];
        for (side, groups) in [rows, columns].into_iter().enumerate() {
            for &group in groups {
                counts[mix(group.into()) as usize % size][side] += 1;
            }
        }
        let pairs = counts
            .iter()
            .map(|&[rows, columns]| f64::from(rows) * f64::from(columns));
        let all = rows.len() as f64 * columns.len() as f64;
        Some(pairs.sum::<f64>() / all.max(1.0))
    }

    /// Bytes of the tables of all strings.
    pub(super) fn fixed_bytes(&self) -> u64 {
        let (rows, columns) = (
            self.rows.len(),
            self.columns.map_or(0, |columns| columns.len()),
        );
        let (of_rows, while_made) = Unique::size_bytes(rows.max(columns));
        let unique = of_rows + if columns > 0 { while_made } else { of_rows };
        let columns = self.shard.count(self.columns().len());
        unique + Join::size_bytes(columns) + self.reverse_bytes()
    }

    /// # Errors
    /// [`Error::MethodUnavailable`] for another measure; [`Error::OutOfRange`] for too many strings;
    /// [`Error::MemoryBudget`] if the tables of the strings do not fit. For both strands errors of
    /// strings that are no DNA.
    pub(super) fn check(&self, engine: &Engine) -> Result<()> {
        if !matches!(
            self.measure,
            Measure::Edit | Measure::Hamming | Measure::Osa
        ) {
            return Err(Error::MethodUnavailable {
                method: self.measure.name(),
                device: "neighbors".to_string(),
                reason: "they are by the measures 'edit', 'hamming' and 'osa'".to_string(),
            });
        }
        engine.on_threads(|| self.lengths());
        let most = self.rows.len().max(self.columns().len());
        // Reverse complements have numbers, too.
        let allowed = u32::MAX as usize / self.strands().len();
        if most >= allowed {
            return Err(Error::OutOfRange {
                what: "the number of strings",
                given: most as u64,
                allowed: format!("less than {allowed}"),
            });
        }
        if self.both_strands {
            for (input, list) in self.lists().into_iter().enumerate() {
                dna_check(engine, input, list)?;
            }
        }
        engine.check_host_budget("the tables of the strings", self.fixed_bytes().into())
    }

    /// Host memory for the pairs of a call that keeps them.
    pub(super) fn kept_bytes(&self, engine: &Engine) -> u64 {
        let rest = engine.host_budget().saturating_sub(self.fixed_bytes());
        rest - rest / INDEX_SHARE - rest / FOUND_SHARE
    }

    pub(super) fn room(&self, engine: &Engine) -> Room {
        let rest = engine.host_budget().saturating_sub(self.fixed_bytes());
        Room {
            index_bytes: (rest / INDEX_SHARE).max(MIN_INDEX_BYTES),
            found_bytes: (rest / FOUND_SHARE / self.strands().len() as u64).max(MIN_FOUND_BYTES),
        }
    }

    /// Collapses equal strings. Runs on the threads of the engine.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn sides(&self, engine: &Engine, control: &Control) -> Result<Sides<'a>> {
        let [rows, columns] = self.groups;
        engine.on_threads(|| {
            Ok(Sides {
                rows: Side::new(self.rows, rows, self.both_strands, control)?,
                columns: self
                    .columns
                    .map(|list| Side::new(list, columns, false, control))
                    .transpose()?,
            })
        })
    }

    fn plan(&self, mut rows: Lengths, columns: Option<Lengths>, is_on_gpu: bool) -> Plan {
        // A string may equal the reverse complement of another one.
        let is_same = columns.is_none() && !self.both_strands;
        let columns = columns.unwrap_or_else(|| rows.clone());
        rows.values_mut()
            .for_each(|count| *count *= self.strands().len());
        let kept = self.kept();
        let own_rows = rows.values().sum::<usize>() as f64;
        if kept.is_some() {
            rows = any_rows(&columns, self.k());
        }
        let share = own_rows / (rows.values().sum::<usize>() as f64).max(1.0);
        let costs = if is_on_gpu { gpu::COSTS } else { Costs::CPU };
        let (k, group_share) = (self.k(), self.group_share());
        let mut plan = Plan::new(k, rows, &columns, is_same, group_share, costs, self.tuning);
        if let Some(kept) = kept {
            plan.lookup_seconds *= share;
            if kept.is_indexed(self, is_on_gpu) {
                plan.index_seconds = 0.0;
            }
        }
        plan
    }

    /// Plan as if all strings were distinct.
    pub(super) fn plan_of_all(&self, is_on_gpu: bool) -> Plan {
        let all = self.lengths();
        let columns = self.has_own_columns().then(|| match self.shard {
            Shard::ALL => Lengths::clone(&all[1]),
            shard => {
                let columns = self.columns();
                let len_of = |rank| columns.len_of(shard.number(rank as u32) as usize);
                lengths(shard.count(columns.len()), len_of)
            }
        });
        self.plan(Lengths::clone(&all[0]), columns, is_on_gpu)
    }

    /// Returns `true` unless the columns are all rows.
    fn has_own_columns(&self) -> bool {
        self.columns.is_some() || self.shard != Shard::ALL
    }
}

/// Takes the found pairs of a join.
pub(super) trait Consumer {
    type Answer;

    /// Rows of the join.
    const ROWS: RowsOf;

    /// Takes the distinct strings, before any other work.
    fn begin(&mut self, request: &Request<'_>, sides: &Sides<'_>) -> Result<()>;

    /// Takes the found pairs of the next rows.
    async fn take(
        &mut self,
        call: &Call<'_>,
        request: &Request<'_>,
        sides: &Sides<'_>,
        block: FoundBlock<'_>,
    ) -> Result<ControlFlow<()>>;

    /// Answer after the last block.
    fn finish(&mut self, sides: &Sides<'_>, counts: Counts) -> Self::Answer;
}

/// Devices with the alphabet of all strings.
pub(super) struct OnDevices<'d> {
    pub(super) devices: Vec<Device<'d>>,
    pub(super) alphabet: &'d Alphabet,
}

/// A join, as far as it has come.
pub(super) struct Joined<'q, 'a, C> {
    pub(super) request: &'q Request<'a>,
    consumer: C,
    sides: Option<Sides<'a>>,
    /// Number of rows whose pairs the consumer has.
    done: usize,
    pub(super) counts: Counts,
    /// Scheme of most strings, once it is known.
    pub(super) method: Option<&'static str>,
}

impl<'q, 'a, C: Consumer> Joined<'q, 'a, C> {
    pub(super) fn new(request: &'q Request<'a>, consumer: C) -> Self {
        Self {
            request,
            consumer,
            sides: None,
            done: 0,
            counts: Counts::default(),
            method: None,
        }
    }

    /// Joins the rows that are left, on the CPU or on devices, and passes their pairs to the
    /// consumer block by block, in order. Without a plan the distinct strings are planned.
    ///
    /// # Errors
    /// [`Error::Cancelled`], errors of the device, and those of the consumer.
    pub(super) async fn run(
        &mut self,
        call: &Call<'_>,
        plan: Option<Plan>,
        on_devices: Option<OnDevices<'_>>,
    ) -> Result<C::Answer> {
        let Call {
            engine,
            control,
            phases,
            ..
        } = call;
        let Self {
            request,
            consumer,
            sides,
            ..
        } = self;
        control.set_phase(Phase::Encode);
        let sides = match sides {
            Some(sides) => sides,
            None => {
                let made = sides.insert(request.sides(engine, control)?);
                consumer.begin(request, made)?;
                made
            }
        };
        let is_same = request.columns.is_none();
        let (rows, side) = (&sides.rows, sides.columns());
        let columns = Columns {
            side,
            shard: request.shard,
        };
        // Devices have all strings.
        let shard = on_devices.as_ref().map_or(request.shard, |_| Shard::ALL);
        let last = |rank: usize| {
            let number = shard.number(rank as u32);
            match C::ROWS {
                RowsOf::Positions => side.unique.copies(number).last().copied().unwrap_or(0),
                RowsOf::Numbers => number,
            }
        };
        // Each pair of one list is of the row before a copy of its column.
        let ranks = if is_same {
            shard.count(side.unique.len())
        } else {
            0
        };
        let last = engine.on_threads(|| parallel::map_places(ranks, rows::TASK, last));
        let is_on_gpu = on_devices.is_some();
        let make = || {
            let all_rows = Columns {
                side: rows,
                shard: Shard::ALL,
            };
            let columns = request.has_own_columns().then(|| columns.lengths());
            request.plan(all_rows.lengths(), columns, is_on_gpu)
        };
        let plan = || plan.unwrap_or_else(|| engine.on_threads(make));
        let kept = request.kept();
        let kept = kept.as_deref();
        let room = request.room(engine);
        let count = match C::ROWS {
            RowsOf::Positions => rows.strings.len(),
            RowsOf::Numbers => rows.unique.len(),
        };
        let stored;
        let mut join = match on_devices {
            Some(OnDevices { devices, alphabet }) => {
                let known = kept.and_then(|kept| kept.gpu_index(request));
                let indexed = known.unwrap_or_else(|| gpu::Indexed::new(plan()));
                self.method = Some(indexed.plan.method());
                let lists: Vec<_> = std::iter::once(side)
                    .chain((!is_same).then_some(rows))
                    .collect();
                let store = || StoredStrings::new(&lists, alphabet, last, kept);
                stored = engine.on_threads(store);
                let found_bytes = room.found_bytes;
                let sessions = devices.iter().map(|device| match kept {
                    Some(kept) => kept.sessions.open(device),
                    None => device.open_session(),
                });
                let join = GpuJoin::new(sessions, rows, columns, &stored, indexed, found_bytes)?;
                Joiner::Gpu(join)
            }
            None => {
                let known = kept.and_then(|kept| kept.cpu_index(request));
                let indexed = known.unwrap_or_else(|| {
                    let plan = plan();
                    engine.on_threads(|| Indexed::new(columns, plan))
                });
                self.method = Some(indexed.plan.method());
                Joiner::Cpu(Join::new(rows, columns, indexed, last, room))
            }
        };
        phases.lap(Phase::Encode);
        control.set_phase(Phase::Search);
        // Rows of one list have fewer neighbours after them than the rows before.
        let part = |row: usize| {
            let rows = row as f64 / count as f64;
            let part = if is_same {
                rows * (1.75 - 0.75 * rows)
            } else {
                rows
            };
            ENCODING_SHARE + (1.0 - ENCODING_SHARE) * part
        };
        let mut finding = 1.0;
        if matches!(join, Joiner::Gpu(_)) {
            control.set_ceiling(ENCODING_SHARE);
            control.add_total(1);
            control.add_done(1);
            if C::ROWS == RowsOf::Positions {
                finding = FINDING_SHARE;
            }
        }
        let strings = rows.unique.len();
        let max_rows = (room.found_bytes / ROW_BYTES).max(1) as usize;
        let before = self.counts;
        while self.done < count {
            let next = self.done;
            control.check()?;
            let end = next
                .saturating_add(join.max_rows().min(max_rows))
                .min(count);
            let of_block = || block_rows(&rows.unique, next..end, C::ROWS, is_same);
            let (mut places, rows) = engine.on_threads(of_block);
            control.set_ceiling(part(next) + (part(end) - part(next)) * finding);
            let (mut found, mut done) = join.find(engine, &rows, control).await?;
            request.measured(engine, sides, &rows, &mut found);
            if request.both_strands {
                let reverse = rows.iter().map(|row| Row {
                    number: row.number + strings as u32,
                    ..*row
                });
                let reverse: Vec<_> = reverse.collect();
                let (mut more, end) = join.find(engine, &reverse, control).await?;
                for found in &mut more {
                    found.strand = Strand::Reverse;
                }
                request.measured(engine, sides, &reverse, &mut more);
                done = done.min(end);
                found.append(&mut more);
                // Copies of a row are on its own strand.
                found.retain(|found| {
                    let place = found.place as usize;
                    place < done && !(is_same && found.column == rows[place].number)
                });
                engine.on_threads(|| parallel::sort_unstable(&mut found));
                found.dedup_by_key(|found| (found.place, found.column));
            }
            phases.lap(Phase::Search);
            let is_done = |&&place: &&u32| (place as usize) < done;
            let whole = places.iter().take_while(is_done).count();
            places.truncate(whole);
            let block = FoundBlock {
                rows: next..next + whole,
                places: &places,
                found: &found,
            };
            self.done += whole;
            control.set_ceiling(part(next + whole));
            control.set_estimate(whole as u64);
            self.counts = before;
            self.counts += join.counts();
            if consumer.take(call, request, sides, block).await?.is_break() {
                break;
            }
        }
        if let Some(kept) = kept {
            join.keep(kept);
        }
        Ok(consumer.finish(sides, self.counts))
    }
}

/// # Errors
/// [`Error::NotDna`], and [`Error::MethodUnavailable`] for symbols that are no bytes.
fn dna_check(engine: &Engine, input: usize, list: List<'_>) -> Result<()> {
    let Typed::Bytes(strings) = list else {
        return Err(Error::MethodUnavailable {
            method: "neighbors",
            device: "symbols that are not bytes".to_string(),
            reason: "reverse strands need bytes".to_string(),
        });
    };
    engine.on_threads(|| {
        let all = dna::check(input, &[strings.symbols()]);
        all.or_else(|_| dna::check(input, &strings.iter().collect::<Vec<_>>()))
    })
}
