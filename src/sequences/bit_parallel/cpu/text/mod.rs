//! Search of a pattern in a long text, 64 text positions per limb and one piece of the text per
//! SIMD lane.
//!
//! A limb holds the horizontal differences of one row of the table over a block of 64 positions. The
//! pattern's symbols are swept down the block, with the vertical differences at its left edge from
//! the block before (Myers 1999, doi:10.1145/316542.316550, with pattern and text swapped, as in
//! sassy: Beeloo and Groot Koerkamp 2025, doi:10.1101/2025.07.22.666207). The sweep of a block ends
//! at the first row whose values all exceed the bound, unless a value within the bound enters from
//! the left further down. Values within the bound are exact, and greater ones remain greater.
//!
//! Cost: about 25 instructions per row of 512 positions with AVX-512; for text that does not
//! resemble the pattern, two to three rows per unit of the bound.

mod symbols;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::values::Computed;
#[cfg(target_arch = "aarch64")]
use super::vector::Neon;
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::map_each;
use crate::host::simd::{Instructions, array};
use crate::host::threads::threads;

pub(crate) use symbols::{Class, Pattern, Text};

const BLOCK: usize = 64;
/// Lanes of all registers of a row.
const WIDTH: usize = 8;
/// Positions that the shortest text costs.
pub(crate) const LEAST_POSITIONS: f64 = (BLOCK * WIDTH) as f64;
const GROUP: usize = 8;
/// Blocks between checks for cancellation.
const CHECK_EVERY: usize = 1 << 10;
/// Parts of a text per thread, and minimum positions of a part.
const PARTS_PER_THREAD: usize = 4;
const MIN_PART: usize = 1 << 17;

/// The least distance to a piece of a text, and the ends of all pieces at that distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    pub distance: u64,
    /// Increasing, from 0 (the empty piece) to the length of the text.
    pub ends: Vec<usize>,
}

impl Ends {
    pub(crate) const NONE: Self = Self {
        distance: u64::MAX,
        ends: Vec::new(),
    };
}

/// Pieces of the text at the least distance from the pattern. If that exceeds `max_distance`, the
/// distance is some value above it and the ends are of no meaning.
pub(crate) fn nearest<C: Class>(
    text: &Text<'_, C>,
    max_distance: u64,
    control: &Control,
) -> Result<Computed<Ends>> {
    nearest_by(Instructions::chosen(), text, max_distance, control)
}

/// Ends of all pieces within `max_distance` of the pattern, which is longer, with their distances,
/// by end. Runs on the calling thread. Returns the computed cells.
pub(crate) fn within<C: Class>(
    text: &Text<'_, C>,
    max_distance: u64,
    control: &Control,
    ends: &mut Vec<(usize, u64)>,
) -> Result<u64> {
    within_by(Instructions::chosen(), text, max_distance, control, ends)
}

fn within_by<C: Class>(
    instructions: Instructions,
    text: &Text<'_, C>,
    max_distance: u64,
    control: &Control,
    ends: &mut Vec<(usize, u64)>,
) -> Result<u64> {
    let search = Search {
        instructions,
        text,
        bound: &AtomicU64::new(max_distance),
        only_nearest: false,
        control,
    };
    let lanes = search.part(0..text.len())?;
    for (of_lane, distances) in lanes.ends.iter().zip(lanes.distances) {
        ends.extend(of_lane.iter().copied().zip(distances));
    }
    Ok(lanes.cells)
}

fn nearest_by<C: Class>(
    instructions: Instructions,
    text: &Text<'_, C>,
    max_distance: u64,
    control: &Control,
) -> Result<Computed<Ends>> {
    let (len, rows) = (text.len(), text.rows().len());
    control.add_total(len as u64 * rows as u64);
    let bound = AtomicU64::new(max_distance.min(rows as u64));
    let search = Search {
        instructions,
        text,
        bound: &bound,
        only_nearest: true,
        control,
    };
    let threads = threads(None);
    let part = match threads {
        1 => len,
        _ => len.div_ceil(threads * PARTS_PER_THREAD).max(MIN_PART),
    };
    let part = part.next_multiple_of(BLOCK).max(BLOCK);
    let parts = (0..len).step_by(part);
    let parts = parts.map(|start| start..len.min(start + part)).collect();
    let parts: Vec<_> = map_each(parts, |part| search.part(part))
        .into_iter()
        .collect::<Result<_>>()?;
    control.check()?;
    let mut all = Ends {
        // The empty piece.
        distance: rows as u64,
        ends: vec![0],
    };
    let mut cells = 0;
    for part in parts {
        cells += part.cells;
        if part.distance < all.distance {
            (all.distance, all.ends) = (part.distance, part.ends.concat());
        } else if part.distance == all.distance {
            all.ends.extend(part.ends.into_iter().flatten());
        }
    }
    Ok(Computed { found: all, cells })
}

struct Search<'a, C> {
    /// Available on this processor.
    instructions: Instructions,
    text: &'a Text<'a, C>,
    /// Greatest distance of interest; the least distance so far with `only_nearest`.
    bound: &'a AtomicU64,
    only_nearest: bool,
    control: &'a Control,
}

impl<C: Class> Search<'_, C> {
    /// Pieces that end at the positions of `part`; their ends are 1 more.
    fn part(&self, part: Range<usize>) -> Result<Lanes> {
        match self.instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => self.in_lanes::<Avx512, 1>(part),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => self.in_lanes::<Avx2, 2>(part),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => self.in_lanes::<Neon, 4>(part),
            Instructions::Portable => self.in_lanes::<[u64; WIDTH], 1>(part),
        }
    }

    fn in_lanes<X: Vector, const CHAINS: usize>(&self, part: Range<usize>) -> Result<Lanes> {
        // SAFETY: `part` calls it with the registers of the instructions, which are available.
        unsafe {
            X::enabled(
                #[inline(always)]
                || self.sweep::<X, CHAINS>(part),
            )
        }
    }

    #[inline(always)]
    fn sweep<X: Vector, const CHAINS: usize>(&self, part: Range<usize>) -> Result<Lanes> {
        let mut lanes = Lanes::new(self, part);
        let blocks = (lanes.lead + lanes.chunk) / BLOCK;
        let mut sweep = Sweep::<X, CHAINS>::new(self.text.codes());
        let mut left = lanes.part.len() as u64;
        for block in 0..blocks {
            if block % CHECK_EVERY == CHECK_EVERY - 1 {
                self.control.check()?;
                let done = ((CHECK_EVERY * BLOCK * WIDTH) as u64).min(left);
                left -= done;
                self.control.add_done(done * self.text.rows().len() as u64);
            }
            let bound = self.bound.load(Ordering::Relaxed);
            for lane in 0..WIDTH {
                let (positions, shift) = lanes.positions(lane, block);
                self.text.matches::<X>(positions, |code, bits| {
                    sweep.masks[code * WIDTH + lane] |= bits << shift;
                });
            }
            if sweep.block(self.text.rows(), bound) {
                let state = sweep.state();
                lanes.collect(block, bound, &state);
                if self.only_nearest {
                    self.bound.fetch_min(lanes.distance, Ordering::Relaxed);
                }
            }
            for lane in 0..WIDTH {
                let (positions, _) = lanes.positions(lane, block);
                let clear = |code| sweep.masks[code * WIDTH + lane] = 0;
                self.text.visited(positions, clear);
            }
        }
        self.control.add_done(left * self.text.rows().len() as u64);
        lanes.cells = sweep.rows_swept * (BLOCK * WIDTH) as u64;
        Ok(lanes)
    }
}

/// Pieces of a part of the text, one per lane, and what was found in them.
///
/// A lane begins before its piece by the greatest length of a match, so that its values are exact
/// from there on.
struct Lanes {
    part: Range<usize>,
    /// Positions before each piece, and of it.
    lead: usize,
    chunk: usize,
    text_len: usize,
    only_nearest: bool,
    distance: u64,
    ends: [Vec<usize>; WIDTH],
    /// Distance of each end, unless only the least one is of interest.
    distances: [Vec<u64>; WIDTH],
    cells: u64,
}

impl Lanes {
    fn new<C: Class>(search: &Search<'_, C>, part: Range<usize>) -> Self {
        let bound = search.bound.load(Ordering::Relaxed);
        let longest = search.text.rows().len().saturating_add(bound as usize);
        let chunk = part.len().div_ceil(WIDTH).next_multiple_of(BLOCK);
        Self {
            lead: longest.next_multiple_of(BLOCK),
            chunk,
            text_len: search.text.len(),
            only_nearest: search.only_nearest,
            distance: u64::MAX,
            ends: Default::default(),
            distances: Default::default(),
            cells: 0,
            part,
        }
    }

    /// First position of a block plus [`lead`](Self::lead).
    fn start(&self, lane: usize, block: usize) -> usize {
        self.part.start + lane * self.chunk + block * BLOCK
    }

    /// Positions of a block within the text, and how many it has before them.
    #[inline(always)]
    fn positions(&self, lane: usize, block: usize) -> (Range<usize>, usize) {
        let start = self.start(lane, block);
        let at = |place: usize| place.saturating_sub(self.lead).min(self.text_len);
        let positions = at(start)..at(start + BLOCK);
        let shift = self.lead.saturating_sub(start).min(BLOCK - 1);
        (positions, shift)
    }

    #[cold]
    fn collect(&mut self, block: usize, bound: u64, state: &State) {
        for lane in 0..WIDTH {
            let [grows, shrinks] = [state.grows[lane], state.shrinks[lane]];
            let mut value = state.value[lane] as i64 + bound as i64 + 1
                - i64::from(grows.count_ones())
                + i64::from(shrinks.count_ones());
            let start = self.start(lane, block);
            let own = self.part.start + lane * self.chunk;
            let own = own..self.part.end.min(own + self.chunk);
            for place in 0..BLOCK {
                value += (grows >> place & 1) as i64 - (shrinks >> place & 1) as i64;
                let distance = value as u64;
                if distance > bound || start + place < self.lead {
                    continue;
                }
                let position = start + place - self.lead;
                if own.contains(&position) {
                    if !self.only_nearest {
                        self.distances[lane].push(distance);
                    } else if distance > self.distance {
                        continue;
                    } else if distance < self.distance {
                        self.distance = distance;
                        self.ends.iter_mut().for_each(Vec::clear);
                    }
                    self.ends[lane].push(position + 1);
                }
            }
        }
    }
}

/// Last row of a block, by lane.
struct State {
    grows: [u64; WIDTH],
    shrinks: [u64; WIDTH],
    /// Values at the right edge, less the bound and 1.
    value: [u64; WIDTH],
}

impl State {
    #[inline(always)]
    fn has_near(&self) -> bool {
        let most = max_suffixes(&self.grows, &self.shrinks);
        (0..WIDTH).any(|lane| (self.value[lane] as i64) < most[lane])
    }
}

type Row<X, const CHAINS: usize> = [[X; 2]; CHAINS];

struct Sweep<X, const CHAINS: usize> {
    /// Match masks of the block: `[code][lane]`.
    masks: Vec<u64>,
    /// Vertical differences at the right edge of the block before, by row; the top bits count.
    /// Rows that it did not reach grow.
    edge: Vec<Row<X, CHAINS>>,
    /// Rows that the block before swept, and after which its right edge exceeded the bound.
    swept: usize,
    near: usize,
    row: Row<X, CHAINS>,
    value: [X; CHAINS],
    rows_swept: u64,
}

impl<X: Vector, const CHAINS: usize> Sweep<X, CHAINS> {
    #[inline(always)]
    fn new(codes: usize) -> Self {
        Self {
            masks: vec![0; codes * WIDTH],
            edge: Vec::new(),
            swept: 0,
            near: 0,
            row: [[X::splat(0); 2]; CHAINS],
            value: [X::splat(0); CHAINS],
            rows_swept: 0,
        }
    }
    /// Sweeps the next block of all lanes. Returns true if its last row has values within `bound`,
    /// which must not grow from block to block.
    #[inline(always)]
    fn block(&mut self, pattern: &[u32], bound: u64) -> bool {
        let (rows, before) = (pattern.len(), self.swept);
        self.row = [[X::splat(0); 2]; CHAINS];
        // Values less the bound and 1: negative within the bound.
        self.value = [X::splat((bound + 1).wrapping_neg()); CHAINS];
        let grows = [[X::splat(!0), X::splat(0)]; CHAINS];
        // A row exceeds the bound at the earliest here; most blocks end where the last one did.
        let near_before = std::mem::take(&mut self.near);
        let first_check = near_before.max(before.saturating_sub(GROUP));
        let mut row = 0;
        let is_found = loop {
            if row == rows {
                break self.state().has_near();
            }
            if row >= first_check && row as u64 > bound && !self.state().has_near() {
                break false;
            }
            let end = rows.min(row + GROUP);
            if self.edge.len() < end {
                self.edge.resize(end, grows);
            }
            if self.group(&pattern[row..end], row) {
                self.near = end;
            }
            row = end;
        };
        if let Some(missed) = self.edge.get_mut(row..before) {
            missed.fill(grows);
        }
        self.swept = row;
        self.rows_swept += row as u64;
        is_found
    }

    /// Sweeps rows from `first` on. Returns true if a value at the right edge is within the bound.
    #[inline(always)]
    fn group(&mut self, pattern: &[u32], first: usize) -> bool {
        let (mut row, mut value) = (self.row, self.value);
        let mut near = [X::splat(0); CHAINS];
        let zero = X::splat(0);
        for (&code, edge) in pattern.iter().zip(&mut self.edge[first..]) {
            let masks = &self.masks[code as usize * WIDTH..][..WIDTH];
            for chain in 0..CHAINS {
                let ([vp, vn], [hp, hn]) = (row[chain], edge[chain]);
                let matches = X::load(&masks[chain * X::LANES..]);
                let entering = matches.or3(hn.top(), zero);
                let sum = entering.and(vp).add(vp);
                let diagonal = sum.xor3(vp, zero).or3(entering, vn);
                let (up, down) = (vn.or_nor(diagonal, vp), diagonal.and(vp));
                let (below_up, below_down) = (up.shift_up(hp), down.shift_up(hn));
                row[chain] = [
                    below_down.or_nor(diagonal, below_up),
                    below_up.and(diagonal),
                ];
                edge[chain] = [up, down];
                value[chain] = value[chain].add(up.top()).sub(down.top());
                near[chain] = near[chain].or3(value[chain], zero);
            }
        }
        (self.row, self.value) = (row, value);
        near.iter().any(|near| near.signs() != 0)
    }

    #[inline(always)]
    fn state(&self) -> State {
        let mut state = State {
            grows: [0; WIDTH],
            shrinks: [0; WIDTH],
            value: [0; WIDTH],
        };
        for (chain, ([grows, shrinks], value)) in self.row.iter().zip(&self.value).enumerate() {
            let lane = chain * X::LANES;
            grows.store(&mut state.grows[lane..]);
            shrinks.store(&mut state.shrinks[lane..]);
            value.store(&mut state.value[lane..]);
        }
        state
    }
}

type Words = [u64; WIDTH];

/// Greatest sum of the last differences of each lane, of any number of them; at least 0.
///
/// Pairs of differences are added in bits, groups of 4 and 8 in bytes, and bytes pairwise.
#[inline(always)]
fn max_suffixes(grows: &Words, shrinks: &Words) -> [i64; WIDTH] {
    const LOW: u64 = 0x5555_5555_5555_5555;
    let map = |of: &dyn Fn(usize) -> u64| -> Words { array(of) };
    let pairs = |bits: &Words| map(&|lane| (bits[lane] & LOW) + (bits[lane] >> 1 & LOW));
    let (up, down) = (pairs(grows), pairs(shrinks));
    // The lower of a pair counts unless the higher one shrinks.
    let most = map(&|lane| (grows[lane] >> 1 & LOW) + (grows[lane] & !(shrinks[lane] >> 1) & LOW));
    let pair = |bits: &Words, pair: usize| {
        bytes(map(&|lane| {
            bits[lane] >> (2 * pair) & 0x0303_0303_0303_0303
        }))
    };
    let part = |place: usize| Suffixes {
        sum: subtract(pair(&up, place), pair(&down, place)),
        most: pair(&most, place),
    };
    let mut group = joined(joined(part(0), part(1)), joined(part(2), part(3)));
    for shift in [8, 16, 32] {
        let higher = |of: Bytes64| bytes(words(of).map(|word| word >> shift));
        let higher = Suffixes {
            sum: higher(group.sum),
            most: higher(group.most),
        };
        group = joined(group, higher);
    }
    words(group.most).map(|word| i64::from(word as u8))
}

/// Signed bytes of 8 lanes.
type Bytes64 = [i8; 64];

#[inline(always)]
fn bytes(words: Words) -> Bytes64 {
    bytemuck::cast(words.map(u64::to_le))
}

#[inline(always)]
fn words(bytes: Bytes64) -> Words {
    bytemuck::cast::<_, Words>(bytes).map(u64::from_le)
}

#[inline(always)]
fn subtract(a: Bytes64, b: Bytes64) -> Bytes64 {
    array(|place| a[place].wrapping_sub(b[place]))
}

#[derive(Clone, Copy)]
struct Suffixes {
    sum: Bytes64,
    most: Bytes64,
}

#[inline(always)]
fn joined(low: Suffixes, high: Suffixes) -> Suffixes {
    let most = |place: usize| high.sum[place].wrapping_add(low.most[place]);
    Suffixes {
        sum: array(|place| low.sum[place].wrapping_add(high.sum[place])),
        most: array(|place| high.most[place].max(most(place))),
    }
}
