//! Kernels that only the edit distance has.

use super::{Access, Kernel, Passes};

/// One anti-diagonal of tiles of so many rows and columns.
pub fn tiled(tile: u32) -> Kernel {
    let bindings = [
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::ReadWrite,
    ];
    Kernel {
        passes: Passes::InStep,
        ..Kernel::new("edit_distance/tiled", tile, &bindings)
    }
}
