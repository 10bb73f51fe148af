//! Kernels of the edit distance only.

use super::{Access, Kernel, Launch};

/// Fills one anti-diagonal of tiles of `tile` rows and columns.
pub fn tiled(tile: u32) -> Kernel {
    let bindings = [
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::ReadWrite,
    ];
    Kernel {
        launch: Launch::Cooperative,
        ..Kernel::new("edit_distance/tiled", tile, &bindings)
    }
}
