//! Anti-diagonal method on the CPU.

use std::ops::Range;
use std::time::Duration;

use super::stored::StoredDiagonals;
use super::{Recurrence, check_lengths};
use crate::call::control::Control;
use crate::engine::profile;
use crate::error::Result;
use crate::host::parallel::for_each_chunk_mut;

/// Cells per parallel task.
const TASK_CELLS: usize = 1 << 14;

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
pub fn expected(rows: u64, cols: u64, threads: usize) -> Duration {
    let seconds = rows as f64 * cols as f64 / profile::cpu::ANTI_DIAGONAL_CELLS_PER_SECOND;
    // Parallel tasks of the longest anti-diagonal.
    let parts = parts(usize::try_from(rows.min(cols)).unwrap_or(usize::MAX));
    Duration::from_secs_f64(seconds / profile::speedup_of_parts(threads, parts as u64))
}

/// Anti-diagonals between two cancellation checks.
const CHECK_INTERVAL: usize = 32;
/// A table with its three rolling anti-diagonals, indexed by row.
#[derive(Clone, Debug)]
pub(crate) struct AntiDiagonalSweep<'a> {
    recurrence: Recurrence,
    a: &'a [u32],
    /// `b` reversed, so that the symbols of an anti-diagonal are in row order.
    b: Vec<u32>,
    now: Vec<u32>,
    before: Vec<u32>,
    before_2: Vec<u32>,
    origins: Option<Origins>,
}

/// Origin per cell of the three anti-diagonals: the first cell on or before the last stored
/// anti-diagonal that the traceback of the canonical supersequence path reaches from there. Encoded
/// as twice the column, plus 1 on the anti-diagonal before the stored one.
#[derive(Clone, Debug)]
struct Origins {
    stored: StoredDiagonals,
    now: Vec<u32>,
    before: Vec<u32>,
    before_2: Vec<u32>,
    kept: Vec<u32>,
}

impl Origins {
    /// Restarts the origins before `diagonal`, the first one after a stored one.
    fn renew(&mut self, diagonal: usize) {
        for (before, back) in [&mut self.before, &mut self.before_2]
            .into_iter()
            .zip([1, 2])
        {
            for (origin, column) in before
                .iter_mut()
                .zip((0..(diagonal + 1).saturating_sub(back)).rev())
            {
                *origin = (2 * column + back - 1) as u32;
            }
        }
    }
}

impl<'a> AntiDiagonalSweep<'a> {
    pub(crate) fn new(recurrence: Recurrence, a: &'a [u32], b: &[u32]) -> Self {
        let diagonal = || vec![0; a.len() + 1];
        let b = b.iter().rev().copied().collect();
        Self {
            recurrence,
            a,
            b,
            now: diagonal(),
            before: diagonal(),
            before_2: diagonal(),
            origins: None,
        }
    }

    /// Supersequence table that stores the origins of anti-diagonals.
    pub(crate) fn with_origins(a: &'a [u32], b: &[u32], stored: StoredDiagonals) -> Self {
        let diagonal = || vec![0; a.len() + 1];
        let kept = vec![0; stored.words() as usize];
        let origins = Origins {
            stored,
            now: diagonal(),
            before: diagonal(),
            before_2: diagonal(),
            kept,
        };
        Self {
            origins: Some(origins),
            ..Self::new(Recurrence::Supersequence, a, b)
        }
    }

    /// Value in the last row of the last computed anti-diagonal.
    pub(crate) fn last_cell(&self) -> u64 {
        u64::from(self.before[self.a.len()])
    }

    /// Origins of the stored anti-diagonals, laid out as in [`StoredDiagonals`].
    pub(crate) fn stored(&self) -> &[u32] {
        self.origins.as_ref().map_or(&[], |origins| &origins.kept)
    }

    pub(crate) fn run(&mut self, control: &Control) -> Result<()> {
        let mut cells = 0;
        for diagonal in 0..=self.a.len() + self.b.len() {
            self.advance(diagonal);
            cells += self.cells(diagonal).len() as u64;
            if diagonal.is_multiple_of(CHECK_INTERVAL) {
                control.check()?;
                control.add_done(std::mem::take(&mut cells));
            }
        }
        Ok(())
    }

    /// Rows of the inner cells of an anti-diagonal, which have all three neighbours.
    fn cells(&self, diagonal: usize) -> Range<usize> {
        let first = diagonal.saturating_sub(self.b.len()).max(1);
        first..(self.a.len() + 1).min(diagonal).max(first)
    }

    fn advance(&mut self, diagonal: usize) {
        let cells = self.cells(diagonal);
        match self.recurrence {
            // With equal symbols the diagonal step is free, so no other neighbour can be better.
            Recurrence::EditDistance => self.fill(diagonal, cells, |corner, above, left, equal| {
                (above.min(left) + 1).min(corner + u32::from(!equal))
            }),
            Recurrence::Supersequence => {
                self.fill(diagonal, cells, |corner, above, left, equal| {
                    1 + if equal { corner } else { above.min(left) }
                })
            }
        }
        if diagonal <= self.b.len() {
            self.now[0] = diagonal as u32;
        }
        if diagonal <= self.a.len() {
            self.now[diagonal] = diagonal as u32;
        }
        self.trace(diagonal);
        std::mem::swap(&mut self.before_2, &mut self.before);
        std::mem::swap(&mut self.before, &mut self.now);
    }

    /// Computes the origins of an anti-diagonal after its values.
    fn trace(&mut self, diagonal: usize) {
        let Range { start: first, end } = self.cells(diagonal);
        let (rows, cols) = (self.a.len(), self.b.len());
        let Some(origins) = &mut self.origins else {
            return;
        };
        if origins.stored.behind(diagonal as u64) == 1 {
            origins.renew(diagonal);
        }
        let Origins {
            stored,
            now,
            before,
            before_2,
            kept,
        } = origins;
        if first < end {
            let (above, left, corner) = (
                &before[first - 1..],
                &before[first..],
                &before_2[first - 1..],
            );
            let (value, value_above) = (&self.now[first..], &self.before[first - 1..]);
            let (x, y) = (&self.a[first - 1..], &self.b[cols + first - diagonal..]);
            in_parts(&mut now[first..end], |now, at| {
                let end = at + now.len();
                let (above, left, corner) = (&above[at..end], &left[at..end], &corner[at..end]);
                let (value, value_above) = (&value[at..end], &value_above[at..end]);
                let (x, y) = (&x[at..end], &y[at..end]);
                for k in 0..now.len() {
                    let equal = mask(x[k] == y[k]);
                    let up = mask(value[k] == value_above[k] + 1);
                    now[k] = up & above[k] | !up & (equal & corner[k] | !equal & left[k]);
                }
            });
        }
        if diagonal <= cols {
            now[0] = before[0];
        }
        if (1..=rows).contains(&diagonal) {
            now[diagonal] = before[diagonal - 1];
        }
        if let Some(place) = stored.place(diagonal as u64) {
            for row in diagonal.saturating_sub(cols)..=diagonal.min(rows) {
                kept[place as usize + 2 * (diagonal - row)] = now[row];
            }
        }
        std::mem::swap(before_2, before);
        std::mem::swap(before, now);
    }

    fn fill(
        &mut self,
        diagonal: usize,
        cells: Range<usize>,
        cell: impl Fn(u32, u32, u32, bool) -> u32 + Sync,
    ) {
        let Self {
            a,
            b,
            now,
            before,
            before_2,
            ..
        } = self;
        let (first, len) = (cells.start, cells.len());
        if len == 0 {
            return;
        }
        let (above, left, corner) = (
            &before[first - 1..][..len],
            &before[first..][..len],
            &before_2[first - 1..][..len],
        );
        let (x, y) = (
            &a[first - 1..][..len],
            &b[b.len() + first - diagonal..][..len],
        );
        let part = |now: &mut [u32], at: usize| {
            let end = at + now.len();
            let (above, left, corner) = (&above[at..end], &left[at..end], &corner[at..end]);
            let (x, y) = (&x[at..end], &y[at..end]);
            for k in 0..now.len() {
                now[k] = cell(corner[k], above[k], left[k], x[k] == y[k]);
            }
        };
        in_parts(&mut now[cells], part);
    }
}

/// All ones for `true`, for branch-free selection.
fn mask(chosen: bool) -> u32 {
    u32::from(chosen).wrapping_neg()
}

/// Number of parallel tasks for an anti-diagonal of `cells` cells.
fn parts(cells: usize) -> usize {
    if cells < 2 * TASK_CELLS {
        1
    } else {
        cells.div_ceil(TASK_CELLS)
    }
}

/// Calls `part` with consecutive chunks and their offsets, in parallel if there are many cells.
fn in_parts(cells: &mut [u32], part: impl Fn(&mut [u32], usize) + Sync) {
    match parts(cells.len()) {
        1 => part(cells, 0),
        _ => for_each_chunk_mut(cells, TASK_CELLS, |chunk, cells| {
            part(cells, chunk * TASK_CELLS)
        }),
    }
}
