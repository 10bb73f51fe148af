//! Search on a GPU: all ends of short patterns in the units of a batch.

use super::batch::{Found, Unit};
use super::patterns::Probes;
use super::request::Request;
use crate::backend::{Capabilities, Device, Span, UploadSource};
use crate::engine::profile::gpu::{compute_units, neighbors, pairs};
use crate::error::Result;
use crate::host::parallel;
use crate::kernels::Kernel;
use crate::kernels::search::{self as kernels, DISTANCE_BITS, LANES, LIMB_ROWS};
use crate::plan::{Buffer, BufferId, Contents, Plan};
use crate::sequences::bit_parallel::cpu::text::{Class, Pattern};
use crate::sort;

/// Limbs of a pattern, and greatest classes of its text, that have a kernel.
pub(super) const LIMBS: [u32; 4] = [1, 2, 4, 8];
pub(super) const SYMBOLS: [u32; 3] = [7, 31, 255];
/// Positions per unit of a lane.
const UNIT: usize = 16;
/// Least units of a chunk, alone and per unit of its margin.
const CHUNK_UNITS: usize = 16;
const CHUNKS_PER_MARGIN: usize = 8;
/// Maximum positions of a batch, patterns, and ends that are read back at once.
const MAX_POSITIONS: u64 = 1 << 26;
const MAX_PATTERNS: usize = 1 << 20;
const MAX_ENDS: u64 = 1 << 22;
/// Least ends that a thread takes at once.
const MIN_TASK_ENDS: usize = 1 << 12;

/// All kernels of plans: release builds embed them.
pub fn embedded_kernels() -> Vec<Kernel> {
    let of_limbs = |limbs| SYMBOLS.map(|symbols| kernels::ends(limbs, symbols));
    LIMBS.into_iter().flat_map(of_limbs).collect()
}

/// Expected seconds of the patterns that run on a GPU and those of the transfers.
pub(super) fn seconds(probes: &Probes<'_>, positions: u64, caps: &Capabilities) -> f64 {
    let limbs = probes.all.iter().filter_map(|probe| limbs(&probe.swept));
    let rows: f64 = limbs.map(|limbs| f64::from(limbs) * LIMB_ROWS as f64).sum();
    let swept = 1.0 + 1.0 / CHUNKS_PER_MARGIN as f64;
    let rate = pairs::EDIT_CELLS_PER_SECOND * compute_units(caps);
    let bytes = 2.0 * positions as f64;
    rows * positions as f64 * swept / rate + bytes / neighbors::LIST_BYTES_PER_SECOND
}

/// Limbs of a pattern; `None` if it is too long.
pub(super) fn limbs(pattern: &Pattern) -> Option<u32> {
    let fits = |&limbs: &u32| pattern.len() <= limbs as usize * LIMB_ROWS;
    LIMBS.into_iter().find(fits)
}

pub(super) fn batch_positions(caps: &Capabilities, budget_bytes: u64) -> u64 {
    let bytes = caps
        .binding_bytes
        .min(caps.buffer_bytes)
        .min(budget_bytes / 4);
    MAX_POSITIONS.min(bytes / 4)
}

pub(super) fn device_bytes(probes: &Probes<'_>, positions: u64) -> u64 {
    let masks = probes.all.iter().filter_map(|probe| limbs(&probe.swept));
    let masks: u64 = masks
        .map(|limbs| 4 * mask_words(limbs, probes.classes.count()))
        .sum();
    2 * positions + 8 * MAX_ENDS + masks
}

/// Greatest class of the kernels for texts of this number of classes.
fn symbols(classes: usize) -> u32 {
    let fits = |&symbols: &u32| classes <= symbols as usize + 1;
    SYMBOLS.into_iter().find(fits).unwrap_or(SYMBOLS[2])
}

fn mask_words(limbs: u32, classes: usize) -> u64 {
    u64::from(limbs) * (u64::from(symbols(classes)) + 1)
}

/// Patterns of the same number of limbs, as the kernel reads them.
struct Group {
    kernel: Kernel,
    /// Number of each pattern among the probes.
    numbers: Vec<u32>,
    /// By pattern: its length, and 1 if its text is swept from the end.
    patterns: Vec<[u32; 2]>,
    masks: Vec<u32>,
    limbs: u32,
}

pub(super) struct Patterns {
    groups: Vec<Group>,
    within: u32,
    margin_units: usize,
    /// Numbers of the probes that the CPU searches.
    pub(super) others: Vec<u32>,
    pub(super) symbols: u64,
}

/// An end in a unit, on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    unit: u32,
    probe: u32,
    end: u32,
    cost: u32,
}

impl Patterns {
    pub(super) fn new(probes: &Probes<'_>, within: u64, caps: &Capabilities) -> Self {
        let classes = probes.classes.count();
        let symbols = symbols(classes);
        let group = |limbs| Group {
            kernel: kernels::ends(limbs, symbols),
            numbers: Vec::new(),
            patterns: Vec::new(),
            masks: Vec::new(),
            limbs,
        };
        let mut groups = LIMBS.map(group);
        let (mut others, mut margin, mut of_all) = (Vec::new(), 0, 0);
        let max_bytes = caps.binding_bytes.min(caps.buffer_bytes);
        for (number, probe) in (0..).zip(&probes.all) {
            let limbs = limbs(&probe.swept);
            let group = groups.iter_mut().find(|group| Some(group.limbs) == limbs);
            let fits = |group: &&mut Group| {
                let masks = mask_words(group.limbs, classes) * (group.numbers.len() as u64 + 1);
                4 * masks <= max_bytes && group.numbers.len() < MAX_PATTERNS
            };
            let Some(group) = group.filter(fits) else {
                others.push(number);
                continue;
            };
            group.add(number, &probe.swept, symbols);
            let direction = u32::from(probe.from_end);
            group.patterns.push([probe.swept.len() as u32, direction]);
            margin = margin.max(probe.swept.len() + within as usize);
            of_all += probe.swept.len() as u64;
        }
        Self {
            groups: groups
                .into_iter()
                .filter(|group| !group.numbers.is_empty())
                .collect(),
            within: within as u32,
            margin_units: margin.div_ceil(UNIT),
            others,
            symbols: of_all,
        }
    }

    /// Numbers of the probes that the device searches.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let numbers = self.groups.iter().flat_map(|group| &group.numbers);
        let mut numbers: Vec<_> = numbers.copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// All ends in these units, by unit; `None` if there are more than are read back at once. Runs
    /// `meanwhile` while the device works.
    pub(super) async fn ends<C: Class + Send>(
        &self,
        device: &Device<'_>,
        units: &[Unit<C>],
        request: &Request<'_>,
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<Option<Vec<Vec<Found>>>> {
        let quiet = device.control.unreported();
        let device = Device {
            control: &quiet,
            ..*device
        };
        let mut directions = self.groups.iter().flat_map(|group| &group.patterns);
        let is_reversed = directions.any(|&[_, direction]| direction == 1);
        let texts = Texts::new(units, self.within as usize, is_reversed);
        let max_groups = device.backend.capabilities().groups_per_dimension;
        let make = |_: &_| self.plan(&texts, max_groups);
        device.check_budget(make(&()).plan.size_bytes())?;
        let number = |planned: &Planned| {
            vec![Span {
                buffer: planned.found,
                first: 0,
                words: 1,
            }]
        };
        let session = device.open_session()?.streamed_from(&texts);
        let behind = |_: &Planned| {
            meanwhile();
            Ok(())
        };
        let ran = session.round(&|_| make(&()), &number, &behind).await?;
        let ((planned, words), _) = ran;
        let count = u64::from(words[0]);
        if count > MAX_ENDS {
            return Ok(None);
        }
        let mut raw = vec![0u64; count as usize];
        let readback_bytes = device.backend.capabilities().readback_bytes;
        let spans = sort::gpu::spans(planned.ends, count, 2, readback_bytes);
        let copy = |words: &[u32], into: &mut [u64]| sort::Key::read_words(words, into);
        sort::gpu::read(&session, spans.collect(), &mut raw, 2, copy).await?;
        Ok(Some(device.on_threads(|| {
            let ends = self.decoded(&raw, &texts);
            parallel::map(units.len(), |number| {
                let unit = |end: &End| end.unit as usize;
                let first = ends.partition_point(|end| unit(end) < number);
                let last = ends.partition_point(|end| unit(end) <= number);
                let (mut found, mut of_probe) = (Vec::new(), Vec::new());
                for ends in ends[first..last].chunk_by(|one, other| one.probe == other.probe) {
                    of_probe.clear();
                    of_probe.extend(ends.iter().map(|end| (end.end as usize, end.cost.into())));
                    request.take(&units[number], ends[0].probe, &of_probe, &mut found);
                }
                found
            })
        })))
    }

    /// The distinct ends inside units, sorted.
    fn decoded(&self, raw: &[u64], texts: &Texts<'_>) -> Vec<End> {
        let numbers = self.groups.iter().flat_map(|group| &group.numbers);
        let numbers: Vec<u32> = numbers.copied().collect();
        let mut ends = Vec::new();
        let of_range = parallel::range_len(raw.len(), MIN_TASK_ENDS);
        parallel::extend(&mut ends, raw.len(), of_range, |at, ends| {
            let (position, of_pattern) = (raw[at] as u32 as usize, (raw[at] >> 32) as u32);
            let unit = texts.starts.partition_point(|&start| start < position) - 1;
            let end = position - texts.starts[unit];
            if end <= texts.forward[unit].len() {
                ends.push(End {
                    unit: unit as u32,
                    probe: numbers[(of_pattern >> DISTANCE_BITS) as usize],
                    end: end as u32,
                    cost: of_pattern & ((1 << DISTANCE_BITS) - 1),
                });
            }
        });
        parallel::sort_unstable(&mut ends);
        ends.dedup();
        ends
    }

    fn plan(&self, texts: &Texts<'_>, max_groups: u32) -> Planned {
        let mut plan = Plan {
            cell_cost: 1,
            ..Plan::default()
        };
        let text = Contents::Streamed(UNIT as u64 / 4);
        let text = plan.buffer("texts", texts.words(), text);
        let found = plan.upload("number of ends", vec![0]);
        let ends = plan.buffer("ends", 2 * MAX_ENDS, Contents::Unspecified);
        let chunk_units = CHUNK_UNITS.max(CHUNKS_PER_MARGIN * self.margin_units);
        let text_units = texts.len / UNIT;
        let tiles = text_units.div_ceil(chunk_units * LANES as usize) as u32;
        let mut first_pattern = 0;
        for group in &self.groups {
            let kernel = plan.kernel_by_group(group.kernel.clone());
            let in_words = |&[len, direction]: &[u32; 2]| [len, direction * text_units as u32];
            let patterns = Vec::from_iter(group.patterns.iter().flat_map(in_words));
            let patterns = plan.upload("patterns", patterns);
            let masks = plan.upload("masks of patterns", group.masks.clone());
            let bound = vec![text, patterns, masks, ends, found];
            let of_group = (chunk_units + self.margin_units) * UNIT * LANES as usize;
            let cells = of_group as u64 * u64::from(group.limbs) * LIMB_ROWS as u64;
            let groups = group.numbers.len() as u32 * tiles;
            let words = [
                0,
                tiles,
                chunk_units as u32,
                self.margin_units as u32,
                text_units as u32,
                self.within,
                MAX_ENDS as u32,
                first_pattern,
            ];
            plan.passes_by_group(kernel, bound, groups, max_groups, words, cells);
            first_pattern += group.numbers.len() as u32;
        }
        Planned { plan, found, ends }
    }
}

impl Group {
    /// Adds a pattern. Rows above it match everything, and so does the bit above the rows of a limb.
    fn add(&mut self, number: u32, pattern: &Pattern, symbols: u32) {
        let limbs = self.limbs as usize;
        let padding = limbs * LIMB_ROWS - pattern.len();
        let first = self.masks.len();
        for _ in 0..=symbols {
            for limb in 0..limbs {
                let padded = padding.saturating_sub(limb * LIMB_ROWS).min(LIMB_ROWS);
                self.masks.push(1 << LIMB_ROWS | ((1u32 << padded) - 1));
            }
        }
        for (row, class) in pattern.matches() {
            let row = row + padding;
            let limb = first + class as usize * limbs + row / LIMB_ROWS;
            self.masks[limb] |= 1 << (row % LIMB_ROWS);
        }
        self.numbers.push(number);
    }
}

struct Planned {
    plan: Plan,
    found: BufferId,
    ends: BufferId,
}

impl AsMut<Plan> for Planned {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// The units one after the other, then once more in reverse order each, if patterns are swept so.
struct Texts<'u> {
    forward: Vec<&'u [u8]>,
    reversed: Vec<&'u [u8]>,
    /// Where each unit starts. Between two of them are more symbols of class 0 than a place may have
    /// edits.
    starts: Vec<usize>,
    /// Symbols of a direction.
    len: usize,
}

impl<'u> Texts<'u> {
    fn new<C: Class>(units: &'u [Unit<C>], within: usize, is_reversed: bool) -> Self {
        let bytes = |symbols: &'u [C]| C::bytes(symbols).unwrap_or_default();
        let forward: Vec<_> = units.iter().map(|unit| bytes(&unit.forward)).collect();
        let reversed = units.iter().filter(|_| is_reversed);
        let reversed: Vec<_> = reversed.map(|unit| bytes(unit.reversed())).collect();
        let (mut starts, mut len) = (Vec::new(), 0);
        for symbols in &forward {
            starts.push(len);
            len += (symbols.len() + within + 1).next_multiple_of(UNIT);
        }
        Self {
            forward,
            reversed,
            starts,
            len,
        }
    }

    fn words(&self) -> u64 {
        let directions = if self.reversed.is_empty() { 1 } else { 2 };
        directions * self.len as u64 / 4
    }
}

/// Bytes that a thread writes at once.
const COPIED: usize = 1 << 20;

impl UploadSource for Texts<'_> {
    fn write(&self, _: &Buffer, first: u64, words: &mut [u32]) {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(words);
        parallel::for_each_chunk_mut(bytes, COPIED, |number, bytes| {
            let start = first as usize * 4 + number * COPIED;
            bytes.fill(0);
            for (direction, texts) in [&self.forward, &self.reversed].into_iter().enumerate() {
                let base = direction * self.len;
                let end = start + bytes.len();
                let from = self.starts.partition_point(|&at| base + at < start);
                for (symbols, &at) in texts.iter().zip(&self.starts).skip(from.saturating_sub(1)) {
                    let at = base + at;
                    if at >= end {
                        break;
                    }
                    let inside = start.max(at)..end.min(at + symbols.len());
                    if inside.start < inside.end {
                        bytes[inside.start - start..inside.end - start]
                            .copy_from_slice(&symbols[inside.start - at..inside.end - at]);
                    }
                }
            }
        });
    }
}
