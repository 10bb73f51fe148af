//! Traceback of the canonical path through stored wavefronts.

use std::marker::PhantomData;

use super::recurrence::WavefrontRecurrence;
use super::wavefront::{Wavefront, reach};
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::equal::equal_suffix;

#[derive(Debug)]
pub(super) struct Wavefronts<R> {
    pub first: u64,
    /// First diagonal and first entry in `rows`, per wavefront.
    starts: Vec<(i64, usize)>,
    rows: Vec<u32>,
    recurrence: PhantomData<R>,
}

impl<R: WavefrontRecurrence> Wavefronts<R> {
    /// Empty, for wavefronts from distance `first` on.
    pub(super) fn from(first: u64) -> Self {
        Self {
            first,
            starts: Vec::new(),
            rows: Vec::new(),
            recurrence: PhantomData,
        }
    }

    /// Clears the wavefronts and keeps the allocation.
    pub(super) fn restart(&mut self, first: u64) {
        self.first = first;
        self.starts.clear();
        self.rows.clear();
    }

    pub(super) fn push(&mut self, wavefront: &Wavefront<R>) {
        self.starts.push((wavefront.low, self.rows.len()));
        self.rows.extend_from_slice(&wavefront.rows);
    }

    pub(super) fn bytes(&self) -> u64 {
        (size_of_val(&*self.rows) + size_of_val(&*self.starts)) as u64
    }

    /// One more than the furthest row; 0 if unreached or not stored.
    fn after(&self, distance: u64, diagonal: i64) -> usize {
        let wavefront = (distance - self.first) as usize;
        let Some(&(low, start)) = self.starts.get(wavefront) else {
            return 0;
        };
        let end = self
            .starts
            .get(wavefront + 1)
            .map_or(self.rows.len(), |next| next.1);
        reach::<R>(low, &self.rows[start..end], diagonal).map_or(0, |row| row + 1)
    }
}

/// Traceback from a cell, often the last, to the first cell.
#[derive(Debug)]
pub(super) struct Walk {
    pub i: usize,
    pub j: usize,
    pub distance: u64,
    /// Runs of diagonal steps, from the last one of the path backwards.
    runs: Vec<Block>,
}

impl Walk {
    pub(super) fn from(i: usize, j: usize, distance: u64) -> Self {
        Self {
            i,
            j,
            distance,
            runs: Vec::new(),
        }
    }

    /// Walks back to the first of `wavefronts`, which must hold all distances below the current
    /// one. Prefers a step up that lowers the distance, then a diagonal step over equal symbols or
    /// over a mismatch as good as a step left, then a step left. At distance 0 it walks to the
    /// first cell.
    pub(super) fn through<S: PartialEq, R: WavefrontRecurrence>(
        &mut self,
        wavefronts: &Wavefronts<R>,
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
            // A slide ends where a step up lowers the distance.
            let equal = equal_suffix(&a[up..self.i], &b[..self.j]);
            if equal > 0 {
                self.pair(equal);
            } else if R::DIAGONAL_STEP == 1 && self.i <= nearer(diagonal) {
                self.pair(1);
                self.distance -= 1;
            } else {
                // Correct wavefronts have a nearer cell here. The certificate rejects a path of
                // corrupt ones.
                (self.j, self.distance) = (self.j - 1, self.distance.saturating_sub(1));
            }
        }
    }

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

    pub(super) fn blocks(mut self) -> Blocks {
        self.runs.reverse();
        Blocks::of(self.runs)
    }
}
