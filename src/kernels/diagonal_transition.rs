//! Kernels of wavefronts of furthest-reaching points.

use super::Access::{Read, ReadWrite};
use super::{Kernel, Launch};

/// Edits that extend a wavefront by one distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Steps {
    /// Insertions and deletions; every second diagonal.
    Indel,
    /// Insertions, deletions and substitutions.
    Levenshtein,
}

/// Computes `wavefronts` wavefronts per pass, for codes of `bits` bits.
pub fn wavefronts(steps: Steps, wavefronts: u32, lanes: u32, bits: u32) -> Kernel {
    let start = match steps {
        Steps::Indel => "diagonal_transition/indel",
        Steps::Levenshtein => "diagonal_transition/levenshtein",
    };
    Kernel {
        parts: vec![start],
        constants: vec![("WAVEFRONTS", wavefronts), ("BITS", bits)],
        launch: Launch::Cooperative,
        ..Kernel::new(
            "diagonal_transition/wavefronts",
            lanes,
            &[Read, Read, ReadWrite, ReadWrite],
        )
    }
}
