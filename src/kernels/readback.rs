//! Kernels that backends append to a slice: its stamp, and the gather of a readback.

use super::Access::{Read, ReadWrite};
use super::Kernel;

pub fn stamp() -> Kernel {
    Kernel::new("common/stamp", 1, &[ReadWrite])
}

/// Lanes of a gather workgroup, one word each.
pub const GATHER_LANES: u32 = 256;

/// Concatenates spans of a buffer.
pub fn gather() -> Kernel {
    Kernel::new("common/gather", GATHER_LANES, &[ReadWrite, Read, Read])
}
