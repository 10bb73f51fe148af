//! The edit distance as a pairwise problem.

use super::wavefront::Levenshtein;
use super::{Mode, reference};
use crate::engine::placement::Way;
use crate::papers::edit_distance::WholeTable;
use crate::sequences::bit_parallel::recurrence::Edit;
use crate::sequences::blocks::Blocks;
use crate::sequences::pair::Pair;
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;

pub(crate) struct Distance;

impl Problem for Distance {
    type Sweep = Edit;
    type Wavefront = Levenshtein;

    fn reference<S: Eq>(
        Pair { a: rows, b: cols }: Pair<'_, S>,
        path: bool,
        max: u64,
        should_continue: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)> {
        let (distance, _) = reference::ends_while(rows, cols, Mode::Global, should_continue)?;
        let path = if path && distance <= max {
            Some(reference::path_while(rows, cols, should_continue)?)
        } else {
            None
        };
        Some((distance, path))
    }

    fn papers<'w, 'q>() -> Vec<&'w dyn Way<PairQuery<'q, Self>>>
    where
        'q: 'w,
    {
        vec![&WholeTable::AntiDiagonal, &WholeTable::Tiled]
    }
}
