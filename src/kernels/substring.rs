//! Kernels of the search for common substrings.

use super::Access::{self, Read, ReadWrite};
use super::Kernel;

/// Lanes of a workgroup, in all kernels but single-lane ones.
pub const LANES: u32 = 256;

/// How the keys of windows are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Windows {
    /// Packed codes.
    Packed,
    /// Polynomial hashes.
    Hashed,
}

/// Filters windows by one bitmap and marks the rest in another; codes of `bits` bits.
pub fn visit(windows: Windows, bits: u32) -> Kernel {
    of_windows(
        "substring/visit",
        windows,
        bits,
        &[(4, ReadWrite), (5, Read), (6, ReadWrite), (7, ReadWrite)],
    )
}

/// Lists windows with their keys.
pub fn list(windows: Windows, bits: u32) -> Kernel {
    of_windows(
        "substring/list",
        windows,
        bits,
        &[(4, Read), (5, ReadWrite), (7, ReadWrite)],
    )
}

/// Decides after a visit whether another one pays.
pub fn settle() -> Kernel {
    Kernel {
        parts: vec!["substring/control"],
        bindings: vec![(7, ReadWrite)],
        ..Kernel::new("substring/settle", 1, &[])
    }
}

/// Prefix hashes of stretches, within their blocks.
pub fn prefix_stretches(bits: u32) -> Kernel {
    Kernel {
        constants: vec![("BITS", bits)],
        ..of_prefixes(
            "substring/prefix_stretches",
            &[Read, ReadWrite, ReadWrite, Read],
        )
    }
}

/// Prefix hashes of blocks.
pub fn prefix_blocks() -> Kernel {
    of_prefixes("substring/prefix_blocks", &[ReadWrite, Read])
}

/// Adds the prefix hashes of blocks to those of stretches.
pub fn prefix_spread() -> Kernel {
    of_prefixes("substring/prefix_spread", &[ReadWrite, Read, Read])
}

fn of_prefixes(stem: &'static str, bindings: &[Access]) -> Kernel {
    Kernel {
        parts: vec!["substring/modular"],
        ..Kernel::new(stem, LANES, bindings)
    }
}

/// Counts the texts that contain each key.
pub fn count_level() -> Kernel {
    Kernel::new("substring/count_level", LANES, &[Read, Read, ReadWrite])
}

pub fn clear() -> Kernel {
    Kernel::new("substring/clear", LANES, &[ReadWrite])
}

/// Hashes all windows, for sorting.
pub fn hash_windows(bits: u32) -> Kernel {
    let mut kernel = Kernel::new("substring/hash_windows", LANES, &[Read; 4]);
    kernel.parts = [&["substring/groups"], HASHED].concat();
    kernel.constants.push(("BITS", bits));
    kernel
        .bindings
        .extend([(4, ReadWrite), (5, ReadWrite), (7, ReadWrite)]);
    kernel
}

/// Compares neighbouring sorted windows.
pub fn neighbours(bits: u32) -> Kernel {
    let mut kernel = Kernel::new(
        "substring/neighbours",
        LANES,
        &[
            Read, Read, Read, Read, Read, ReadWrite, ReadWrite, ReadWrite,
        ],
    );
    kernel.parts = vec!["substring/groups", "substring/codes", "substring/mix"];
    kernel.constants.push(("BITS", bits));
    kernel
}

/// Words per comparison step of a workgroup; equal to the constant in compare_pairs.wgsl.
pub const PIECE_WORDS: u64 = 64 * LANES as u64;

/// Compares long windows pair by pair.
pub fn compare_pairs(bits: u32) -> Kernel {
    Kernel {
        parts: vec!["substring/groups", "substring/codes"],
        constants: vec![("BITS", bits)],
        bindings: vec![(4, Read), (5, Read), (7, ReadWrite)],
        ..Kernel::new("substring/compare_pairs", LANES, &[])
    }
}

/// Lists sorted windows that several texts may contain.
pub fn list_groups() -> Kernel {
    let mut kernel = Kernel::new(
        "substring/list_groups",
        LANES,
        &[Read, Read, Read, ReadWrite],
    );
    kernel.parts = vec!["substring/groups", "substring/mix"];
    kernel.bindings.push((7, ReadWrite));
    kernel
}

/// Parts that hash windows.
const HASHED: &[&str] = &["substring/modular", "substring/hashed_windows"];

fn of_windows(stem: &'static str, windows: Windows, bits: u32, more: &[(u32, Access)]) -> Kernel {
    let (parts, texts) = match windows {
        Windows::Packed => (&["substring/packed_windows"][..], 1),
        Windows::Hashed => (HASHED, 4),
    };
    let mut kernel = Kernel::new(stem, LANES, &[Read; 4][..texts]);
    kernel.parts = [&["substring/control", "substring/mix"], parts].concat();
    kernel.constants.push(("BITS", bits));
    kernel.bindings.extend(more);
    kernel
}
