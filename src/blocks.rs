//! Paths as runs of diagonal steps.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};

/// A run of diagonal steps: `a[a..a + len]` lies opposite `b[b..b + len]`, symbol by symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// First position in `a`, from 0.
    pub a: usize,
    /// First position in `b`, from 0.
    pub b: usize,
    /// Steps in the run, at least 1.
    pub len: usize,
}

/// A path through a table: its diagonal runs, maximal and in increasing order of both positions. Between two runs it goes
/// straight down, straight right, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks(Vec<Block>);

impl Blocks {
    /// The runs.
    pub fn as_slice(&self) -> &[Block] {
        &self.0
    }

    /// Number of diagonal steps.
    pub fn steps(&self) -> u64 {
        self.0.par_iter().with_min_len(LEAST).map(|block| block.len as u64).sum()
    }

    /// Whether the runs lie in these ranges, in increasing order and without overlap.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] when a run is empty, out of range or out of order.
    pub(crate) fn check(&self, a: &Range<usize>, b: &Range<usize>) -> Result<()> {
        let check = |place: usize| {
            let run = self.0[place];
            let (next_a, next_b) = place.checked_sub(1).map_or((a.start, b.start), |before| {
                let before = self.0[before];
                (before.a.saturating_add(before.len), before.b.saturating_add(before.len))
            });
            let in_range = a.end.checked_sub(run.len).is_some_and(|last| run.a <= last)
                && b.end.checked_sub(run.len).is_some_and(|last| run.b <= last);
            if run.len == 0 || !in_range || run.a < next_a || run.b < next_b {
                return Err(Error::CertificateFailed(format!("run {run:?} is empty, out of range or out of order")));
            }
            Ok(())
        };
        (0..self.0.len()).into_par_iter().with_min_len(LEAST).try_for_each(check)
    }

    /// Pairs of unequal symbols. The runs must have passed [`check`](Self::check).
    pub(crate) fn mismatches<S: PartialEq + Sync>(&self, a: &[S], b: &[S]) -> u64 {
        let unequal = |run: &Block| {
            let pairs = a[run.a..][..run.len].iter().zip(&b[run.b..][..run.len]);
            pairs.filter(|(x, y)| x != y).count() as u64
        };
        self.0.par_iter().with_min_len(LEAST).map(unequal).sum()
    }

    /// Moves all runs by as much.
    pub(crate) fn shift(&mut self, a: usize, b: usize) {
        if (a, b) != (0, 0) {
            self.0.par_iter_mut().with_min_len(LEAST).for_each(|run| (run.a, run.b) = (run.a + a, run.b + b));
        }
    }

    /// Appends a run, joining it to the last one where they touch.
    pub(crate) fn push(&mut self, block: Block) {
        if block.len == 0 {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.a + last.len == block.a && last.b + last.len == block.b => last.len += block.len,
            _ => self.0.push(block),
        }
    }

    /// Appends all of `other`, its positions moved by (`a`, `b`).
    pub(crate) fn append(&mut self, other: &Blocks, a: usize, b: usize) {
        for block in &other.0 {
            self.push(Block { a: block.a + a, b: block.b + b, len: block.len });
        }
    }

    /// Exchanges the roles of `a` and `b`.
    pub(crate) fn swap(&mut self) {
        self.0.iter_mut().for_each(|block| std::mem::swap(&mut block.a, &mut block.b));
    }

    /// Parts of one path, in order.
    pub(crate) fn concat(mut parts: Vec<Blocks>) -> Self {
        parts.retain(|part| !part.0.is_empty());
        // Where a part's first run goes on from the last run before, that one takes it over.
        let mut skipped = vec![0; parts.len()];
        let mut last = 0;
        for next in 1..parts.len() {
            let (before, first) = (parts[last].0[parts[last].0.len() - 1], parts[next].0[0]);
            if before.a + before.len == first.a && before.b + before.len == first.b {
                if let Some(run) = parts[last].0.last_mut() {
                    run.len += first.len;
                }
                skipped[next] = 1;
            }
            if parts[next].0.len() > skipped[next] {
                last = next;
            }
        }
        let mut starts = Vec::with_capacity(parts.len());
        let mut total = 0;
        for (part, skipped) in parts.iter().zip(&skipped) {
            starts.push(total);
            total += part.0.len() - skipped;
        }
        let run = |place: usize| {
            let part = starts.partition_point(|&start| start <= place) - 1;
            parts[part].0[skipped[part] + place - starts[part]]
        };
        Self((0..total).into_par_iter().with_min_len(LEAST).map(run).collect())
    }

    /// Puts `prefix` diagonal steps before all others, which move back by as many in both sequences.
    pub(crate) fn prepend(&mut self, prefix: usize) {
        if prefix == 0 {
            return;
        }
        self.shift(prefix, prefix);
        match self.0.first_mut() {
            Some(first) if first.a == prefix && first.b == prefix => {
                *first = Block { a: 0, b: 0, len: first.len + prefix };
            }
            _ => self.0.insert(0, Block { a: 0, b: 0, len: prefix }),
        }
    }
}

/// Runs that are worth a thread of their own.
const LEAST: usize = 1 << 14;

impl FromIterator<Block> for Blocks {
    fn from_iter<I: IntoIterator<Item = Block>>(runs: I) -> Self {
        let mut blocks = Blocks::default();
        runs.into_iter().for_each(|run| blocks.push(run));
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path_join_where_they_touch() {
        let runs = [(0, 1, 3), (3, 4, 2), (5, 6, 1), (7, 7, 4), (11, 11, 1), (13, 12, 2)];
        let runs = runs.map(|(a, b, len)| Block { a, b, len });
        let whole: Blocks = runs.into_iter().collect();
        assert_eq!(whole.as_slice().len(), 3);
        for cuts in 0..1 << 7 {
            // Any grouping of the runs, with empty parts between.
            let mut parts = vec![Blocks::default()];
            for (place, &run) in runs.iter().enumerate() {
                if cuts >> place & 1 == 1 {
                    parts.push(Blocks::default());
                }
                if let Some(part) = parts.last_mut() {
                    part.push(run);
                }
            }
            parts.push(Blocks::default());
            assert_eq!(Blocks::concat(parts), whole, "{cuts:b}");
        }
    }
}
