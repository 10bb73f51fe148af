//! Runs a call: collapses equal strings, joins them block by block, and expands the copies.

use super::blocks::{Consumer, FoundBlock, RowsOf};
use super::gpu::{self, GpuJoin, StoredStrings};
use super::join::{Counts, Found, Join, Row};
use super::kept::KeptColumns;
use super::levels::Indexed;
use super::plan::Plan;
use super::request::{Request, Sides};
use super::rows::{self, block_rows};
use super::shard::Shard;
use super::side::Columns;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::Call;
use crate::engine::{Device, Engine};
use crate::error::Result;
use crate::host::{lock, parallel};
use crate::substring::Strand;
use crate::symbols::alphabet::Alphabet;

/// Rows of a block if all columns are indexed at once.
const BLOCK_ROWS: usize = 1 << 15;
/// Host memory of a row of a block.
const ROW_BYTES: u64 = 48;
/// Share of a call for what precedes its rows, and share of a block for finding its pairs on a GPU;
/// the rest is for their expansion. nvidia-h200/2026-11-28-progress.txt, 6 M words of 12 letters
/// within one edit.
const ENCODING_SHARE: f64 = 0.15;
const FINDING_SHARE: f64 = 0.2;

enum Joiner<'a> {
    Cpu(Join<'a>),
    Gpu(GpuJoin<'a>),
}

impl Joiner<'_> {
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
            Self::Gpu(join) => {
                let (indexed, sessions) = join.into_parts();
                *lock(&kept.on_gpu) = Some(indexed);
                let sessions = sessions.into_iter();
                sessions.for_each(|session| kept.sessions.park(session));
            }
        }
    }
}

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
                let known = kept.and_then(|kept| {
                    lock(&kept.on_gpu).take_if(|indexed| request.fits(&indexed.plan))
                });
                let indexed = known.unwrap_or_else(|| gpu::Indexed::new(plan()));
                self.method = Some(indexed.plan.method());
                let lists: Vec<_> = std::iter::once(side)
                    .chain((!is_same).then_some(rows))
                    .collect();
                let bits = kept.map(|kept| kept.planes(alphabet));
                let store = || StoredStrings::new(&lists, alphabet, last, bits);
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
                let known = kept.and_then(|kept| {
                    lock(&kept.on_cpu).take_if(|indexed| request.fits(&indexed.plan))
                });
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
                    let index = found.index as usize;
                    index < done && !(is_same && found.column == rows[index].number)
                });
                engine.on_threads(|| parallel::sort_unstable(&mut found));
                found.dedup_by_key(|found| (found.index, found.column));
            }
            phases.lap(Phase::Search);
            let is_done = |&&index: &&u32| (index as usize) < done;
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
