//! Kernels of the LCS only.

use super::Access::{Read, ReadWrite};
use super::Kernel;

/// Lanes of [`conditional_sum`].
pub const LIMBS: u32 = 32;

/// Advances every active block by one step, one lane per limb; with `subgroups`, of [`LIMBS`]
/// lanes, by shuffles.
pub fn conditional_sum(subgroups: bool) -> Kernel {
    let pair = if subgroups {
        "lcs/pair_subgroup"
    } else {
        "lcs/pair_workgroup"
    };
    Kernel {
        parts: vec![pair],
        subgroups,
        ..Kernel::new(
            "lcs/conditional_sum",
            LIMBS,
            &[ReadWrite, Read, Read, ReadWrite, Read],
        )
    }
}
