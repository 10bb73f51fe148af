//! Anti-diagonal method on the CPU.
//!
//! Threads share the rows of several consecutive anti-diagonals. A cell depends on its row and the
//! one above alone, so a thread that begins as many rows above its own as there are anti-diagonals
//! computes these without the others. The papers wait for all threads after each anti-diagonal.

use std::ops::Range;

use super::stored::StoredDiagonals;
use super::{Recurrence, check_lengths};
use crate::call::control::Control;
use crate::engine::profile;
use crate::error::Result;
use crate::host::parallel::map_ranges;

const TASK_ROWS: usize = 1024;
/// Anti-diagonals of a task, and between two cancellation checks.
const TASK_DIAGONALS: usize = 128;

/// Last cell of the table of `a` and `b`, on the threads of the current pool.
///
/// # Errors
/// [`Error::InputTooLong`](crate::Error::InputTooLong) if values can exceed 32 bits,
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn last_cell(recurrence: Recurrence, a: &[u32], b: &[u32], control: &Control) -> Result<u64> {
    check_lengths(a.len(), b.len())?;
    let mut sweep = AntiDiagonalSweep::new(recurrence, a, b);
    sweep.run(control)?;
    Ok(sweep.last_cell())
}

/// Bytes of the three anti-diagonals and of the reversed `b`.
pub fn size_bytes(rows: u64, cols: u64) -> u64 {
    4 * (3 * (rows + 1) + cols)
}

/// Rough time.
pub fn seconds(rows: u64, cols: u64, threads: usize) -> f64 {
    let seconds = rows as f64 * cols as f64 / profile::cpu::ANTI_DIAGONAL_CELLS_PER_SECOND;
    let tasks = (rows.min(cols) + 1).div_ceil(TASK_ROWS as u64);
    seconds / profile::speedup_of_parts(threads, tasks)
}

/// The last two anti-diagonals, indexed by row, the later one first. Rows without a cell are zero.
type LastTwo = [Vec<u32>; 2];

/// Three rolling anti-diagonals of some rows: the one to fill, and the last two.
type Rolling = [Vec<u32>; 3];

/// A table, computed up to an anti-diagonal.
#[derive(Clone, Debug)]
pub(crate) struct AntiDiagonalSweep<'a> {
    recurrence: Recurrence,
    a: &'a [u32],
    /// `b` reversed, so that the symbols of an anti-diagonal are in row order.
    b: Vec<u32>,
    values: LastTwo,
    origins: Option<Origins>,
}

/// Origin per cell of the last two anti-diagonals: the first cell on or before the last stored
/// anti-diagonal that the traceback of the canonical supersequence path reaches from there. Encoded
/// as twice the column, plus 1 on the anti-diagonal before the stored one.
#[derive(Clone, Debug)]
struct Origins {
    stored: StoredDiagonals,
    last: LastTwo,
    kept: Vec<u32>,
}

impl Origins {
    /// Restarts the origins before `diagonal`, the first one after a stored one.
    fn renew(&mut self, diagonal: usize) {
        for (before, back) in self.last.iter_mut().zip([1, 2]) {
            for (origin, column) in before
                .iter_mut()
                .zip((0..(diagonal + 1).saturating_sub(back)).rev())
            {
                *origin = (2 * column + back - 1) as u32;
            }
        }
    }

    /// Keeps those of the last two anti-diagonals that are stored and not before `first`.
    fn keep(&mut self, first: usize, end: usize) {
        let (rows, cols) = (self.stored.rows as usize, self.stored.cols as usize);
        for (diagonal, origins) in (first..end).rev().zip(&self.last) {
            let Some(index) = self.stored.place(diagonal as u64) else {
                continue;
            };
            let rows = diagonal.saturating_sub(cols)..=diagonal.min(rows);
            for (row, &origin) in rows.clone().zip(&origins[rows]) {
                self.kept[index as usize + 2 * (diagonal - row)] = origin;
            }
        }
    }
}

/// Some rows after several more anti-diagonals.
struct Advanced {
    rows: Range<usize>,
    values: LastTwo,
    origins: Option<LastTwo>,
}

impl<'a> AntiDiagonalSweep<'a> {
    pub(crate) fn new(recurrence: Recurrence, a: &'a [u32], b: &[u32]) -> Self {
        Self {
            recurrence,
            a,
            b: b.iter().rev().copied().collect(),
            values: [0, 1].map(|_| vec![0; a.len() + 1]),
            origins: None,
        }
    }

    /// Supersequence table that stores the origins of anti-diagonals.
    pub(crate) fn with_origins(a: &'a [u32], b: &[u32], stored: StoredDiagonals) -> Self {
        let sweep = Self::new(Recurrence::Supersequence, a, b);
        let origins = Origins {
            stored,
            last: sweep.values.clone(),
            kept: vec![0; stored.words() as usize],
        };
        Self {
            origins: Some(origins),
            ..sweep
        }
    }

    /// Value in the last row of the last computed anti-diagonal.
    pub(crate) fn last_cell(&self) -> u64 {
        u64::from(self.values[0][self.a.len()])
    }

    /// Origins of the stored anti-diagonals, laid out as in [`StoredDiagonals`].
    pub(crate) fn stored(&self) -> &[u32] {
        self.origins.as_ref().map_or(&[], |origins| &origins.kept)
    }

    pub(crate) fn run(&mut self, control: &Control) -> Result<()> {
        self.run_in_tasks(TASK_DIAGONALS, TASK_ROWS, control)
    }

    fn run_in_tasks(&mut self, diagonals: usize, rows: usize, control: &Control) -> Result<()> {
        let count = self.a.len() + self.b.len() + 1;
        let mut first = 0;
        while first < count {
            control.check()?;
            let end = count.min(first + diagonals.min(self.until_stored(first)));
            self.advance(first..end, rows);
            control.add_done(
                (first..end)
                    .map(|diagonal| self.cells(diagonal).len() as u64)
                    .sum(),
            );
            first = end;
        }
        Ok(())
    }

    /// Anti-diagonals from `first` to the next stored one.
    fn until_stored(&self, first: usize) -> usize {
        self.origins.as_ref().map_or(usize::MAX, |origins| {
            if first == 0 {
                return 1;
            }
            (origins.stored.every + 1 - origins.stored.behind(first as u64)) as usize
        })
    }

    /// Rows of the inner cells of an anti-diagonal, which have all three neighbours.
    fn cells(&self, diagonal: usize) -> Range<usize> {
        let first = diagonal.saturating_sub(self.b.len()).max(1);
        first..(self.a.len() + 1).min(diagonal).max(first)
    }

    fn advance(&mut self, diagonals: Range<usize>, task_rows: usize) {
        let Range { start: first, end } = diagonals;
        if let Some(origins) = &mut self.origins
            && origins.stored.behind(first as u64) == 1
        {
            origins.renew(first);
        }
        let top = first.saturating_sub(self.b.len());
        let rows = (end - 1).min(self.a.len()) + 1 - top;
        let advanced = map_ranges(rows, task_rows, |rows| {
            self.advanced(first..end, top + rows.start..top + rows.end)
        });
        for Advanced {
            rows,
            values,
            origins,
        } in advanced
        {
            let copy = |to: &mut LastTwo, from: &LastTwo| {
                for (to, from) in to.iter_mut().zip(from) {
                    to[rows.clone()].copy_from_slice(&from[from.len() - rows.len()..]);
                }
            };
            copy(&mut self.values, &values);
            if let (Some(own), Some(origins)) = (&mut self.origins, &origins) {
                copy(&mut own.last, origins);
            }
        }
        if let Some(origins) = &mut self.origins {
            origins.keep(first, end);
        }
    }

    /// These rows after these anti-diagonals, from a copy of the last two that begins so far above
    /// that it needs no other rows.
    fn advanced(&self, diagonals: Range<usize>, rows: Range<usize>) -> Advanced {
        let base = rows.start.saturating_sub(diagonals.len());
        let rolling = |last: &LastTwo| -> Rolling {
            let [before, before_2] = last.each_ref().map(|last| last[base..rows.end].to_vec());
            [vec![0; rows.end - base], before, before_2]
        };
        let mut values = rolling(&self.values);
        let mut origins = self.origins.as_ref().map(|origins| rolling(&origins.last));
        for (step, diagonal) in diagonals.enumerate() {
            // From here on the row above is known.
            let known = match base {
                0 => 0,
                _ => base + step + 1,
            };
            let cells = self.cells(diagonal);
            let cells = cells.start.max(known)..cells.end.min(rows.end);
            let edges = [
                (0, diagonal <= self.b.len()),
                (diagonal, diagonal <= self.a.len()),
            ];
            let edges = edges.into_iter().filter_map(|(row, is_cell)| {
                (is_cell && (known..rows.end).contains(&row)).then_some(row)
            });
            if !cells.is_empty() {
                self.fill(&mut values, base, diagonal, cells.clone());
            }
            for row in edges.clone() {
                values[0][row - base] = diagonal as u32;
            }
            if let Some(origins) = &mut origins {
                if !cells.is_empty() {
                    self.trace(origins, &values, base, diagonal, cells);
                }
                for row in edges {
                    // On the first row from the left, on the first column from above.
                    let [now, before, _] = origins;
                    now[row - base] = before[row.saturating_sub(1) - base];
                }
                origins.rotate_right(1);
            }
            values.rotate_right(1);
        }
        let last = |[_, before, before_2]: Rolling| [before, before_2];
        Advanced {
            rows,
            values: last(values),
            origins: origins.map(last),
        }
    }

    /// Symbols of these cells.
    fn symbols(&self, diagonal: usize, cells: &Range<usize>) -> (&[u32], &[u32]) {
        let y = self.b.len() + cells.start - diagonal;
        (
            &self.a[cells.start - 1..cells.end - 1],
            &self.b[y..y + cells.len()],
        )
    }

    /// Computes these cells of an anti-diagonal. The slices begin with row `base`.
    fn fill(&self, values: &mut Rolling, base: usize, diagonal: usize, cells: Range<usize>) {
        let (x, y) = self.symbols(diagonal, &cells);
        match self.recurrence {
            // With equal symbols the diagonal step is free, so no other neighbour can be better.
            Recurrence::EditDistance => fill(
                values,
                cells.start - base,
                x,
                y,
                |corner, above, left, equal| (above.min(left) + 1).min(corner + u32::from(!equal)),
            ),
            Recurrence::Supersequence => fill(
                values,
                cells.start - base,
                x,
                y,
                |corner, above, left, equal| 1 + if equal { corner } else { above.min(left) },
            ),
        }
    }

    /// Computes the origins of these cells after their values.
    fn trace(
        &self,
        origins: &mut Rolling,
        values: &Rolling,
        base: usize,
        diagonal: usize,
        cells: Range<usize>,
    ) {
        let (x, y) = self.symbols(diagonal, &cells);
        let (first, len) = (cells.start - base, cells.len());
        let [now, before, before_2] = origins;
        let (above, left, corner) = neighbours(before, before_2, first, len);
        let (value, value_above) = (&values[0][first..][..len], &values[1][first - 1..][..len]);
        let now = &mut now[first..][..len];
        for k in 0..len {
            let equal = mask(x[k] == y[k]);
            let up = mask(value[k] == value_above[k] + 1);
            now[k] = up & above[k] | !up & (equal & corner[k] | !equal & left[k]);
        }
    }
}

/// Cells above, to the left, and above to the left of those from `first` on.
fn neighbours<'a>(
    before: &'a [u32],
    before_2: &'a [u32],
    first: usize,
    len: usize,
) -> (&'a [u32], &'a [u32], &'a [u32]) {
    (
        &before[first - 1..][..len],
        &before[first..][..len],
        &before_2[first - 1..][..len],
    )
}

fn fill(
    [now, before, before_2]: &mut Rolling,
    first: usize,
    x: &[u32],
    y: &[u32],
    cell: impl Fn(u32, u32, u32, bool) -> u32,
) {
    let len = x.len();
    let (above, left, corner) = neighbours(before, before_2, first, len);
    let (now, y) = (&mut now[first..][..len], &y[..len]);
    for k in 0..len {
        now[k] = cell(corner[k], above[k], left[k], x[k] == y[k]);
    }
}

/// All ones for `true`, for branch-free selection.
fn mask(chosen: bool) -> u32 {
    u32::from(chosen).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn tasks_of_several_rows_and_anti_diagonals_give_the_values_and_origins_of_whole_ones() {
        let mut random = Random::new(3);
        for (rows, cols, every) in [
            (0, 9, 3),
            (9, 0, 2),
            (1, 1, 2),
            (40, 31, 2),
            (25, 70, 7),
            (60, 60, 50),
        ] {
            let (a, b) = (random.codes(rows, 3), random.codes(cols, 3));
            let diagonals = (rows + cols) as u64;
            let stored = StoredDiagonals {
                every,
                layers: diagonals.saturating_sub(1) / every,
                rows: rows as u64,
                cols: cols as u64,
            };
            let swept = |recurrence, (diagonals, task_rows)| {
                let mut sweep = match recurrence {
                    Some(recurrence) => AntiDiagonalSweep::new(recurrence, &a, &b),
                    None => AntiDiagonalSweep::with_origins(&a, &b, stored),
                };
                sweep
                    .run_in_tasks(diagonals, task_rows, &Control::default())
                    .expect("nobody cancels it");
                (sweep.last_cell(), sweep.stored().to_vec())
            };
            for recurrence in [
                Some(Recurrence::EditDistance),
                Some(Recurrence::Supersequence),
                None,
            ] {
                let whole = swept(recurrence, (1, usize::MAX));
                for tasks in [(1, 3), (4, 1), (5, 4), (200, 7), (16, usize::MAX)] {
                    assert_eq!(
                        swept(recurrence, tasks),
                        whole,
                        "{rows} {cols} {every} {tasks:?}"
                    );
                }
            }
        }
    }
}
