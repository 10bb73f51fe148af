//! Kernels of the search for common substrings.

use super::{Access, Kernel};

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

const READ: Access = Access::Read;
const WRITE: Access = Access::ReadWrite;

/// Filters windows by one bitmap and marks the rest in another; codes of `bits` bits.
pub fn visit(windows: Windows, bits: u32) -> Kernel {
    of_windows(
        "substring/visit",
        windows,
        bits,
        &[(4, WRITE), (5, READ), (6, WRITE), (7, WRITE)],
    )
}

/// Lists windows with their keys.
pub fn list(windows: Windows, bits: u32) -> Kernel {
    of_windows(
        "substring/list",
        windows,
        bits,
        &[(4, READ), (5, WRITE), (7, WRITE)],
    )
}

/// Decides after a visit whether another one pays.
pub fn settle() -> Kernel {
    let kernel = Kernel::new("substring/settle", 1, &[]);
    Kernel {
        parts: vec!["substring/control"],
        bindings: vec![(7, WRITE)],
        ..kernel
    }
}

/// Prefix hashes of stretches, within their blocks.
pub fn prefix_stretches(bits: u32) -> Kernel {
    let kernel = Kernel::new(
        "substring/prefix_stretches",
        LANES,
        &[READ, WRITE, WRITE, READ],
    );
    Kernel {
        parts: vec!["substring/modular"],
        constants: vec![("BITS", bits)],
        ..kernel
    }
}

/// Prefix hashes of blocks.
pub fn prefix_blocks() -> Kernel {
    let kernel = Kernel::new("substring/prefix_blocks", LANES, &[WRITE, READ]);
    Kernel {
        parts: vec!["substring/modular"],
        ..kernel
    }
}

/// Adds the prefix hashes of blocks to those of stretches.
pub fn prefix_spread() -> Kernel {
    let kernel = Kernel::new("substring/prefix_spread", LANES, &[WRITE, READ, READ]);
    Kernel {
        parts: vec!["substring/modular"],
        ..kernel
    }
}

/// Counts the texts that contain each key.
pub fn count_level() -> Kernel {
    Kernel::new("substring/count_level", LANES, &[READ, READ, WRITE])
}

pub fn clear() -> Kernel {
    Kernel::new("substring/clear", LANES, &[WRITE])
}

/// Hashes all windows, for sorting.
pub fn hash_windows(bits: u32) -> Kernel {
    let mut kernel = Kernel::new("substring/hash_windows", LANES, &[READ; 4]);
    kernel.parts = [&["substring/groups"], HASHED].concat();
    kernel.constants.push(("BITS", bits));
    kernel.bindings.extend([(4, WRITE), (5, WRITE), (7, WRITE)]);
    kernel
}

/// Compares neighbouring sorted windows.
pub fn neighbours(bits: u32) -> Kernel {
    let mut kernel = Kernel::new(
        "substring/neighbours",
        LANES,
        &[READ, READ, READ, READ, READ, WRITE, WRITE, WRITE],
    );
    kernel.parts = vec!["substring/groups", "substring/codes", "substring/mix"];
    kernel.constants.push(("BITS", bits));
    kernel
}

/// Words per comparison step of a workgroup; equal to the constant in compare_pairs.wgsl.
pub const PIECE_WORDS: u64 = 64 * LANES as u64;

/// Compares long windows pair by pair.
pub fn compare_pairs(bits: u32) -> Kernel {
    let parts = vec!["substring/groups", "substring/codes"];
    let bindings = vec![(4, READ), (5, READ), (7, WRITE)];
    let kernel = Kernel::new("substring/compare_pairs", LANES, &[]);
    Kernel {
        parts,
        constants: vec![("BITS", bits)],
        bindings,
        ..kernel
    }
}

/// Lists sorted windows that several texts may contain.
pub fn list_groups() -> Kernel {
    let mut kernel = Kernel::new("substring/list_groups", LANES, &[READ, READ, READ, WRITE]);
    kernel.parts = vec!["substring/groups", "substring/mix"];
    kernel.bindings.push((7, WRITE));
    kernel
}

/// Parts that hash windows.
const HASHED: &[&str] = &["substring/modular", "substring/hashed_windows"];

fn of_windows(stem: &'static str, windows: Windows, bits: u32, more: &[(u32, Access)]) -> Kernel {
    let (parts, texts) = match windows {
        Windows::Packed => (&["substring/packed_windows"][..], 1),
        Windows::Hashed => (HASHED, 4),
    };
    let mut kernel = Kernel::new(stem, LANES, &[READ; 4][..texts]);
    kernel.parts = [&["substring/control", "substring/mix"], parts].concat();
    kernel.constants.push(("BITS", bits));
    kernel.bindings.extend(more);
    kernel
}
