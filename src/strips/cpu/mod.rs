//! Bit-parallel LCS in SIMD registers, over threads.
//!
//! The table is cut into strips of rows and blocks of columns. A tile, one strip by one block, needs the V bits that the tile
//! to its left leaves and the carries that the tile above leaves, so the tiles of one anti-diagonal run in parallel. Bits of
//! the symbols' codes tell matches: `V & !(A0 ^ b0) & !(A1 ^ b1) ...` with one three-input instruction a plane.
//!
//! Cost: `a.len() * b.len() * (planes + 4) / 504` instructions with AVX-512.

mod kernel;
mod path;
#[cfg(test)]
mod tests;
mod vector;

use std::cell::RefCell;
use std::time::Duration;

use rayon::prelude::*;

use crate::alphabet::{Encoded, NONE_IN_B};
use crate::control::Control;
use crate::error::Result;
use crate::run::PlanSummary;

use super::trace::pack_rows;
use kernel::{GUARD, LIMB_ROWS, Scratch, TileWork, column_code, padding};
use vector::Vector;

pub(crate) use path::{CpuSweep, subsequence};

/// Columns of a block where only the last column is asked for.
const BLOCK_COLS: usize = 4096;

/// Length of the longest common subsequence.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn length(codes: &Encoded, control: &Control) -> Result<u64> {
    let v = last_column(&codes.a, &codes.b, codes.shared, control)?;
    Ok(v.iter().map(|word| u64::from(word.count_zeros())).sum())
}

/// The vertical differences at the last column: bit `i % 64` of word `i / 64` is 0 where row i adds one to the length. Bits
/// past the last row are 1.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn last_column(a: &[u32], b: &[u32], shared: u32, control: &Control) -> Result<Vec<u64>> {
    let coding = Coding::new(a, b, shared);
    let table = Table::new(Kernel::pick(a.len(), coding.planes, false), coding, a, b, BLOCK_COLS);
    Ok(table.run(false, control)?.last_column())
}

/// V at the middle column from either end, as [`Sweep::middle_columns`](super::hirschberg::Sweep::middle_columns) has it.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn middle_columns(a: &[u32], b: &[u32], shared: u32, control: &Control) -> Result<(Vec<u64>, Vec<u64>)> {
    let (left, right) = b.split_at(b.len().div_ceil(2));
    let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
    let before = last_column(a, left, shared, control)?;
    Ok((before, last_column(&reversed(a), &reversed(right), shared, control)?))
}

/// The sweep for one kind of register and one number of planes.
#[derive(Clone, Copy)]
struct Kernel {
    lanes: usize,
    chains: usize,
    limbs: usize,
    run: unsafe fn(&mut TileWork<'_>),
}

impl Kernel {
    /// `None` where this processor lacks the instructions. `PLANES` 0 serves every number of planes.
    fn new<X: Vector, const CHAINS: usize, const LIMBS: usize, const PLANES: usize>() -> Option<Self> {
        X::available().then_some(Self {
            lanes: X::LANES,
            chains: CHAINS,
            limbs: LIMBS,
            run: X::enter::<CHAINS, LIMBS, PLANES>,
        })
    }

    /// The fastest kernel that this processor has, where boundaries are stored and where they are not.
    fn pick(rows: usize, planes: usize, store: bool) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = Self::avx512(rows, planes, store).or_else(|| Self::avx2(rows, planes)) {
            return kernel;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = store;
        Self::portable(rows, planes)
    }

    #[cfg(target_arch = "x86_64")]
    fn avx512(rows: usize, planes: usize, store: bool) -> Option<Self> {
        use vector::Avx512;
        if rows <= Avx512::LANES * LIMB_ROWS {
            return Self::new::<Avx512, 1, 1, 0>();
        }
        match (planes, store) {
            (1, false) => Self::new::<Avx512, 4, 3, 1>(),
            (1, true) => Self::new::<Avx512, 3, 3, 1>(),
            (2, false) => Self::new::<Avx512, 3, 4, 2>(),
            (2, true) => Self::new::<Avx512, 3, 3, 2>(),
            (3, false) => Self::new::<Avx512, 3, 4, 3>(),
            (3, true) => Self::new::<Avx512, 2, 4, 3>(),
            (4, _) => Self::new::<Avx512, 2, 2, 4>(),
            (5, _) => Self::new::<Avx512, 2, 4, 5>(),
            (6, _) => Self::new::<Avx512, 1, 4, 6>(),
            (7, _) => Self::new::<Avx512, 1, 8, 7>(),
            (8, _) => Self::new::<Avx512, 1, 8, 8>(),
            _ => Self::new::<Avx512, 1, 12, 0>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn avx2(rows: usize, planes: usize) -> Option<Self> {
        use vector::Avx2;
        if rows <= Avx2::LANES * LIMB_ROWS {
            return Self::new::<Avx2, 1, 1, 0>();
        }
        match planes {
            1 => Self::new::<Avx2, 2, 2, 1>(),
            2 => Self::new::<Avx2, 2, 2, 2>(),
            3 => Self::new::<Avx2, 2, 2, 3>(),
            4 => Self::new::<Avx2, 2, 2, 4>(),
            5 => Self::new::<Avx2, 2, 2, 5>(),
            _ => Self::new::<Avx2, 2, 4, 0>(),
        }
    }

    fn portable(rows: usize, planes: usize) -> Self {
        let (chains, limbs, run): (_, _, unsafe fn(&mut TileWork<'_>)) = match (rows, planes) {
            (0..=126, _) => (1, 1, <[u64; 2]>::enter::<1, 1, 0>),
            (_, 2) => (2, 2, <[u64; 2]>::enter::<2, 2, 2>),
            (_, 3) => (2, 2, <[u64; 2]>::enter::<2, 2, 3>),
            _ => (2, 4, <[u64; 2]>::enter::<2, 4, 0>),
        };
        Self { lanes: 2, chains, limbs, run }
    }

    /// Rows of one lane.
    fn lane_rows(&self) -> usize {
        self.limbs * LIMB_ROWS
    }

    /// Rows of one strip.
    fn strip_rows(&self) -> usize {
        self.chains * self.lanes * self.lane_rows()
    }

    /// Where the strip's vectors hold a limb: `limb` of the lane `lane` (from the top) of `chain`.
    fn register_index(&self, chain: usize, lane: usize, limb: usize) -> (usize, usize) {
        (chain * self.limbs + limb, self.lanes - 1 - lane)
    }
}

/// How codes become plane bits: without the codes for one-sided symbols where there are none, which saves DNA a plane.
#[derive(Clone, Copy)]
struct Coding {
    shared: u32,
    row_only: u32,
    planes: usize,
}

impl Coding {
    fn new(a: &[u32], b: &[u32], shared: u32) -> Self {
        let in_b_only = b.par_iter().with_min_len(1 << 16).any(|&code| code == NONE_IN_B);
        let in_a_only = a.par_iter().with_min_len(1 << 16).any(|&code| code > shared);
        let row_only = shared + u32::from(in_b_only);
        let codes = row_only + u32::from(in_a_only);
        let planes = (u32::BITS - codes.saturating_sub(1).leading_zeros()).max(1) as usize;
        Self { shared, row_only, planes }
    }

    fn row_code(&self, code: u32) -> u32 {
        if code > self.shared { self.row_only } else { column_code(code, self.shared) }
    }
}

/// A strip's state while its tiles run from left to right.
struct Strip {
    /// Code bits of the rows, as [`TileWork::rows`] wants them.
    rows: Vec<u64>,
    /// V, as [`TileWork::v`] wants it.
    v: Vec<u64>,
    /// V at the start of every block, where boundaries are stored.
    stored_v: Vec<u64>,
    /// Carries out of every lane, block after block, where boundaries are stored.
    stored_carries: Vec<u8>,
}

/// A block's state while its tiles run from top to bottom.
struct Block<'a> {
    codes: &'a [u32],
    carries: Vec<u64>,
}

/// The whole table.
struct Table<'a> {
    kernel: Kernel,
    coding: Coding,
    rows: usize,
    block_cols: usize,
    strips: Vec<Strip>,
    blocks: Vec<Block<'a>>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl<'a> Table<'a> {
    fn new(kernel: Kernel, coding: Coding, a: &[u32], b: &'a [u32], block_cols: usize) -> Self {
        let limbs = kernel.strip_rows() / LIMB_ROWS;
        let strip = |codes: &[u32]| Strip {
            rows: row_planes(&kernel, &coding, codes),
            v: vec![!0; limbs],
            stored_v: Vec::new(),
            stored_carries: Vec::new(),
        };
        let block = |codes: &'a [u32]| Block { codes, carries: vec![0; codes.len().div_ceil(64)] };
        Self {
            kernel,
            coding,
            rows: a.len(),
            block_cols,
            strips: a.par_chunks(kernel.strip_rows()).map(strip).collect(),
            blocks: b.chunks(block_cols).map(block).collect(),
        }
    }

    /// Computes every tile, and keeps what crosses their boundaries where `store` asks for it.
    fn run(mut self, store: bool, control: &Control) -> Result<Self> {
        if store {
            let steps = self.block_cols + padding(self.kernel.chains, self.kernel.lanes);
            for strip in &mut self.strips {
                strip.stored_v.reserve_exact(strip.v.len() * self.blocks.len());
                strip.stored_carries.reserve_exact(steps * self.kernel.chains * self.blocks.len());
            }
        }
        let (strips, blocks) = (self.strips.len(), self.blocks.len());
        let waves = if strips == 0 || blocks == 0 { 0 } else { strips + blocks - 1 };
        let strip_rows = self.kernel.strip_rows();
        let (kernel, coding) = (self.kernel, self.coding);
        for wave in 0..waves {
            control.check()?;
            let first = (wave + 1).saturating_sub(blocks);
            let last = wave.min(strips - 1);
            let cols = &mut self.blocks[wave - last..=wave - first];
            let rows_of = |strip| strip_rows.min(self.rows - strip * strip_rows) as u64;
            let cells = (first..=last).zip(cols.iter().rev());
            let cells = cells.map(|(strip, block)| rows_of(strip) * block.codes.len() as u64).sum();
            let tiles = self.strips[first..=last].par_iter_mut().zip(cols.par_iter_mut().rev());
            tiles.for_each(|(strip, block)| run_tile(&kernel, &coding, strip, block, store));
            control.advance(cells);
        }
        Ok(self)
    }

    fn last_column(&self) -> Vec<u64> {
        let limbs = self.strips.iter().flat_map(|strip| limbs_in_order(&self.kernel, &strip.v));
        let mut words = pack_rows(limbs, LIMB_ROWS as u32);
        words.truncate(self.rows.div_ceil(64));
        if !self.rows.is_multiple_of(64)
            && let Some(last) = words.last_mut()
        {
            *last |= !0 << (self.rows % 64);
        }
        words
    }
}

fn run_tile(kernel: &Kernel, coding: &Coding, strip: &mut Strip, block: &mut Block<'_>, store: bool) {
    if store {
        strip.stored_v.extend_from_slice(&strip.v);
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let mut work = TileWork {
            planes: coding.planes,
            rows: &strip.rows,
            codes: block.codes,
            shared: coding.shared,
            v: &mut strip.v,
            carries: &mut block.carries,
            lane_carries: store.then_some(&mut strip.stored_carries),
            scratch,
        };
        // SAFETY: a kernel exists only where `Vector::available` has returned true.
        unsafe { (kernel.run)(&mut work) }
    });
}

/// Code bits of a strip's rows in register order. Rows past the end get code 0: what they hold reaches no row above.
fn row_planes(kernel: &Kernel, coding: &Coding, codes: &[u32]) -> Vec<u64> {
    let mut rows = vec![0; kernel.strip_rows() / LIMB_ROWS * coding.planes];
    for (index, codes) in codes.chunks(LIMB_ROWS).enumerate() {
        let (lane, limb) = (index / kernel.limbs, index % kernel.limbs);
        let (register, place) = kernel.register_index(lane / kernel.lanes, lane % kernel.lanes, limb);
        let (chain, limb) = (register / kernel.limbs, register % kernel.limbs);
        for plane in 0..coding.planes {
            let bit = |code: u32| u64::from(coding.row_code(code) >> plane & 1);
            let register = (chain * coding.planes + plane) * kernel.limbs + limb;
            rows[register * kernel.lanes + place] =
                codes.iter().enumerate().fold(0, |bits, (row, &code)| bits | bit(code) << row);
        }
    }
    rows
}

/// A strip's limbs from its first row to its last, guard bits cleared.
fn limbs_in_order<'a>(kernel: &'a Kernel, v: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    (0..kernel.chains * kernel.lanes).flat_map(move |lane| lane_limbs(kernel, v, lane))
}

/// The limbs of one lane, counted through the strip's chains, guard bits cleared.
fn lane_limbs<'a>(kernel: &'a Kernel, v: &'a [u64], lane: usize) -> impl Iterator<Item = u64> + 'a {
    (0..kernel.limbs).map(move |limb| {
        let (register, place) = kernel.register_index(lane / kernel.lanes, lane % kernel.lanes, limb);
        v[register * kernel.lanes + place] & !GUARD
    })
}

/// What a call would do on the CPU.
pub(crate) fn summarize<M>(
    method: M,
    (rows, cols): (u64, u64),
    path: bool,
    budget_bytes: u64,
    threads: usize,
) -> PlanSummary<M> {
    let kernel = Kernel::pick(rows as usize, 2, path);
    let sweep = CpuSweep { limit_bytes: budget_bytes, control: &Control::default() };
    let path_mode = match (path, sweep.fits(rows as usize, cols as usize)) {
        (false, _) => "none",
        (true, true) => "stored boundaries",
        (true, false) => "hirschberg above stored boundaries",
    };
    let block_cols = if path { path::BLOCK_COLS } else { BLOCK_COLS } as u64;
    let (strips, blocks) = (rows.div_ceil(kernel.strip_rows() as u64), cols.div_ceil(block_cols));
    let boundaries = if path { sweep.boundary_bytes(rows as usize, cols as usize).min(budget_bytes) } else { 0 };
    PlanSummary {
        method,
        device: crate::engine::CPU.to_string(),
        path_mode,
        cells: u128::from(rows) * u128::from(cols),
        tile: (kernel.strip_rows() as u64, block_cols),
        strips,
        passes: (strips + blocks).saturating_sub(1),
        device_bytes: 0,
        host_bytes: boundaries + rows / 2 + cols,
        expected: Duration::from_secs_f64(expected_seconds(rows, cols, threads)),
    }
}

/// A rough time for the sweep.
pub(crate) fn expected_seconds(rows: u64, cols: u64, threads: usize) -> f64 {
    rows as f64 * cols as f64 / (CELLS_PER_SECOND * threads as f64)
}

/// Cells that one thread computes in a second, roughly.
const CELLS_PER_SECOND: f64 = 200e9;

/// The instructions that the kernels use here.
pub(crate) fn kernel_name() -> &'static str {
    match Kernel::pick(usize::MAX, 2, false).lanes {
        8 => "AVX-512",
        4 => "AVX2",
        _ => "portable 64-bit limbs",
    }
}
