//! Anti-diagonals over threads.

use std::ops::Range;
use std::time::Duration;

use rayon::prelude::*;

use super::gpu::WORD;
use super::{Recurrence, check_lengths};
use crate::control::Control;
use crate::error::Result;

/// Cells of an anti-diagonal that are worth a thread of their own.
const GRAIN: usize = 1 << 14;

/// The last cell of the table of `a` and `b`, on the threads of the caller's pool.
///
/// # Errors
/// [`Error::InputTooLong`](crate::Error::InputTooLong) where values could pass 32 bits,
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub fn last_cell(recurrence: Recurrence, a: &[u32], b: &[u32], control: &Control) -> Result<u64> {
    check_lengths(a.len(), b.len())?;
    let mut sweep = Sweep::new(recurrence, a, b);
    sweep.run(0..sweep.diagonals(), None, control)?;
    Ok(sweep.last_cell())
}

/// Bytes of the three anti-diagonals and of `b` backwards.
pub fn size_bytes(rows: u64, cols: u64) -> u64 {
    4 * (3 * (rows + 1) + cols)
}

/// A rough time.
pub fn expected(rows: u64, cols: u64, threads: usize) -> Duration {
    Duration::from_secs_f64(rows as f64 * cols as f64 / CELLS_PER_SECOND / threads as f64)
}

/// Cells a second of one thread.
const CELLS_PER_SECOND: f64 = 1.5e9;

/// One problem with its three rolling anti-diagonals, indexed by row.
#[derive(Clone, Debug)]
pub(crate) struct Sweep<'a> {
    recurrence: Recurrence,
    a: &'a [u32],
    /// `b` backwards, so that the symbols of an anti-diagonal lie in the order of its rows.
    b: Vec<u32>,
    now: Vec<u32>,
    before: Vec<u32>,
    before_2: Vec<u32>,
}

impl<'a> Sweep<'a> {
    pub fn new(recurrence: Recurrence, a: &'a [u32], b: &[u32]) -> Self {
        let diagonal = || vec![0; a.len() + 1];
        let b = b.iter().rev().copied().collect();
        Self { recurrence, a, b, now: diagonal(), before: diagonal(), before_2: diagonal() }
    }

    /// Anti-diagonals of the table.
    pub fn diagonals(&self) -> u64 {
        (self.a.len() + self.b.len() + 1) as u64
    }

    /// The cell of the last row after the last anti-diagonal.
    pub fn last_cell(&self) -> u64 {
        u64::from(self.before[self.a.len()])
    }

    /// The two anti-diagonals before the next one, one after the other.
    pub fn state(&self) -> Vec<u32> {
        [&self.before_2[..], &self.before].concat()
    }

    /// Goes back to what [`state`](Self::state) gave.
    pub fn restore(&mut self, state: &[u32]) {
        let (before_2, before) = state.split_at(state.len() / 2);
        self.before_2.copy_from_slice(before_2);
        self.before.copy_from_slice(before);
    }

    /// Advances through a range of anti-diagonals. Directions are set in `up`, which starts with zeros, as the kernel's are:
    /// words of [`WORD`] anti-diagonals from the start of the range, by rows.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
    pub fn run(&mut self, range: Range<u64>, mut up: Option<&mut [u32]>, control: &Control) -> Result<()> {
        let first_word = range.start / WORD;
        let mut cells = 0;
        for diagonal in range {
            let words = up.as_deref_mut().map(|up| {
                let first = (diagonal / WORD - first_word) as usize * (self.a.len() + 1);
                &mut up[first..first + self.a.len() + 1]
            });
            self.advance(diagonal as usize, words);
            cells += self.cells(diagonal as usize).len() as u64;
            if diagonal.is_multiple_of(WORD) {
                control.check()?;
                control.advance(std::mem::take(&mut cells));
            }
        }
        Ok(())
    }

    /// Rows of the cells of an anti-diagonal that have both neighbours.
    fn cells(&self, diagonal: usize) -> Range<usize> {
        let first = diagonal.saturating_sub(self.b.len()).max(1);
        first..(self.a.len() + 1).min(diagonal).max(first)
    }

    fn advance(&mut self, diagonal: usize, up: Option<&mut [u32]>) {
        let (rows, cols) = (self.a.len(), self.b.len());
        let Range { start: first, end } = self.cells(diagonal);
        match self.recurrence {
            // A difference that costs nothing where symbols are equal: then no neighbour leads to less.
            Recurrence::EditDistance => self.fill(diagonal, first..end, |corner, above, left, equal| {
                (above.min(left) + 1).min(corner + u32::from(!equal))
            }),
            Recurrence::Supersequence => self.fill(diagonal, first..end, |corner, above, left, equal| {
                1 + if equal { corner } else { above.min(left) }
            }),
        }
        if let Some(up) = up {
            let cells = self.now[first..end].iter().zip(&self.before[first - 1..end - 1]);
            for (word, (value, above)) in up[first..end].iter_mut().zip(cells) {
                *word |= u32::from(*value == above + 1) << (diagonal as u64 % WORD);
            }
        }
        if diagonal <= cols {
            self.now[0] = diagonal as u32;
        }
        if diagonal <= rows {
            self.now[diagonal] = diagonal as u32;
        }
        std::mem::swap(&mut self.before_2, &mut self.before);
        std::mem::swap(&mut self.before, &mut self.now);
    }

    fn fill(&mut self, diagonal: usize, cells: Range<usize>, cell: impl Fn(u32, u32, u32, bool) -> u32 + Sync) {
        let Self { a, b, now, before, before_2, .. } = self;
        let (first, len) = (cells.start, cells.len());
        if len == 0 {
            return;
        }
        let (above, left, corner) =
            (&before[first - 1..][..len], &before[first..][..len], &before_2[first - 1..][..len]);
        let (x, y) = (&a[first - 1..][..len], &b[b.len() + first - diagonal..][..len]);
        let part = |now: &mut [u32], at: usize| {
            let end = at + now.len();
            let (above, left, corner) = (&above[at..end], &left[at..end], &corner[at..end]);
            let (x, y) = (&x[at..end], &y[at..end]);
            for k in 0..now.len() {
                now[k] = cell(corner[k], above[k], left[k], x[k] == y[k]);
            }
        };
        let now = &mut now[cells];
        match len < 2 * GRAIN {
            true => part(now, 0),
            false => now.par_chunks_mut(GRAIN).enumerate().for_each(|(chunk, now)| part(now, chunk * GRAIN)),
        }
    }
}
