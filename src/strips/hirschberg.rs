//! The path in bounded memory, for any device that can sweep.
//!
//! Splits `b` in the middle, finds the row where a longest path crosses that column from the column before it and the column
//! behind it, and solves both parts (Hirschberg 1975, doi:10.1145/360825.360861), until a part's boundaries fit into memory.
//! Cost: at most twice the cells of the table.
//!
//! Of the rows where a longest path crosses, the least is taken. The canonical path goes up as soon as that costs nothing, so
//! its last visit to the column is in the least row from which a longest path to the end still starts; see
//! [`crossing`].

use crate::error::Result;

use super::trace::{Tile, Walker};
use crate::blocks::Blocks;

/// Cells that are solved at once in plain words, whatever the device has room for.
const BASE_CELLS: usize = 1 << 14;

/// A device that computes columns and paths of the table.
pub(crate) trait Sweep {
    /// V at the middle column from either end: at the last column of `a` against the left half of `b`, and of both reversed
    /// against the right half. The left half has the odd column.
    async fn middle_columns(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(Vec<u64>, Vec<u64>)>;
    /// The canonical path by stored boundaries, where memory has room for them.
    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>>;
}

/// The canonical path, and how it was found: as in [`Run::path_mode`](crate::run::Run::path_mode).
///
/// # Errors
/// What the device returns.
pub(crate) async fn path<S: Sweep>(sweep: &mut S, a: &[u32], b: &[u32], shared: u32) -> Result<(Blocks, &'static str)> {
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
            found.append(&in_one_tile(part_a, part_b, shared), rows.start, cols.start);
        } else if let Some(part) = sweep.stored_path(part_a, part_b, shared).await? {
            stored = true;
            found.append(&part, rows.start, cols.start);
        } else {
            let middle = cols.len().div_ceil(2);
            let (before, behind) = sweep.middle_columns(part_a, part_b, shared).await?;
            let row = rows.start + crossing(&before, &behind, rows.len()).0;
            parts.push((row..rows.end, cols.start + middle..cols.end));
            parts.push((rows.start..row, cols.start..cols.start + middle));
        }
    }
    Ok((found, if stored { "hirschberg above stored boundaries" } else { "hirschberg" }))
}

fn in_one_tile(a: &[u32], b: &[u32], shared: u32) -> Blocks {
    let mut walker = Walker::new(a, b, shared);
    walker.walk(&Tile::corner(a.len(), b.len()));
    walker.finish()
}

/// The least i for which the LCS of `a[..i]` with the left half and of `a[i..]` with the right half are longest together, and
/// that length.
///
/// From i to i + 1 the first grows by one where bit i of `before` is 0, the second shrinks by one where bit `rows - 1 - i` of
/// `behind` is 0.
pub(crate) fn crossing(before: &[u64], behind: &[u64], rows: usize) -> (usize, u64) {
    let bit = |v: &[u64], row: usize| v[row / 64] >> (row % 64) & 1;
    let mut sum = zeros(behind, rows);
    let mut best = (0, sum);
    let mut row = 0;
    while row < rows {
        // Within the next word of `before` the sum grows at most by the zeros there.
        if row % 64 == 0 && row + 64 <= rows {
            let grows = u64::from(before[row / 64].count_zeros());
            if sum + grows <= best.1 {
                let from_end = rows - row - 64;
                let shrinks = 64 - ones(behind, from_end, 64);
                sum = sum + grows - shrinks;
                row += 64;
                continue;
            }
        }
        sum = sum + bit(behind, rows - 1 - row) - bit(before, row);
        row += 1;
        if sum > best.1 {
            best = (row, sum);
        }
    }
    best
}

/// Zeros among the first `rows` bits: the length that a column of differences stands for.
pub(crate) fn zeros(column: &[u64], rows: usize) -> u64 {
    let whole: u64 = column[..rows / 64].iter().map(|word| u64::from(word.count_zeros())).sum();
    let rest = rows % 64;
    whole + if rest == 0 { 0 } else { rest as u64 - ones(column, rows - rest, rest) }
}

/// Ones among `count` bits, at most 64, from bit `first` on.
fn ones(column: &[u64], first: usize, count: usize) -> u64 {
    let place = first % 64;
    let mut bits = column[first / 64] >> place;
    if place + count > 64 {
        bits |= column[first / 64 + 1] << (64 - place);
    }
    u64::from((bits & u64::MAX >> (64 - count)).count_ones())
}

#[cfg(test)]
mod tests {
    use super::super::cpu;
    use super::super::inputs::{self, Random};
    use super::*;
    use crate::alphabet::Encoded;
    use crate::control::Control;
    use crate::lcs::reference;

    /// Sweeps on the CPU and has room for a fixed number of cells.
    struct Cells(usize);

    impl Sweep for Cells {
        async fn middle_columns(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(Vec<u64>, Vec<u64>)> {
            cpu::middle_columns(a, b, shared, &Control::default())
        }

        async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>> {
            let fits = a.len() * b.len() <= self.0;
            fits.then(|| cpu::subsequence(a, b, shared, &Control::default())).transpose()
        }
    }

    fn assert_gives_the_reference_path(cells: usize, a: &[u32], b: &[u32]) -> &'static str {
        let codes = Encoded::new(a, b);
        let (found, mode) =
            pollster::block_on(path(&mut Cells(cells), &codes.a, &codes.b, codes.shared)).expect("solved");
        assert_eq!(found, reference::subsequence(a, b).0, "room for {cells} cells, a = {a:?}, b = {b:?}");
        mode
    }

    /// The parts of [`path`] down to single columns, with the reference as the device.
    fn assert_least_crossing_rows_keep_the_path(a: &[u32], b: &[u32], codes: &Encoded) {
        fn split(a: &[u32], b: &[u32], shared: u32, at: (usize, usize), found: &mut Blocks) {
            if a.is_empty() || b.is_empty() {
                return;
            }
            if b.len() == 1 {
                return found.append(&in_one_tile(a, b, shared), at.0, at.1);
            }
            let middle = b.len() / 2;
            let growth = |i: usize| reference::length(&a[..i], &b[..middle]) + reference::length(&a[i..], &b[middle..]);
            let best = (0..=a.len()).map(growth).max().unwrap_or_default();
            let row = (0..=a.len()).find(|&i| growth(i) == best).unwrap_or_default();
            split(&a[..row], &b[..middle], shared, at, found);
            split(&a[row..], &b[middle..], shared, (at.0 + row, at.1 + middle), found);
        }
        let mut found = Blocks::default();
        split(&codes.a, &codes.b, codes.shared, (0, 0), &mut found);
        assert_eq!(found, reference::subsequence(a, b).0, "a = {a:?}, b = {b:?}");
    }

    #[test]
    fn splitting_at_the_least_crossing_row_keeps_the_canonical_path() {
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let (rows, cols) = (random.below(9), random.below(9));
            let (a, b) = (random.codes(rows, letters), random.codes(cols, letters));
            assert_least_crossing_rows_keep_the_path(&a, &b, &Encoded::new(&a, &b));
        }
    }

    #[test]
    fn hirschberg_gives_the_reference_path_on_every_kind_of_input() {
        for (a, b) in inputs::pairs(330, 341) {
            let cells = a.len() * b.len();
            assert_eq!(assert_gives_the_reference_path(cells, &a, &b), "stored boundaries");
            if cells > 0 {
                assert_gives_the_reference_path(cells / 3, &a, &b);
                assert_eq!(assert_gives_the_reference_path(0, &a, &b), "hirschberg");
            }
        }
        let mut random = Random::new(6);
        let (a, b) = (random.codes(330, 4), random.codes(341, 4));
        assert_eq!(assert_gives_the_reference_path(30_000, &a, &b), "hirschberg above stored boundaries");
    }

    #[test]
    fn hirschberg_ends_on_one_column_and_very_many_rows() {
        let mut random = Random::new(7);
        let a = random.codes(20_000, 4);
        assert_eq!(assert_gives_the_reference_path(0, &a, &[1]), "hirschberg");
        assert_eq!(assert_gives_the_reference_path(0, &a, &[1, 2, 9]), "hirschberg");
        assert_eq!(assert_gives_the_reference_path(0, &[1, 2, 9], &a), "hirschberg");
    }
}
