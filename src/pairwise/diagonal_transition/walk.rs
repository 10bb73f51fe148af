//! The canonical path, back through wavefronts of furthest-reaching points.

use super::wavefront::{Wavefront, reach};
use crate::pairwise::blocks::{Block, Blocks};
use crate::pairwise::equal::equal_suffix;

/// Wavefronts of neighbouring distances.
#[derive(Debug)]
pub(super) struct Wavefronts<const SPACING: i64> {
    /// The distance of the first.
    pub first: u64,
    /// First diagonal and first entry of every wavefront.
    starts: Vec<(i64, usize)>,
    rows: Vec<u32>,
}

impl<const SPACING: i64> Wavefronts<SPACING> {
    /// None yet; the first will be that of this distance.
    pub(super) fn from(first: u64) -> Self {
        Self {
            first,
            starts: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// None again, in the room of those before.
    pub(super) fn restart(&mut self, first: u64) {
        self.first = first;
        self.starts.clear();
        self.rows.clear();
    }

    pub(super) fn push(&mut self, wavefront: &Wavefront<SPACING>) {
        self.starts.push((wavefront.low, self.rows.len()));
        self.rows.extend_from_slice(&wavefront.rows);
    }

    pub(super) fn bytes(&self) -> u64 {
        (size_of_val(&*self.rows) + size_of_val(&*self.starts)) as u64
    }

    /// One more than the furthest row on a diagonal at a distance; 0 where the wavefront does not get, or is not there.
    fn after(&self, distance: u64, diagonal: i64) -> usize {
        let wavefront = (distance - self.first) as usize;
        let Some(&(low, start)) = self.starts.get(wavefront) else {
            return 0;
        };
        let end = self
            .starts
            .get(wavefront + 1)
            .map_or(self.rows.len(), |next| next.1);
        reach::<SPACING>(low, &self.rows[start..end], diagonal).map_or(0, |row| row + 1)
    }
}

/// The walk from a cell, often the last, to the first.
#[derive(Debug)]
pub(super) struct Walk {
    pub i: usize,
    pub j: usize,
    /// Of the cell.
    pub distance: u64,
    /// Runs of diagonal steps, the last of the path first.
    runs: Vec<Block>,
}

impl Walk {
    pub(super) fn from((i, j): (usize, usize), distance: u64) -> Self {
        Self {
            i,
            j,
            distance,
            runs: Vec::new(),
        }
    }

    /// Walks on until the first of these wavefronts is reached, which have every distance less than this one's: up where that lowers
    /// the distance, else diagonally where the symbols are equal or an unequal pair is as good as a step to the left, else to the
    /// left. At the distance 0 it walks to the first cell.
    pub(super) fn through<S: PartialEq, const SPACING: i64>(
        &mut self,
        wavefronts: &Wavefronts<SPACING>,
        a: &[S],
        b: &[S],
    ) {
        while self.i > 0 && self.j > 0 && (self.distance > wavefronts.first || self.distance == 0) {
            let diagonal = self.i as i64 - self.j as i64;
            let nearer = |diagonal| {
                if self.distance > 0 {
                    wavefronts.after(self.distance - 1, diagonal)
                } else {
                    0
                }
            };
            let up = nearer(diagonal - 1);
            if self.i <= up {
                (self.i, self.distance) = (self.i - 1, self.distance - 1);
                continue;
            }
            // Until a step up lowers the distance.
            let equal = equal_suffix(&a[up..self.i], &b[..self.j]);
            if equal > 0 {
                self.pair(equal);
            } else if SPACING == 1 && self.i <= nearer(diagonal) {
                self.pair(1);
                self.distance -= 1;
            } else {
                // Wavefronts that no device got wrong have a nearer cell here; what wrong ones give, no certificate takes.
                (self.j, self.distance) = (self.j - 1, self.distance.saturating_sub(1));
            }
        }
    }

    /// Takes diagonal steps, which join the run behind them where they touch it.
    fn pair(&mut self, len: usize) {
        (self.i, self.j) = (self.i - len, self.j - len);
        match self.runs.last_mut() {
            Some(run) if run.a == self.i + len && run.b == self.j + len => {
                *run = Block {
                    a: self.i,
                    b: self.j,
                    len: run.len + len,
                };
            }
            _ => self.runs.push(Block {
                a: self.i,
                b: self.j,
                len,
            }),
        }
    }

    /// The path.
    pub(super) fn blocks(mut self) -> Blocks {
        self.runs.reverse();
        Blocks::of(self.runs)
    }
}
