//! What tells one problem's furthest-reaching points from another's.

use crate::kernels::diagonal_transition::Steps;
use crate::pairwise::bit_parallel::shape::Table;

/// How a recurrence goes from wavefront to wavefront, each on every `SPACING`-th diagonal. With 1 a diagonal step of unequal symbols
/// costs 1, as one down or to the right does; with 2 there is none, so that every other diagonal has no cell of a distance.
pub(crate) trait Recurrence<const SPACING: i64> {
    /// The table whose cells are these distances.
    const TABLE: Table;

    /// What leads from a distance to the next.
    const STEPS: Steps;

    /// The furthest row of a diagonal before its slide, of one more than each of those that are reached at the distance before: on the
    /// diagonal below, on this one where wavefronts have it, and on the one above. 0 stands for none.
    fn furthest(below: u32, same: u32, above: u32) -> u32;
}
