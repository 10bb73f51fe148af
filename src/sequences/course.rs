//! Expected course of an optimal path, from windows that occur once in both sequences.
//!
//! It says where to look for the path first and never affects the answer. Windows are sampled by
//! their hashes, so that equal ones are sampled in both sequences. Of the pairs of equal windows the
//! cheapest chain is taken that ascends in both; between them it is as expensive as random symbols
//! are, unless they are near to one another.

use super::codes::Symbol;
use super::similarity::{TASK_SYMBOLS, letters, window_len};
use crate::host::parallel::{map_ranges, sort_unstable};
use crate::host::threads::join;
use crate::symbols::hash::{hashes, mixed};

/// Windows sampled per sequence, on average.
const SAMPLED: usize = 1 << 15;
/// At most one of this many windows is sampled.
const MIN_EVERY: u64 = 16;
/// Maximum pairs of windows in a chain's search, which compares each with each.
const MAX_PAIRS: usize = 1 << 10;
/// Least rows between pairs of windows that differ little in their shift.
const SPACING: usize = 2048;
/// Shift up to which two pairs of windows are part of the same similar stretch, if they are at most
/// four times their spacing apart.
const MAX_SHIFT: usize = 256;
/// Columns around a pair of windows that are taken for similar.
const SIMILAR: usize = 512;

/// Cells that a path is expected to cross, ascending in both coordinates: rows and columns before
/// them. From the first cell to the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Course(pub Vec<(usize, usize)>);

impl Course {
    /// `mismatches` tells whether a mismatch is one edit; else it is a deletion and an insertion.
    ///
    /// Cost: a few operations per symbol.
    pub(crate) fn of<S: Symbol>(a: &[S], b: &[S], mismatches: bool) -> Self {
        // Random sequences over k letters share about 2 / (1 + sqrt(k)) of their symbols in order,
        // and are about 1 - 1 / sqrt(k) edits a symbol apart.
        let root = letters(a).sqrt();
        let random_cost = if mismatches {
            1.0 - 1.0 / root
        } else {
            2.0 - 4.0 / (1.0 + root)
        };
        // Pairs of windows, of which less than one is equal by chance.
        let len = window_len(a, a.len() as f64 * b.len() as f64);
        let every = ((a.len().max(b.len()) / SAMPLED) as u64).max(MIN_EVERY);
        let (in_a, in_b) = join(|| sampled(a, len, every), || sampled(b, len, every));
        let mut kept = vec![(0, 0)];
        let (cells, spacing) = thinned(common(&in_a, &in_b));
        kept.extend(cheapest(&cells, a.len(), b.len(), spacing, random_cost));
        kept.push((a.len(), b.len()));
        Self(kept)
    }

    pub(crate) fn reversed(&self) -> Self {
        let (rows, cols) = self.0[self.0.len() - 1];
        let cells = self.0.iter().rev();
        Self(cells.map(|&(row, col)| (rows - row, cols - col)).collect())
    }
}

/// Hashes and places of sampled windows that are sampled once, sorted by hash. About one of `every`
/// windows is sampled.
fn sampled<S: Symbol>(symbols: &[S], len: usize, every: u64) -> Vec<(u64, usize)> {
    let windows = (symbols.len() + 1).saturating_sub(len);
    // Repeats may have many windows with one sampled hash.
    let max_sampled = (4 * TASK_SYMBOLS as u64).div_ceil(every) as usize;
    let found = map_ranges(windows, TASK_SYMBOLS, |range| {
        let part = &symbols[range.start..range.end + len - 1];
        let places = (range.start..).zip(hashes(part, len));
        let places = places.map(|(index, hash)| (mixed(hash), index));
        let limit = u64::MAX / every;
        let sampled = places.filter(|&(hash, _)| hash < limit).take(max_sampled);
        sampled.collect::<Vec<_>>()
    });
    let mut found = found.concat();
    sort_unstable(&mut found);
    let once = found
        .chunk_by(|x, y| x.0 == y.0)
        .filter(|equal| equal.len() == 1);
    once.map(|equal| equal[0]).collect()
}

/// Places of the hashes that are in both lists, which are sorted.
fn common(a: &[(u64, usize)], b: &[(u64, usize)]) -> Vec<(usize, usize)> {
    let mut rest = b.iter().peekable();
    let find = |&(hash, row): &(u64, usize)| {
        while rest.next_if(|found| found.0 < hash).is_some() {}
        rest.next_if(|found| found.0 == hash)
            .map(|found| (row, found.1))
    };
    a.iter().filter_map(find).collect()
}

/// At most [`MAX_PAIRS`] of some cells, in their order, and their spacing: of cells that are near to
/// one another the first is kept.
fn thinned(mut cells: Vec<(usize, usize)>) -> (Vec<(usize, usize)>, usize) {
    let mut spacing = SPACING;
    loop {
        let place =
            |&(row, col): &(usize, usize)| (row / spacing, (row.wrapping_sub(col)) / spacing);
        cells.sort_unstable_by_key(|cell| (place(cell), *cell));
        cells.dedup_by_key(|cell| place(cell));
        if cells.len() <= MAX_PAIRS {
            cells.sort_unstable();
            return (cells, spacing);
        }
        spacing *= 2;
    }
}

/// Cheapest chain of cells from the first cell to the last one that ascends in both coordinates; the cells
/// are sorted, and neighbours are `spacing` apart. A symbol costs `random` where sequences are not similar, and a gap's symbol 1.
fn cheapest(
    cells: &[(usize, usize)],
    rows: usize,
    cols: usize,
    spacing: usize,
    random: f64,
) -> Vec<(usize, usize)> {
    let cost = |from: (usize, usize), to: (usize, usize)| {
        let (rows, cols) = (to.0 - from.0, to.1 - from.1);
        let shift = rows.abs_diff(cols);
        let both = rows.min(cols);
        let similar = shift <= MAX_SHIFT && both <= 4 * spacing;
        let unknown = if similar {
            0
        } else {
            both.saturating_sub(SIMILAR)
        };
        shift as f64 + random * unknown as f64
    };
    let all: Vec<_> = cells.iter().copied().chain([(rows, cols)]).collect();
    let mut costs = Vec::with_capacity(all.len());
    let mut before = Vec::with_capacity(all.len());
    for (place, &cell) in all.iter().enumerate() {
        let mut best = (cost((0, 0), cell), usize::MAX);
        for (from, (&other, &so_far)) in all[..place].iter().zip(&costs).enumerate() {
            // Shorter steps first, where costs are equal.
            if other.0 < cell.0 && other.1 < cell.1 && so_far + cost(other, cell) <= best.0 {
                best = (so_far + cost(other, cell), from);
            }
        }
        costs.push(best.0);
        before.push(best.1);
    }
    let back = |&place: &usize| Some(before[place]).filter(|&from| from != usize::MAX);
    let chain = std::iter::successors(back(&cells.len()), back);
    let mut chain: Vec<_> = chain.map(|place| cells[place]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn a_course_follows_insertions_and_passes_repeats() {
        let mut random = Random::new(6);
        let (a, inserted) = (random.bytes(300_000, 4), random.bytes(90_000, 4));
        let b = [&a[..100_000], &inserted, &a[100_000..]].concat();
        let Course(cells) = Course::of(&a, &b, true);
        assert_eq!(
            (cells[0], cells[cells.len() - 1]),
            ((0, 0), (300_000, 390_000))
        );
        assert!(cells.len() > 50 && cells.len() < 400, "{}", cells.len());
        for &(row, col) in &cells[..cells.len() - 1] {
            assert_eq!(col - row, if row < 100_000 { 0 } else { 90_000 }, "{row}");
        }
        let turned = Course(cells).reversed();
        assert_eq!(turned.0[turned.0.len() - 1], (300_000, 390_000));
        // A part that is elsewhere in the other sequence is worth no way to it.
        let moved = [
            &a[..100_000],
            &a[120_000..200_000],
            &a[100_000..120_000],
            &a[200_000..],
        ]
        .concat();
        let Course(cells) = Course::of(&a, &moved, true);
        let stays = |&&(row, col): &&(usize, usize)| row.abs_diff(col) <= 20_000;
        assert_eq!(cells.iter().filter(stays).count(), cells.len());
        // Nothing is known of unrelated and of periodic sequences.
        let ends = |a: &[u8], b: &[u8]| vec![(0, 0), (a.len(), b.len())];
        assert_eq!(Course::of(&a, &inserted, true).0, ends(&a, &inserted));
        let equal = [0u8; 200_000];
        assert_eq!(Course::of(&equal, &equal, false).0, ends(&equal, &equal));
        assert_eq!(Course::of::<u8>(&[], &[], true).0, [(0, 0), (0, 0)]);
    }
}
