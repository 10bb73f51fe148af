//! Runs a search: finds the ends in batches of pieces, chooses the places among them, and passes
//! these on in order.

use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, OnceLock};

use super::batch::{Cursor, Found, Piece, Unit};
use super::choosing::{Choosing, Chosen};
use super::gpu;
use super::locate::Row;
use super::many::Group;
use super::ops::Ops;
use super::place::Place;
use super::request::Request;
use super::restricted::{Fronts, Rules};
use crate::backend::Device;
use crate::call::hand_over::HandOver;
use crate::call::phase::Phase;
use crate::edit_distance::known::KnownDistance;
use crate::engine::placement::{Boxed, Call};
use crate::engine::several::{is_loss, try_all};
use crate::error::Result;
use crate::host::lock;
use crate::host::parallel::{self, Memory};
use crate::sequences::bit_parallel::cpu::text::Class;

/// Answer of [`ForEach`](super::ForEach).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SearchDone {
    /// Number of places that were passed on.
    pub places: u64,
}

/// Places on their way to the caller.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) places: Vec<Place>,
    /// Of each place, if they are asked for.
    pub(super) alignments: Vec<Ops>,
}

/// Units per thread of a batch.
pub(super) const UNITS_PER_THREAD: usize = 4;
/// Ends of a batch above which the next one is shorter, and its least length in symbols.
const MAX_FOUND: usize = 1 << 22;
const MIN_SYMBOLS: usize = 1 << 10;
/// Chosen ends that a task locates.
const CHOSEN: usize = 64;

/// Consecutive units of a batch, and their ends by unit; `None` if they are too many for a device.
type EndsOf = (Range<usize>, Option<Vec<Vec<Found>>>);

/// Patterns on devices, which divide the units of a batch.
struct OnDevices<'r> {
    devices: Mutex<Vec<Device<'r>>>,
    patterns: gpu::Patterns,
    numbers: Vec<u32>,
}

impl OnDevices<'_> {
    /// The ends in consecutive units, part by part.
    async fn ends<C: Class + Send>(
        &self,
        request: &Request<'_>,
        call: &Call<'_>,
        units: &[Unit<C>],
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<Vec<EndsOf>> {
        loop {
            let devices = lock(&self.devices).clone();
            let count = devices.len();
            let start = |index: usize| units.len() * index / count;
            let run = |(index, device)| -> Boxed<'_, _> {
                let share = start(index)..start(index + 1);
                Box::pin(self.ends_of(device, request, units, share, meanwhile))
            };
            let running = devices.iter().enumerate().map(run).collect();
            match try_all(running).await {
                Ok(found) => {
                    let swept: u64 = units.iter().map(Unit::positions).sum();
                    call.control
                        .add_done(swept.saturating_mul(self.patterns.symbols));
                    return Ok(found.concat());
                }
                Err((index, error)) if count > 1 && is_loss(&error) => {
                    lock(&self.devices).remove(index);
                }
                Err((_, error)) => return Err(error),
            }
        }
    }

    async fn ends_of<C: Class + Send>(
        &self,
        device: &Device<'_>,
        request: &Request<'_>,
        units: &[Unit<C>],
        share: Range<usize>,
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<Vec<EndsOf>> {
        let (mut rest, mut found) = (vec![share], Vec::new());
        while let Some(part) = rest.pop() {
            device.control.check()?;
            let ends = self
                .patterns
                .ends(device, &units[part.clone()], request, meanwhile);
            let ends = ends.await?;
            if ends.is_none() && part.len() > 1 {
                let middle = part.start + part.len() / 2;
                rest.extend([part.start..middle, middle..part.end]);
            } else {
                found.push((part, ends));
            }
        }
        Ok(found)
    }
}

/// A search, as far as it has come.
pub(super) struct Run<'r, 'a> {
    request: &'r Request<'a>,
    call: &'r Call<'r>,
    blocks: &'r HandOver<Block>,
    gpu: Option<OnDevices<'r>>,
    /// Probes that the CPU searches together, and numbers of those that it sweeps one by one.
    together: Vec<Group>,
    one_by_one: Vec<u32>,
    choosing: Choosing<'r, 'a>,
    /// Rows that others may precede, by place.
    held: Vec<Row>,
    /// Number of places that were passed on.
    pub(super) places: u64,
    pub(super) cells: u64,
}

impl<'r, 'a> Run<'r, 'a> {
    pub(super) fn new(
        request: &'r Request<'a>,
        call: &'r Call<'r>,
        blocks: &'r HandOver<Block>,
        devices: Vec<Device<'r>>,
    ) -> Self {
        let Request {
            probes, options, ..
        } = request;
        let gpu = devices.first().map(|device| {
            let caps = device.backend.capabilities();
            let patterns = gpu::Patterns::new(probes, options.within, caps);
            OnDevices {
                numbers: patterns.numbers(),
                patterns,
                devices: Mutex::new(devices.clone()),
            }
        });
        let (together, one_by_one) = match &gpu {
            Some(gpu) => (Vec::new(), gpu.patterns.others.clone()),
            None => {
                let plans = request.plans();
                let groups = call.engine.on_threads(|| Group::all(request, plans));
                (groups, plans.others.clone())
            }
        };
        Self {
            together,
            one_by_one,
            gpu,
            request,
            call,
            blocks,
            choosing: Choosing::new(request),
            held: Vec::new(),
            places: 0,
            cells: 0,
        }
    }

    fn unit_symbols(&self) -> usize {
        match &self.gpu {
            Some(OnDevices { devices, .. }) => {
                let device = lock(devices)[0];
                let caps = device.backend.capabilities();
                let engine = self.call.engine;
                self.request
                    .gpu_unit_symbols(engine, caps, device.budget_bytes)
            }
            None => self.request.unit_symbols(),
        }
    }

    pub(super) async fn all<C: Class + Send>(&mut self) -> Result<()> {
        let Call {
            engine, control, ..
        } = self.call;
        let Request { texts, probes, .. } = self.request;
        if probes.all.is_empty() {
            return Ok(());
        }
        control.set_phase(Phase::Search);
        control.add_total(self.request.text_symbols().saturating_mul(probes.symbols));
        let units_of_batch = engine.threads() * UNITS_PER_THREAD;
        let most = self.unit_symbols();
        let (mut cursor, mut of_unit) = (Cursor::new(0..texts.len()), most);
        let mut batch = |of_unit| -> Vec<Vec<Piece>> {
            let pieces = (0..units_of_batch).map(|_| cursor.next(*texts, of_unit));
            pieces.take_while(|pieces| !pieces.is_empty()).collect()
        };
        let mut units = engine.on_threads(|| self.units::<C>(batch(of_unit)));
        loop {
            let pieces = units.last().and_then(|unit| unit.pieces.last());
            let Some(last) = pieces.cloned() else {
                return Ok(());
            };
            let symbols: u64 = units.iter().map(Unit::positions).sum();
            let (pieces, following) = (batch(of_unit), OnceLock::new());
            let encode = || self.units(pieces.clone());
            let meanwhile = || _ = following.get_or_init(|| engine.on_threads(encode));
            let (found, cells) = self.found(&units, &meanwhile).await?;
            let following = following.into_inner();
            self.cells = self.cells.saturating_add(cells);
            let found = engine.on_threads(|| self.choose(&units, found))?;
            drop(units);
            units = following.unwrap_or_else(|| engine.on_threads(|| self.units(pieces)));
            let density = found as f64 / symbols.max(1) as f64;
            let fitting = MAX_FOUND as f64 / density / units_of_batch as f64;
            of_unit = most.min((fitting as usize).max(MIN_SYMBOLS));
            // The first position at which places are not known yet.
            let next = if last.is_last {
                Place {
                    text: last.text as u32 + 1,
                    ..Place::default()
                }
            } else {
                let position = self
                    .choosing
                    .first_position()
                    .min(last.positions.end as u64);
                Place {
                    text: last.text as u32,
                    start: position.saturating_sub(probes.max_len as u64),
                    ..Place::default()
                }
            };
            let known = self.held.partition_point(|row| row.place < next);
            let rows: Vec<_> = self.held.drain(..known).collect();
            if !rows.is_empty() && self.pass(rows).await?.is_break() {
                return Ok(());
            }
        }
    }

    fn units<C: Class + Send>(&self, pieces: Vec<Vec<Piece>>) -> Vec<Unit<C>> {
        let Request {
            texts,
            probes,
            options,
            ..
        } = self.request;
        let has = |from_end| probes.all.iter().any(|probe| probe.from_end == from_end);
        let directions = [has(false), has(true)];
        let overhang = self.request.rules.as_ref().map_or(0, Rules::max_overhang);
        parallel::map_each(pieces, |pieces| {
            let unit = Unit::new(
                *texts,
                pieces,
                &probes.classes,
                probes.max_len,
                overhang,
                options.within,
                directions,
            );
            if self.gpu.is_some() && directions[1] {
                // Not while the device waits for it.
                unit.reversed();
            }
            unit
        })
    }

    /// The ends of all probes in a batch, by unit, and the computed cells. Runs `meanwhile` while a
    /// device works, if one does.
    async fn found<C: Class + Send>(
        &self,
        units: &[Unit<C>],
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<(Vec<Vec<Found>>, u64)> {
        let Call { engine, .. } = self.call;
        let mut cells = 0u64;
        let mut found: Vec<Vec<Found>> = units.iter().map(|_| Vec::new()).collect();
        let mut parts = vec![(0..units.len(), &self.one_by_one, &self.together[..])];
        if let Some(gpu) = &self.gpu {
            let ends = gpu.ends(self.request, self.call, units, meanwhile).await?;
            for (part, ends) in ends {
                let Some(ends) = ends else {
                    parts.push((part, &gpu.numbers, &[]));
                    continue;
                };
                let positions: u64 = units[part.clone()].iter().map(Unit::positions).sum();
                cells = cells.saturating_add(positions.saturating_mul(gpu.patterns.symbols));
                for (found, ends) in found[part].iter_mut().zip(ends) {
                    *found = ends;
                }
            }
        }
        for (part, numbers, together) in parts {
            let units = &units[part.clone()];
            let (of_part, swept) = engine.on_threads(|| self.on_cpu(units, numbers, together))?;
            cells = cells.saturating_add(swept);
            for (found, mut more) in found[part].iter_mut().zip(of_part) {
                found.append(&mut more);
            }
        }
        Ok((found, cells))
    }

    /// The ends of some probes, by unit, and the computed cells.
    fn on_cpu<C: Class + Send>(
        &self,
        units: &[Unit<C>],
        numbers: &[u32],
        together: &[Group],
    ) -> Result<(Vec<Vec<Found>>, u64)> {
        let Call {
            engine, control, ..
        } = self.call;
        let probes = &self.request.probes.all;
        let groups = (engine.threads() * UNITS_PER_THREAD).div_ceil(units.len().max(1));
        let of_group = numbers.len().div_ceil(groups).max(1);
        let groups: Vec<_> = numbers.chunks(of_group).collect();
        let tasks = together.len() + groups.len();
        let memory = Memory::new(Vec::new);
        let quiet = control.unreported();
        let sweep = |unit: &Unit<C>, numbers: &[u32], found: &mut Vec<Found>| {
            memory.with(|ends| {
                let (mut cells, mut symbols) = (0, 0);
                for &number in numbers {
                    control.check()?;
                    let probe = &probes[number as usize];
                    cells += unit.sweep(probe, ends, &quiet)?;
                    self.request.take(unit, number, ends, found);
                    symbols += probe.swept.len() as u64;
                }
                control.add_done(unit.positions().saturating_mul(symbols));
                Ok(cells)
            })
        };
        let swept = parallel::try_map(units.len() * tasks, |task| {
            let (unit, task) = (&units[task / tasks], task % tasks);
            let mut found = Vec::new();
            let cells = match together.get(task) {
                None => sweep(unit, groups[task - together.len()], &mut found)?,
                Some(group) if group.search(self.request, unit, &mut found) => {
                    control.check()?;
                    let cells = unit.positions().saturating_mul(group.symbols);
                    control.add_done(cells);
                    cells
                }
                Some(group) => sweep(unit, &group.numbers, &mut found)?,
            };
            Ok((found, cells))
        })?;
        let (mut cells, mut swept) = (0, swept.into_iter());
        let of_unit = units.iter().map(|_| {
            let mut of_unit = Vec::new();
            for (mut found, of_task) in swept.by_ref().take(tasks) {
                of_unit.append(&mut found);
                cells += of_task;
            }
            of_unit
        });
        Ok((of_unit.collect(), cells))
    }

    /// Adds the places among the ends of a batch to the held ones. Returns the number of ends.
    fn choose<C: Class>(&mut self, units: &[Unit<C>], found: Vec<Vec<Found>>) -> Result<usize> {
        let mut count = 0;
        let mut chosen = Vec::new();
        for (unit, mut of_unit) in units.iter().zip(found) {
            count += of_unit.len();
            parallel::sort_unstable(&mut of_unit);
            let mut rest = &of_unit[..];
            for (number, piece) in (0..).zip(&unit.pieces) {
                let of_piece = rest.partition_point(|found| found.piece == number);
                let (found, others) = rest.split_at(of_piece);
                rest = others;
                self.choosing
                    .piece(piece.text, found, piece.is_last, &mut chosen);
            }
        }
        self.locate(&chosen)?;
        Ok(count)
    }

    fn locate(&mut self, chosen: &[Chosen]) -> Result<()> {
        let request = self.request;
        let memory = Memory::new(<(KnownDistance, Fronts)>::default);
        let control = self.call.control;
        let rows = parallel::try_map(chosen.len().div_ceil(CHOSEN), |task| {
            control.check()?;
            let first = task * CHOSEN;
            let chosen = &chosen[first..chosen.len().min(first + CHOSEN)];
            memory.with(|(known, fronts)| {
                let rows = chosen
                    .iter()
                    .map(|one| request.row(known, fronts, one, control));
                rows.collect::<Result<Vec<_>>>()
            })
        })?;
        self.held.extend(rows.into_iter().flatten());
        self.held.sort_by_key(|row| row.place);
        Ok(())
    }

    async fn pass(&mut self, rows: Vec<Row>) -> Result<ControlFlow<()>> {
        let mut block = Block::default();
        let has_alignments = self.request.options.alignments;
        for Row { place, ops } in rows {
            block.places.push(place);
            if has_alignments {
                block.alignments.push(match ops {
                    Some(ops) => ops,
                    None => self.request.align(self.call, &place).await?,
                });
            }
        }
        self.places += block.places.len() as u64;
        Ok(self.blocks.pass(block).await.1)
    }
}
