//! Expected time of sweeps on the CPU, from the rate of the selected kernel (profiled or measured)
//! and the critical path of its tiles.

use std::time::Duration;

use super::coding::Coding;
use super::kept::Keep;
use super::kernel::LIMB_ROWS;
use super::kernels::{Kernel, Kernels};
use super::schedule::BLOCK_COLS;
use super::table::StripTable;
use crate::call::control::Control;
use crate::engine::profile::{self, Rate};
use crate::host::threads::threads;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::shape::TableKind;
use crate::sequences::codes::{Alphabet, Codes};

/// Fixed cost per tile, in columns.
const TILE_COLS: usize = 100;
/// Columns per parallel traceback.
const PART_COLS: usize = 1 << 15;

/// Cells of a sweep that take as long as the traceback of a column, 75 ns
/// (benches/record/amd-epyc/2026-11-28-progress.txt).
const COLUMN_CELLS: u64 = 18_000;

pub(crate) fn walk_work(cols: usize) -> u64 {
    COLUMN_CELLS.saturating_mul(cols as u64)
}

pub(super) fn parts(cols: usize, threads: usize) -> usize {
    (cols / PART_COLS).clamp(1, threads.max(1))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SweepWork {
    pub rows: usize,
    pub cols: usize,
    pub planes: usize,
    pub sets: bool,
    pub band: Band,
    pub threads: usize,
}

/// Cells swept for a path, as multiples of the table: to split it at midpoints, and to store
/// boundaries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathShares {
    pub cut: f64,
    pub kept: f64,
}

impl SweepWork {
    pub(crate) fn new(
        rows: usize,
        cols: usize,
        alphabet: impl Into<Alphabet>,
        band: Band,
        threads: usize,
    ) -> Self {
        let Alphabet { shared, sets, .. } = alphabet.into();
        let planes = (u32::BITS - shared.saturating_sub(1).leading_zeros()).max(1) as usize;
        Self {
            rows,
            cols,
            planes,
            sets,
            band,
            threads,
        }
    }

    pub(crate) fn of(codes: Codes<'_>, band: Band, threads: usize) -> Self {
        Self::new(codes.a.len(), codes.b.len(), codes.alphabet, band, threads)
    }

    pub(super) fn kernel<R: Kernels>(&self, keep: Keep) -> Kernel {
        let rows = self.band.width(self.rows, self.cols).min(self.rows);
        self.kernel_for::<R>(rows, keep)
    }

    fn kernel_for<R: Kernels>(&self, rows: usize, keep: Keep) -> Kernel {
        if self.sets {
            R::pick_of_sets(rows)
        } else {
            R::pick(rows, self.planes, keep == Keep::Boundaries)
        }
    }

    pub(super) fn tile(&self, kernel: &Kernel, keep: Keep) -> (usize, usize) {
        let strip_rows = kernel.strip_rows();
        let block_cols = match keep {
            Keep::Boundaries => BLOCK_COLS,
            Keep::Nothing | Keep::Entries => self.block_cols(strip_rows),
        };
        (strip_rows, block_cols)
    }

    pub(super) fn keep<R: Kernels>(&self, path: bool) -> Keep {
        if !path {
            return Keep::Nothing;
        }
        let entries = self.kernel::<R>(Keep::Entries);
        let (rows, cols) = (self.rows, self.cols);
        let (strip_rows, block_cols) = self.tile(&entries, Keep::Entries);
        let tiles = self.band.tiles(rows, cols, strip_rows, block_cols);
        Keep::of_path(tiles, rows, cols, strip_rows, block_cols, self.threads)
    }

    /// Block width that minimises the sweep time. Wide blocks cost less in total; narrow ones start
    /// threads sooner and waste less at the edges of a band.
    fn block_cols(&self, strip_rows: usize) -> usize {
        [8192, 4096, 2048, 1024]
            .into_iter()
            .min_by_key(|&block_cols| self.columns(strip_rows, block_cols))
            .unwrap_or(4096)
    }

    /// Critical path of a sweep in columns of one strip.
    fn columns(&self, strip_rows: usize, block_cols: usize) -> u64 {
        let Self { rows, cols, .. } = *self;
        let (mut tiles, mut work) = (0, 0);
        for start in (0..rows).step_by(strip_rows) {
            let strip = start..(start + strip_rows).min(rows);
            let blocks = self.band.blocks(&strip, cols, block_cols);
            tiles += blocks.len();
            let width = (blocks.end * block_cols).min(cols) - blocks.start * block_cols;
            work += (width + blocks.len() * TILE_COLS) as u64;
        }
        let (strips, blocks) = (rows.div_ceil(strip_rows), cols.div_ceil(block_cols));
        let threads = self.threads.min(strips).min(blocks).max(1);
        // A thread's share of the tiles plus its wait for the first one, or the longest dependency
        // chain.
        let steps = (tiles.div_ceil(threads) + threads).max(strips + blocks) - 1;
        work.div_ceil(tiles.max(1) as u64) * steps as u64
    }

    /// Bytes that a sweep keeps for a path, with the number of planes that needs more: one-sided
    /// symbols may take one more.
    pub(crate) fn path_bytes<R: Kernels>(&self) -> u64 {
        let bytes = |planes| {
            let work = Self { planes, ..*self };
            work.kept_bytes::<R>(work.keep::<R>(true))
        };
        bytes(self.planes).max(bytes(self.planes + 1))
    }

    pub(super) fn kept_bytes<R: Kernels>(&self, keep: Keep) -> u64 {
        let kernel = self.kernel::<R>(keep);
        let (strip_rows, block_cols) = self.tile(&kernel, keep);
        let bytes = kernel.kept_bytes::<R>(block_cols, keep) as u64;
        let band = self.band;
        let tiles = band.tiles(self.rows, self.cols, strip_rows, block_cols);
        tiles.saturating_mul(bytes)
    }

    /// Whether a sweep for the last value is a single tile, so that a second thread would be idle.
    pub(crate) fn is_one_tile<R: Kernels>(&self) -> bool {
        // One-sided symbols may take one more plane.
        (self.planes..=self.planes + 1).all(|planes| {
            let work = Self { planes, ..*self };
            let kernel = work.kernel::<R>(Keep::Nothing);
            let (strip_rows, block_cols) = work.tile(&kernel, Keep::Nothing);
            work.rows <= strip_rows && work.cols <= block_cols
        })
    }

    pub(crate) fn seconds<R: Kernels>(&self) -> f64 {
        self.sweep_seconds::<R>(Keep::Nothing)
    }

    fn sweep_seconds<R: Kernels>(&self, keep: Keep) -> f64 {
        if self.rows == 0 || self.cols == 0 {
            return 0.0;
        }
        let kernel = self.kernel::<R>(keep);
        let (strip_rows, block_cols) = self.tile(&kernel, keep);
        let columns = self.columns(strip_rows, block_cols);
        let cells = columns as f64 * strip_rows as f64;
        // Threads running together are slower than one alone.
        let share = profile::speedup(self.threads) / self.threads.max(1) as f64;
        let store = keep == Keep::Boundaries;
        cells / rate::<R>(&kernel, self.planes, store, cells) / share
    }

    /// Seconds for the same number of cells with perfect tiling, to compare tables of any size.
    pub(crate) fn seconds_by_cells<R: Kernels>(&self) -> f64 {
        let cells = self.band.cells(self.rows as u64, self.cols as u64) as f64;
        // As in tables large enough for every chain of a kernel.
        let kernel = self.kernel_for::<R>(usize::MAX, Keep::Nothing);
        cells / rate::<R>(&kernel, self.planes, false, cells) / profile::speedup(self.threads)
    }

    pub(crate) fn path_shares<R: Kernels>(&self, budget_bytes: u64) -> PathShares {
        // A split leaves two parts with half of the cells in total, each with a quarter of the
        // boundaries.
        let mut part = self.path_bytes::<R>();
        let mut shares = PathShares {
            cut: 0.0,
            kept: 1.0,
        };
        while part > budget_bytes.max(1) {
            shares.cut += shares.kept;
            (shares.kept, part) = (shares.kept / 2.0, part / 4);
        }
        shares
    }

    /// Seconds of the traceback. Parallel partial tracebacks only help in a band, where the
    /// sequences are similar.
    fn walk_seconds<R: Kernels>(&self, keep: Keep) -> f64 {
        let parts = if self.band == Band::WHOLE {
            1
        } else {
            parts(self.cols, self.threads)
        };
        let steps = (self.rows + self.cols) as f64 * profile::cpu::WALK_SECONDS;
        let again = match keep {
            Keep::Entries => {
                let kernel = self.kernel::<R>(keep);
                let (strip_rows, block_cols) = self.tile(&kernel, keep);
                // A tile that is entered from below is computed up to that column, half of it.
                let cells = self.rows as f64 * block_cols as f64 / 2.0
                    + self.cols as f64 * strip_rows as f64;
                cells / rate::<R>(&kernel, self.planes, false, cells)
            }
            Keep::Nothing | Keep::Boundaries => 0.0,
        };
        (steps + again) / profile::speedup(parts)
    }

    pub(crate) fn path<R: Kernels>(&self, budget_bytes: u64) -> (PathMode, f64, u64) {
        let (keep, bytes) = (self.keep::<R>(true), self.path_bytes::<R>());
        let stored = self.sweep_seconds::<R>(keep) + self.walk_seconds::<R>(keep);
        if bytes <= budget_bytes {
            return (PathMode::StoredBoundaries, stored, bytes);
        }
        let PathShares { cut, kept } = self.path_shares::<R>(budget_bytes);
        let seconds = cut * self.seconds::<R>() + kept * stored;
        (PathMode::Hirschberg, seconds, budget_bytes)
    }
}

impl Keep {
    /// Chooses the faster way to a path after a sweep of `tiles` tiles by `threads` threads. With
    /// [`Entries`](Self::Entries) one thread computes the tiles on the path again, while the others
    /// are idle.
    pub(super) fn of_path(
        tiles: u64,
        rows: usize,
        cols: usize,
        strip_rows: usize,
        block_cols: usize,
        threads: usize,
    ) -> Self {
        /// Crossed tiles are computed again in about the time in which the boundaries of this many
        /// are stored.
        const STORED_PER_COMPUTED: u64 = 4;
        let crossed = (rows.div_ceil(strip_rows) + cols.div_ceil(block_cols)) as u64;
        let share = STORED_PER_COMPUTED * threads.max(1) as u64;
        if crossed.saturating_mul(share) <= tiles {
            Self::Entries
        } else {
            Self::Boundaries
        }
    }
}

/// Cells per second of one thread, measured once if there are enough cells.
fn rate<R: Kernels>(kernel: &Kernel, planes: usize, store: bool, cells: f64) -> f64 {
    const MAX_PLANES: usize = u32::BITS as usize;
    static RATES: [[Rate; MAX_PLANES + 1]; 16] =
        [const { [const { Rate::unknown() }; MAX_PLANES + 1] }; 16];
    let narrow = kernel.strip_rows() == kernel.lanes * LIMB_ROWS;
    let flags = [R::TABLE == TableKind::Lcs, store, narrow, kernel.sets];
    let row = flags
        .iter()
        .rev()
        .fold(0, |row, &flag| 2 * row + usize::from(flag));
    let figure = figure::<R>(kernel, planes, narrow);
    RATES[row][planes.min(MAX_PLANES)].of(cells, figure, || measure::<R>(*kernel, planes, store))
}

/// Cells per second from the instructions per register of cells.
fn figure<R: Kernels>(kernel: &Kernel, planes: usize, narrow: bool) -> f64 {
    use profile::cpu::*;
    let recurrence = if R::TABLE == TableKind::Lcs {
        LCS_INSTRUCTIONS
    } else {
        EDIT_INSTRUCTIONS
    };
    let more = if kernel.lanes >= 8 {
        1.0
    } else {
        NARROW_INSTRUCTIONS
    };
    let waits = if narrow { LONE_CHAIN_WAITS } else { 1.0 };
    SIMD_INSTRUCTIONS_PER_SECOND * (kernel.lanes * LIMB_ROWS) as f64
        / ((planes + recurrence) as f64 * more * waits)
}

/// Columns of a rate measurement: less than a millisecond in total.
const MEASURED_COLS: usize = 4096;

fn measure<R: Kernels>(kernel: Kernel, planes: usize, store: bool) -> (f64, Duration) {
    let symbols = 1u32
        .checked_shl(planes as u32)
        .unwrap_or(u32::MAX)
        .min(MEASURED_COLS as u32);
    let codes = |count: usize, step: u32| {
        (0..count as u32)
            .map(|index| 1 + index * step % symbols)
            .collect::<Vec<_>>()
    };
    let (a, b) = (codes(kernel.strip_rows(), 1), codes(MEASURED_COLS, 3));
    let alphabet = if kernel.sets {
        Alphabet::of_sets((planes as u32).clamp(2, u32::BITS) - 1, 0)
    } else {
        symbols.into()
    };
    let codes = Codes {
        a: &a,
        b: &b,
        alphabet,
    };
    let table = StripTable::<R>::with_kernel(
        kernel,
        Coding::new(codes),
        codes,
        MEASURED_COLS,
        R::FIRST_COLUMN,
        Band::WHOLE,
    );
    let keep = if store {
        Keep::Boundaries
    } else {
        Keep::Nothing
    };
    let (swept, time) = profile::timed(|| table.keeping(keep).run(&Control::default()));
    // This control is never cancelled.
    (swept.map_or(0.0, |table| table.cells as f64), time)
}

impl<'a, R: Kernels> StripTable<'a, R> {
    /// A table with this first column, for the fastest kernel. `path`: whether the sweep keeps what
    /// a traceback needs.
    pub(super) fn new(codes: Codes<'a>, path: bool, first_column: [u64; 2], band: Band) -> Self {
        let coding = Coding::new(codes);
        let work = SweepWork {
            rows: codes.a.len(),
            cols: codes.b.len(),
            planes: coding.planes,
            sets: coding.alphabet.sets,
            band,
            threads: threads(None),
        };
        let keep = work.keep::<R>(path);
        let kernel = work.kernel::<R>(keep);
        let (_, block_cols) = work.tile(&kernel, keep);
        Self::with_kernel(kernel, coding, codes, block_cols, first_column, band).keeping(keep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};

    fn work(rows: usize, cols: usize, band: Band, threads: usize) -> SweepWork {
        SweepWork {
            rows,
            cols,
            planes: 2,
            sets: false,
            band,
            threads,
        }
    }

    #[test]
    fn measured_rates_are_plausible() {
        for store in [false, true] {
            let rates = [
                rate::<Lcs>(&Lcs::pick(usize::MAX, 2, store), 2, store, 1e12),
                rate::<Edit>(&Edit::pick(usize::MAX, 2, store), 2, store, 1e12),
            ];
            assert!(
                rates.iter().all(|rate| (1e8..1e13).contains(rate)),
                "{rates:?}"
            );
        }
    }

    #[test]
    fn expected_time_grows_with_table_and_band_and_shrinks_with_threads() {
        let n = 200_000;
        let seconds = |band, threads| work(n, n, band, threads).seconds::<Edit>();
        let band = |slack| Band::around(n as u64, n as u64, slack);
        assert!(
            seconds(band(1000), 4) < seconds(band(20_000), 4)
                && seconds(band(20_000), 4) < seconds(Band::WHOLE, 4)
        );
        assert!(seconds(Band::WHOLE, 8) < seconds(Band::WHOLE, 2));
        assert_eq!(work(0, n, Band::WHOLE, 2).seconds::<Lcs>(), 0.0);
        assert!(
            work(n, n, Band::WHOLE, 2).seconds::<Lcs>()
                < 0.5 * work(n, 4 * n, Band::WHOLE, 2).seconds::<Lcs>()
        );
    }

    #[test]
    fn block_width_shrinks_with_threads_and_in_bands() {
        let cols = |n, band, threads| work(n, n, band, threads).block_cols(6048);
        for n in [30_000, 100_000, 1_000_000] {
            let widths = [1, 2, 4, 8, 16, 64].map(|threads| cols(n, Band::WHOLE, threads));
            assert!(
                widths.is_sorted_by(|few, many| few >= many),
                "{n}: {widths:?}"
            );
            assert_eq!(widths[0], 8192);
            assert_eq!(cols(n, Band::around(n as u64, n as u64, 500), 1), 1024);
        }
        assert_eq!(cols(100_000, Band::WHOLE, 16), 1024);
        for (rows, cols) in [(0, 0), (0, 9), (9, 0), (1, 1)] {
            assert!(work(rows, cols, Band::WHOLE, 3).block_cols(504) > 0);
        }
    }

    #[test]
    fn path_beyond_the_budget_sweeps_at_most_twice_the_cells() {
        let work = work(100_000, 100_000, Band::WHOLE, 2);
        let (mode, _, bytes) = work.path::<Lcs>(u64::MAX);
        assert_eq!(mode, PathMode::StoredBoundaries);
        let (mode, _, kept) = work.path::<Lcs>(bytes - 1);
        assert_eq!((mode, kept), (PathMode::Hirschberg, bytes - 1));
        let swept = |budget_bytes| {
            let PathShares { cut, kept } = work.path_shares::<Lcs>(budget_bytes);
            cut + kept
        };
        assert_eq!([bytes, bytes - 1].map(swept), [1.0, 1.5]);
        assert!(
            (1.5..2.0).contains(&swept(bytes / 1000)),
            "{}",
            swept(bytes / 1000)
        );
    }
}
