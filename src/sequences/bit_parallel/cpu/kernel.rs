//! Sweep of one tile: a strip of rows by a block of columns, in SIMD registers.
//!
//! [`Lanes`] defines the recurrence of a limb with 63 rows and a guard bit. This module moves the
//! data.
//!
//! A chain is one register width of lanes with `LIMBS` consecutive limbs each. A lane passes its
//! horizontal differences to the next lane one step later, so at step t lane l works on column t -
//! l. A strip is `CHAINS` chains. Chain k runs `k * LAG` columns behind, which makes the chains
//! independent within a step and hides the latency of the carry. Register lanes are in descending
//! order: the last lane of the chain is the lowest, so a window of columns is one plain load.

use std::marker::PhantomData;
use std::ops::Range;

use super::coding::Coding;
use super::lanes::Lanes;
use super::vector::Vector;

pub(super) const LIMB_ROWS: usize = 63;
/// Bit above the rows of a limb.
pub(super) const GUARD: u64 = 1 << 63;
/// Columns that a chain lags behind the one above it. More than the lanes, so that its carries
/// reach memory in time.
pub(super) const LAG: usize = 16;

pub(crate) struct TileWork<'a> {
    pub coding: Coding,
    /// Code bits of the strip's rows: `[chain][plane][limb][lane]`, lanes in register order, guard
    /// bits 0.
    pub rows: &'a [u64],
    pub codes: &'a [u32],
    /// Vertical differences of the strip: `[vector][chain][limb][lane]`.
    pub v: &'a mut [u64],
    /// Horizontal differences above the strip on entry, below it on return: `[vector][word]`, 64
    /// columns per word.
    pub carries: &'a mut [u64],
    pub stored: Option<StoredBoundaries<'a>>,
    pub scratch: &'a mut Scratch,
}

pub(crate) struct StoredBoundaries<'a> {
    /// Snapshots of [`TileWork::v`] every [`SNAPSHOT_STEPS`] steps.
    pub v: &'a mut Vec<u64>,
    /// Horizontal differences below all lanes, per step and chain: one byte per vector.
    pub carries: &'a mut Vec<u8>,
}

/// Steps between snapshots of the vertical differences: fewer steps mean less recomputation and
/// more memory.
pub(super) const SNAPSHOT_STEPS: usize = 256;

/// Snapshots per block of `cols` columns, including the one before its first step. At every later
/// snapshot all lanes are inside the block.
pub(super) fn snapshots(cols: usize) -> usize {
    cols.div_ceil(SNAPSHOT_STEPS)
}

/// The block's columns with padding on both sides, one u64 per column.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Padding and width of `valid`.
    layout: (usize, usize),
    valid: Vec<u64>,
    planes: Vec<u64>,
    carries: Vec<u64>,
}

/// Columns before and after a block where some lanes are idle.
pub(super) const fn padding(chains: usize, lanes: usize) -> usize {
    (chains - 1) * LAG + lanes - 1
}

/// Computes a tile. `PLANES` is the number of planes, or 0 if known only at run time, as with `SETS`:
/// planes behind those of numbers are sets.
#[inline(always)]
pub(super) fn sweep<
    R: Lanes,
    X: Vector,
    const CHAINS: usize,
    const LIMBS: usize,
    const PLANES: usize,
    const SETS: bool,
>(
    work: &mut TileWork<'_>,
) {
    const { assert!(padding(CHAINS, X::LANES) < SNAPSHOT_STEPS) };
    splat_columns::<R>(work, padding(CHAINS, X::LANES));
    let mut chains = Chains::<R, X, CHAINS, LIMBS>::load(work.v);
    match work.stored {
        None => chains.cross::<PLANES, SETS, false>(work),
        Some(_) => chains.cross::<PLANES, SETS, true>(work),
    }
    chains.store(work.v);
    let width = work.codes.len();
    let pad = padding(CHAINS, X::LANES);
    let stride = width + 2 * pad;
    let words = width.div_ceil(64);
    for (words, carries) in work
        .carries
        .chunks_exact_mut(words)
        .zip(work.scratch.carries.chunks_exact(stride))
    {
        pack_carries::<R, X>(&carries[pad..pad + width], words);
    }
}

/// Vertical differences and in-flight horizontal ones of a strip, in registers.
struct Chains<R, X, const CHAINS: usize, const LIMBS: usize> {
    v: [[[X; 2]; LIMBS]; CHAINS],
    h: [[X; 2]; CHAINS],
    recurrence: PhantomData<R>,
}

/// Code bits of the rows: in registers if `PLANES` is known, else read from memory at every step.
struct RowPlanes<'a, X, const CHAINS: usize, const LIMBS: usize, const PLANES: usize> {
    held: [[[X; LIMBS]; PLANES]; CHAINS],
    memory: &'a [u64],
    planes: usize,
    number_planes: usize,
}

impl<'a, X: Vector, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>
    RowPlanes<'a, X, CHAINS, LIMBS, PLANES>
{
    #[inline(always)]
    fn load(memory: &'a [u64], coding: &Coding) -> Self {
        let mut held = [[[X::splat(0); LIMBS]; PLANES]; CHAINS];
        let registers = held.as_flattened_mut().as_flattened_mut();
        for (register, lanes) in registers.iter_mut().zip(memory.chunks_exact(X::LANES)) {
            *register = X::load(lanes);
        }
        Self {
            held,
            memory,
            planes: coding.planes,
            number_planes: coding.number_planes,
        }
    }
}

impl<R: Lanes, X: Vector, const CHAINS: usize, const LIMBS: usize> Chains<R, X, CHAINS, LIMBS> {
    #[inline(always)]
    fn load(memory: &[u64]) -> Self {
        let zero = X::splat(0);
        let mut v = [[[zero; 2]; LIMBS]; CHAINS];
        for (vector, memory) in memory.chunks_exact(CHAINS * LIMBS * X::LANES).enumerate() {
            for (register, lanes) in v
                .as_flattened_mut()
                .iter_mut()
                .zip(memory.chunks_exact(X::LANES))
            {
                register[vector] = X::load(lanes);
            }
        }
        Self {
            v,
            h: [[zero; 2]; CHAINS],
            recurrence: PhantomData,
        }
    }

    #[inline(always)]
    fn store(&self, memory: &mut [u64]) {
        for (vector, memory) in memory
            .chunks_exact_mut(CHAINS * LIMBS * X::LANES)
            .enumerate()
        {
            for (register, lanes) in self
                .v
                .as_flattened()
                .iter()
                .zip(memory.chunks_exact_mut(X::LANES))
            {
                register[vector].store(lanes);
            }
        }
    }

    #[inline(always)]
    fn cross<const PLANES: usize, const SETS: bool, const STORE: bool>(
        &mut self,
        work: &mut TileWork<'_>,
    ) {
        let (width, pad) = (work.codes.len(), padding(CHAINS, X::LANES));
        let rows = RowPlanes::<X, CHAINS, LIMBS, PLANES>::load(work.rows, &work.coding);
        let Scratch {
            valid,
            planes,
            carries,
            ..
        } = &mut *work.scratch;
        let (mut snapshots, mut stored) = (None, &mut [][..]);
        if let Some(StoredBoundaries { v, carries }) = &mut work.stored {
            let start = carries.len();
            carries.resize(start + (width + pad) * CHAINS * R::HORIZONTAL, 0);
            stored = &mut carries[start..];
            v.extend_from_slice(work.v);
            snapshots = Some(v);
        }
        // Steps at which every lane is inside the block.
        let full = pad.min(width)..width;
        let mut step = 0;
        while step < width + pad {
            let next_snapshot = (step / SNAPSHOT_STEPS + 1) * SNAPSHOT_STEPS;
            let end = match full.contains(&step) {
                true if STORE => next_snapshot.min(full.end),
                true => full.end,
                false if step < full.start => full.start,
                false => width + pad,
            };
            // Inside one loop, each kind of step is compiled once.
            if full.contains(&step) {
                self.steps::<PLANES, SETS, false, STORE>(
                    &rows,
                    valid,
                    planes,
                    carries,
                    step..end,
                    stored,
                );
            } else {
                self.steps::<PLANES, SETS, true, STORE>(
                    &rows,
                    valid,
                    planes,
                    carries,
                    step..end,
                    stored,
                );
            }
            step = end;
            if let Some(snapshots) = &mut snapshots
                && full.contains(&step)
                && step % SNAPSHOT_STEPS == 0
            {
                self.store(work.v);
                snapshots.extend_from_slice(work.v);
            }
        }
    }

    /// Runs steps `range` of the tile. With `EDGE` some lanes are outside the block; they compute
    /// but keep their state.
    #[inline(always)]
    fn steps<const PLANES: usize, const SETS: bool, const EDGE: bool, const STORE: bool>(
        &mut self,
        rows: &RowPlanes<'_, X, CHAINS, LIMBS, PLANES>,
        valid: &[u64],
        planes: &[u64],
        carries: &mut [u64],
        range: Range<usize>,
        stored: &mut [u8],
    ) {
        let stride = valid.len();
        let planes = &planes[..stride * rows.planes];
        let (first, second) = carries[..stride * R::HORIZONTAL].split_at_mut(stride);
        let Self { mut v, mut h, .. } = *self;
        for step in range {
            for chain in 0..CHAINS {
                // Position of the lowest lane's column. The carry enters at the highest lane.
                let lowest = step + (CHAINS - 1 - chain) * LAG;
                let entering = lowest + X::LANES - 1;
                let mut carry = h[chain];
                carry[0] = carry[0].shift_in(first[entering]);
                if R::HORIZONTAL == 2 {
                    carry[1] = carry[1].shift_in(second[entering]);
                }
                // Plain loops: iterators and closures need several layers of calls inlined.
                let mut x = [X::splat(0); LIMBS];
                for limb in 0..LIMBS {
                    x[limb] = if SETS {
                        X::splat(!0)
                    } else {
                        R::candidates(v[chain][limb])
                    };
                }
                let count = if PLANES == 0 { rows.planes } else { PLANES };
                for plane in 0..count {
                    let column = X::load(&planes[plane * stride + lowest..]);
                    let is_last = plane + 1 == count;
                    for limb in 0..LIMBS {
                        let row = match PLANES {
                            0 => {
                                let index = (chain * count + plane) * LIMBS + limb;
                                X::load(&rows.memory[index * X::LANES..])
                            }
                            _ => rows.held[chain][plane][limb],
                        };
                        x[limb] = if SETS && plane >= rows.number_planes {
                            let matches = row.and(column);
                            x[limb].or3(matches, matches)
                        } else if !SETS && is_last {
                            R::last_plane(x[limb], row, column)
                        } else if PLANES > 0 && plane == 0 {
                            R::first_plane(v[chain][limb], row, column)
                        } else {
                            x[limb].matching(row, column)
                        };
                    }
                }
                for limb in 0..LIMBS {
                    let before = v[chain][limb];
                    let matches = if SETS {
                        R::matches(before, x[limb])
                    } else {
                        x[limb]
                    };
                    (v[chain][limb], carry) = R::step(before, matches, carry);
                    if EDGE {
                        let valid = X::load(&valid[lowest..]);
                        for vector in 0..2 {
                            let after = v[chain][limb][vector];
                            v[chain][limb][vector] = after.or_outside(before[vector], valid);
                        }
                    }
                }
                h[chain] = carry;
                first[lowest] = carry[0].lowest();
                if R::HORIZONTAL == 2 {
                    second[lowest] = carry[1].lowest();
                }
                if STORE {
                    let index = (step * CHAINS + chain) * R::HORIZONTAL;
                    stored[index] = carry[0].signs() ^ R::FLIP as u8;
                    if R::HORIZONTAL == 2 {
                        stored[index + 1] = carry[1].signs() ^ R::FLIP as u8;
                    }
                }
            }
        }
        (self.v, self.h) = (v, h);
    }
}

#[inline(always)]
fn splat_columns<R: Lanes>(work: &mut TileWork<'_>, pad: usize) {
    let width = work.codes.len();
    let stride = width + 2 * pad;
    let Scratch {
        layout,
        valid,
        planes,
        carries,
    } = &mut *work.scratch;
    if *layout != (pad, width) {
        *layout = (pad, width);
        valid.clear();
        valid.resize(stride, 0);
        valid[pad..pad + width].fill(!0);
    }
    planes.resize(stride * work.coding.planes, 0);
    for (plane, splat) in planes.chunks_exact_mut(stride).enumerate() {
        for (splat, &code) in splat[pad..pad + width].iter_mut().zip(work.codes) {
            let bits = 0u64.wrapping_sub(u64::from(work.coding.column(code) >> plane & 1));
            // Guard bits of rows are 0.
            *splat = if R::GUARD_MATCHES {
                bits & !GUARD
            } else {
                bits | GUARD
            };
        }
    }
    carries.resize(stride * R::HORIZONTAL, 0);
    let words = width.div_ceil(64);
    for (carries, words) in carries
        .chunks_exact_mut(stride)
        .zip(work.carries.chunks_exact(words))
    {
        for (carries, &word) in carries[pad..pad + width].chunks_mut(64).zip(words) {
            for (column, carry) in carries.iter_mut().enumerate() {
                *carry = 0u64.wrapping_sub(word >> column & 1) ^ R::FLIP;
            }
        }
    }
}

#[inline(always)]
fn pack_carries<R: Lanes, X: Vector>(carries: &[u64], words: &mut [u64]) {
    for (word, carries) in words.iter_mut().zip(carries.chunks(64)) {
        let groups = carries.chunks_exact(X::LANES);
        let rest = groups.remainder();
        let mut tops = 0;
        let mut column = 0;
        for group in groups {
            tops |= u64::from(X::load(group).signs()) << column;
            column += X::LANES;
        }
        for carry in rest {
            tops |= (carry >> 63) << column;
            column += 1;
        }
        *word = (tops ^ R::FLIP) & (!0 >> (64 - carries.len()));
    }
}
