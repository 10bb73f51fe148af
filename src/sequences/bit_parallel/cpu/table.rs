//! Table in strips of rows and blocks of columns, multi-threaded.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::coding::Coding;
use super::kept::{Boundaries, Keep};
use super::kernel::{LIMB_ROWS, Scratch, StoredBoundaries, TileWork};
use super::kernels::Kernel;
use super::lanes::Lanes;
use super::schedule::{SERIAL_ROWS, Schedule};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::lock;
use crate::host::parallel::map_ranges;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::recurrence::{Column, LastColumn, growth};
use crate::sequences::bit_parallel::trace::pack_rows;
use crate::sequences::codes::Codes;

/// State of a strip while its tiles run from left to right.
pub(super) struct Strip {
    /// Code bits of the rows, as [`TileWork::rows`].
    pub rows: Vec<u64>,
    /// Vertical differences, as [`TileWork::v`].
    pub v: Vec<u64>,
    /// Table value above the strip's first row, at the column where the next tile starts.
    pub value: i64,
    pub first_block: Option<usize>,
    /// [`v`](Self::v) before every tile, with [`Keep::Entries`].
    pub entry_v: Vec<u64>,
    /// [`ColumnBlock::carries`] before every tile, with [`Keep::Entries`].
    pub entry_carries: Vec<u64>,
    /// Boundaries of every tile, with [`Keep::Boundaries`].
    pub boundaries: Boundaries,
}

impl Strip {
    pub(super) fn reserve<R: Lanes>(
        &mut self,
        kernel: &Kernel,
        keep: Keep,
        block_cols: usize,
        tiles: usize,
    ) {
        match keep {
            Keep::Nothing => {}
            Keep::Entries => {
                self.entry_v.reserve_exact(self.v.len() * tiles);
                let words = block_cols.div_ceil(64) * R::HORIZONTAL;
                self.entry_carries.reserve_exact(words * tiles);
            }
            Keep::Boundaries => self.boundaries.reserve::<R>(kernel, block_cols, tiles),
        }
    }
}

/// State of a block while its tiles run from top to bottom.
pub(super) struct ColumnBlock<'a> {
    pub codes: &'a [u32],
    pub carries: Vec<u64>,
    /// Table value left of the block's first column, above the next strip.
    pub value: i64,
}

pub(super) struct StripTable<'a, R> {
    pub kernel: Kernel,
    pub coding: Coding,
    pub rows: usize,
    pub cols: usize,
    pub block_cols: usize,
    pub strips: Vec<Strip>,
    pub blocks: Vec<ColumnBlock<'a>>,
    pub keep: Keep,
    band: Band,
    /// Blocks of each strip, if they were chosen by the values instead of the band.
    pub corridor: Option<Vec<Range<usize>>>,
    pub cells: u64,
    recurrence: PhantomData<R>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl<'a, R: Lanes> StripTable<'a, R> {
    /// [`new`](Self::new) with a given kernel, for a sweep that keeps nothing.
    pub(super) fn with_kernel(
        kernel: Kernel,
        coding: Coding,
        Codes { a, b, .. }: Codes<'a>,
        block_cols: usize,
        first_column: [u64; 2],
        band: Band,
    ) -> Self {
        let limbs = kernel.strip_rows() / LIMB_ROWS;
        let down = R::GAIN * growth(R::gains(first_column).map(|word| word & 1));
        let strip = |rows: Range<usize>| Strip {
            rows: row_planes(&kernel, &coding, &a[rows.clone()]),
            v: first_column[..R::VERTICAL]
                .iter()
                .flat_map(|&limb| std::iter::repeat_n(limb, limbs))
                .collect(),
            value: rows.start as i64 * down,
            first_block: None,
            entry_v: Vec::new(),
            entry_carries: Vec::new(),
            boundaries: Boundaries::default(),
        };
        let block = |(index, codes): (usize, &'a [u32])| {
            let words = codes.len().div_ceil(64);
            let above = &R::FIRST_ROW[..R::HORIZONTAL];
            let carries: Vec<u64> = above
                .iter()
                .flat_map(|&word| std::iter::repeat_n(word, words))
                .collect();
            let value = (index * block_cols) as i64 * growth(R::FIRST_ROW.map(|word| word & 1));
            ColumnBlock {
                codes,
                carries,
                value,
            }
        };
        // Few rows are one task.
        let strip_rows = kernel.strip_rows();
        let task_rows = SERIAL_ROWS.next_multiple_of(strip_rows);
        let strips = map_ranges(a.len(), task_rows, |rows| {
            let starts = rows.clone().step_by(strip_rows);
            let strips = starts.map(|start| strip(start..rows.end.min(start + strip_rows)));
            strips.collect::<Vec<_>>()
        });
        Self {
            kernel,
            coding,
            rows: a.len(),
            cols: b.len(),
            block_cols,
            strips: strips.into_iter().flatten().collect(),
            blocks: b.chunks(block_cols).enumerate().map(block).collect(),
            keep: Keep::Nothing,
            band,
            corridor: None,
            cells: 0,
            recurrence: PhantomData,
        }
    }

    pub(super) fn keeping(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    pub(super) fn run(mut self, control: &Control) -> Result<Self> {
        let blocks_of_strips: Vec<_> = (0..self.strips.len())
            .map(|strip| self.blocks_of(strip))
            .collect();
        let rows: Vec<_> = (0..self.strips.len())
            .map(|strip| self.rows_of(strip).len() as u64)
            .collect();
        let (kernel, coding, keep) = (self.kernel, self.coding, self.keep);
        for (strip, blocks) in self.strips.iter_mut().zip(&blocks_of_strips) {
            strip.reserve::<R>(&kernel, keep, self.block_cols, blocks.len());
        }
        let strips: Vec<_> = self.strips.iter_mut().map(Mutex::new).collect();
        let blocks: Vec<_> = self.blocks.iter_mut().map(Mutex::new).collect();
        let computed = AtomicU64::new(0);
        Schedule::run_blocks(blocks_of_strips, |tile| {
            control.check()?;
            let (mut strip, mut block) = (lock(&strips[tile.strip]), lock(&blocks[tile.block]));
            run_tile::<R>(&kernel, &coding, &mut strip, &mut block, keep);
            strip.first_block.get_or_insert(tile.block);
            let cells = rows[tile.strip] * block.codes.len() as u64;
            drop((strip, block));
            computed.fetch_add(cells, Ordering::Relaxed);
            control.add_done(cells);
            Ok(())
        })?;
        self.cells = computed.into_inner();
        Ok(self)
    }

    pub(super) fn rows_of(&self, strip: usize) -> Range<usize> {
        let strip_rows = self.kernel.strip_rows();
        strip * strip_rows..((strip + 1) * strip_rows).min(self.rows)
    }

    /// Blocks of a strip that intersect the band or the corridor.
    pub(super) fn blocks_of(&self, strip: usize) -> Range<usize> {
        if let Some(corridor) = &self.corridor {
            return corridor[strip].clone();
        }
        self.band
            .blocks(&self.rows_of(strip), self.cols, self.block_cols)
    }

    /// Last value of the table. The band must contain the last cell.
    pub(super) fn last_value(&self) -> i64 {
        let Some(strip) = self.strips.last() else {
            return self.last_of_first_row();
        };
        let rows = self.rows - (self.strips.len() - 1) * self.kernel.strip_rows();
        strip.value + down::<R>(&self.kernel, &strip.v, rows)
    }

    /// Last column, which the band must reach. Rows outside the band continue it at a cost of one
    /// each.
    pub(super) fn last_column(&self) -> LastColumn {
        let strip_rows = self.kernel.strip_rows();
        let last_block = self.blocks.len().saturating_sub(1);
        let is_above =
            |strip: &usize| !self.blocks.is_empty() && self.blocks_of(*strip).end <= last_block;
        let above = (0..self.strips.len()).take_while(is_above).count();
        debug_assert!(
            above < self.strips.len() || self.strips.is_empty(),
            "no row of the last column is in {:?}",
            self.band
        );
        let vector = |vector: usize| {
            let limbs = self.strips.iter().enumerate().flat_map(|(strip, state)| {
                let v = vector_of::<R>(&state.v, vector);
                // Above the band every row is worse.
                let outside = (strip < above).then_some([0, !0][vector]);
                (0..v.len()).map(move |limb| outside.unwrap_or(v[self.kernel.place(limb)]))
            });
            pack_rows(limbs, LIMB_ROWS as u32)
        };
        let value_above = match self.strips.get(above) {
            Some(strip) => strip.value - R::GAIN * (above * strip_rows) as i64,
            None => self.last_of_first_row(),
        };
        LastColumn {
            column: Column([vector(0), vector(1)]),
            above: value_above,
        }
    }

    fn last_of_first_row(&self) -> i64 {
        self.cols as i64 * growth(R::FIRST_ROW.map(|word| word & 1))
    }
}

pub(super) fn run_tile<R: Lanes>(
    kernel: &Kernel,
    coding: &Coding,
    strip: &mut Strip,
    block: &mut ColumnBlock<'_>,
    keep: Keep,
) {
    let width = block.codes.len();
    let corner = if strip.first_block.is_some() {
        strip.value
    } else {
        block.value
    };
    block.value = corner + down::<R>(kernel, &strip.v, kernel.strip_rows());
    strip.value = corner + across(&block.carries, width);
    if keep == Keep::Entries {
        strip.entry_v.extend_from_slice(&strip.v);
        strip.entry_carries.extend_from_slice(&block.carries);
    }
    let Boundaries { v, carries } = &mut strip.boundaries;
    let stored = (keep == Keep::Boundaries).then_some(StoredBoundaries { v, carries });
    sweep_tile(
        kernel,
        coding,
        &strip.rows,
        block.codes,
        &mut strip.v,
        &mut block.carries,
        stored,
    );
}

/// Computes a tile of these rows and columns from the vertical differences left of it and the
/// horizontal ones above it, and replaces these by the ones right of it and below.
pub(super) fn sweep_tile(
    kernel: &Kernel,
    coding: &Coding,
    rows: &[u64],
    codes: &[u32],
    v: &mut [u64],
    carries: &mut [u64],
    stored: Option<StoredBoundaries<'_>>,
) {
    SCRATCH.with_borrow_mut(|scratch| {
        let mut work = TileWork {
            coding: *coding,
            rows,
            codes,
            v,
            carries,
            stored,
            scratch,
        };
        // SAFETY: a kernel exists only where `Instructions::available` has returned true.
        unsafe { (kernel.run)(&mut work) }
    });
}

fn across(carries: &[u64], cols: usize) -> i64 {
    let (plus, minus) = carries.split_at(cols.div_ceil(64));
    let last = !0 >> (cols.wrapping_neg() % 64);
    let ones = |words: &[u64]| {
        let words = words.iter().rev().enumerate();
        words
            .map(|(index, word)| {
                i64::from((if index == 0 { word & last } else { *word }).count_ones())
            })
            .sum::<i64>()
    };
    ones(plus) - ones(minus)
}

fn down<R: Lanes>(kernel: &Kernel, v: &[u64], rows: usize) -> i64 {
    let growth_of = |limb: usize| {
        let left = rows.saturating_sub(limb * LIMB_ROWS);
        growth_of_limb::<R>(kernel, v, limb, left).1
    };
    (0..rows.div_ceil(LIMB_ROWS)).map(growth_of).sum()
}

/// Rows of a limb, of which `left` exist, and the growth of the value over them.
pub(super) fn growth_of_limb<R: Lanes>(
    kernel: &Kernel,
    v: &[u64],
    limb: usize,
    left: usize,
) -> (usize, i64) {
    let (count, index) = (left.min(LIMB_ROWS), kernel.place(limb));
    let vectors = [0, 1].map(|vector| vector_of::<R>(v, vector));
    let gains = R::gains(vectors.map(|limbs| limbs.get(index).copied().unwrap_or_default()));
    let growth = growth(gains.map(|word| word & !(!0 << count)));
    (count, R::GAIN * growth)
}

/// One vector of a strip's vertical differences; empty if the recurrence lacks it.
pub(super) fn vector_of<R: Lanes>(v: &[u64], vector: usize) -> &[u64] {
    let len = v.len() / R::VERTICAL;
    v.get(vector * len..(vector + 1) * len).unwrap_or_default()
}

/// Code bits of a strip's rows in register order. Padding rows get code 0: they affect no row
/// above.
fn row_planes(kernel: &Kernel, coding: &Coding, codes: &[u32]) -> Vec<u64> {
    let limbs = kernel.limbs * kernel.lanes;
    let mut rows = vec![0; kernel.chains * limbs * coding.planes];
    let mut row_codes = [0; LIMB_ROWS];
    for (index, codes) in codes.chunks(LIMB_ROWS).enumerate() {
        let row_codes = &mut row_codes[..codes.len()];
        row_codes
            .iter_mut()
            .zip(codes)
            .for_each(|(row_code, &code)| *row_code = coding.row(code));
        let (chain, position) = (kernel.place(index) / limbs, kernel.place(index) % limbs);
        for plane in 0..coding.planes {
            rows[(chain * coding.planes + plane) * limbs + position] = row_codes
                .iter()
                .rev()
                .fold(0, |bits, code| bits << 1 | u64::from(code >> plane & 1));
        }
    }
    rows
}
