//! Path of a traceback: its diagonal steps by column, and their conversion to runs.

use std::ops::Range;

use crate::host::parallel::{for_each_mut, map};
use crate::sequences::blocks::{Block, Blocks};

#[derive(Clone, Debug)]
pub(crate) struct TracedPath {
    /// Position of the table's first cell in both sequences. For a turned path, whose sequences are
    /// reversed, the end of the table.
    pub origin: (usize, usize),
    pub turned: bool,
    /// Per column: 0 without a diagonal step, else its row's distance above [`base`](Word::base) of
    /// its word.
    pub steps: Vec<u8>,
    /// From the last column of the path to the first.
    pub words: Vec<Word>,
}

/// Neighbouring columns whose rows are counted from the same base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// First column. The preceding word begins where this one ends.
    pub first: usize,
    /// Row from which steps are counted upwards. The table's first row is row 1.
    pub base: usize,
}

/// Columns per parallel task.
const PART_COLUMNS: usize = 1 << 13;

impl TracedPath {
    pub(crate) fn into_blocks(self) -> Blocks {
        runs(&[self], PART_COLUMNS, 0)
    }

    pub(crate) fn join(self, behind: TracedPath) -> Blocks {
        join(self, behind, PART_COLUMNS)
    }

    /// Ranges of `cols` that lie in one word, ascending, with the base of each.
    fn words(&self, cols: Range<usize>) -> impl Iterator<Item = (Range<usize>, usize)> {
        let beyond = self.words.partition_point(|word| word.first > cols.start);
        (0..self.words.len().min(beyond + 1))
            .rev()
            .map_while(move |index| {
                let end = index
                    .checked_sub(1)
                    .map_or(self.steps.len(), |before| self.words[before].first);
                let first = self.words[index].first.max(cols.start);
                (first < cols.end).then(|| (first..end.min(cols.end), self.words[index].base))
            })
    }

    /// Row of the diagonal step in a column; 0 without one.
    fn row(&self, col: usize) -> usize {
        self.words(col..col + 1)
            .map(|(_, base)| row(self.steps[col], base))
            .sum()
    }

    /// Row in which a run would continue in a column; 0 if none can.
    fn next_row(&self, col: usize) -> usize {
        col.checked_sub(1)
            .map_or(0, |before| row_after(self.row(before)))
    }

    fn last_run(&self) -> Option<DiagonalRun> {
        let last = self.steps.iter().rposition(|&step| step > 0)?;
        let mut run = DiagonalRun {
            row: self.row(last),
            col: last,
            len: 1,
        };
        while self.next_row(run.col) == run.row {
            run = DiagonalRun {
                row: run.row - 1,
                col: run.col - 1,
                len: run.len + 1,
            };
        }
        Some(run)
    }

    #[inline(always)]
    fn block(&self, run: DiagonalRun) -> Block {
        if self.turned {
            let (a, b) = (
                self.origin.0 - (run.row - 1) - run.len,
                self.origin.1 - run.col - run.len,
            );
            Block { a, b, len: run.len }
        } else {
            Block {
                a: self.origin.0 + run.row - 1,
                b: self.origin.1 + run.col,
                len: run.len,
            }
        }
    }

    fn count(&self, cols: Range<usize>) -> usize {
        let mut next = self.next_row(cols.start);
        let mut runs = 0;
        for (cols, base) in self.words(cols) {
            let steps = &self.steps[cols];
            let (first, last) = (steps[0], steps[steps.len() - 1]);
            runs += usize::from(first > 0 && row(first, base) != next);
            let begins =
                |(&before, &step): (&u8, &u8)| usize::from((step > 0) & (before != step + 1));
            runs += steps.iter().zip(&steps[1..]).map(begins).sum::<usize>();
            next = row_after(row(last, base));
        }
        runs
    }

    /// Writes the runs that begin in `cols` to `to`, whose length is their number.
    fn fill(&self, cols: Range<usize>, to: &mut [Block]) {
        if to.is_empty() {
            return;
        }
        let (mut run, mut found, mut next) = (
            DiagonalRun {
                row: 1,
                col: 0,
                len: 0,
            },
            0,
            self.next_row(cols.start),
        );
        let last = to.len() - 1;
        // Writes before the first run begins are overwritten.
        let mut put = |found: usize, run: DiagonalRun| {
            let index = found.saturating_sub(1);
            to[if self.turned { last - index } else { index }] = self.block(run);
        };
        for (cols, base) in self.words(cols.clone()) {
            for (col, &step) in cols.clone().zip(&self.steps[cols]) {
                // Branch-free, because run starts are close to random.
                let row = row(step, base);
                let begins = (step > 0) & (row != next);
                found += usize::from(begins);
                run.row = if begins { row } else { run.row };
                run.col = if begins { col } else { run.col };
                run.len = if begins { 0 } else { run.len } + usize::from((step > 0) & (found > 0));
                next = row_after(row);
                put(found, run);
            }
        }
        for (cols, base) in self.words(cols.end..self.steps.len()) {
            for step in &self.steps[cols] {
                if next == 0 || row(*step, base) != next {
                    return;
                }
                (run.len, next) = (run.len + 1, next + 1);
                put(found, run);
            }
        }
    }
}

/// A run in the table: first row from 1, first column from 0.
#[derive(Clone, Copy, Debug)]
struct DiagonalRun {
    row: usize,
    col: usize,
    len: usize,
}

/// Row of a step; 0 without one.
#[inline(always)]
fn row(step: u8, base: usize) -> usize {
    if step > 0 {
        base - usize::from(step)
    } else {
        0
    }
}

/// Row in which a run continues after `row`; 0 after none.
#[inline(always)]
fn row_after(row: usize) -> usize {
    if row > 0 { row + 1 } else { 0 }
}

fn join(before: TracedPath, mut behind: TracedPath, part_columns: usize) -> Blocks {
    // A run that continues across both paths belongs to the first.
    let mut more = 0;
    if let (Some(last), Some(first)) = (before.last_run(), behind.last_run()) {
        let (last, joined) = (before.block(last), behind.block(first));
        if (last.a + last.len, last.b + last.len) == (joined.a, joined.b) {
            more = joined.len;
            behind.steps[first.col..first.col + first.len].fill(0);
        }
    }
    runs(&[before, behind], part_columns, more)
}

/// Concatenated runs of all paths. `more` extends the last run of the first path.
fn runs(paths: &[TracedPath], part_columns: usize, more: usize) -> Blocks {
    let mut parts = Vec::new();
    for traced in paths {
        let firsts = (0..traced.steps.len()).step_by(part_columns);
        let cols = firsts.map(|first| {
            (
                traced,
                first..(first + part_columns).min(traced.steps.len()),
            )
        });
        if traced.turned {
            parts.extend(cols.rev())
        } else {
            parts.extend(cols)
        }
    }
    let counts = map(parts.len(), |part| {
        let (traced, cols) = &parts[part];
        traced.count(cols.clone())
    });
    let mut runs = bytemuck::zeroed_vec(counts.iter().sum());
    let mut places = Vec::with_capacity(parts.len());
    let mut rest = &mut runs[..];
    for count in &counts {
        let (index, behind) = rest.split_at_mut(*count);
        places.push(index);
        rest = behind;
    }
    for_each_mut(&mut places, |part, index| {
        let (traced, cols) = &parts[part];
        traced.fill(cols.clone(), index);
    });
    if more > 0 {
        let of_first = paths[0].steps.len().div_ceil(part_columns);
        let last = counts[..of_first].iter().sum::<usize>() - 1;
        runs[last].len += more;
    }
    Blocks::of(runs)
}

#[cfg(test)]
mod tests {
    use super::super::inputs::Random;
    use super::*;

    /// A random path with long and short runs, and its diagonal steps (row from 1, column from 0).
    fn traced(
        random: &mut Random,
        columns: usize,
        often: usize,
        turned: bool,
    ) -> (TracedPath, Vec<(usize, usize)>) {
        let (mut steps, mut words, mut diagonals) =
            (vec![0; columns], Vec::<Word>::new(), Vec::new());
        // Goes back from the last column by any number of rows, and may end before the first
        // column.
        let mut row = columns * 3 + 1;
        let mut base = row + 1;
        let reached = random.below(1 + columns / 4);
        for col in (reached..columns).rev() {
            let straight = random.below(often) == 0;
            row -= if random.below(often) == 0 {
                1 + random.below(2)
            } else {
                1
            };
            if base - row > 64 || random.below(20) == 0 {
                base = row + 1 + random.below(63);
            }
            match words.last_mut() {
                Some(word) if word.base == base => word.first = col,
                _ => words.push(Word { first: col, base }),
            }
            if !straight {
                steps[col] = (base - row) as u8;
                diagonals.push((row, col));
            }
        }
        diagonals.reverse();
        let origin = if turned {
            (columns * 8, columns * 2)
        } else {
            (3, 7)
        };
        (
            TracedPath {
                origin,
                turned,
                steps,
                words,
            },
            diagonals,
        )
    }

    fn steps_of(traced: &TracedPath, diagonals: &[(usize, usize)]) -> Vec<Block> {
        diagonals
            .iter()
            .map(|&(row, col)| traced.block(DiagonalRun { row, col, len: 1 }))
            .collect()
    }

    #[test]
    fn runs_match_single_steps_for_any_partition() {
        let mut random = Random::new(11);
        for columns in [0, 1, 2, 3, 63, 64, 65, 500] {
            for (often, turned) in [2, 3, 10, 1000]
                .into_iter()
                .flat_map(|often| [(often, false), (often, true)])
            {
                for part in [1, 2, 7, 64, 1000] {
                    let (traced, diagonals) = traced(&mut random, columns, often, turned);
                    let mut steps = steps_of(&traced, &diagonals);
                    if turned {
                        steps.reverse();
                    }
                    let expected: Blocks = steps.into_iter().collect();
                    assert_eq!(
                        runs(std::slice::from_ref(&traced), part, 0),
                        expected,
                        "{columns} {often} {turned} {part}"
                    );
                    assert_eq!(traced.into_blocks(), expected);
                }
            }
        }
    }

    #[test]
    fn joined_paths_merge_a_shared_run() {
        let mut random = Random::new(12);
        let mut joined = 0;
        for columns in [0, 1, 2, 40, 200] {
            for (often, part) in [2, 10, 1000]
                .into_iter()
                .flat_map(|often| [(often, 1), (often, 50), (often, 1000)])
            {
                let (before, steps) = traced(&mut random, columns, often, false);
                let (mut behind, steps_behind) = traced(&mut random, columns, often, true);
                // The last cell of the turned table is that of the forward one.
                let rows = columns * 3 + random.below(2);
                behind.origin = (before.origin.0 + 2 * rows, before.origin.1 + 2 * columns);
                let mut steps = steps_of(&before, &steps);
                let parts = steps.len();
                steps.extend(steps_of(&behind, &steps_behind).into_iter().rev());
                let touch = |at: usize| {
                    (steps[at - 1].a + 1, steps[at - 1].b + 1) == (steps[at].a, steps[at].b)
                };
                joined += usize::from(parts > 0 && parts < steps.len() && touch(parts));
                let expected: Blocks = steps.into_iter().collect();
                assert_eq!(
                    join(before, behind, part),
                    expected,
                    "{columns} {often} {part}"
                );
            }
        }
        assert!(joined > 3, "{joined} of the pairs touch");
    }
}
