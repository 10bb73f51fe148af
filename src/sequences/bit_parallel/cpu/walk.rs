//! Parallel traceback through completed tiles.
//!
//! The rest of a traceback depends only on its current cell. While one thread traces back from the
//! last cell, others start from guessed cells near the diagonal, and the path takes over the result
//! of such a partial traceback once it meets it. Between similar sequences they soon meet. Between
//! dissimilar ones they may never: that does not delay the path, but keeps threads from other
//! calls.

use super::lanes::Lanes;
use super::path::RecomputedTile;
use super::seconds::{parts, walk_work};
use super::table::StripTable;
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::map_each;
use crate::host::threads::threads;
use crate::sequences::bit_parallel::trace::{PartialTraceback, Walker};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Codes;

impl<R: Lanes> StripTable<'_, R> {
    pub(super) fn walk(&self, codes: Codes<'_>, control: &Control) -> Result<Blocks> {
        self.walk_in_parts(codes, parts(codes.b.len(), threads(None)), control)
    }

    pub(super) fn walk_in_parts(
        &self,
        codes: Codes<'_>,
        parts: usize,
        control: &Control,
    ) -> Result<Blocks> {
        let mut walked = self.walks(codes, parts, control)?;
        let Some(PartialTraceback { mut walker, .. }) = walked.pop() else {
            return Ok(Blocks::default());
        };
        let mut recomputed = RecomputedTile::default();
        walker.follow_all(walked.iter().rev(), |walker| {
            self.cross(walker, &mut recomputed, control)
        })?;
        Ok(walker.finish().into_blocks())
    }

    /// Traces back through equal parts of the columns, from guessed cells; the last part starts at
    /// the last cell.
    fn walks<'a>(
        &self,
        codes: Codes<'a>,
        parts: usize,
        control: &Control,
    ) -> Result<Vec<PartialTraceback<'a, R>>> {
        let share = |len: usize, part: usize| (len as u64 * part as u64 / parts as u64) as usize;
        let start = |part: usize| (share(codes.a.len(), part), share(codes.b.len(), part));
        let walk = |part: usize| {
            let ((rows, cols), min_columns) = (start(part), start(part - 1).1);
            let first = if part == parts {
                0
            } else {
                // The last tile of a guess may begin before its part, in the same block.
                min_columns.saturating_sub(self.block_cols)
            };
            let b = &codes.b[..cols];
            let walker = Walker::back_to(first, Codes { b, ..codes }, rows);
            let mut walked = PartialTraceback::start(walker);
            let mut recomputed = RecomputedTile::default();
            while walked.walker.position().1 > min_columns
                && self.cross(&mut walked.walker, &mut recomputed, control)?
            {
                walked.mark();
            }
            Ok(walked)
        };
        map_each((1..=parts).collect(), walk).into_iter().collect()
    }

    /// Traces back through one tile; `false` if the path is complete.
    fn cross(
        &self,
        walker: &mut Walker<'_, R>,
        recomputed: &mut RecomputedTile,
        control: &Control,
    ) -> Result<bool> {
        control.check()?;
        let (i @ 1.., j @ 1..) = walker.position() else {
            return Ok(false);
        };
        if self
            .blocks_of((i - 1) / self.kernel.strip_rows())
            .contains(&((j - 1) / self.block_cols))
        {
            walker.walk(&self.tile(i - 1, j - 1, recomputed));
        } else {
            // The path left the band, so it is none of the optimal ones.
            walker.drop_rows();
        }
        control.add_done(walk_work(j - walker.position().1));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::band::Band;
    use crate::sequences::bit_parallel::cpu::kernels::Kernels;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};
    use crate::sequences::codes::Encoded;

    /// Number of guessed tracebacks, of six, that end on the path.
    fn met<R: Kernels>(a: &[u32], b: &[u32]) -> usize {
        let (encoded, control) = (Encoded::new(a, b), Control::default());
        let codes = encoded.codes();
        let table = StripTable::<R>::new(codes, true, R::FIRST_COLUMN, Band::WHOLE);
        let table = table.run(&control).expect("not cancelled");
        let whole = table.walks(codes, 1, &control).expect("not cancelled");
        let guessed = table.walks(codes, 7, &control).expect("not cancelled");
        guessed[..6]
            .iter()
            .filter(|guess| whole[0].words_at(&guess.walker).is_some())
            .count()
    }

    #[test]
    fn guessed_tracebacks_of_similar_sequences_meet_the_path() {
        let mut random = Random::new(16);
        let a = random.codes(20_000, 4);
        let b = random.edited(&a, 30, 4);
        assert_eq!([met::<Lcs>(&a, &b), met::<Edit>(&a, &b)], [6; 2]);
        // Unrelated sequences have many optimal paths, which stay apart for long.
        let other = random.codes(20_000, 4);
        assert!(met::<Lcs>(&a, &other) < 6);
    }
}
