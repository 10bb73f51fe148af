//! One lane a range, one pass a length: the baseline.
//!
//! Source: Solomon and Thulasiraman 2010, "Performance study of mapping irregular computations on GPUs", with the layout of
//! Wu, Ke, Lin and Feng 2011.

use super::kernels::Variant;
use super::{Layout, cells, split_tree, triangle};
use crate::backend::Capabilities;
use crate::error::Result;
use crate::plan::{BufferId, Contents, Kernel, Pass, Plan, params};

const LANES: u64 = 64;
const BY_LENGTH: &str = include_str!("../../../shaders/parenthesization/by_length.wgsl");

/// Sizes of the method for one problem.
#[derive(Clone, Debug)]
pub struct Grid {
    leaves: u64,
    values: u64,
}

impl Grid {
    /// # Errors
    /// [`Error::InputTooLong`](crate::Error::InputTooLong) where the table does not fit into one buffer.
    pub fn new(leaves: u64, variant: &Variant, caps: &Capabilities) -> Result<Self> {
        Ok(Self { leaves, values: triangle(leaves, variant, caps)? })
    }

    pub(super) fn add_passes(
        &self,
        plan: &mut Plan,
        inputs: BufferId,
        variant: &Variant,
    ) -> (Layout, split_tree::Found) {
        let words = self.values * variant.arithmetic.words() as u64;
        let table = plan.buffer("table by length", words, Contents::Unspecified);
        let kernel = plan.kernel(kernel(variant));
        let bindings = plan.bind(vec![inputs, table]);
        for length in 1..=self.leaves {
            let ranges = self.leaves - length + 1;
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [ranges.div_ceil(LANES) as u32, 1, 1],
                params: params([length as u32, self.leaves as u32]),
                cells: cells(ranges * length),
            });
        }
        let tree = split_tree::add_passes(plan, tree_kernel(variant), self.leaves, &[inputs, table]);
        (Layout::ByLength { leaves: self.leaves, table }, tree)
    }
}

/// The method's kernel.
pub fn kernel(variant: &Variant) -> Kernel {
    let parts = [
        BY_LENGTH,
        include_str!("../../../shaders/parenthesization/range.wgsl"),
        include_str!("../../../shaders/parenthesization/thread_per_subproblem.wgsl"),
    ];
    variant.kernel("thread_per_subproblem", &[], &parts, [1])
}

/// The kernel that finds the tree in its table.
pub fn tree_kernel(variant: &Variant) -> Kernel {
    split_tree::kernel(variant, &[], &[BY_LENGTH], [1])
}
