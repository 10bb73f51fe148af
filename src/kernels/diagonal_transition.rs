//! Wavefronts of furthest-reaching points.

use super::{Access, Kernel, Passes};

/// Where a slide starts at a distance more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Steps {
    /// Insertions and deletions: every second diagonal.
    Indel,
    /// Those and substitutions.
    Levenshtein,
}

/// So many wavefronts a pass, for symbols of so many bits.
pub fn wavefronts(steps: Steps, wavefronts: u32, lanes: u32, bits: u32) -> Kernel {
    let start = match steps {
        Steps::Indel => "diagonal_transition/indel",
        Steps::Levenshtein => "diagonal_transition/levenshtein",
    };
    let bindings = [
        Access::Read,
        Access::Read,
        Access::ReadWrite,
        Access::ReadWrite,
    ];
    Kernel {
        parts: vec![start],
        constants: vec![("WAVEFRONTS", wavefronts), ("BITS", bits)],
        passes: Passes::InStep,
        ..Kernel::new("diagonal_transition/wavefronts", lanes, &bindings)
    }
}
