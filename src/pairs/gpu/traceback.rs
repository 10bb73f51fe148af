//! Alignments of pairs whose distances are known, one pair per lane.
//!
//! A sweep by [bands](super::bands) keeps its windows, and a second pass walks back through them. All
//! pairs of a part have windows of one size, and lanes of a workgroup have targets of similar lengths.

use std::ops::Add;
use std::sync::Mutex;

use super::{Made, Room, ValuesPlan, bands, entries, started};
use crate::backend::{Capabilities, Words};
use crate::call::phase::Phase;
use crate::edit_distance::Alignment;
use crate::edit_distance::known;
use crate::engine::Device;
use crate::engine::profile::gpu::{compute_units, pairs as figures};
use crate::error::Result;
use crate::host::{lock, parallel};
use crate::kernels::pairs::{self as kernels, Keep, LANES};
use crate::pairs::bands::{LIMB_ROWS, LIMBS, PLANES_COST, proven};
use crate::pairs::long::is_long;
use crate::pairs::request::PairLens;
use crate::plan::{Contents, Plan};
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::stripped::StrippedPair;
use crate::sequences::typed::{SymbolPair, SymbolSlice, for_type};
use crate::symbols::alphabet::Alphabet;

/// Maximum bytes of the windows of a part: enough lanes for the largest GPUs, and several parts of a
/// large call, so that the host goes on meanwhile.
const MAX_WINDOW_BYTES: u64 = 1 << 30;
/// Time of a cell of the walk in cells of the strip sweep, which shortens the first slices.
const CELL_COST: u64 = 4;

/// Sizes on a device.
pub(in crate::pairs) struct Limits {
    max_limbs: u32,
    window_bytes: u64,
    string_bytes: u64,
    run_bytes: u64,
    max_pairs: usize,
    planes: u32,
}

impl Limits {
    /// `None` if the device takes no pairs of such an alphabet.
    pub(in crate::pairs) fn new(
        codes: usize,
        caps: &Capabilities,
        budget_bytes: u64,
    ) -> Option<Self> {
        let room = Room::new(caps, budget_bytes);
        let takes = caps.compiles && codes <= entries::MAX_CODES;
        takes.then(|| Self {
            max_limbs: bands::max_limbs(codes, caps),
            window_bytes: MAX_WINDOW_BYTES.min(room.max_bytes),
            string_bytes: room.max_bytes,
            run_bytes: room.part_bytes,
            max_pairs: caps.groups_per_dimension as usize * LANES as usize,
            planes: bands::planes(codes),
        })
    }

    /// Limbs of the narrowest window that all best paths are inside of; `None` if there is none, or if
    /// the pair is too large for a lane.
    pub(in crate::pairs) fn limbs(&self, lens: PairLens, distance: u64) -> Option<u32> {
        if lens.shorter() == 0 || is_long(lens) {
            return None;
        }
        // A path that leaves a window costs at least what the window proves.
        let holds = |&limbs: &u32| proven(limbs, lens).is_some_and(|proven| distance < proven);
        let limbs = LIMBS.into_iter().find(holds)?;
        let has_room = limbs <= self.max_limbs
            && window_words(limbs, lens.target) * 4 <= self.window_bytes
            && 4 * string_words(lens, self.planes) <= self.string_bytes
            && 4 * distance < self.run_bytes;
        has_room.then_some(limbs)
    }

    /// Work of a pair; `None` if the device does not take it.
    pub(in crate::pairs) fn work(&self, lens: PairLens, distance: u32) -> Option<Work> {
        let limbs = self.limbs(lens, distance.into())?;
        let words = string_words(lens, self.planes) + u64::from(distance) + 1;
        let windows = window_words(limbs, lens.target) / u64::from(LANES);
        let max_bytes = self.window_bytes + self.string_bytes + self.run_bytes;
        Some(Work {
            cells: 2 * cells(limbs, lens.target),
            words,
            device_bytes: (4 * (windows + words)).min(max_bytes),
            max_bytes,
        })
    }
}

fn string_words(lens: PairLens, planes: u32) -> u64 {
    (lens.query.div_ceil(LIMB_ROWS) + lens.target.div_ceil(LIMB_ROWS)) * u64::from(planes)
}

/// Words of the windows of a workgroup with targets of `columns` symbols.
fn window_words(limbs: u32, columns: u64) -> u64 {
    columns.div_ceil(LIMB_ROWS) * u64::from(2 * limbs * LANES)
}

fn cells(limbs: u32, columns: u64) -> u64 {
    columns.next_multiple_of(LIMB_ROWS) * LIMB_ROWS * u64::from(limbs)
}

#[derive(Clone, Copy)]
pub(in crate::pairs) struct Work {
    /// Cells of both passes.
    cells: u64,
    /// Words that are uploaded and read back.
    words: u64,
    /// Approximate device memory of the largest part.
    pub(in crate::pairs) device_bytes: u64,
    max_bytes: u64,
}

impl Work {
    pub(in crate::pairs) fn seconds(&self, caps: &Capabilities) -> f64 {
        let rate = figures::EDIT_CELLS_PER_SECOND * compute_units(caps);
        let transfers = 4.0 * self.words as f64 / figures::LIST_BYTES_PER_SECOND;
        self.cells as f64 * PLANES_COST / rate + transfers
    }
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            cells: self.cells + other.cells,
            words: self.words + other.words,
            device_bytes: (self.device_bytes + other.device_bytes).min(self.max_bytes),
            max_bytes: self.max_bytes,
        }
    }
}

/// A pair that a device aligns.
pub(in crate::pairs) struct KnownPair<'p> {
    /// Position among the pairs of the call.
    index: usize,
    strings: SymbolPair<'p>,
    stripped: StrippedPair<'p>,
    distance: u32,
    limbs: u32,
}

impl<'p> KnownPair<'p> {
    /// `None` if devices with these limits do not take the pair.
    pub(in crate::pairs) fn new(
        index: usize,
        strings: SymbolPair<'p>,
        distance: u32,
        limits: &Limits,
    ) -> Option<Self> {
        let mut pair = Self {
            index,
            strings,
            stripped: StrippedPair::new(strings),
            distance,
            limbs: 0,
        };
        let [query, target] = pair.stripped().map(|string| string.len() as u64);
        pair.limbs = limits.limbs(PairLens { query, target }, distance.into())?;
        Some(pair)
    }

    /// Rows and columns without common affixes.
    fn stripped(&self) -> [SymbolSlice<'p>; 2] {
        [self.stripped.rows(), self.stripped.cols()]
    }

    fn cols(&self) -> usize {
        self.stripped()[1].len()
    }

    fn blocks(&self) -> usize {
        self.cols().div_ceil(LIMB_ROWS as usize)
    }

    /// Words of the planes of both strings.
    fn words(&self, planes: u32) -> [usize; 2] {
        let blocks = |string: SymbolSlice<'_>| string.len().div_ceil(LIMB_ROWS as usize);
        self.stripped()
            .map(|string| blocks(string) * planes as usize)
    }

    fn cells(&self) -> u64 {
        cells(self.limbs, self.cols() as u64)
    }

    fn alignment(&self, runs: &[u32]) -> Result<Alignment> {
        let [rows, cols] = self.stripped().map(SymbolSlice::len);
        let distance = self.distance.into();
        let path = path(rows, cols, runs).ok_or_else(|| known::wrong(distance))?;
        let (query, target) = self.strings.lens();
        let blocks = self.stripped.with_affixes(path);
        let alignment = Alignment::new(blocks, query, 0..target);
        for_type!(self.strings, |pair| {
            alignment.verify(pair.a, pair.b, distance)?;
        });
        Ok(alignment)
    }
}

/// Path to the last cell from the words of `traceback.wgsl`; `None` if they are none of a path.
fn path(mut i: usize, mut j: usize, runs: &[u32]) -> Option<Blocks> {
    let count = runs.iter().filter(|&&run| run > 1).count();
    // Common affixes are blocks, too.
    let mut blocks = Vec::with_capacity(count + 2);
    let mut runs = runs.iter();
    while i > 0 && j > 0 {
        let &run = runs.next()?;
        let len = (run >> 1) as usize;
        (i, j) = (i.checked_sub(len)?, j.checked_sub(len)?);
        if len > 0 {
            blocks.push(Block { a: i, b: j, len });
        }
        match run & 1 {
            _ if i == 0 || j == 0 => {}
            1 => i -= 1,
            _ => j -= 1,
        }
    }
    blocks.reverse();
    Some(Blocks::of(blocks))
}

/// Consecutive pairs of one size of windows, and where their runs begin.
struct Part<'a, 'p> {
    pairs: &'a [KnownPair<'p>],
    alphabet: &'a Alphabet,
    planes: u32,
    first_runs: Vec<u32>,
    made: Made,
}

impl<'a, 'p> Part<'a, 'p> {
    /// The first of these pairs that fit together; at least one workgroup.
    fn of_first(pairs: &'a [KnownPair<'p>], alphabet: &'a Alphabet, limits: &Limits) -> Self {
        let limbs = pairs.first().map_or(0, |pair| pair.limbs);
        let (mut end, mut windows, mut strings) = (0, 0, 0);
        let mut first_runs = vec![0];
        for group in pairs.chunks(LANES as usize) {
            let columns = group.iter().map(|pair| pair.cols() as u64);
            windows += 4 * window_words(limbs, columns.max().unwrap_or(0));
            for pair in group.iter().take_while(|pair| pair.limbs == limbs) {
                strings += 4 * pair.words(limits.planes).iter().sum::<usize>() as u64;
                let next = u64::from(first_runs[end]) + u64::from(pair.distance) + 1;
                let fits = windows <= limits.window_bytes
                    && strings <= limits.string_bytes
                    && 4 * next <= limits.run_bytes;
                if end > 0 && (!fits || end == limits.max_pairs) {
                    return Self::new(&pairs[..end], alphabet, limits, first_runs);
                }
                first_runs.push(next as u32);
                end += 1;
            }
        }
        Self::new(&pairs[..end], alphabet, limits, first_runs)
    }

    fn new(
        pairs: &'a [KnownPair<'p>],
        alphabet: &'a Alphabet,
        limits: &Limits,
        first_runs: Vec<u32>,
    ) -> Self {
        let mut part = Self {
            pairs,
            alphabet,
            planes: limits.planes,
            first_runs,
            made: Made::default(),
        };
        part.made = Made::new(part.make());
        part
    }

    fn make(&self) -> ValuesPlan {
        let mut plan = Plan {
            cell_cost: CELL_COST,
            ..Plan::default()
        };
        let (mut entries, mut next) = (Vec::with_capacity(4 * self.pairs.len()), 0);
        for pair in self.pairs {
            let firsts = pair.words(self.planes).map(|words| {
                next += words;
                (next - words) as u32 / self.planes
            });
            entries.extend(firsts);
            entries.extend(pair.stripped().map(|string| string.len() as u32));
        }
        let mut strings = vec![0; next];
        self.pack(&mut strings);
        let (mut places, mut windows) = (Vec::with_capacity(4 * self.pairs.len()), 0);
        for (pairs, runs) in self
            .pairs
            .chunks(LANES as usize)
            .zip(self.first_runs.chunks(LANES as usize))
        {
            for (lane, (pair, runs)) in pairs.iter().zip(runs).enumerate() {
                let window = (windows + lane as u64) as u32;
                places.extend([window, *runs, runs + pair.distance + 1, pair.limbs]);
            }
            let columns = pairs.iter().map(|pair| pair.cols() as u64);
            windows += window_words(pairs[0].limbs, columns.max().unwrap_or(0));
        }
        let count = self.pairs.len() as u32;
        let runs = self.first_runs[self.pairs.len()];
        let strings = plan.upload("planes of strings", strings);
        let entries = plan.upload("pairs", entries);
        let places = plan.upload("places of windows and runs", places);
        let windows = plan.buffer("windows", windows, Contents::Unspecified);
        let values = plan.buffer("values", count.into(), Contents::Unspecified);
        let runs = plan.buffer("runs", runs.into(), Contents::Unspecified);
        let sweep = kernels::bands(self.pairs[0].limbs, self.planes, Keep::Windows);
        let of_sweep = vec![strings, entries, values, places, windows];
        let of_walk = vec![strings, entries, places, windows, values, runs];
        let groups = count.div_ceil(LANES).into();
        let cells = self.pairs.iter().map(KnownPair::cells).sum();
        for (kernel, bound, words) in [
            (sweep, of_sweep, [0, count, u32::MAX]),
            (kernels::traceback(self.planes), of_walk, [0, count, 0]),
        ] {
            let kernel = plan.kernel_by_group(kernel);
            plan.pass(kernel, bound, groups, words, cells);
        }
        let values = runs;
        ValuesPlan { plan, values }
    }

    fn pack(&self, words: &mut [u32]) {
        let mut rest = words;
        let own = |pair: &'a KnownPair<'p>| {
            let mut own = |words| rest.split_off_mut(..words).unwrap_or_default();
            (pair.words(self.planes).map(&mut own), pair.stripped())
        };
        let mut strings: Vec<_> = self.pairs.iter().map(own).collect();
        let of_task = parallel::range_len(strings.len(), 1);
        parallel::for_each_chunk_mut(&mut strings, of_task, |_, strings| {
            for (words, stripped) in strings {
                for (words, &mut string) in words.iter_mut().zip(stripped) {
                    bands::pack(self.alphabet, string, string.len(), words);
                }
            }
        });
    }

    fn alignments(&self, runs: &[u32]) -> Result<Vec<Alignment>> {
        parallel::try_map(self.pairs.len(), |index| {
            let [first, end] = [index, index + 1].map(|index| self.first_runs[index] as usize);
            self.pairs[index].alignment(&runs[first..end])
        })
    }
}

/// Runs of a part, which were read.
type Arrived<'a, 'p> = (Part<'a, 'p>, Box<dyn Words>);

/// Aligns pairs, and writes the alignments to their places. Returns the cells.
pub(in crate::pairs) async fn solve(
    device: &Device<'_>,
    alphabet: &Alphabet,
    limits: &Limits,
    mut pairs: Vec<KnownPair<'_>>,
    found: &mut [Option<Alignment>],
) -> Result<u128> {
    device.on_threads(|| {
        parallel::sort_by_cached_key(&mut pairs, |pair| {
            u128::from(pair.limbs) << 64 | pair.blocks() as u128
        });
    });
    let cells = 2 * pairs.iter().map(KnownPair::cells).sum::<u64>();
    device.control.add_total(cells);
    let session = device.open_session()?;
    let mut rest = &pairs[..];
    let mut next = || {
        let make = || Part::of_first(rest, alphabet, limits);
        let part = (!rest.is_empty()).then(|| device.on_threads(make));
        rest = &rest[part.as_ref().map_or(0, |part| part.pairs.len())..];
        part
    };
    let mut part = next();
    device.phases.lap(Phase::Encode);
    let work = Mutex::new((next, None, None, found));
    while let Some(current) = part {
        let meanwhile = || {
            device.phases.lap(Phase::Sweep);
            let (next, ahead, arrived, found) = &mut *lock(&work);
            put(device, arrived.take(), found)?;
            device.phases.lap(Phase::Trace);
            *ahead = ahead.take().or_else(next);
            device.phases.lap(Phase::Encode);
            Ok(())
        };
        let words = started(
            &session,
            &|_| current.made.take_or(|| current.make()),
            &meanwhile,
        )
        .await?
        .await?;
        device.phases.lap(Phase::Readback);
        let (_, ahead, arrived, _) = &mut *lock(&work);
        *arrived = Some((current, words));
        part = ahead.take();
    }
    let (_, _, arrived, found) = &mut *lock(&work);
    put(device, arrived.take(), found)?;
    device.phases.lap(Phase::Trace);
    Ok(cells.into())
}

fn put(
    device: &Device<'_>,
    arrived: Option<Arrived<'_, '_>>,
    found: &mut [Option<Alignment>],
) -> Result<()> {
    let Some((part, words)) = arrived else {
        return Ok(());
    };
    let runs = words.words();
    let alignments = device.on_threads(|| part.alignments(runs))?;
    for (pair, alignment) in part.pairs.iter().zip(alignments) {
        found[pair.index] = Some(alignment);
    }
    Ok(())
}
