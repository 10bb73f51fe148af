//! Memory and time of a search.

use std::time::Duration;

use super::plan::{Packed, SearchPlan};
use super::sizes::{LANES, SearchSizes};
use crate::backend::Capabilities;
use crate::engine::profile::gpu::{compute_units, diagonal_transition as figures};
use crate::error::{Error, Result};
use crate::sequences::bit_parallel::gpu::Sizing;

/// Maximum length: positions and diagonals are signed 32-bit integers.
const MAX_LEN: u64 = (1 << 30) - 1;

impl SearchSizes {
    pub(super) fn check(&self, sizing: &Sizing<'_>, bits: u32) -> Result<()> {
        let caps = sizing.capabilities;
        let longest = u64::from(caps.groups_per_dimension) * (LANES / 4);
        for (what, actual, limit) in [
            ("the longer input", self.rows.max(self.cols), MAX_LEN),
            ("a wavefront", self.widest(), longest),
        ] {
            if actual > limit {
                return Err(Error::InputTooLong {
                    what,
                    actual,
                    limit,
                    remedy: "use the method 'bit-parallel'",
                });
            }
        }
        let buffer = caps.chunk_bytes;
        let largest = 4 * (2 * self.words()).max(Packed::size(self.rows, self.cols, bits));
        let (needed, limit) = if largest > buffer {
            (largest, buffer)
        } else {
            (SearchPlan::size_bytes(self, bits), sizing.budget_bytes)
        };
        if needed > limit {
            let what = format!(
                "keeping the wavefronts of a distance of {} on a GPU",
                self.bound
            );
            return Err(Error::MemoryBudget {
                what,
                needed,
                limit,
                smallest: needed,
            });
        }
        Ok(())
    }

    pub(crate) fn expected(&self, path: bool, caps: &Capabilities) -> Duration {
        let points_per_second = match caps.host_threads {
            Some(threads) => f64::from(threads) * figures::THREAD_POINTS_PER_SECOND,
            None => compute_units(caps) * figures::POINTS_PER_SECOND,
        };
        let (bound, wavefronts) = (self.bound as f64, self.bound as f64 / 2.0);
        // Wavefronts widen from both ends until they meet; neighbouring workgroups overlap.
        let diagonals = bound * bound / (2 * self.diagonal_step) as f64;
        let points = (diagonals / self.tile().1 as f64 + bound) * LANES as f64;
        let alone =
            self.passes() as f64 * figures::PASS_SECONDS + wavefronts * figures::WAVEFRONT_SECONDS;
        let walk = if path {
            wavefronts * figures::WALK_SECONDS
        } else {
            0.0
        };
        Duration::from_secs_f64(alone.max(points / points_per_second) + walk)
    }
}
