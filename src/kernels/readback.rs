//! Kernels that back ends run behind those of a slice: its stamp, and the words of a readback.

use super::{Access, Kernel};

/// Writes the stamp of a slice.
pub fn stamp() -> Kernel {
    Kernel::new("common/stamp", 1, &[Access::ReadWrite])
}

/// Lanes of a workgroup that gathers, a word each.
pub const GATHER_LANES: u32 = 256;

/// Writes spans of a buffer one after the other.
pub fn gather() -> Kernel {
    Kernel::new(
        "common/gather",
        GATHER_LANES,
        &[Access::ReadWrite, Access::Read, Access::Read],
    )
}
