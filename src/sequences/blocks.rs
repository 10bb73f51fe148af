//! Paths as runs of diagonal steps.

use std::ops::Range;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::host::parallel::{for_each_chunk_mut, map_ranges};

/// A run of diagonal steps: `a[a..a + len]` is aligned with `b[b..b + len]`, symbol by symbol.
///
/// See [`Lcs`](crate::Lcs) for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Block {
    /// First position in `a`, from 0.
    pub a: usize,
    /// First position in `b`, from 0.
    pub b: usize,
    /// Steps in the run, at least 1.
    pub len: usize,
}

// SAFETY: three integers, for which all zeros is valid.
unsafe impl bytemuck::Zeroable for Block {}

impl Block {
    /// End positions in both sequences, saturating.
    fn ends(&self) -> (usize, usize) {
        (
            self.a.saturating_add(self.len),
            self.b.saturating_add(self.len),
        )
    }

    /// Pairs of unequal symbols.
    fn mismatches<S: PartialEq>(&self, a: &[S], b: &[S]) -> u64 {
        let (a, b) = (&a[self.a..], &b[self.b..]);
        // Most runs are short and of unpredictable length: no loop, no branch.
        if self.len <= SHORT_RUN
            && let (Some(x), Some(y)) = (a.first_chunk::<SHORT_RUN>(), b.first_chunk::<SHORT_RUN>())
        {
            return (0..SHORT_RUN)
                .map(|step| u64::from((x[step] != y[step]) & (step < self.len)))
                .sum();
        }
        // Counts in a byte per chunk, so that the compiler vectorises the sum.
        let parts = a[..self.len]
            .chunks(COUNTER_SYMBOLS)
            .zip(b[..self.len].chunks(COUNTER_SYMBOLS));
        let in_part =
            |(x, y): (&[S], &[S])| x.iter().zip(y).map(|(x, y)| u8::from(x != y)).sum::<u8>();
        parts.map(|part| u64::from(in_part(part))).sum()
    }
}

/// Counts of a replay.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReplayCounts {
    pub steps: u64,
    /// Diagonal steps over unequal symbols.
    pub mismatches: u64,
}

/// A path through a table as its diagonal runs, maximal and increasing in both positions. Between
/// two runs the path goes straight down, straight right, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Blocks(Vec<Block>);

impl Blocks {
    pub fn as_slice(&self) -> &[Block] {
        &self.0
    }

    /// Calls `replay` on this thread if there are too few runs to be worth waking the pool.
    pub(crate) fn replayed<R: Send>(
        engine: &Engine,
        runs: &[Block],
        replay: impl FnOnce() -> R + Send,
    ) -> R {
        let steps = || {
            runs.iter()
                .fold(0, |steps: usize, run| steps.saturating_add(run.len))
        };
        if runs.len() <= TASK_RUNS && steps() <= SERIAL_STEPS {
            replay()
        } else {
            engine.on_threads(replay)
        }
    }

    /// Number of diagonal steps, saturating.
    pub fn steps(&self) -> u64 {
        let steps = |part: Range<usize>| {
            self.0[part]
                .iter()
                .map(|run| run.len as u64)
                .fold(0, u64::saturating_add)
        };
        map_ranges(self.0.len(), TASK_RUNS, steps)
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Counts the steps and verifies that the runs lie in `a` and in `piece` of `b`, increasing and
    /// without overlap.
    pub(crate) fn replay<S: PartialEq + Sync>(
        &self,
        a: &[S],
        b: &[S],
        piece: &Range<usize>,
    ) -> Result<ReplayCounts> {
        let replayed = |part: Range<usize>| {
            let mut next = part
                .start
                .checked_sub(1)
                .map_or((0, piece.start), |before| self.0[before].ends());
            let mut replayed = ReplayCounts::default();
            for run in &self.0[part] {
                let in_range = a
                    .len()
                    .checked_sub(run.len)
                    .is_some_and(|last| run.a <= last)
                    && piece
                        .end
                        .checked_sub(run.len)
                        .is_some_and(|last| run.b <= last);
                if run.len == 0 || !in_range || run.a < next.0 || run.b < next.1 {
                    let what = format!("run {run:?} is empty, out of range or out of order");
                    return Err(Error::CertificateFailed(what));
                }
                replayed.steps += run.len as u64;
                replayed.mismatches += run.mismatches(a, b);
                next = run.ends();
            }
            Ok(replayed)
        };
        let sum = |x: ReplayCounts, y: Result<ReplayCounts>| {
            let y = y?;
            Ok(ReplayCounts {
                steps: x.steps + y.steps,
                mismatches: x.mismatches + y.mismatches,
            })
        };
        map_ranges(self.0.len(), TASK_RUNS, replayed)
            .into_iter()
            .try_fold(ReplayCounts::default(), sum)
    }

    /// Pairs of unequal symbols. All runs must lie in `a` and `b`.
    pub(crate) fn mismatches<S: PartialEq + Sync>(&self, a: &[S], b: &[S]) -> u64 {
        let mismatches = |part: Range<usize>| {
            self.0[part]
                .iter()
                .map(|run| run.mismatches(a, b))
                .sum::<u64>()
        };
        map_ranges(self.0.len(), TASK_RUNS, mismatches)
            .into_iter()
            .sum()
    }

    /// Moves all runs by (`a`, `b`).
    pub(crate) fn shift(&mut self, a: usize, b: usize) {
        if (a, b) != (0, 0) {
            self.change(|run| (run.a, run.b) = (run.a + a, run.b + b));
        }
    }

    /// Appends a run, and merges it into the last one if they touch. Saturates beyond any sequence.
    pub(crate) fn push(&mut self, block: Block) {
        if block.len == 0 {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.ends() == (block.a, block.b) => {
                last.len = last.len.saturating_add(block.len)
            }
            _ => self.0.push(block),
        }
    }

    /// Appends the runs of `other`, moved by (`a`, `b`).
    pub(crate) fn append(&mut self, other: &Blocks, a: usize, b: usize) {
        for block in &other.0 {
            self.push(Block {
                a: block.a + a,
                b: block.b + b,
                len: block.len,
            });
        }
    }

    pub(crate) fn swap(&mut self) {
        self.change(|run| std::mem::swap(&mut run.a, &mut run.b));
    }

    /// Applies `change` to every run, on this thread if there are too few to be worth waking the
    /// pool.
    fn change(&mut self, change: impl Fn(&mut Block) + Send + Sync) {
        if self.0.len() <= TASK_RUNS {
            self.0.iter_mut().for_each(change);
        } else {
            for_each_chunk_mut(&mut self.0, TASK_RUNS, |_, runs| {
                runs.iter_mut().for_each(&change)
            });
        }
    }

    /// Path of runs that are already maximal and ordered.
    pub(crate) fn of(runs: Vec<Block>) -> Self {
        Self(runs)
    }

    /// Inserts `prefix` diagonal steps at the start and moves all other runs by `prefix`.
    pub(crate) fn prepend(&mut self, prefix: usize) {
        if prefix == 0 {
            return;
        }
        self.shift(prefix, prefix);
        match self.0.first_mut() {
            Some(first) if first.a == prefix && first.b == prefix => {
                *first = Block {
                    a: 0,
                    b: 0,
                    len: first.len + prefix,
                };
            }
            _ => self.0.insert(
                0,
                Block {
                    a: 0,
                    b: 0,
                    len: prefix,
                },
            ),
        }
    }
}

/// Maximum steps of a short run.
const SHORT_RUN: usize = 8;
/// Steps that compare in less than a millisecond.
const SERIAL_STEPS: usize = 1 << 22;
/// Symbols per byte counter: at most 255.
const COUNTER_SYMBOLS: usize = 128;
/// Runs per parallel task.
const TASK_RUNS: usize = 1 << 14;

impl FromIterator<Block> for Blocks {
    fn from_iter<I: IntoIterator<Item = Block>>(runs: I) -> Self {
        let mut blocks = Blocks::default();
        runs.into_iter().for_each(|run| blocks.push(run));
        blocks
    }
}
