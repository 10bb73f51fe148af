//! What a problem of two sequences brings: its recurrences, its reference table, and the methods of
//! its papers.

use crate::engine::placement::Way;
use crate::sequences::bit_parallel::cpu::Kernels;
use crate::sequences::blocks::Blocks;
use crate::sequences::diagonal_transition;
use crate::sequences::pair::Pair;
use crate::sequences::query::PairQuery;

/// A problem whose table has two recurrences: one for the strip sweep, and one for
/// furthest-reaching points.
pub(crate) trait Problem: Sized + 'static {
    type Sweep: Kernels;
    type Wavefront: diagonal_transition::WavefrontRecurrence;

    /// Least cost by the reference table. Includes the path if `path` and the cost is at most
    /// `max_cost`. Polls `should_continue` before each row and returns `None` on `false`.
    fn reference<S: Eq>(
        pair: Pair<'_, S>,
        path: bool,
        max_cost: u64,
        should_continue: &mut dyn FnMut() -> bool,
    ) -> Option<(u64, Option<Blocks>)>;

    /// Methods of papers, which run only if they are requested.
    fn papers<'w, 'q>() -> Vec<&'w dyn Way<PairQuery<'q, Self>>>
    where
        'q: 'w;
}
