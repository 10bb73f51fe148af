//! Kernels that only the edit distance has.

use super::{Access, Kernel};

/// One anti-diagonal of tiles of so many rows and columns.
pub fn tiled(tile: u32) -> Kernel {
    Kernel::new("edit_distance/tiled", tile, &[Access::Read, Access::Read, Access::ReadWrite, Access::ReadWrite])
}
