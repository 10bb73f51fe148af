//! Kernels of the edit distance only.

use super::Access::{Read, ReadWrite};
use super::{Kernel, Launch};

/// Fills one anti-diagonal of tiles of `tile` rows and columns.
pub fn tiled(tile: u32) -> Kernel {
    Kernel {
        launch: Launch::Cooperative,
        ..Kernel::new(
            "edit_distance/tiled",
            tile,
            &[Read, Read, ReadWrite, ReadWrite],
        )
    }
}
