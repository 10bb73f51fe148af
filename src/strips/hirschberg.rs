//! The path in bounded memory, for any device that can sweep.
//!
//! Splits `b` in the middle, finds the row where a best path crosses that column from the column before it and the column
//! behind it, and solves both parts (Hirschberg 1975, doi:10.1145/360825.360861), until a part's boundaries fit into memory.
//! Cost: at most twice the cells of the table.
//!
//! Of the rows where a best path crosses, the least is taken. The canonical path goes up as soon as that costs nothing, so
//! its last visit to the column is in the least row from which a best path to the end still starts; see [`crossing`].

use crate::error::Result;

use super::recurrence::{Column, Recurrence, growth};
use super::trace::{Tile, Walker};
use crate::blocks::Blocks;

/// Cells that are solved at once in plain words, whatever the device has room for.
const BASE_CELLS: usize = 1 << 14;

/// A device that computes columns and paths of the table.
pub(crate) trait Sweep<R> {
    /// The middle column from either end: at the last column of `a` against the left half of `b`, and of both reversed
    /// against the right half. The left half has the odd column.
    async fn middle_columns(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(Column, Column)>;
    /// The canonical path by stored boundaries, where memory has room for them.
    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>>;
}

/// The canonical path, and how it was found: as in [`Run::path_mode`](crate::run::Run::path_mode).
///
/// # Errors
/// What the device returns.
pub(crate) async fn path<R: Recurrence, S: Sweep<R>>(
    sweep: &mut S,
    a: &[u32],
    b: &[u32],
    shared: u32,
) -> Result<(Blocks, &'static str)> {
    if let Some(found) = sweep.stored_path(a, b, shared).await? {
        return Ok((found, "stored boundaries"));
    }
    let mut found = Blocks::default();
    let mut stored = false;
    // Parts from the last to the first: a stack, so that the first part is on top.
    let mut parts = vec![(0..a.len(), 0..b.len())];
    while let Some((rows, cols)) = parts.pop() {
        let (part_a, part_b) = (&a[rows.clone()], &b[cols.clone()]);
        if rows.is_empty() || cols.is_empty() {
            continue;
        }
        if cols.len() == 1 || rows.len().saturating_mul(cols.len()) <= BASE_CELLS {
            found.append(&in_one_tile::<R>(part_a, part_b, shared), rows.start, cols.start);
        } else if let Some(part) = sweep.stored_path(part_a, part_b, shared).await? {
            stored = true;
            found.append(&part, rows.start, cols.start);
        } else {
            let middle = cols.len().div_ceil(2);
            let (before, behind) = sweep.middle_columns(part_a, part_b, shared).await?;
            let row = rows.start + crossing::<R>(&before, &behind, rows.len()).0;
            parts.push((row..rows.end, cols.start + middle..cols.end));
            parts.push((rows.start..row, cols.start..cols.start + middle));
        }
    }
    Ok((found, if stored { "hirschberg above stored boundaries" } else { "hirschberg" }))
}

fn in_one_tile<R: Recurrence>(a: &[u32], b: &[u32], shared: u32) -> Blocks {
    let mut walker = Walker::<R>::new(a, b, a.len(), shared);
    if let (1.., 1..) = walker.position() {
        walker.walk(&Tile::corner::<R>(a.len(), b.len()));
    }
    Blocks::concat(walker.finish((0, 0)))
}

/// The least i for which the growth of `before` over the first i rows and that of `behind` over the other rows are greatest
/// together, and that sum. `behind` counts its rows from the last row up.
pub(crate) fn crossing<R: Recurrence>(before: &Column, behind: &Column, rows: usize) -> (usize, i64) {
    let mut sum = behind.growth::<R>(rows);
    let mut best = (0, sum);
    for first in (0..rows).step_by(64) {
        let count = (rows - first).min(64);
        let [grows, shrinks] = before.gains::<R>(first, count);
        let lost = behind.gains::<R>(rows - first - count, count);
        // Within these rows the sum grows at most by what grows before them and shrinks behind them.
        if sum + i64::from(grows.count_ones() + lost[1].count_ones()) <= best.1 {
            sum += growth([grows, shrinks]) - growth(lost);
            continue;
        }
        let bit = |word: u64, row: usize| (word >> row & 1) as i64;
        for row in 0..count {
            let from_end = count - 1 - row;
            sum += bit(grows, row) - bit(shrinks, row) - bit(lost[0], from_end) + bit(lost[1], from_end);
            if sum > best.1 {
                best = (first + row + 1, sum);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::differences::last_column;
    use super::super::inputs::{self, Random};
    use super::super::recurrence::{Edit, Lcs};
    use super::*;
    use crate::alphabet::Encoded;
    use crate::edit_distance;
    use crate::lcs::reference;

    /// Sweeps whole tables in plain words and has room for a fixed number of cells.
    struct Cells(usize);

    impl<R: Recurrence> Sweep<R> for Cells {
        async fn middle_columns(&mut self, a: &[u32], b: &[u32], _: u32) -> Result<(Column, Column)> {
            let (left, right) = b.split_at(b.len().div_ceil(2));
            let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
            Ok((last_column::<R>(a, left), last_column::<R>(&reversed(a), &reversed(right))))
        }

        async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>> {
            Ok((a.len() * b.len() <= self.0).then(|| in_one_tile::<R>(a, b, shared)))
        }
    }

    fn assert_gives<R: Recurrence>(cells: usize, a: &[u32], b: &[u32], expected: &Blocks) -> &'static str {
        let codes = Encoded::new(a, b);
        let mut sweep = Cells(cells);
        let found = path::<R, _>(&mut sweep, &codes.a, &codes.b, codes.shared);
        let (found, mode) = pollster::block_on(found).expect("solved");
        assert_eq!(&found, expected, "room for {cells} cells, a = {a:?}, b = {b:?}");
        mode
    }

    fn assert_gives_the_reference_paths(cells: usize, a: &[u32], b: &[u32]) -> &'static str {
        let mode = assert_gives::<Lcs>(cells, a, b, &reference::subsequence(a, b).0);
        assert_eq!(assert_gives::<Edit>(cells, a, b, &edit_distance::reference::path(a, b)), mode);
        mode
    }

    /// The parts of [`path`] down to single columns.
    fn split<R: Recurrence>(a: &[u32], b: &[u32], shared: u32, at: (usize, usize), found: &mut Blocks) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        if b.len() == 1 {
            return found.append(&in_one_tile::<R>(a, b, shared), at.0, at.1);
        }
        let middle = b.len() / 2;
        let growth = |a: &[u32], b: &[u32]| last_column::<R>(a, b).growth::<R>(a.len());
        let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
        let growth = |i: usize| growth(&a[..i], &b[..middle]) + growth(&reversed(&a[i..]), &reversed(&b[middle..]));
        let best = (0..=a.len()).map(growth).max().unwrap_or_default();
        let row = (0..=a.len()).find(|&i| growth(i) == best).unwrap_or_default();
        split::<R>(&a[..row], &b[..middle], shared, at, found);
        split::<R>(&a[row..], &b[middle..], shared, (at.0 + row, at.1 + middle), found);
    }

    fn assert_least_crossing_rows_keep_the_path<R: Recurrence>(a: &[u32], b: &[u32], expected: &Blocks) {
        let codes = Encoded::new(a, b);
        let mut found = Blocks::default();
        split::<R>(&codes.a, &codes.b, codes.shared, (0, 0), &mut found);
        assert_eq!(&found, expected, "a = {a:?}, b = {b:?}");
    }

    #[test]
    fn splitting_at_the_least_crossing_row_keeps_the_canonical_path() {
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let (rows, cols) = (random.below(9), random.below(9));
            let (a, b) = (random.codes(rows, letters), random.codes(cols, letters));
            assert_least_crossing_rows_keep_the_path::<Lcs>(&a, &b, &reference::subsequence(&a, &b).0);
            assert_least_crossing_rows_keep_the_path::<Edit>(&a, &b, &edit_distance::reference::path(&a, &b));
        }
    }

    #[test]
    fn hirschberg_gives_the_reference_paths_on_every_kind_of_input() {
        for (a, b) in inputs::pairs(330, 341) {
            let cells = a.len() * b.len();
            assert_eq!(assert_gives_the_reference_paths(cells, &a, &b), "stored boundaries");
            if cells > 0 {
                assert_gives_the_reference_paths(cells / 3, &a, &b);
                assert_eq!(assert_gives_the_reference_paths(0, &a, &b), "hirschberg");
            }
        }
        let mut random = Random::new(6);
        let (a, b) = (random.codes(330, 4), random.codes(341, 4));
        assert_eq!(assert_gives_the_reference_paths(30_000, &a, &b), "hirschberg above stored boundaries");
    }

    #[test]
    fn hirschberg_ends_on_one_column_and_very_many_rows() {
        let mut random = Random::new(7);
        let a = random.codes(20_000, 4);
        assert_eq!(assert_gives_the_reference_paths(0, &a, &[1]), "hirschberg");
        assert_eq!(assert_gives_the_reference_paths(0, &a, &[1, 2, 9]), "hirschberg");
        assert_eq!(assert_gives_the_reference_paths(0, &[1, 2, 9], &a), "hirschberg");
    }
}
