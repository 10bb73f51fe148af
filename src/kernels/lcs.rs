//! Kernels of the LCS only.

use super::{Access, Kernel};

/// Advances every active block by one step, one lane per limb.
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
