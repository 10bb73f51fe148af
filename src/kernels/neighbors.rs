//! Kernels for pairs of strings within an edit distance.

use super::{Access, Kernel};

/// Lanes of a workgroup: a power of two.
pub const LANES: u32 = 128;
/// Listed strings of a slot, equal to the constant in join.wgsl.
pub const LISTED_RUN: u32 = 1024;

const READ: Access = Access::Read;
const WRITE: Access = Access::ReadWrite;

/// Writes the keys of strings whose codes have this number of bits.
pub fn index_keys(planes: u32) -> Kernel {
    let parts = vec!["neighbors/strings", "neighbors/keys", "neighbors/control"];
    kernel(
        "neighbors/index_keys",
        parts,
        Some(planes),
        &[
            (0, READ),
            (1, READ),
            (2, READ),
            (3, WRITE),
            (4, WRITE),
            (7, WRITE),
        ],
    )
}

/// Writes the start of each bucket of sorted keys.
pub fn directory() -> Kernel {
    kernel(
        "neighbors/directory",
        vec!["neighbors/control"],
        None,
        &[(3, READ), (5, WRITE), (7, WRITE)],
    )
}

/// Marks the strings of frequent keys.
pub fn mark() -> Kernel {
    let parts = vec!["neighbors/strings", "neighbors/index", "neighbors/control"];
    kernel(
        "neighbors/mark",
        parts,
        None,
        &[
            (0, READ),
            (2, READ),
            (3, READ),
            (4, READ),
            (5, READ),
            (6, WRITE),
            (7, WRITE),
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
            (0, READ),
            (1, READ),
            (2, READ),
            (3, READ),
            (4, READ),
            (5, READ),
            (6, WRITE),
            (7, WRITE),
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
