//! The path in bounded memory, for any device that can sweep.
//!
//! Finds a cell about the middle where a best path goes, from the values on one side of a line and those on the other side,
//! and solves both parts (Hirschberg 1975, doi:10.1145/360825.360861), until a part's boundaries fit into memory.
//! Cost: at most twice the cells of the table.
//!
//! Of the cells where best paths cross the line, the topmost is taken: the canonical path is the topmost of them; see
//! [`MidpointSearch`].

use crate::error::Result;

use super::midpoint::{MidpointSearch, reversed};
use super::recurrence::{Column, Recurrence};
use super::tile::Tile;
use super::trace::Walker;
use crate::pairwise::blocks::Blocks;

/// Cells that are solved at once in plain words, whatever the device has room for.
const BASE_CELLS: usize = 1 << 14;
/// Columns that are solved at once however many rows there are: a device may have no line between them.
const BASE_COLS: usize = 32;

/// How a path is found where memory is short.
pub(crate) const MODE: &str = "hirschberg";

/// A device that computes columns and paths of the table.
pub(crate) trait Sweep<R> {
    /// Rows and columns before the topmost cell where a best path crosses a line through the table; neither the first nor the
    /// last cell. There are more than [`BASE_COLS`] columns.
    async fn midpoint(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<(usize, usize)>;
    /// The canonical path by stored boundaries, where memory has room for them.
    async fn stored_path(&mut self, a: &[u32], b: &[u32], shared: u32) -> Result<Option<Blocks>>;
}

/// The canonical path, and how it was found: as in [`Run::path_mode`](crate::engine::report::Run::path_mode).
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
    // Parts from the last to the first: a stack, so that the first part is on top.
    let mut parts = vec![(0..a.len(), 0..b.len())];
    while let Some((rows, cols)) = parts.pop() {
        let (part_a, part_b) = (&a[rows.clone()], &b[cols.clone()]);
        if rows.is_empty() || cols.is_empty() {
            continue;
        }
        if cols.len() <= BASE_COLS || rows.len().saturating_mul(cols.len()) <= BASE_CELLS {
            found.append(
                &in_one_tile::<R>(part_a, part_b, shared),
                rows.start,
                cols.start,
            );
        } else if let Some(part) = sweep.stored_path(part_a, part_b, shared).await? {
            found.append(&part, rows.start, cols.start);
        } else {
            let (row, col) = sweep.midpoint(part_a, part_b, shared).await?;
            let (row, col) = (rows.start + row, cols.start + col);
            parts.push((row..rows.end, col..cols.end));
            parts.push((rows.start..row, cols.start..col));
        }
    }
    Ok((found, MODE))
}

/// Where the topmost best path crosses the middle column, from that column at the end of the left half of the columns, which has
/// the odd one, and from that of both sequences reversed at the end of the right half.
pub(crate) fn column_midpoint<R: Recurrence>(
    (before, behind): (&Column, &Column),
    (rows, cols): (usize, usize),
) -> (usize, usize) {
    let mut midpoint = MidpointSearch::default();
    for first in (0..rows).step_by(64) {
        let count = (rows - first).min(64);
        let lost = reversed(behind.gains::<R>(rows - first - count, count), count);
        midpoint.push(before.gains::<R>(first, count), lost, count);
    }
    (midpoint.found().0, cols.div_ceil(2))
}

fn in_one_tile<R: Recurrence>(a: &[u32], b: &[u32], shared: u32) -> Blocks {
    let mut walker = Walker::<R>::new((a, b), a.len(), shared, (0, 0));
    if let (1.., 1..) = walker.position() {
        walker.walk(&Tile::corner::<R>(a.len(), b.len()));
    }
    walker.finish().into_blocks()
}

#[cfg(test)]
mod tests {
    use super::super::differences::last_column;
    use super::super::inputs::{self, Random};
    use super::super::recurrence::{Edit, Lcs};
    use super::*;
    use crate::edit_distance;
    use crate::lcs::reference;
    use crate::pairwise::codes::Encoded;

    /// Sweeps whole tables in plain words and has room for a fixed number of cells.
    struct Cells(usize);

    impl<R: Recurrence> Sweep<R> for Cells {
        async fn midpoint(&mut self, a: &[u32], b: &[u32], _: u32) -> Result<(usize, usize)> {
            let (left, right) = b.split_at(b.len().div_ceil(2));
            let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
            let columns = (
                &last_column::<R>(a, left),
                &last_column::<R>(&reversed(a), &reversed(right)),
            );
            Ok(column_midpoint::<R>(columns, (a.len(), b.len())))
        }

        async fn stored_path(
            &mut self,
            a: &[u32],
            b: &[u32],
            shared: u32,
        ) -> Result<Option<Blocks>> {
            Ok((a.len() * b.len() <= self.0).then(|| in_one_tile::<R>(a, b, shared)))
        }
    }

    fn assert_gives<R: Recurrence>(
        cells: usize,
        a: &[u32],
        b: &[u32],
        expected: &Blocks,
    ) -> &'static str {
        let codes = Encoded::new(a, b);
        let mut sweep = Cells(cells);
        let found = path::<R, _>(&mut sweep, &codes.a, &codes.b, codes.shared);
        let (found, mode) = pollster::block_on(found).expect("solved");
        assert_eq!(
            &found, expected,
            "room for {cells} cells, a = {a:?}, b = {b:?}"
        );
        mode
    }

    fn assert_gives_the_reference_paths(cells: usize, a: &[u32], b: &[u32]) -> &'static str {
        let mode = assert_gives::<Lcs>(cells, a, b, &reference::subsequence(a, b).0);
        assert_eq!(
            assert_gives::<Edit>(cells, a, b, &edit_distance::reference::path(a, b)),
            mode
        );
        mode
    }

    /// The parts of [`path`] down to single columns.
    fn split<R: Recurrence>(
        a: &[u32],
        b: &[u32],
        shared: u32,
        at: (usize, usize),
        found: &mut Blocks,
    ) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        if b.len() == 1 {
            return found.append(&in_one_tile::<R>(a, b, shared), at.0, at.1);
        }
        let middle = b.len() / 2;
        let growth = |a: &[u32], b: &[u32]| last_column::<R>(a, b).growth::<R>(a.len());
        let reversed = |codes: &[u32]| codes.iter().rev().copied().collect::<Vec<_>>();
        let growth = |i: usize| {
            growth(&a[..i], &b[..middle]) + growth(&reversed(&a[i..]), &reversed(&b[middle..]))
        };
        let best = (0..=a.len()).map(growth).max().unwrap_or_default();
        let row = (0..=a.len())
            .find(|&i| growth(i) == best)
            .unwrap_or_default();
        split::<R>(&a[..row], &b[..middle], shared, at, found);
        split::<R>(
            &a[row..],
            &b[middle..],
            shared,
            (at.0 + row, at.1 + middle),
            found,
        );
    }

    fn assert_topmost_midpoints_keep_the_path<R: Recurrence>(
        a: &[u32],
        b: &[u32],
        expected: &Blocks,
    ) {
        let codes = Encoded::new(a, b);
        let mut found = Blocks::default();
        split::<R>(&codes.a, &codes.b, codes.shared, (0, 0), &mut found);
        assert_eq!(&found, expected, "a = {a:?}, b = {b:?}");
    }

    #[test]
    fn splitting_at_the_topmost_midpoint_keeps_the_canonical_path() {
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let letters = 1 + random.below(4) as u32;
            let (rows, cols) = (random.below(9), random.below(9));
            let (a, b) = (random.codes(rows, letters), random.codes(cols, letters));
            assert_topmost_midpoints_keep_the_path::<Lcs>(
                &a,
                &b,
                &reference::subsequence(&a, &b).0,
            );
            assert_topmost_midpoints_keep_the_path::<Edit>(
                &a,
                &b,
                &edit_distance::reference::path(&a, &b),
            );
        }
    }

    #[test]
    fn hirschberg_gives_the_reference_paths_on_every_kind_of_input() {
        for (a, b) in inputs::pairs(330, 341) {
            let cells = a.len() * b.len();
            assert_eq!(
                assert_gives_the_reference_paths(cells, &a, &b),
                "stored boundaries"
            );
            if cells > 0 {
                assert_gives_the_reference_paths(cells / 3, &a, &b);
                assert_eq!(assert_gives_the_reference_paths(0, &a, &b), "hirschberg");
            }
        }
        let mut random = Random::new(6);
        let (a, b) = (random.codes(330, 4), random.codes(341, 4));
        assert_eq!(
            assert_gives_the_reference_paths(30_000, &a, &b),
            "hirschberg"
        );
    }

    #[test]
    fn hirschberg_ends_on_one_column_and_very_many_rows() {
        let mut random = Random::new(7);
        let a = random.codes(20_000, 4);
        assert_eq!(assert_gives_the_reference_paths(0, &a, &[1]), "hirschberg");
        assert_eq!(
            assert_gives_the_reference_paths(0, &a, &[1, 2, 9]),
            "hirschberg"
        );
        assert_eq!(
            assert_gives_the_reference_paths(0, &[1, 2, 9], &a),
            "hirschberg"
        );
    }
}
