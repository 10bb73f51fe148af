//! Kernels for pairs of strings within an edit distance.

use super::Access::{self, Read, ReadWrite};
use super::Kernel;

/// Lanes of a workgroup: a power of two.
pub const LANES: u32 = 128;
/// Listed strings of a slot, equal to the constant in join.wgsl.
pub const LISTED_RUN: u32 = 1024;

/// Writes the keys of strings whose codes have this number of bits.
pub fn index_keys(planes: u32) -> Kernel {
    kernel(
        "neighbors/index_keys",
        vec!["neighbors/strings", "neighbors/keys", "neighbors/control"],
        Some(planes),
        &[
            (0, Read),
            (1, Read),
            (2, Read),
            (3, ReadWrite),
            (4, ReadWrite),
            (7, ReadWrite),
        ],
    )
}

/// Writes the start of each bucket of sorted keys.
pub fn directory() -> Kernel {
    kernel(
        "neighbors/directory",
        vec!["neighbors/control"],
        None,
        &[(3, Read), (5, ReadWrite), (7, ReadWrite)],
    )
}

/// Marks the strings of frequent keys.
pub fn mark() -> Kernel {
    kernel(
        "neighbors/mark",
        vec!["neighbors/strings", "neighbors/index", "neighbors/control"],
        None,
        &[
            (0, Read),
            (2, Read),
            (3, Read),
            (4, Read),
            (5, Read),
            (6, ReadWrite),
            (7, ReadWrite),
        ],
    )
}

/// Finds pairs within a bound by the keys of their strings.
pub fn join(planes: u32) -> Kernel {
    let parts = vec![
        "neighbors/strings",
        "neighbors/keys",
        "neighbors/index",
        "neighbors/distance",
        "neighbors/control",
        "sort/sum_workgroup",
    ];
    kernel(
        "neighbors/join",
        parts,
        Some(planes),
        &[
            (0, Read),
            (1, Read),
            (2, Read),
            (3, Read),
            (4, Read),
            (5, Read),
            (6, ReadWrite),
            (7, ReadWrite),
        ],
    )
}

fn kernel(
    stem: &'static str,
    parts: Vec<&'static str>,
    planes: Option<u32>,
    bindings: &[(u32, Access)],
) -> Kernel {
    Kernel {
        parts,
        constants: planes
            .map(|planes| ("PLANES", planes))
            .into_iter()
            .collect(),
        bindings: bindings.to_vec(),
        ..Kernel::new(stem, LANES, &[])
    }
}
