//! Recurrence of furthest-reaching points.

use std::fmt::Debug;

use crate::kernels::diagonal_transition::Steps;
use crate::sequences::bit_parallel::shape::TableKind;

pub(crate) trait WavefrontRecurrence: Copy + Debug + Send + Sync + 'static {
    const TABLE: TableKind;

    const STEPS: Steps;

    /// Distance between the diagonals of a wavefront: 1 or 2. With 1, a mismatch costs 1, as an
    /// insertion or deletion does. With 2 there are no mismatches, so every other diagonal has no
    /// cell at a given distance.
    const DIAGONAL_STEP: i64;

    /// Furthest row on a diagonal before its slide. The arguments are one more than the furthest
    /// rows at the preceding distance, on the diagonal below, the same one (if wavefronts have it)
    /// and the one above; 0 means unreached.
    fn furthest(below: u32, same: u32, above: u32) -> u32;
}
