//! Sweep of the tiles that a path of bounded cost can cross: the least cost, and the path, of
//! similar sequences.
//!
//! A cell is of interest if its value and a lower bound of the remaining cost are within the limit
//! (A*PA2: Groot Koerkamp 2024, doi:10.4230/LIPIcs.WABI.2024.17). The remaining cost is at least the
//! distance to the last diagonal, and at least the number of remaining seeds, disjoint pieces of the
//! columns, that occur in the rows on no diagonal of interest. Away from the diagonals of all other
//! seeds these are missed as well, until the path has come back ([`Floor`]). A strip begins where a value of
//! interest reaches its upper edge, and ends once its left edge has none. Values of interest are
//! exact, others may be too great. A cost within the limit is therefore the least one. The first
//! limit is the cost of the best path in a beam, a corridor around the most promising cells.
//!
//! Values are known at every 63 rows or 64 columns. Between these cells a value differs from its
//! neighbour's by at most one, so the known values give lower bounds of the others.

use std::ops::Range;

use super::kernels::{Kernel, Kernels};
use super::lanes::Lanes;
use super::schedule::BLOCK_COLS;
use super::table::{Coding, Keep, StripTable, growth_of_limb, run_tile};
use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::pair::Pair;
use crate::pairwise::rolling_hash::{hash, hashes, mixed};

/// Addition to the expected cost for the first limit: a share, and a constant.
const MARGIN_DIVISOR: u64 = 32;
const MARGIN: u64 = 64;
/// Least and greatest growth of the part of a limit that exceeds the lower bound of the cost.
const MIN_GROWTH: f64 = 1.25;
const MAX_GROWTH: f64 = 4.0;
/// Margin of a limit that is extrapolated from where the one before it failed.
const EXTRAPOLATION_MARGIN: f64 = 1.06;
/// Inverse of the chance that a seed occurs by accident.
const RARITY: f64 = 16.0;
/// Seed lengths.
const SEED_LENS: Range<usize> = 6..64;
/// Minimum rows whose seeds are looked up in one table; more if the band is wider, so that each seed
/// is inserted about twice.
const MIN_BLOCK_ROWS: usize = 1 << 12;
/// Equal seeds that are told apart; more count as occurring.
const MAX_EQUAL_SEEDS: usize = 16;
/// Width of the beam that finds an upper bound, in unit costs.
const BEAM: i64 = 256;
/// Greatest ratio of the cost in the beam to the expected limit; above it the beam has lost the path.
const MAX_BEAM_EXCESS: f64 = 1.25;
/// Occurrences of a seed that are told apart.
const MAX_OCCURRENCES: usize = 4;
/// Seeds on either side, and diagonals, within which another occurrence confirms one.
const NEIGHBORS: usize = 8;
const NEAR_DIAGONALS: i32 = 32;

/// Result of [`solve`].
pub(crate) struct Found {
    /// Least cost; `None` if it exceeds the maximum.
    pub cost: Option<u64>,
    pub path: Option<Blocks>,
    /// Cells computed.
    pub cells: u64,
}

/// Limits of the search for the least cost of a pair, and whether its path is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub expected: u64,
    pub max_cost: u64,
    pub path: bool,
    /// Maximum bytes of stored boundaries.
    pub limit_bytes: u64,
}

/// Least cost of a pair, and its canonical path. `None` if boundaries exceed the limit.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn solve<R: Kernels>(
    pair: Pair<'_, u32>,
    shared: u32,
    goal: Goal,
    control: &Control,
) -> Result<Option<Found>> {
    let (rows, cols) = (pair.a.len(), pair.b.len());
    let most = goal.max_cost.min(R::greatest_cost(rows, cols));
    let least = rows.abs_diff(cols) as u64;
    let coding = Coding::new(pair.a, pair.b, shared);
    let expected = goal.expected.max(least);
    let mut limit = expected.saturating_add(expected / MARGIN_DIVISOR + MARGIN);
    let mut cells = 0;
    let mut is_beam = true;
    let mut known: Option<(u64, Floor)> = None;
    loop {
        limit = limit.min(most);
        let Some(slack) = Band::slack(rows as u64, cols as u64, limit) else {
            return Ok(Some(Found {
                cost: None,
                path: None,
                cells,
            }));
        };
        let band = Band::around(rows as u64, cols as u64, slack);
        // Bounds for a wider band hold in a narrower one.
        if known.as_ref().is_none_or(|&(greatest, _)| limit > greatest) {
            known = None;
        }
        let (_, floor) = known.get_or_insert_with(|| (limit, Floor::new(pair, shared, band)));
        let lowest = floor.of((0, 0)) as u64;
        let height = limit.saturating_sub(lowest);
        let (kernel, keep) = kernel_for::<R>((rows, cols), coding.planes, height, goal.path);
        let tiles = band.tiles((rows, cols), (kernel.strip_rows(), BLOCK_COLS));
        let bytes = kernel.kept_bytes::<R>(BLOCK_COLS, keep) as u64;
        if tiles.saturating_mul(bytes) > goal.limit_bytes {
            return Ok(None);
        }
        let (kernel, keep, height) = match is_beam {
            true => {
                let (kernel, keep) = kernel_for::<R>((rows, cols), coding.planes, 0, false);
                (kernel, keep, 0)
            }
            false => (kernel, keep, height),
        };
        let swept_rows = 2 * kernel.strip_rows() as u64 + height;
        control.set_estimate(swept_rows.min(rows as u64) * cols as u64);
        let table = StripTable::<R>::with_kernel(
            kernel,
            coding,
            pair,
            BLOCK_COLS,
            R::FIRST_COLUMN,
            Band::WHOLE,
        )
        .keeping(keep);
        let interest = match is_beam {
            true => Limit::Beam,
            false => Limit::Cost(limit as i64),
        };
        let (table, reached) = table.run_in_corridor(interest, floor, control)?;
        cells += table.cells;
        if std::mem::take(&mut is_beam) {
            if let Reached::End(cost) = reached
                && (cost as f64) < limit as f64 * MAX_BEAM_EXCESS
            {
                limit = cost;
            }
            continue;
        }
        let found = match reached {
            Reached::End(cost) if cost <= limit => {
                let walk = || table.walk(pair.a, pair.b, control);
                Some((cost, goal.path.then(walk).transpose()?))
            }
            _ if limit == most => None,
            _ => {
                // Costs exceed the lower bound evenly, as far as is known.
                let share = match reached {
                    Reached::End(_) => 1.0,
                    Reached::Column(col) => col as f64 / cols as f64,
                };
                let growth = (EXTRAPOLATION_MARGIN / share).clamp(MIN_GROWTH, MAX_GROWTH);
                let excess = limit.saturating_sub(lowest) + MARGIN;
                limit = lowest.saturating_add((excess as f64 * growth) as u64);
                if let Reached::End(cost) = reached {
                    limit = cost;
                }
                continue;
            }
        };
        let (cost, path) = found.unzip();
        return Ok(Some(Found {
            cost,
            path: path.flatten(),
            cells,
        }));
    }
}

/// Kernel for a corridor of about `height` rows, and what the sweep keeps.
fn kernel_for<R: Kernels>(
    shape: (usize, usize),
    planes: usize,
    height: u64,
    path: bool,
) -> (Kernel, Keep) {
    let kernel = |keep| {
        let narrow = R::pick_narrow(height, planes);
        narrow.unwrap_or_else(|| R::pick(shape.0, planes, keep == Keep::Boundaries))
    };
    let strip_rows = kernel(Keep::Entries).strip_rows();
    // A corridor crosses about one strip more than it is high, and one more at its edges.
    let strips = 2 + height / strip_rows as u64;
    let tiles = strips.saturating_mul(shape.1.div_ceil(BLOCK_COLS) as u64);
    let keep = match path {
        true => Keep::of_path(tiles, shape, (strip_rows, BLOCK_COLS), 1),
        false => Keep::Nothing,
    };
    (kernel(keep), keep)
}

/// The cells that are kept in a sweep.
#[derive(Clone, Copy, Debug)]
enum Limit {
    /// Those whose value and lower bound are at most this.
    Cost(i64),
    /// Those that exceed the least one of a column by at most [`BEAM`].
    Beam,
}

/// End of a sweep.
#[derive(Clone, Copy, Debug)]
enum Reached {
    /// The last cell, at the cost of some path.
    End(u64),
    /// A column behind which there is no value within the limit, and the last cell is not swept.
    Column(usize),
}

/// Lower bounds of the cost from a cell to the end.
///
/// A missing seed occurs nowhere in the band and costs at least 1. A tied seed is missing, or all its
/// occurrences have others of near seeds on about the same diagonal; the core is the range of the
/// diagonals of tied seeds. A path that is `n` diagonals away from the core costs at least `n`
/// before it reaches an occurrence of a tied seed, and at least the tied seeds that it passes until
/// then. So it costs at least `n` and the missing seeds after the next `n` tied ones.
struct Floor {
    shape: (usize, usize),
    seed_len: usize,
    /// Missing seeds from each on; one more entry than seeds.
    missing_from: Vec<u32>,
    /// Tied seeds before each; one more entry than seeds.
    tied_before: Vec<u32>,
    /// Least and greatest diagonal of the occurrences of tied seeds from each on.
    core_from: Vec<[i32; 2]>,
}

/// Core without a diagonal.
const NO_CORE: [i32; 2] = [i32::MAX, i32::MIN];

impl Floor {
    fn new(Pair { a, b }: Pair<'_, u32>, shared: u32, band: Band) -> Self {
        let width = band.width(a.len(), b.len()) as f64;
        let len = (width * RARITY).ln() / f64::from(shared.max(2)).ln();
        let seed_len = (len.ceil() as usize).clamp(SEED_LENS.start, SEED_LENS.end);
        let found = occurrences(a, b, seed_len, band);
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

    /// First seed from a column on, at most their number.
    fn seed(&self, col: usize) -> usize {
        col.div_ceil(self.seed_len).min(self.missing_from.len() - 1)
    }

    /// Distance to the last diagonal, with a sign.
    fn gap(&self, (row, col): (usize, usize)) -> i64 {
        (self.shape.0 - row) as i64 - (self.shape.1 - col) as i64
    }

    fn of(&self, cell: (usize, usize)) -> i64 {
        self.between(cell, cell)
    }

    /// Least lower bound of the cells between two in a row or a column.
    #[inline(always)]
    fn between(&self, start: (usize, usize), end: (usize, usize)) -> i64 {
        let gaps = [self.gap(start), self.gap(end)];
        let gap = match gaps[0].signum() == gaps[1].signum() {
            true => gaps[0].abs().min(gaps[1].abs()),
            false => 0,
        };
        // The core is greatest at the first column, the seeds are fewest at the last one.
        let (seed, core) = (self.seed(end.1), self.core_from[self.seed(start.1)]);
        let diagonal = |(row, col): (usize, usize)| row as i64 - col as i64;
        let (low, high) = (diagonal(start), diagonal(end));
        let (low, high) = (low.min(high), low.max(high));
        let away = (low - i64::from(core[1])).max(i64::from(core[0]) - high);
        let seeds = match core != NO_CORE && away > 0 {
            false => self.missing_from[seed].into(),
            true => {
                let tied = self.tied_before[seed];
                let left = self.tied_before[self.tied_before.len() - 1] - tied;
                let away = u32::try_from(away).unwrap_or(u32::MAX).min(left);
                let passed = self.tied_before[seed..].partition_point(|&one| one < tied + away);
                i64::from(away) + i64::from(self.missing_from[seed + passed])
            }
        };
        seeds.max(gap)
    }

    /// Least cost of a path through a cell between two in a row or a column, of these costs.
    #[inline(always)]
    fn through(&self, first: ((usize, usize), i64), last: ((usize, usize), i64)) -> i64 {
        let (start, end) = (first.0, last.0);
        let steps = (end.0 - start.0 + end.1 - start.1) as i64;
        (first.1 + last.1 - steps).div_euclid(2) + self.between(start, end)
    }
}

/// Occurrences of a seed on the diagonals of a band.
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

    /// Those that are told apart.
    fn diagonals(&self) -> &[i32] {
        match self.count {
            0..=MAX_OCCURRENCES => &self.diagonals[..self.count],
            _ => &[],
        }
    }

    fn add(&mut self, diagonal: i64) {
        match (self.diagonals.get_mut(self.count), i32::try_from(diagonal)) {
            (Some(place), Ok(diagonal)) => (*place, self.count) = (diagonal, self.count + 1),
            _ => *self = Self::MANY,
        }
    }
}

/// Occurrences of each seed, a piece of `len` columns, in the rows.
fn occurrences(a: &[u32], b: &[u32], len: usize, band: Band) -> Vec<Occurrences> {
    let seeds: Vec<&[u32]> = b.chunks_exact(len).collect();
    let mut found = vec![Occurrences::default(); seeds.len()];
    let diagonals = (a.len() + b.len()) as i64;
    let width = (band.high.saturating_sub(band.low)).clamp(0, diagonals) as usize + 1;
    let block_rows = width.max(MIN_BLOCK_ROWS).min(a.len().max(1));
    let mut table = SeedTable::new((block_rows + width) / len + 2, seeds.len());
    let of_seeds: Vec<u64> = seeds.iter().map(|seed| hash(seed)).collect();
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
    }
    found
}

/// Seeds by hash: chains by the top bits of a mixed hash.
struct SeedTable {
    bits: u32,
    heads: Vec<u32>,
    /// By seed.
    next: Vec<u32>,
}

impl SeedTable {
    /// End of a chain.
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
        (mixed(hash) >> (u64::BITS - self.bits)) as usize
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

impl<R: Lanes> StripTable<'_, R> {
    /// Computes the tiles that paths within the limit can cross, and returns how far they reach.
    fn run_in_corridor(
        mut self,
        limit: Limit,
        floor: &Floor,
        control: &Control,
    ) -> Result<(Self, Reached)> {
        let (count, blocks) = (self.strips.len(), self.blocks.len());
        let mut swept = vec![0..0; count];
        // Strips `first..entered` may have values of interest at the left edge of the block.
        let mut first = 0;
        let lowest = floor.of((0, 0));
        let first_limit = match limit {
            Limit::Cost(cost) => cost,
            Limit::Beam => lowest + BEAM,
        };
        let mut entered = (0..count)
            .take_while(|&strip| self.least_left(strip, 0, floor) <= first_limit)
            .count();
        let mut last_col = 0;
        for block in 0..blocks {
            control.check()?;
            let least = |strip| self.least_left(strip, block, floor);
            let limit = match limit {
                Limit::Cost(cost) => cost,
                Limit::Beam => (first..entered).map(least).min().unwrap_or(0) + BEAM,
            };
            while first < entered && least(first) > limit {
                first += 1;
            }
            last_col = block * self.block_cols;
            if first == entered {
                break;
            }
            let (mut strip, mut cells) = (first, 0);
            while strip < count
                && (strip < entered || self.least_above(strip, block, floor) <= limit)
            {
                if self.strips[strip].first_block.is_none() {
                    let cols = self.kernel.strip_rows() + 2 * (limit - lowest).max(0) as usize;
                    let expected = cols / self.block_cols + 1;
                    self.reserve(strip, expected.min(blocks - block));
                }
                let (kernel, coding, keep) = (self.kernel, self.coding, self.keep);
                let rows = self.rows_of(strip).len();
                let (state, column) = (&mut self.strips[strip], &mut self.blocks[block]);
                run_tile::<R>(&kernel, &coding, state, column, keep);
                let from = *state.first_block.get_or_insert(block);
                swept[strip] = from..block + 1;
                cells += rows as u64 * column.codes.len() as u64;
                strip += 1;
            }
            entered = strip;
            self.cells += cells;
            control.add_total(cells);
            control.add_done(cells);
        }
        let is_complete = swept
            .last()
            .is_some_and(|blocks_of| blocks_of.end == blocks);
        self.corridor = Some(swept);
        let reached = match is_complete {
            true => Reached::End(R::cost(self.last_value(), self.rows, self.cols)),
            false => Reached::Column(last_col),
        };
        Ok((self, reached))
    }

    /// Least cost of a path through a row of a strip left of a block.
    fn least_left(&self, strip: usize, block: usize, floor: &Floor) -> i64 {
        let (rows, col) = (self.rows_of(strip), block * self.block_cols);
        let state = &self.strips[strip];
        let cost = |value, row| R::cost(value, row, col) as i64;
        let (mut row, mut value) = (rows.start, state.value);
        let (mut limb, mut least) = (0, i64::MAX);
        while row < rows.end {
            let (len, growth) = growth_of_limb::<R>(&self.kernel, &state.v, limb, rows.end - row);
            let (end, after) = (row + len, value + growth);
            let (above, below) = (
                ((row, col), cost(value, row)),
                ((end, col), cost(after, end)),
            );
            least = least.min(floor.through(above, below));
            (row, value, limb) = (end, after, limb + 1);
        }
        least
    }

    /// Least cost of a path through a column of a block above a strip, after the strip above has
    /// been swept.
    fn least_above(&self, strip: usize, block: usize, floor: &Floor) -> i64 {
        let (row, start) = (self.rows_of(strip).start, block * self.block_cols);
        let column = &self.blocks[block];
        let cost = |value, col| R::cost(value, row, col) as i64;
        let words = column.codes.len().div_ceil(64);
        let (plus, minus) = column.carries.split_at(words);
        let (mut col, mut value) = (start, column.value);
        let mut least = i64::MAX;
        for (word, plus) in plus.iter().enumerate() {
            let end = start + column.codes.len().min((word + 1) * 64);
            let inside = !0 >> (64 - (end - col));
            let minus = minus.get(word).copied().unwrap_or_default();
            let after = value + i64::from((plus & inside).count_ones())
                - i64::from((minus & inside).count_ones());
            let (left, right) = (
                ((row, col), cost(value, col)),
                ((row, end), cost(after, end)),
            );
            least = least.min(floor.through(left, right));
            (col, value) = (end, after);
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::super::{path, value};
    use super::*;
    use crate::pairwise::bit_parallel::inputs::{self, Random};
    use crate::pairwise::bit_parallel::recurrence::{Edit, Lcs, Recurrence};
    use crate::pairwise::codes::Encoded;
    use crate::{edit_distance, lcs};

    /// Compares with whole tables, for estimates that are too low, right and too high, and for
    /// bounds. Returns the share of the table that was swept with the right one.
    fn assert_corridor<R: Kernels>(a: &[u32], b: &[u32]) -> f64 {
        let (codes, control) = (Encoded::new(a, b), Control::default());
        let (pair, shared) = (codes.pair(), codes.shared);
        let whole = path::<R>(pair, shared, Band::WHOLE, &control).expect("not cancelled");
        let (expected_path, last) = whole.found;
        let cost = R::cost(last, a.len(), b.len());
        let mut share = 0.0;
        for estimate in [cost, 0, cost / 2, cost + cost / 3, u64::MAX / 4] {
            for max_cost in [u64::MAX, cost, cost.saturating_sub(1)] {
                for is_path in [false, true] {
                    let goal = Goal {
                        expected: estimate,
                        max_cost,
                        path: is_path,
                        limit_bytes: u64::MAX,
                    };
                    let found = solve::<R>(pair, shared, goal, &control).expect("not cancelled");
                    let found = found.expect("boundaries fit");
                    let shown = || format!("{:?} {goal:?} {} {}", R::TABLE, a.len(), b.len());
                    let is_within = cost <= max_cost;
                    assert_eq!(found.cost, is_within.then_some(cost), "{}", shown());
                    let path = (is_within && is_path).then_some(&expected_path);
                    assert!(found.path.as_ref() == path, "{}", shown());
                    if estimate == cost && max_cost == u64::MAX {
                        share = found.cells as f64 / (a.len() * b.len()) as f64;
                    }
                }
            }
        }
        share
    }

    fn assert_both(a: &[u32], b: &[u32]) -> f64 {
        assert_corridor::<Lcs>(a, b);
        assert_corridor::<Edit>(a, b)
    }

    #[test]
    fn corridors_of_edited_copies_match_whole_tables() {
        let mut random = Random::new(81);
        for letters in [1, 2, 4, 20, 300] {
            for every in [3, 10, 100] {
                let len = 7000 + random.below(200);
                let a = random.codes(len, letters);
                let mut b = random.edited(&a, every, letters);
                assert_both(&a, &b);
                // A long gap, and a moved part.
                let moved: Vec<_> = b.drain(500..2000).collect();
                assert_both(&a, &b);
                b.splice(4000..4000, moved);
                assert_both(&b, &a);
            }
        }
    }

    #[test]
    fn corridors_match_whole_tables_on_every_kind_of_input() {
        for (rows, cols) in [(3100, 3000), (1600, 4700), (1024, 1025)] {
            for (a, b) in inputs::pairs(rows, cols) {
                if !a.is_empty() && !b.is_empty() {
                    assert_both(&a, &b);
                }
            }
        }
    }

    #[test]
    fn corridors_match_the_reference() {
        let mut random = Random::new(82);
        for every in [4, 30] {
            let a = random.codes(6500, 4);
            let b = random.edited(&a, every, 4);
            let (codes, control) = (Encoded::new(&a, &b), Control::default());
            let goal = Goal {
                expected: 6500 / every as u64,
                max_cost: u64::MAX,
                path: false,
                limit_bytes: u64::MAX,
            };
            let edit = solve::<Edit>(codes.pair(), codes.shared, goal, &control);
            let lcs_cost = solve::<Lcs>(codes.pair(), codes.shared, goal, &control);
            let cost = |found: Result<Option<Found>>| {
                found.expect("not cancelled").and_then(|found| found.cost)
            };
            let distance = edit_distance::reference::distance(&a, &b, edit_distance::Mode::Global);
            let paired = 2 * lcs::reference::length(&a, &b);
            assert_eq!(cost(edit), Some(distance));
            assert_eq!(cost(lcs_cost), Some((a.len() + b.len()) as u64 - paired));
        }
    }

    #[test]
    fn corridors_of_similar_sequences_are_narrow() {
        let mut random = Random::new(83);
        let a = random.codes(60_000, 4);
        let b = random.edited(&a, 20, 4);
        let (codes, control) = (Encoded::new(&a, &b), Control::default());
        let whole = value::<Edit>(codes.pair(), codes.shared, Band::WHOLE, &control);
        let goal = Goal {
            expected: 2500,
            max_cost: u64::MAX,
            path: false,
            limit_bytes: u64::MAX,
        };
        let found = solve::<Edit>(codes.pair(), codes.shared, goal, &control);
        let found = found.expect("not cancelled").expect("boundaries fit");
        let cost = Edit::cost(whole.expect("not cancelled").found, a.len(), b.len());
        assert_eq!(found.cost, Some(cost));
        assert!(found.cells < 60_000 * 60_000 / 6, "{}", found.cells);
    }
}
