//! Whole tables by anti-diagonals of cells.

use super::{Access, Kernel, Passes};

/// What a cell is, from its neighbours and whether its symbols are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Recurrence {
    /// Levenshtein distance, unit costs.
    EditDistance,
    /// Length of the shortest common supersequence.
    Supersequence,
}

/// Lanes of a workgroup, a cell each.
pub const LANES: u32 = 256;

/// One anti-diagonal, a lane a cell; with `origins` cells have those too, of the canonical path of a supersequence.
pub fn sweep(recurrence: Recurrence, origins: bool) -> Kernel {
    let bindings = [
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::ReadWrite,
        Access::ReadWrite,
    ];
    let cell = match recurrence {
        Recurrence::EditDistance => "anti_diagonal/edit_distance",
        Recurrence::Supersequence => "anti_diagonal/supersequence",
    };
    let (trace, bindings) = match origins {
        false => ("anti_diagonal/no_origins", &bindings[..3]),
        true => ("anti_diagonal/origins", &bindings[..]),
    };
    Kernel {
        parts: vec![cell, trace],
        passes: Passes::InStep,
        ..Kernel::new("anti_diagonal/sweep", LANES, bindings)
    }
}
