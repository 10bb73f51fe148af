//! One lane per range and one pass per length: the baseline.
//!
//! Source: Solomon and Thulasiraman 2010, "Performance study of mapping irregular computations on
//! GPUs", in Wu et al. 2011 (see [`by_length`](super)), section III.B. Departure: the table is
//! stored by length, their data structure of type 1 (section IV.C).

use super::{LengthKernels, Triangle};
use crate::backend::Capabilities;
use crate::engine::profile::gpu::compute_units;
use crate::error::Result;
use crate::kernels::parenthesization::{RANGE_LANES, Table};
use crate::parenthesization::gpu::kernels::KernelVariant;
use crate::parenthesization::gpu::{Layout, split_tree};
use crate::plan::{Bounds, BufferId, PassSplit, Plan};

const LANES: u64 = RANGE_LANES as u64;
/// Workgroups that one compute unit runs concurrently without slowing them down.
const GROUPS_PER_UNIT: u64 = 4;
/// Slices by workgroup; parameter 2 is the first range.
const BY_GROUPS: PassSplit = PassSplit {
    step: RANGE_LANES,
    ..PassSplit::by_group(Bounds::First(2))
};

#[derive(Clone, Debug)]
pub struct ThreadPerSubproblemSizes(Triangle);

impl ThreadPerSubproblemSizes {
    /// # Errors
    /// [`Error::InputTooLong`](crate::Error::InputTooLong) if the table does not fit into one
    /// buffer.
    pub fn new(leaves: u64, variant: &KernelVariant, caps: &Capabilities) -> Result<Self> {
        let at_once = compute_units(caps) as u64 * GROUPS_PER_UNIT * LANES;
        Ok(Self(
            Triangle::new(leaves, variant, caps)?.of_at_least(at_once),
        ))
    }

    pub(crate) fn add_passes(
        &self,
        plan: &mut Plan,
        inputs: BufferId,
        variant: &KernelVariant,
    ) -> (Layout, split_tree::TreeBuffer) {
        let kernels = &variant.kernels;
        let kernels = LengthKernels {
            range: kernels.thread_per_subproblem(),
            split: BY_GROUPS,
            tree: split_tree::kernel(kernels, Table::ByLength, split_tree::LANES),
        };
        let mapping = |length| (self.0.ranges(length).div_ceil(LANES), [0; 3]);
        let ([table], tree) =
            self.0
                .add_passes(plan, inputs, variant, ["table by length"], kernels, mapping);
        (
            Layout::ByLength {
                leaves: self.0.leaves,
                table,
            },
            tree,
        )
    }
}
