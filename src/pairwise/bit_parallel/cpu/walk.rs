//! The walk through tiles that have run, on several threads.
//!
//! Where the path goes on depends on nothing but the cell where it is. So while one thread walks back from the last cell, others set
//! out from cells further ahead that are only guessed, about the diagonal; the path takes over what such a walk has found as soon as it
//! meets it. Between sequences that are alike it soon does; between others it may never: that costs the path no time, but other calls the
//! threads.

use rayon::prelude::*;

use super::lanes::Lanes;
use super::table::Table;
use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::trace::Walker;
use crate::pairwise::blocks::Blocks;

/// Columns that are worth a thread of their own.
const PART_COLS: usize = 1 << 15;

/// Walks at once through so many columns.
pub(super) fn parts(cols: usize, threads: usize) -> usize {
    (cols / PART_COLS).clamp(1, threads.max(1))
}

/// A walk, and where it has been.
struct Walked<'a, R> {
    walker: Walker<'a, R>,
    /// Positions between tiles, each with the words that the walk had left behind by then.
    passed: Vec<((usize, usize), usize)>,
}

impl<R> Walked<'_, R> {
    /// The words that this walk had left behind where it passed a position.
    fn words_at(&self, position: (usize, usize)) -> Option<usize> {
        let to_go = |(rows, cols): (usize, usize)| rows + cols;
        let place = self
            .passed
            .partition_point(|&(passed, _)| to_go(passed) > to_go(position));
        self.passed
            .get(place)
            .filter(|(passed, _)| *passed == position)
            .map(|&(_, words)| words)
    }
}

impl<R: Lanes> Table<'_, R> {
    /// The path through tiles that have [`run`](Self::run).
    pub(super) fn walk(&self, a: &[u32], b: &[u32], control: &Control) -> Result<Blocks> {
        self.walk_in_parts(
            (a, b),
            parts(b.len(), rayon::current_num_threads()),
            control,
        )
    }

    /// The same by so many walks at once.
    pub(super) fn walk_in_parts(
        &self,
        (a, b): (&[u32], &[u32]),
        parts: usize,
        control: &Control,
    ) -> Result<Blocks> {
        let mut walked = self.walks((a, b), parts, control)?;
        let Some(Walked { mut walker, .. }) = walked.pop() else {
            return Ok(Blocks::default());
        };
        for guess in walked.iter().rev() {
            let (_, end) = guess.walker.position();
            while walker.position().1 > end {
                if let Some(words) = guess.words_at(walker.position()) {
                    walker.follow(&guess.walker, words);
                } else if !self.cross(&mut walker, control)? {
                    break;
                }
            }
        }
        while self.cross(&mut walker, control)? {}
        Ok(walker.finish().into_blocks())
    }

    /// Walks through as many parts of the columns, from guessed cells but for the last one, which begins at the last cell.
    fn walks<'a>(
        &self,
        (a, b): (&'a [u32], &'a [u32]),
        parts: usize,
        control: &Control,
    ) -> Result<Vec<Walked<'a, R>>> {
        let share = |len: usize, part: usize| (len as u64 * part as u64 / parts as u64) as usize;
        let start = |part: usize| (share(a.len(), part), share(b.len(), part));
        let walk = |part: usize| {
            let ((rows, cols), most_left) = (start(part), start(part - 1).1);
            let first = match part == parts {
                true => 0,
                // A guess's last tile may begin before the columns of its part, in the same block.
                false => most_left.saturating_sub(self.block_cols),
            };
            let walker = Walker::back_to(first, (a, &b[..cols]), rows, self.coding.shared, (0, 0));
            self.walk_until(most_left, walker, control)
        };
        (1..=parts).into_par_iter().map(walk).collect()
    }

    /// Walks until no more than some columns are left.
    fn walk_until<'a>(
        &self,
        most_left: usize,
        walker: Walker<'a, R>,
        control: &Control,
    ) -> Result<Walked<'a, R>> {
        let mut walked = Walked {
            passed: vec![(walker.position(), 0)],
            walker,
        };
        while walked.walker.position().1 > most_left && self.cross(&mut walked.walker, control)? {
            walked
                .passed
                .push((walked.walker.position(), walked.walker.words()));
        }
        Ok(walked)
    }

    /// Walks through one tile, unless the path is complete.
    fn cross(&self, walker: &mut Walker<'_, R>, control: &Control) -> Result<bool> {
        control.check()?;
        let (i @ 1.., j @ 1..) = walker.position() else {
            return Ok(false);
        };
        if self
            .blocks_of((i - 1) / self.kernel.strip_rows())
            .contains(&((j - 1) / self.block_cols))
        {
            walker.walk(&self.tile(i - 1, j - 1));
        } else {
            // No path is as cheap as those that the band is to hold.
            walker.drop_rows();
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairwise::bit_parallel::band::Band;
    use crate::pairwise::bit_parallel::cpu::kernels::Kernels;
    use crate::pairwise::bit_parallel::inputs::Random;
    use crate::pairwise::bit_parallel::recurrence::{Edit, Lcs};
    use crate::pairwise::codes::Encoded;

    /// How many of the guessed walks through a table end where its path goes, of seven parts.
    fn met<R: Kernels>(a: &[u32], b: &[u32]) -> usize {
        let codes = Encoded::new(a, b);
        let (pair, control) = ((&codes.a[..], &codes.b[..]), Control::default());
        let table = Table::<R>::new(pair, codes.shared, true, R::FIRST_COLUMN, Band::WHOLE);
        let table = table.run(true, &control).expect("not cancelled");
        let whole = table.walks(pair, 1, &control).expect("not cancelled");
        let guessed = table.walks(pair, 7, &control).expect("not cancelled");
        guessed[..6]
            .iter()
            .filter(|guess| whole[0].words_at(guess.walker.position()).is_some())
            .count()
    }

    #[test]
    fn guessed_walks_meet_the_path_between_sequences_that_are_alike() {
        let mut random = Random::new(16);
        let a = random.codes(20_000, 4);
        let b = random.edited(&a, 30, 4);
        assert_eq!([met::<Lcs>(&a, &b), met::<Edit>(&a, &b)], [6; 2]);
        // Others have best paths of many ways, which stay apart for long.
        let other = random.codes(20_000, 4);
        assert!(met::<Lcs>(&a, &other) < 6);
    }
}
