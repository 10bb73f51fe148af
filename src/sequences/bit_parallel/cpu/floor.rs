//! Lower bounds of the cost of a rest of two sequences, from seeds.

use std::ops::Range;

use crate::call::control::Control;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::codes::Codes;
use crate::symbols::hash::{hash, hashes, top};

/// Inverse of the chance that a seed occurs by accident.
const RARITY: f64 = 16.0;
const SEED_LENS: Range<usize> = 6..64;
/// Minimum rows whose seeds are looked up in one table; more if the band is wider, so that each seed
/// is inserted about twice.
const MIN_BLOCK_ROWS: usize = 1 << 12;
/// Equal seeds that are told apart; more count as occurring.
const MAX_EQUAL_SEEDS: usize = 16;
/// Occurrences of a seed that are told apart.
const MAX_OCCURRENCES: usize = 4;
/// Seeds on either side, and diagonals, within which another occurrence confirms one.
const NEIGHBORS: usize = 8;
const NEAR_DIAGONALS: i32 = 32;

/// Cells of the sweep that take as long as a row here, 47 ns (benches/record/amd-epyc/2026-11-28-progress.txt).
const ROW_CELLS: u64 = 11_000;

#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub row: usize,
    pub col: usize,
}

/// Lower bounds of the cost from a cell to the end.
///
/// A missing seed occurs nowhere in the band and costs at least 1. A tied seed is missing, or all its
/// occurrences have others of near seeds on about the same diagonal; the core is the range of the
/// diagonals of tied seeds. A path that is `n` diagonals away from the core costs at least `n`
/// before it reaches an occurrence of a tied seed, and at least the tied seeds that it passes until
/// then. So it costs at least `n` and the missing seeds after the next `n` tied ones.
pub(super) struct Floor {
    shape: (usize, usize),
    seed_len: usize,
    /// Missing seeds from each on; one more entry than seeds.
    missing_from: Vec<u32>,
    /// Tied seeds before each; one more entry than seeds.
    tied_before: Vec<u32>,
    /// Least and greatest diagonal of the occurrences of tied seeds from each on.
    core_from: Vec<[i32; 2]>,
}

const NO_CORE: [i32; 2] = [i32::MAX, i32::MIN];

impl Floor {
    pub(super) fn new(Codes { a, b, alphabet }: Codes<'_>, band: Band, control: &Control) -> Self {
        let width = band.width(a.len(), b.len()) as f64;
        let len = (width * RARITY).ln() / f64::from(alphabet.shared.max(2)).ln();
        let seed_len = (len.ceil() as usize).clamp(SEED_LENS.start, SEED_LENS.end);
        let found = occurrences(a, b, seed_len, band, control);
        let mut missing_from = vec![0; found.len() + 1];
        let mut core_from = vec![NO_CORE; found.len() + 1];
        let mut tied_before = vec![0; found.len() + 1];
        for (seed, occurrences) in found.iter().enumerate().rev() {
            let is_missing = occurrences.count == 0;
            missing_from[seed] = missing_from[seed + 1] + u32::from(is_missing);
            core_from[seed] = core_from[seed + 1];
            let around = seed.saturating_sub(NEIGHBORS)..found.len().min(seed + NEIGHBORS + 1);
            let is_confirmed = |diagonal: i32| {
                let mut others = around.clone().filter(|&other| other != seed);
                others.any(|other| {
                    let near = |other: &i32| other.abs_diff(diagonal) <= NEAR_DIAGONALS as u32;
                    found[other].diagonals().iter().any(near)
                })
            };
            let is_tied = is_missing
                || occurrences.count <= MAX_OCCURRENCES
                    && occurrences.diagonals().iter().all(|&one| is_confirmed(one));
            if is_tied {
                let [low, high] = &mut core_from[seed];
                for &diagonal in occurrences.diagonals() {
                    (*low, *high) = ((*low).min(diagonal), (*high).max(diagonal));
                }
            }
            tied_before[seed] = u32::from(is_tied);
        }
        let mut before = 0;
        for count in &mut tied_before {
            (*count, before) = (before, before + *count);
        }
        Self {
            shape: (a.len(), b.len()),
            seed_len,
            missing_from,
            tied_before,
            core_from,
        }
    }

    pub(super) fn work(rows: usize) -> u64 {
        ROW_CELLS.saturating_mul(rows as u64)
    }

    /// First seed from a column on, at most their number.
    fn seed(&self, col: usize) -> usize {
        col.div_ceil(self.seed_len).min(self.missing_from.len() - 1)
    }

    /// Distance to the last diagonal, with a sign.
    fn gap(&self, Cell { row, col }: Cell) -> i64 {
        (self.shape.0 - row) as i64 - (self.shape.1 - col) as i64
    }

    pub(super) fn at_start(&self) -> i64 {
        let first = Cell { row: 0, col: 0 };
        self.between(first, first)
    }

    /// Least lower bound of the cells between two in a row or a column.
    #[inline(always)]
    fn between(&self, start: Cell, end: Cell) -> i64 {
        let gaps = [self.gap(start), self.gap(end)];
        let gap = if gaps[0].signum() == gaps[1].signum() {
            gaps[0].abs().min(gaps[1].abs())
        } else {
            0
        };
        // The core is greatest at the first column, the seeds are fewest at the last one.
        let (seed, core) = (self.seed(end.col), self.core_from[self.seed(start.col)]);
        let diagonal = |cell: Cell| cell.row as i64 - cell.col as i64;
        let (low, high) = (diagonal(start), diagonal(end));
        let (low, high) = (low.min(high), low.max(high));
        let away = (low - i64::from(core[1])).max(i64::from(core[0]) - high);
        let seeds = if core != NO_CORE && away > 0 {
            let tied = self.tied_before[seed];
            let left = self.tied_before[self.tied_before.len() - 1] - tied;
            let away = u32::try_from(away).unwrap_or(u32::MAX).min(left);
            let passed = self.tied_before[seed..].partition_point(|&one| one < tied + away);
            i64::from(away) + i64::from(self.missing_from[seed + passed])
        } else {
            self.missing_from[seed].into()
        };
        seeds.max(gap)
    }

    /// Least cost of a path through a cell between two in a row or a column, at these costs.
    #[inline(always)]
    pub(super) fn through(&self, start: Cell, end: Cell, costs: [i64; 2]) -> i64 {
        let steps = (end.row - start.row + end.col - start.col) as i64;
        (costs[0] + costs[1] - steps).div_euclid(2) + self.between(start, end)
    }
}

#[derive(Clone, Copy, Default)]
struct Occurrences {
    /// At most one more than are told apart.
    count: usize,
    diagonals: [i32; MAX_OCCURRENCES],
}

impl Occurrences {
    const MANY: Self = Self {
        count: MAX_OCCURRENCES + 1,
        diagonals: [0; MAX_OCCURRENCES],
    };

    /// Diagonals of the occurrences; none if there are too many.
    fn diagonals(&self) -> &[i32] {
        match self.count {
            0..=MAX_OCCURRENCES => &self.diagonals[..self.count],
            _ => &[],
        }
    }

    fn add(&mut self, diagonal: i64) {
        match (self.diagonals.get_mut(self.count), i32::try_from(diagonal)) {
            (Some(index), Ok(diagonal)) => (*index, self.count) = (diagonal, self.count + 1),
            _ => *self = Self::MANY,
        }
    }
}

/// Occurrences of each seed, a piece of `len` columns, in the rows.
fn occurrences(
    a: &[u32],
    b: &[u32],
    len: usize,
    band: Band,
    control: &Control,
) -> Vec<Occurrences> {
    let seeds: Vec<&[u32]> = b.chunks_exact(len).collect();
    let mut found = vec![Occurrences::default(); seeds.len()];
    let diagonals = (a.len() + b.len()) as i64;
    let width = (band.high.saturating_sub(band.low)).clamp(0, diagonals) as usize + 1;
    let block_rows = width.max(MIN_BLOCK_ROWS).min(a.len().max(1));
    let mut table = SeedTable::new((block_rows + width) / len + 2, seeds.len());
    let of_seeds: Vec<u64> = seeds.iter().copied().map(hash).collect();
    let mut rows = hashes(a, len).enumerate();
    for first_row in (0..(a.len() + 1).saturating_sub(len)).step_by(block_rows) {
        // The seeds that a row of the block can have within the band.
        let seed_of = |col: i64| (col.max(0) as usize / len).min(seeds.len());
        let last_row = (first_row + block_rows - 1) as i64;
        let of_block = seed_of((first_row as i64).saturating_sub(band.high))
            ..seed_of(last_row.saturating_sub(band.low).saturating_add(len as i64));
        table.clear();
        for seed in of_block {
            if !table.insert(seed, of_seeds[seed]) {
                found[seed] = Occurrences::MANY;
            }
        }
        for (row, rolling) in rows.by_ref().take(block_rows) {
            for seed in table.chain(rolling) {
                let diagonal = row as i64 - (seed * len) as i64;
                if of_seeds[seed] == rolling
                    && (band.low..=band.high).contains(&diagonal)
                    && seeds[seed] == &a[row..row + len]
                {
                    found[seed].add(diagonal);
                }
            }
        }
        control.add_done(Floor::work(block_rows.min(a.len() - first_row)));
    }
    found
}

/// Seeds by hash: chains by the top bits of a mixed hash.
struct SeedTable {
    bits: u32,
    heads: Vec<u32>,
    next: Vec<u32>,
}

impl SeedTable {
    const NONE: u32 = u32::MAX;

    /// For at most `held` of `seeds` seeds at a time.
    fn new(held: usize, seeds: usize) -> Self {
        let bits = (4 * held.min(seeds) + 1)
            .next_power_of_two()
            .trailing_zeros();
        Self {
            bits,
            heads: vec![Self::NONE; 1 << bits],
            next: vec![Self::NONE; seeds],
        }
    }

    fn clear(&mut self) {
        self.heads.fill(Self::NONE);
    }

    fn slot(&self, hash: u64) -> usize {
        top(hash, self.bits)
    }

    /// Inserts a seed; `false` if too many are in its chain.
    fn insert(&mut self, seed: usize, hash: u64) -> bool {
        if self.chain(hash).nth(MAX_EQUAL_SEEDS - 1).is_some() {
            return false;
        }
        let slot = self.slot(hash);
        (self.next[seed], self.heads[slot]) = (self.heads[slot], seed as u32);
        true
    }

    /// Seeds with about this hash.
    #[inline(always)]
    fn chain(&self, hash: u64) -> impl Iterator<Item = usize> {
        let mut seed = self.heads[self.slot(hash)];
        std::iter::from_fn(move || {
            let found = (seed != Self::NONE).then_some(seed as usize)?;
            seed = self.next[found];
            Some(found)
        })
    }
}
