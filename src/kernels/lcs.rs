//! Kernels that only the longest common subsequence has.

use super::{Access, Kernel};

/// One step of every active block, a lane a limb.
pub fn conditional_sum() -> Kernel {
    Kernel::new(
        "lcs/conditional_sum",
        32,
        &[
            Access::ReadWrite,
            Access::Read,
            Access::Read,
            Access::ReadWrite,
        ],
    )
}
