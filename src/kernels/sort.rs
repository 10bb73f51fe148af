//! Kernels of the radix sort.

use super::Access::{self, Read, ReadWrite};
use super::Kernel;

/// Values of an 8-bit digit.
pub const RADIX: u32 = 256;
/// Lanes of a workgroup of the kernels without ranking.
const LANES: u32 = 256;
/// Lanes that rank together on devices without subgroups.
const GROUP: u32 = 32;

/// Parameters of the reduce-then-scan sort, in which no workgroup waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RadixSort {
    /// Words of a key: 1 or 2.
    pub key_words: u32,
    /// Each key carries a 32-bit payload.
    pub payload: bool,
    /// Subgroup size, if the device has a fixed one.
    pub subgroup: Option<u32>,
    /// Lanes of a ranking workgroup.
    pub lanes: u32,
    /// Keys per lane and tile.
    pub steps: u32,
}

impl RadixSort {
    /// Keys of a tile.
    pub fn tile(&self) -> u32 {
        self.lanes * self.steps
    }

    /// Maximum workgroup memory of its kernels, in bytes.
    pub fn workgroup_bytes(&self) -> u32 {
        let groups = self.lanes / self.group();
        let (marks, sums) = match self.subgroup {
            Some(_) => (0, groups),
            None => (groups * RADIX, 2 * self.lanes),
        };
        4 * (groups * RADIX + marks + sums + self.tile() + 2 * RADIX)
    }

    /// Counts the digits per workgroup.
    pub fn upsweep(&self) -> Kernel {
        let mut kernel = self.over_keys("sort/upsweep", LANES, &[Read, Read, ReadWrite]);
        kernel.parts.push(key(self.key_words));
        kernel
    }

    /// Scatters each workgroup's keys by digit.
    pub fn downsweep(&self) -> Kernel {
        let bindings = [Read, Read, ReadWrite, Read];
        let kernel = self.over_keys("sort/downsweep", self.lanes, &bindings);
        let mut kernel = moving(kernel, self.key_words, self.payload);
        let (rank, sum) = match self.subgroup {
            Some(_) => ("sort/rank_subgroup", "sort/sum_subgroup"),
            None => ("sort/rank_workgroup", "sort/sum_workgroup"),
        };
        kernel.parts.extend([rank, sum]);
        kernel
            .constants
            .extend([("STEPS", self.steps), ("SUBGROUP", self.group())]);
        kernel.subgroups = self.subgroup.is_some();
        kernel
    }

    /// Copies keys and payloads.
    pub fn copy(&self) -> Kernel {
        let kernel = self.over_keys("sort/copy", LANES, &[Read, Read, ReadWrite]);
        moving(kernel, self.key_words, self.payload)
    }

    /// Lanes that rank together.
    fn group(&self) -> u32 {
        self.subgroup.unwrap_or(GROUP)
    }

    /// A kernel whose workgroups each process a run of tiles.
    fn over_keys(&self, stem: &'static str, lanes: u32, bindings: &[Access]) -> Kernel {
        Kernel {
            parts: vec!["sort/range"],
            constants: vec![("RADIX", RADIX), ("TILE", self.tile())],
            ..Kernel::new(stem, lanes, bindings)
        }
    }
}

fn key(words: u32) -> &'static str {
    if words == 1 {
        "sort/key_u32"
    } else {
        "sort/key_u64"
    }
}

/// Adds the parts for keys and payloads.
fn moving(mut kernel: Kernel, key_words: u32, payload: bool) -> Kernel {
    kernel.parts.extend([
        key(key_words),
        if payload {
            "sort/payload_u32"
        } else {
            "sort/payload_none"
        },
    ]);
    if payload {
        kernel.bindings.extend([(4, Read), (5, ReadWrite)]);
    }
    kernel
}

/// Scans the counts of each digit, one workgroup per digit.
pub fn scan() -> Kernel {
    scan_by("sort/scan", LANES)
}

fn scan_by(stem: &'static str, lanes: u32) -> Kernel {
    Kernel {
        parts: vec!["sort/sum_workgroup"],
        constants: vec![("RADIX", RADIX)],
        ..Kernel::new(stem, lanes, &[ReadWrite])
    }
}

/// Parameters of onesweep, whose workgroups wait for earlier ones. CUDA only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Onesweep {
    /// Words of a key: 1 or 2.
    pub key_words: u32,
    /// Each key carries a 32-bit payload.
    pub payload: bool,
    /// Lanes of a ranking workgroup: at least [`RADIX`].
    pub lanes: u32,
    /// Keys per lane and tile.
    pub steps: u32,
    /// Target of resident workgroups per compute unit.
    pub groups_of_unit: u32,
}

impl Onesweep {
    /// Subgroup size.
    pub const SUBGROUP: u32 = 32;

    /// Keys of a tile.
    pub fn tile(&self) -> u32 {
        self.lanes * self.steps
    }

    /// Digits of a key.
    pub fn digits(&self) -> u32 {
        self.key_words * u32::BITS / RADIX.ilog2()
    }

    /// Maximum workgroup memory of its kernels, in bytes.
    pub fn workgroup_bytes(&self) -> u32 {
        let subgroups = self.lanes / Self::SUBGROUP;
        4 * (subgroups * RADIX + subgroups + self.tile() + RADIX + 1)
    }

    /// Counts all digits of all keys.
    pub fn histogram(&self) -> Kernel {
        Kernel {
            parts: vec![key(self.key_words)],
            constants: vec![("RADIX", RADIX)],
            ..Kernel::new("sort/onesweep_histogram", LANES, &[Read, Read, ReadWrite])
        }
    }

    /// Scans the counts, one workgroup per digit position.
    pub fn scan() -> Kernel {
        scan_by("sort/onesweep_scan", RADIX)
    }

    /// Scatters keys by one digit.
    pub fn pass(&self) -> Kernel {
        let bindings = [Read, Read, ReadWrite, Read];
        let mut kernel = moving(
            Kernel::new("sort/onesweep", self.lanes, &bindings),
            self.key_words,
            self.payload,
        );
        kernel.bindings.push((6, ReadWrite));
        kernel
            .parts
            .extend(["sort/rank_subgroup", "sort/sum_subgroup"]);
        kernel.constants = vec![
            ("RADIX", RADIX),
            ("TILE", self.tile()),
            ("STEPS", self.steps),
            ("SUBGROUP", Self::SUBGROUP),
            ("GROUPS_OF_UNIT", self.groups_of_unit),
        ];
        kernel.subgroups = true;
        kernel
    }
}
