//! Kernels of the shortest common supersequence only.

use super::Access::{Read, ReadWrite};
use super::{Kernel, Launch};

/// Fills one wavefront of tiles. With `origins` it also tracks the origin of each cell.
pub fn row_wise(rows: u32, columns: u32, origins: bool) -> Kernel {
    let bindings = [Read, Read, ReadWrite, ReadWrite, ReadWrite];
    let (entry, bindings) = if origins {
        ("supersequence/row_origins", &bindings[..])
    } else {
        ("supersequence/row_values", &bindings[..4])
    };
    Kernel {
        parts: vec![entry],
        constants: vec![("ROWS", rows)],
        launch: Launch::Cooperative,
        ..Kernel::new("supersequence/row_wise", columns, bindings)
    }
}

/// Follows origins from the last stored layer to the first.
pub fn midpoints() -> Kernel {
    Kernel::new("supersequence/midpoints", 1, &[Read, ReadWrite])
}
