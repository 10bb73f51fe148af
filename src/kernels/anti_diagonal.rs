//! Kernels that fill a whole table by anti-diagonals of cells.

use super::Access::{Read, ReadWrite};
use super::{Kernel, Launch};

/// Recurrence of a cell, from its neighbours and the equality of its symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Recurrence {
    /// Levenshtein distance with unit costs.
    EditDistance,
    /// Length of the shortest common supersequence.
    Supersequence,
}

/// Lanes of a workgroup, one cell each, unless others are requested.
pub const LANES: u32 = 256;

/// Fills one anti-diagonal. With `origins` it also tracks the origin of each cell on the canonical
/// path of a supersequence.
pub fn sweep(recurrence: Recurrence, origins: bool, lanes: u32) -> Kernel {
    let cell = match recurrence {
        Recurrence::EditDistance => "anti_diagonal/edit_distance",
        Recurrence::Supersequence => "anti_diagonal/supersequence",
    };
    let (trace, bindings) = if origins {
        (
            "anti_diagonal/origins",
            &[Read, Read, ReadWrite, ReadWrite, ReadWrite][..],
        )
    } else {
        ("anti_diagonal/no_origins", &[Read, Read, ReadWrite][..])
    };
    Kernel {
        parts: vec![cell, trace],
        launch: Launch::Cooperative,
        ..Kernel::new("anti_diagonal/sweep", lanes, bindings)
    }
}
